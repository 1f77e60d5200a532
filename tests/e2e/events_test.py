#!/usr/bin/python3
"""Following changes as they happen: the stream, its filters, going on after a break, resync.

Usage: events_test.py <program>
"""

import json
import time

import harness
import shapes

EVENT = ("job_id", "queue", "type", "state", "canonical_state", "from", "to", "trigger", "at",
         "execution_id", "version")


class Stream:
    """Server-Sent Events, read line by line."""

    def __init__(self, server, query="", last=None):
        self.connection = server.connect()
        fields = {} if last is None else {"Last-Event-ID": str(last)}
        self.connection.request("GET", "/v1/events" + query, headers=fields)
        self.answer = self.connection.getresponse()
        self.status = self.answer.status

    def next(self):
        """(id, name, data) of the next event; comments are passed over; None at the end."""
        number, name, data = None, None, None
        deadline = time.monotonic() + harness.PATIENCE
        for raw in self.answer:
            if time.monotonic() > deadline:  # signs of life keep the connection from timing out
                raise AssertionError("no event came in time")
            line = raw.decode().rstrip("\n")
            if not line and name:
                return number, name, json.loads(data)
            key, _, value = line.partition(": ")
            number = value if key == "id" else number
            name = value if key == "event" else name
            data = value if key == "data" else data
        return None

    def take(self, count):
        return [self.next() for _ in range(count)]

    def close(self):
        self.answer.close()
        self.connection.close()


@harness.both_stores
class Events(harness.Case):
    def follow(self, query="", last=None):
        stream = Stream(self.server, query, last)
        self.addCleanup(stream.close)
        self.assertEqual(stream.status, 200)
        self.assertEqual(stream.answer.getheader("Content-Type"), "text/event-stream")
        return stream

    def test_everything_that_happens_to_a_job(self):
        stream = self.follow("?" + harness.query(queue=self.queue))
        made = self.submit()
        self.submit(queue=self.queue + ".other")
        self.work(self.claim_one(), "ack")
        events = stream.take(4)
        for _, name, data in events:
            self.assertEqual(name, "job")
            shapes.has(self, data, EVENT)
            self.assertEqual((data["job_id"], data["queue"], data["type"]),
                             (made["id"], self.queue, "t"))
            shapes.is_time(self, data["at"])
        self.assertEqual([(data["from"], data["to"]) for _, _, data in events],
                         [(None, "PENDING"), ("PENDING", "SCHEDULED"), ("SCHEDULED", "RUNNING"),
                          ("RUNNING", "COMPLETED")])
        numbers = [number for number, _, _ in events]
        starts = {number.partition("-")[0] for number in numbers}
        self.assertEqual(len(starts), 1, "the start of the server is part of an id")
        counted = [int(number.partition("-")[2]) for number in numbers]
        self.assertEqual(counted, sorted(set(counted)))

    def test_one_job(self):
        made = self.submit()
        self.submit()
        stream = self.follow("?job=" + made["id"])
        for execution in self.claim(max=2):
            self.work(execution, "ack")
        self.assertEqual([data["to"] for _, _, data in stream.take(2)], ["RUNNING", "COMPLETED"])

    def test_going_on_after_the_last_event_that_was_seen(self):
        query = "?" + harness.query(queue=self.queue)
        stream = self.follow(query)
        self.submit()
        first, second = stream.take(2)
        stream.close()
        self.submit()
        events = self.follow(query, last=first[0]).take(3)
        self.assertEqual(events[0], second)
        self.assertEqual([data["to"] for _, _, data in events],
                         ["SCHEDULED", "PENDING", "SCHEDULED"])

    def test_numbers_that_were_never_given_mean_resync(self):
        self.submit()
        stream = self.follow("?" + harness.query(queue=self.queue))
        self.submit()
        start = stream.next()[0].partition("-")[0]
        for last in ("999999999", "nonsense", "-1", "99999999999999999999999", "1", start,
                     f"{start}-", f"{start}-x", f"{start}-99999999", f"0{start}-1", f"{start}x-1"):
            stream = self.follow("?" + harness.query(queue=self.queue), last=last)
            self.assertEqual(stream.next()[1:], ("resync", {}), last)
            self.goes_on(stream)

    def goes_on(self, stream):
        """After a resync come the changes that are remembered, and then the new ones."""
        made = self.submit()
        while stream.next()[2]["job_id"] != made["id"]:
            pass

    def test_what_is_forgotten_means_resync(self):
        stream = self.follow("?" + harness.query(queue=self.queue))
        self.submit()
        first = stream.next()
        stream.close()
        jobs = [{"type": "t", "queue": self.queue + ".many"}] * 1000
        for _ in range(6):  # two changes for each job, and 10,000 are remembered
            self.ok("POST", "/v1/jobs/batch", {"jobs": jobs}, 201)
        stream = self.follow("?" + harness.query(queue=self.queue), last=first[0])
        self.assertEqual(stream.next()[1], "resync")
        self.goes_on(stream)

    def test_several_follow_at_once(self):
        streams = [self.follow("?" + harness.query(queue=self.queue)) for _ in range(20)]
        made = self.submit()
        for stream in streams:
            self.assertEqual(stream.next()[2]["job_id"], made["id"])

    def test_wrong_parameters(self):
        self.refused(400, "bad_request", "GET", "/v1/events?job=x", field="job")
        self.refused(400, "bad_request", "GET", "/v1/events?nonsense=x", field="nonsense")
        self.refused(400, "bad_request", "GET", "/v1/events?queue=a&queue=b", field="queue")


class OtherStart(harness.OnDisk):
    def test_an_id_of_another_start_means_resync(self):
        """Also when this start has given as many events, and more."""
        stream = Stream(self.server)
        self.addCleanup(stream.close)
        self.submit()
        last = stream.next()[0]
        stream.close()
        self.server.kill()
        self.start()
        for _ in range(5):
            self.submit()
        again = Stream(self.server, last=last)
        self.addCleanup(again.close)
        self.assertEqual(again.next()[1:], ("resync", {}))


class Ending(harness.Case):
    def test_head_is_answered_and_the_connection_goes_on(self):
        connection = self.server.connect()
        self.addCleanup(connection.close)
        for _ in range(2):
            connection.request("HEAD", "/v1/events")
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.read()), (200, b""))
            self.assertEqual(answer.getheader("Content-Type"), "text/event-stream")
        self.assertEqual(self.server.call("GET", "/healthz", connection=connection).status, 200)

    def test_who_goes_away_leaves_no_connection_behind(self):
        server = harness.Server("memory:")
        self.addCleanup(server.stop)
        before = server.descriptors()
        streams = [Stream(server) for _ in range(20)]
        self.assertEqual(server.descriptors(), before + 20)
        for stream in streams:
            stream.close()

        def gone():
            server.call("POST", "/v1/jobs", {"type": "t"})  # only writing tells who has gone
            return server.descriptors() <= before
        harness.until(gone, "connections stay open")

    def test_streams_end_when_the_server_does(self):
        server = harness.Server("memory:")
        self.addCleanup(server.stop)
        stream = Stream(server)
        server.terminate()
        self.assertIsNone(stream.next())
        self.assertEqual(server.wait(), (0, ""))
        stream.close()


if __name__ == "__main__":
    harness.main()
