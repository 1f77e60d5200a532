#!/usr/bin/python3
"""What each command says and how it exits when something is wrong: its arguments, its input, the job
it is asked about, the server it talks to.

Nothing stands on standard output then, and standard error has one line that says what it is.

Usage: mistakes_test.py <program>
"""

import json
import os
import socket
import subprocess
import threading
import unittest

import server_test

UNKNOWN = "aaaaaaaa-0000-4000-8000-000000000000"
WRONG_USAGE = server_test.WRONG_USAGE
ONE_LINE = r"\Abaton: [^\n]+\n\Z"
WITH_A_HINT = r"\Abaton: [^\n]+\nSee 'baton --help'\.\n\Z"

# Commands that talk to a server and end by themselves.
ASKING = [
    ("submit", "t"), ("submit", "t", "--wait"), ("show", UNKNOWN), ("show", UNKNOWN, "--history"),
    ("show", UNKNOWN, "--executions"), ("list",), ("list", "--all"), ("wait", UNKNOWN),
    ("cancel", UNKNOWN), ("retry", UNKNOWN), ("explain", UNKNOWN), ("queues",), ("queues", "q"),
    ("queues", "q", "--set", "{}"), ("pause", "q"), ("resume", "q"), ("drain", "q"), ("dead",),
    ("stats",), ("workers",), ("bench", "--seconds", "1", "--connections", "1"),
]
# All others.
LOCAL = [("serve",), ("work", "--queue", "q", "--exec", "true"), ("profiles",), ("doctor",),
         ("backup", "x"), ("restore", "x")]


def answer(status, body, kind="application/json", length=None):
    size = len(body) if length is None else length
    return (f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\n\r\n"
            f"{body}").encode()


# What something that is no Baton server may say.
BROKEN = {
    "another protocol": b"220 mail.example.com ready\r\n",
    "nothing": b"",
    "half an answer": answer("200 OK", '{"id":', length=100),
    "too much": answer("200 OK", "{}", length=1),
    "a page that is not there": answer("404 Not Found", "<html></html>", "text/html"),
    "a broken program": answer("500 Internal Server Error", "<html></html>", "text/html"),
    "another place": answer("302 Found", ""),
    "a page": answer("200 OK", "<html></html>", "text/html"),
    "half a document": answer("200 OK", '{"job":{"id":"x'),
    "no document": answer("200 OK", ""),
    "no content": b"HTTP/1.1 204 No Content\r\n\r\n",
    "a list": answer("200 OK", "[]"),
    "a number": answer("200 OK", "7"),
    "a deep document": answer("200 OK", "[" * 100000),
    "an empty object": answer("200 OK", "{}"),
    "an object of something else": answer("200 OK", '{"id":null,"job":{},"name":"","jobs":[{}]}'),
}


class Impostor:
    """Answers every connection with the same bytes."""

    def __init__(self, data):
        self.data = data
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                try:
                    connection.recv(65536)
                    connection.sendall(self.data)
                except OSError:
                    pass  # the client has had enough

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()


class Case(server_test.Commands):
    def check(self, found, code, pattern, told):
        self.assertEqual((found.returncode, found.stdout), (code, ""), (told, found.stderr))
        self.assertRegex(found.stderr, pattern, told)
        return found.stderr

    def asked(self, url, *arguments, stdin=""):
        return self.baton(*arguments, stdin=stdin, BATON_URL=url)


class Arguments(Case):
    def test_an_option_that_does_not_exist(self):
        for command in ASKING + LOCAL:
            found = self.baton(*command, "--nonsense", stdin="")
            said = self.check(found, WRONG_USAGE, WITH_A_HINT, command)
            self.assertIn("--nonsense", said)

    def test_too_few(self):
        for command in ("show", "wait", "cancel", "retry", "explain", "pause", "resume", "drain",
                        "backup", "restore", "work"):
            self.check(self.baton(command), WRONG_USAGE, WITH_A_HINT, command)
        self.check(self.baton("submit"), WRONG_USAGE, ONE_LINE, "submit")

    def test_too_many(self):
        for command in (("show", "a"), ("wait", "a"), ("explain", "a"), ("list",), ("stats",),
                        ("dead",), ("profiles",), ("doctor",), ("serve",), ("bench",),
                        ("queues", "q"), ("submit", "t", "1"), ("backup", "a"), ("restore", "a"),
                        ("work", "--queue", "q", "--exec", "true")):
            self.check(self.baton(*command, "surplus"), WRONG_USAGE, WITH_A_HINT, command)

    def test_no_command_or_an_unknown_one(self):
        for arguments in ((), ("nonsense",), ("--nonsense",), ("",)):
            self.check(self.baton(*arguments), WRONG_USAGE, WITH_A_HINT, arguments)

    def test_a_server_that_is_no_address(self):
        for url in ("x", "ftp://x", "http://", "http://127.0.0.1:99999", "http://127.0.0.1:x"):
            for command in (("stats",), ("list", "--json"), ("submit", "t"),
                            ("work", "--queue", "q", "--exec", "true")):
                found = self.baton(*command, "--server", url)
                said = self.check(found, WRONG_USAGE, ONE_LINE, (command, url))
                self.assertIn(f"'{url}'", said)

    def test_a_worker_without_a_command_or_a_queue(self):
        # What broke: every job would have been done by nothing, with success.
        for command in ("", " ", "\n\t"):
            found = self.baton("work", "--queue", self.queue, "--exec", command)
            self.assertIn("--exec", self.check(found, WRONG_USAGE, ONE_LINE, repr(command)))
        found = self.baton("work", "--queue", "", "--exec", "true")
        self.assertIn("--queue", self.check(found, WRONG_USAGE, ONE_LINE, "no queue"))


    def test_settings_and_batches_that_are_none(self):
        for settings in ("", "{", "no JSON"):
            found = self.baton("queues", self.queue, "--set", settings)
            self.assertIn("--set", self.check(found, WRONG_USAGE, ONE_LINE, settings))
        for batch in ("0", "1001"):
            found = self.baton("bench", "--batch", batch)
            self.assertIn("--batch", self.check(found, WRONG_USAGE, ONE_LINE, batch))


class Input(Case):
    def test_a_file_that_cannot_be_read(self):
        for path in ("/nowhere/at/all", "/"):
            for command in (("submit", "t", "--payload-file", path), ("submit", "--batch", path)):
                said = self.check(self.baton(*command), WRONG_USAGE, ONE_LINE, command)
                self.assertIn(f"cannot read {path}", said)

    def test_payloads_that_are_no_json(self):
        for text in ("", "{", "no JSON", "\x01", "1 2", "[1,]"):
            found = self.baton("submit", "t", "-", "--queue", self.queue, stdin=text)
            self.check(found, WRONG_USAGE, ONE_LINE, text)
        found = self.baton("submit", "t", "", "--queue", self.queue)
        self.check(found, WRONG_USAGE, ONE_LINE, "an empty argument")
        self.assertEqual(self.data("list", "--queue", self.queue)["jobs"], [])

    def test_an_empty_batch_is_no_mistake(self):
        for text in ("", "\n", "\n\n \n"):
            self.assertEqual(self.good("submit", "--batch", "-", stdin=text), "submitted 0\n")

    def test_a_batch_of_nonsense(self):
        found = self.baton("submit", "--batch", "-", stdin="x\n[]\n{}\n")
        self.assertEqual((found.returncode, found.stdout), (1, "submitted 0, failed 3\n"))
        lines = found.stderr.splitlines()
        self.assertEqual([line.partition(":")[0] for line in lines], ["baton"] * 3)
        for number, line in enumerate(sorted(lines), 1):
            self.assertIn(f"line {number}: ", line)


class Unknown(Case):
    def test_jobs_that_are_not_there(self):
        for command in ("show", "wait", "cancel", "retry", "explain"):
            for name in (UNKNOWN, "nonsense", "", "../queues", "%2e", "a/b", "ä", "x" * 5000):
                for options in ((), ("--json",)):
                    found = self.baton(command, name, *options)
                    said = self.check(found, 1, ONE_LINE, (command, name))
                    self.assertRegex(said, r"\Abaton: (not_found|bad_request): ", (command, name))

    def test_queues_that_are_not_there(self):
        for options in ((), ("--json",)):
            found = self.baton("queues", "nobody-made-this", *options)
            self.assertIn("not_found: ", self.check(found, 1, ONE_LINE, options))
            for command in ("pause", "resume", "drain"):
                found = self.baton(command, "no such name", *options)
                self.assertIn("invalid_job: ", self.check(found, 1, ONE_LINE, command))

    def test_one_bad_id_does_not_keep_the_others_from_their_turn(self):
        job = self.submit("t")
        found = self.baton("cancel", UNKNOWN, job)
        self.assertEqual(found.returncode, 1)
        self.assertRegex(found.stderr, ONE_LINE)
        self.assertIn(job, found.stdout)


class Output(Case):
    """A device that takes nothing."""

    def test_what_cannot_be_printed_is_a_failure(self):
        job = self.submit("t")
        for command in (("list",), ("list", "--json"), ("stats",), ("show", job), ("explain", job),
                        ("queues",), ("submit", "t"), ("profiles",), ("--help",), ("--version",)):
            with open("/dev/full", "w", encoding="utf-8") as full:
                found = subprocess.run([server_test.PROGRAM, *command], stdout=full, text=True,
                                       stderr=subprocess.PIPE, check=False, timeout=60,
                                       env=self.environment)
            self.assertEqual(found.returncode, 1, command)
            self.assertRegex(found.stderr, ONE_LINE, command)
            self.assertIn("cannot write to standard output", found.stderr)

    def shell(self, line):
        return subprocess.run(["/bin/bash", "-c", line, server_test.PROGRAM], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              timeout=60, env=self.environment)

    def test_a_closed_output_is_a_failure(self):
        self.submit("t")
        for command in ("list", "list --json", "stats", "queues", "submit t"):
            found = self.shell(f'exec "$0" {command} >&-')
            self.assertEqual(found.returncode, 1, command)
            self.assertIn("cannot write to standard output", found.stderr)

    def test_a_reader_that_has_enough_is_no_failure(self):
        for _ in range(3):
            self.submit("t")
        for command in ("list", "list --all --limit 1", "stats"):
            found = self.shell(f'set -o pipefail; (sleep 0.2; exec "$0" {command}) | true')
            self.assertEqual((found.returncode, found.stderr), (141, ""), command)


class NoServer(Case):
    def test_nothing_listens(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        for command in ASKING:
            for options in ((), ("--json",)):
                found = self.asked(f"http://127.0.0.1:{port}", *command, *options)
                said = self.check(found, 1, ONE_LINE, command)
                self.assertRegex(said, rf"connect.*\b{port}\b", command)

    def test_a_batch_counts_what_was_not_sent(self):
        found = self.asked("http://127.0.0.1:1", "submit", "--batch", "-", stdin='{"type":"t"}\n')
        self.assertEqual((found.returncode, found.stdout), (1, "submitted 0, not answered 1\n"))
        self.assertRegex(found.stderr, ONE_LINE)

    def test_a_name_that_nobody_knows(self):
        found = self.asked("http://no-such-host.invalid", "stats")
        self.assertIn("no-such-host.invalid", self.check(found, 1, ONE_LINE, "stats"))


class Impostors(Case):
    def impostor(self, data):
        impostor = Impostor(data)
        self.addCleanup(impostor.close)
        return impostor.url

    def test_what_is_broken(self):
        for what, data in BROKEN.items():
            url = self.impostor(data)
            for command in ASKING:
                for options in ((), ("--json",)):
                    found = self.asked(url, *command, *options)
                    self.check(found, 1, ONE_LINE, (what, command, options))

    def test_what_it_says_does_not_move_the_cursor(self):
        problem = {"status": 422, "code": "invalid_job", "detail": "\u001b[31mred\nline two\u0000"}
        url = self.impostor(answer("422 No", json.dumps(problem), "application/problem+json"))
        for command in ASKING:
            said = self.check(self.asked(url, *command), 1, ONE_LINE, command)
            self.assertIn("line two", said)
            self.assertTrue(said.strip("\n").isprintable(), said)

    def test_a_batch_counts_what_was_not_answered(self):
        one = {"job": {"id": "x", "canonical_state": "SCHEDULED"}, "duplicate": False}
        for said in ("{}", '{"results":[{}]}', json.dumps({"results": [one, one]})):
            url = self.impostor(answer("201 Created", said))
            found = self.asked(url, "submit", "--batch", "-", stdin='{"type":"t"}\n')
            self.assertEqual((found.returncode, found.stdout),
                             (1, "submitted 0, not answered 1\n"), said)
            self.assertRegex(found.stderr, ONE_LINE)

    def test_a_problem_of_another_program(self):
        problem = {"type": "about:blank", "title": "Teapot", "status": 418, "detail": "short"}
        url = self.impostor(answer("418 Teapot", json.dumps(problem), "application/problem+json"))
        said = self.check(self.asked(url, "stats"), 1, ONE_LINE, "stats")
        self.assertIn("short", said)
        self.assertIn("418", said)

    def test_a_worker_goes_on_and_says_so_once(self):
        url = self.impostor(BROKEN["a broken program"])
        self.environment = {**self.environment, "BATON_URL": url}
        worker = self.work("true")
        self.assertIn("500", worker.stderr.readline())
        output, errors = self.drained(worker)
        self.assertEqual(output, "")
        self.assertEqual(len(errors.splitlines()), 1, errors)


if __name__ == "__main__":
    os.environ.pop("BATON_URL", None)
    unittest.main()
