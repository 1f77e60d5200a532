#!/usr/bin/python3
"""What one client can make the server hold: bytes of answers, memory, descriptors, leases.

Memory is what /proc says of the server. The bounds are generous; without limits each of these costs
several times as much.

Usage: bounds_test.py <program>
"""

import contextlib
import json
import pathlib
import resource
import socket
import subprocess
import unittest

import harness

harness.PATIENCE = 60  # large answers take their time in a build for debugging

MIB = 1 << 20
MOST_ANSWER = 32 * MIB
MOST_GROWTH = 300 * 10**6


def descriptors_for_tests():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def memory(server, name):
    """VmRSS, or VmHWM: the most since it was forgotten."""
    for line in pathlib.Path(f"/proc/{server.pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise AssertionError(name)


@contextlib.contextmanager
def growth_below(test, server, most):
    """The server's memory grows by less than this, at any moment."""
    pathlib.Path(f"/proc/{server.pid}/clear_refs").write_text("5", encoding="ascii")
    before = memory(server, "VmRSS")
    yield
    grown = memory(server, "VmHWM") - before
    print(f"{test.id()}: {grown / 1e6:.0f} MB", flush=True)
    test.assertLess(grown, most)


def request(method, path, body=None):
    data = b"" if body is None else json.dumps(body).encode()
    kind = "" if body is None else "Content-Type: application/json\r\n"
    return (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{kind}"
            f"Content-Length: {len(data)}\r\n\r\n").encode() + data


@harness.both_stores
class Answers(harness.Case):
    def large_job(self, **submission):
        """A job with a result of 15 MB, which is shown as 20 MB of base64."""
        self.ok("PUT", f"/v1/queues/{self.queue}", {"max_payload_bytes": 16 * MIB})
        made = self.submit(**submission)
        self.work(self.claim_one(), "ack", result_base64="r" * 20_000_000,
                  result_content_type="image/png")
        return made

    def answer_to(self, method, path, body=None):
        answer = self.call(method, path, body)
        self.assertIn(answer.status, (200, 201), answer)
        self.assertLessEqual(len(answer.body), MOST_ANSWER)
        return answer

    def test_one_large_job_many_times_in_a_batch(self):
        made = self.large_job(idempotency_key="k1")
        again = {"type": "t", "queue": self.queue, "idempotency_key": "k1"}
        with growth_below(self, self.server, MOST_GROWTH):
            answer = self.answer_to("POST", "/v1/jobs/batch", {"jobs": [again] * 200})
        results = answer.json["results"]
        self.assertEqual(len(results), 200)
        for result in results:
            self.assertTrue(result["duplicate"])
            self.assertEqual(result["job"]["id"], made["id"])
            for name in ("payload", "payload_base64", "result", "result_base64", "checkpoint"):
                self.assertNotIn(name, result["job"])
        self.assertLess(len(answer.body), MIB)

    def test_a_batch_shows_jobs_without_their_bytes(self):
        jobs = [{"type": "t", "queue": self.queue, "payload": "p" * 1000, "ref": f"r{i}",
                 "tags": {"a": "b"}} for i in range(20)]
        for i in range(1, 20):
            jobs[i]["depends_on"] = {"type": "AFTER", "jobs": [f"#r{i - 1}"]}
        results = self.answer_to("POST", "/v1/jobs/batch", {"jobs": jobs}).json["results"]
        for i, result in enumerate(results):
            self.assertNotIn("payload", result["job"])
            self.assertEqual((result["job"]["ref"], result["job"]["tags"]), (f"r{i}", {"a": "b"}))
            self.assertEqual(self.job(result["job"])["payload"], "p" * 1000)
        self.assertEqual(results[1]["job"]["depends_on"][0]["jobs"], [results[0]["job"]["id"]])

    def test_jobs_with_much_beside_their_bytes(self):
        """A thousand jobs that wait for a thousand others each: 39 MB of ids alone."""
        first = [{"type": "t", "queue": self.queue, "delay_ms": 3600000} for _ in range(1000)]
        made = self.answer_to("POST", "/v1/jobs/batch", {"jobs": first}).json["results"]
        ids = [result["job"]["id"] for result in made]
        jobs = [{"type": "t", "queue": self.queue, "idempotency_key": f"wide{i}",
                 "depends_on": {"type": "AFTER", "jobs": ids}} for i in range(250)]
        for at in range(0, 1000, 250):
            for job in jobs:
                job["idempotency_key"] = f"wide{at}-{job['idempotency_key']}"
            self.answer_to("POST", "/v1/jobs/batch", {"jobs": jobs})
            for job in jobs:
                job["idempotency_key"] = job["idempotency_key"].partition("-")[2]
        again = [{"type": "t", "queue": self.queue, "idempotency_key": f"wide{at}-wide{i}"}
                 for at in range(0, 1000, 250) for i in range(250)]
        with growth_below(self, self.server, MOST_GROWTH):
            results = self.answer_to("POST", "/v1/jobs/batch", {"jobs": again}).json["results"]
        self.assertEqual(len(results), 1000)
        self.assertTrue(all(result["duplicate"] for result in results))
        shown = [result["job"]["depends_on"] for result in results]
        self.assertTrue(any(shown), "as long as there is room, jobs are shown whole")
        self.assertIn(None, shown, "and in brief from there on")

    def test_the_largest_claim(self):
        """A thousand payloads as large as fit, shown in base64, and all texts as long as may be."""
        job = {"type": "t", "queue": self.queue, "payload_base64": "p" * (16384 // 3 * 4),
               "content_type": "image/png", "correlation_id": "c" * 256,
               "tags": {f"{i:0128}": "\x01" * 512 for i in range(64)}}
        plain = {name: job[name] for name in job if name != "tags"}
        for at in range(0, 1000, 50):
            self.answer_to("POST", "/v1/jobs/batch", {"jobs": [job if at < 100 else plain] * 50})
        claim = {"queues": [self.queue], "worker": "w", "max": 1000}
        with growth_below(self, self.server, MOST_GROWTH):
            answer = self.answer_to("POST", "/v1/claims", claim)
        self.assertGreater(len(answer.body), 24 * MIB, "it is not as large as it may be")
        jobs = [execution["job"] for execution in answer.json["executions"]]
        self.assertEqual(len(jobs), 1000)
        self.assertTrue(all(shown["payload_base64"] == job["payload_base64"] for shown in jobs))
        self.assertEqual(jobs[0]["tags"], job["tags"])
        self.assertIsNone(jobs[-1]["tags"], "in brief when the texts had their share")

    def test_a_claim_counts_checkpoints(self):
        retry = {"initial_ms": 0, "jitter": "none", "max_attempts": 3}
        for _ in range(20):
            self.submit(payload=1, retry=retry)
        for execution in self.claim(max=20):
            self.work(execution, "heartbeat", checkpoint="c" * (MIB - 2))
            self.work(execution, "nack", category="TEMPORARY", message="again")
        claim = {"queues": [self.queue], "worker": "w", "max": 1000}
        answer = self.answer_to("POST", "/v1/claims", claim)
        executions = answer.json["executions"]
        self.assertEqual(len(executions), 15, "16 MiB, with the class of each payload")
        for execution in executions:
            self.assertEqual(len(execution["job"]["checkpoint"]), MIB - 2)
        self.assertEqual(len(self.claim(max=1000)), 5)

    def test_what_was_committed_is_not_in_a_batch(self):
        self.ok("PUT", f"/v1/queues/{self.queue}", {"max_payload_bytes": 16 * MIB})
        self.submit(retry={"initial_ms": 0, "jitter": "none", "max_attempts": 3})
        first = self.claim_one(lease_ms=100)
        second = harness.until(self.claim)[0]
        self.work(second, "ack", result="r" * 15_000_000)
        ack = {"op": "ack", "execution_id": first["execution_id"],
               "lease_token": first["lease_token"]}
        with growth_below(self, self.server, MOST_GROWTH):
            answer = self.answer_to("POST", "/v1/executions/batch", {"ops": [ack] * 40})
        self.assertLess(len(answer.body), MIB)
        for result in answer.json["results"]:
            self.assertEqual(result["error"]["code"], "already_committed")
            self.assertNotIn("result", result["error"])

    def test_failed_jobs_in_a_batch_come_without_their_bytes(self):
        self.submit(payload="p" * 1000)
        execution = self.claim_one()
        nack = {"op": "nack", "execution_id": execution["execution_id"],
                "lease_token": execution["lease_token"], "category": "PERMANENT", "message": "m",
                "code": "c"}
        result, = self.answer_to("POST", "/v1/executions/batch", {"ops": [nack]}).json["results"]
        self.assertEqual(result["job"]["last_error"], "m")
        for name in ("payload", "result", "checkpoint"):
            self.assertNotIn(name, result["job"])

    def test_clients_that_do_not_read_their_answers(self):
        made = self.large_job()
        with growth_below(self, self.server, 3 * MOST_GROWTH / 2):
            silent = []
            for _ in range(40):
                connection = self.server.socket()
                self.addCleanup(connection.close)
                connection.sendall(request("GET", f"/v1/jobs/{made['id']}"))
                silent.append(connection)
            self.submit()
            # Large ones may be told to come again, until those who do not read are cut off.
            harness.until(lambda: self.call("GET", f"/v1/jobs/{made['id']}").status == 200)
        for connection in silent:
            connection.close()


class Connections(harness.Case):
    def test_a_client_that_has_gone_gets_no_lease(self):
        server = harness.Server("memory:")
        self.addCleanup(server.stop)
        before = server.descriptors()
        claim = {"queues": ["q"], "worker": "gone", "max": 1, "wait_ms": 60000}
        connection = server.socket()
        connection.sendall(request("POST", "/v1/claims", claim) * 1000)
        harness.until(lambda: server.descriptors() > before)
        connection.close()
        harness.until(lambda: server.descriptors() <= before, "it was not noticed")
        server.call("POST", "/v1/jobs", {"type": "t", "queue": "q"})
        claim = {"queues": ["q"], "worker": "here", "max": 1}
        execution, = server.call("POST", "/v1/claims", claim).json["executions"]
        self.assertEqual(execution["attempt"], 1)

    def test_idle_ones_cost_little(self):
        descriptors_for_tests()
        server = harness.Server("memory:")
        self.addCleanup(server.stop)
        server.call("GET", "/healthz")
        with growth_below(self, server, 60 * 10**6):
            idle = [server.socket() for _ in range(2000)]
            for connection in idle:
                connection.sendall(request("GET", "/healthz"))
            for connection in idle:
                self.assertEqual(harness.read_answers(connection, 1)[0].status, 200)
        for connection in idle:
            connection.close()

    def test_streams_that_nobody_reads_cost_little(self):
        server = harness.Server("memory:")
        self.addCleanup(server.stop)
        # What the jobs and the remembered events take, whoever follows.
        jobs = [{"type": "t", "queue": "q", "delay_ms": 3600000}] * 1000
        for _ in range(12):
            server.call("POST", "/v1/jobs/batch", {"jobs": jobs})
        streams = []
        for _ in range(50):
            connection = server.socket()
            self.addCleanup(connection.close)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(request("GET", "/v1/events"))
            streams.append(connection)
        with growth_below(self, server, 150 * 10**6):
            for _ in range(20):
                self.assertEqual(
                    server.call("POST", "/v1/jobs/batch", {"jobs": jobs}).status, 201)

    def test_memory_goes_back_after_a_burst(self):
        server = harness.Server("memory:")
        self.addCleanup(server.stop)
        server.call("PUT", "/v1/queues/q", {"max_payload_bytes": 16 * MIB})
        before = memory(server, "VmRSS")
        for _ in range(10):
            answer = server.call("POST", "/v1/jobs",
                                 {"type": "t", "queue": "q", "payload": "p" * 12_000_000})
            job = answer.json["job"]["id"]
            self.assertEqual(server.call("POST", f"/v1/jobs/{job}/cancel").status, 200)
            self.assertEqual(server.call("DELETE", f"/v1/jobs/{job}").status, 204)
        harness.until(lambda: memory(server, "VmRSS") < before + 60 * 10**6,
                      "the memory stays with the server")


class Descriptors(harness.OnDisk):
    def start(self):
        """With few descriptors, soft and hard."""
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.server = None
        start = subprocess.Popen

        def few(*arguments, **options):
            return start(*arguments, preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_NOFILE, (200, 256)), **options)
        subprocess.Popen = few
        try:
            self.server = harness.Server(self.store)
        finally:
            subprocess.Popen = start
        self.addCleanup(self.server.stop)
        self.assertEqual(resource.getrlimit(resource.RLIMIT_NOFILE), before)

    def test_the_store_keeps_its_own(self):
        limits = pathlib.Path(f"/proc/{self.server.pid}/limits").read_text(encoding="ascii")
        self.assertRegex(limits, r"Max open files\s+256\s+256")
        mine = self.server.connect()
        self.addCleanup(mine.close)
        self.assertEqual(self.server.call("GET", "/healthz", connection=mine).status, 200)
        idle = []
        for _ in range(400):
            idle.append(self.server.socket())
            self.addCleanup(idle[-1].close)
        # Segments have 16 MiB.
        for _ in range(45):
            answer = self.server.call("POST", "/v1/jobs", {"type": "t", "payload": "p" * 1_000_000},
                                      connection=mine)
            self.assertEqual(answer.status, 201, answer)
        self.assertLess(self.server.descriptors(), 250)
        for connection in idle:
            connection.close()
        harness.until(lambda: self.submits(), "it takes no connections any more")

    def submits(self):
        try:
            return self.server.call("POST", "/v1/jobs", {"type": "t"}).status == 201
        except OSError:
            return False


class OutOfMemory(harness.Case):
    def test_a_lack_of_memory_costs_requests_and_not_the_server(self):
        server = harness.Server("memory:")
        self.addCleanup(server.stop)
        server.call("PUT", "/v1/queues/q", {"max_payload_bytes": 16 * MIB})
        job = server.call("POST", "/v1/jobs", {"type": "t", "queue": "q",
                                               "payload": "p" * 12_000_000}).json["job"]["id"]
        size = memory(server, "VmData")
        whole = resource.prlimit(server.pid, resource.RLIMIT_DATA)
        resource.prlimit(server.pid, resource.RLIMIT_DATA, (size + 4_000_000, whole[1]))
        statuses = set()
        for _ in range(5):
            statuses.add(server.call("GET", f"/v1/jobs/{job}").status)
            self.assertEqual(server.call("GET", "/healthz").status, 200)
            answer = server.call("POST", "/v1/jobs", b'{"type":"t","queue":"q","payload":"'
                                 + b"p" * 8_000_000 + b'"}')
            statuses.add(answer.status)
        self.assertIn(503, statuses)
        resource.prlimit(server.pid, resource.RLIMIT_DATA, whole)
        self.assertEqual(server.call("GET", f"/v1/jobs/{job}").status, 200)
        self.assertEqual(server.call("POST", "/v1/jobs", {"type": "t"}).status, 201)


if __name__ == "__main__":
    harness.main()
