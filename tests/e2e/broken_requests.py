#!/usr/bin/python3
"""Broken requests get an answer that says what is wrong, and change nothing.

Each request of the table is sent on a connection of its own. The answer must be a problem document
with a 4xx status, and afterwards the server must answer as before, with the same jobs.

Usage: broken_requests.py <program>
"""

import json
import socket
import unittest

import broken_requests_table as table
import harness


def exchange(server, data):
    """The bytes that come back, until the server is done or has sent one whole answer."""
    with server.socket() as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the answer is there already
        received = b""
        while True:
            piece = connection.recv(65536)
            if not piece:
                return received
            received += piece


def parsed(received):
    head, _, body = received.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    fields = [line.partition(": ")[::2] for line in lines[1:]]
    return harness.Answer(int(lines[0].split(" ")[1]), fields, body)


@harness.both_stores
class BrokenRequests(harness.Case):
    def jobs(self):
        return self.ok("GET", "/v1/stats")["counts"]

    def check(self, what, data):
        """What is wrong with the answer; None when nothing is."""
        told = f"{what}: {data[:200]!r} ({len(data)} bytes)"
        try:
            received = exchange(self.server, data)
        except OSError as error:
            return f"{told}: {error!r}"
        if not received:
            return f"{told}: no answer"
        answer = parsed(received)
        if not 400 <= answer.status < 500:
            return f"{told}: {received[:200]!r}"
        if answer.fields.get("content-type") != "application/problem+json":
            return f"{told}: not a problem document: {received[:200]!r}"
        length = int(answer.fields["content-length"])
        problem = json.loads(answer.body[:length])
        if problem["status"] != answer.status or not problem["code"] or not problem["detail"]:
            return f"{told}: {problem}"
        return None

    def test_every_broken_request_is_refused_and_changes_nothing(self):
        self.submit()
        before, checked, faults = self.jobs(), 0, []
        for what, data in table.all_requests():
            fault = self.check(what, data)
            if fault:
                faults.append(fault)
            checked += 1
        self.assertEqual(faults, [], "\n".join(faults))
        self.assertGreaterEqual(checked, 150)
        self.assertEqual(self.jobs(), before)
        self.submit()

    def test_what_http_does_not_have_here(self):
        for status, data in table.NOT_IMPLEMENTED:
            answer = parsed(exchange(self.server, data))
            self.assertEqual(answer.status, status)
            self.assertEqual(answer.json["status"], status)
        self.submit()

    def test_a_request_that_stops_in_the_middle(self):
        whole = table.post(b'{"type":"t"}')
        before = self.jobs()
        for end in range(1, len(whole)):
            with self.server.socket() as connection:
                connection.sendall(whole[:end])
        self.assertEqual(self.jobs(), before)

    def test_a_body_up_to_32_mebibytes_is_read_before_it_is_refused(self):
        data = table.post(b" " * (32 << 20))
        answer = parsed(exchange(self.server, data))
        self.check_problem(answer, 413, "payload_too_large")


if __name__ == "__main__":
    unittest.main()
