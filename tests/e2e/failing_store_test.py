#!/usr/bin/python3
"""A store on disk that fails while the server runs on it.

The system refuses to let a file of the server grow beyond a limit, which is what a full disk or a
quota looks like: a write in the middle of the work fails, or stops half way. Nothing may be
acknowledged from there on, and nothing that was acknowledged may be lost.

Usage: failing_store_test.py <program>
"""

import json
import resource
import subprocess
import tempfile
import threading

import harness

BLOCK = 4096
CLIENTS = 4


class FailingStore(harness.OnDisk):
    def limit_files(self, size):
        resource.prlimit(self.server.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def check_end(self):
        """The server gives up by itself, and says why in one line."""
        code, spoken = self.server.wait()
        self.assertEqual(code, 1, spoken)
        self.assertRegex(spoken, r"\Abaton: the store failed, nothing more is acknowledged: "
                                 r"[^\n]*(File too large|disk I/O error)[^\n]*\n\Z")

    def pipelined(self, *requests):
        """The answers to requests that are sent in one piece."""
        connection = self.server.socket()
        self.addCleanup(connection.close)
        data = b""
        for method, path, body in requests:
            body = b"" if body is None else harness.encoded(body)
            data += (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     f"Content-Length: {len(body)}\r\n\r\n").encode() + body
        connection.sendall(data)
        return harness.read_answers(connection, len(requests))


class Answers(FailingStore):
    def test_every_call_is_told_and_the_process_ends(self):
        self.submit()
        execution = self.claim_one()
        call = f"/v1/executions/{execution['execution_id']}/"
        token = {"lease_token": execution["lease_token"]}
        submission = {"type": "t", "queue": self.queue}
        claim = {"queues": [self.queue], "worker": "w", "wait_ms": 60000}
        self.limit_files(BLOCK)
        answers = self.pipelined(
            ("POST", "/v1/jobs", submission), ("POST", "/v1/jobs", submission),
            ("POST", "/v1/jobs/batch", {"jobs": [submission] * 3}),
            ("POST", call + "heartbeat", {**token, "progress": 1}), ("POST", call + "ack", token),
            ("POST", "/v1/claims", claim), ("PUT", f"/v1/queues/{self.queue}", {"paused": True}),
            ("POST", "/v1/accounts/a/grant", {"amount": 1}), ("GET", "/v1/jobs", None),
            ("GET", "/v1/stats", None), ("GET", "/readyz", None))
        for answer in answers:
            self.check_problem(answer, 503, "store_unavailable")
            self.assertNotIn("/", answer.json["detail"], "paths are not for clients")
        self.check_end()

    def test_the_process_is_healthy_while_it_is_not_ready(self):
        self.limit_files(BLOCK)
        answers = self.pipelined(("POST", "/v1/jobs", {"type": "t"}), ("GET", "/healthz", None),
                                 ("GET", "/readyz", None))
        self.assertEqual([answer.status for answer in answers], [503, 200, 503])
        self.check_end()

    def test_who_waits_is_answered_before_the_end(self):
        made = self.submit(delay_ms=3600000)
        wait, claim = self.server.connect(), self.server.connect()
        self.addCleanup(wait.close)
        self.addCleanup(claim.close)
        wait.request("GET", f"/v1/jobs/{made['id']}/wait?timeout_ms=60000")
        body = {"queues": ["nothing"], "worker": "w", "wait_ms": 60000}
        claim.request("POST", "/v1/claims", json.dumps(body),
                      {"Content-Type": "application/json"})
        self.ok("GET", "/readyz")
        self.limit_files(BLOCK)
        self.refused(503, "store_unavailable", "POST", "/v1/jobs", {"type": "t"})
        for connection in (wait, claim):
            answer = connection.getresponse()
            document = json.loads(answer.read())
            self.assertIn(answer.status, (200, 503), document)
        self.check_end()

    def test_a_store_that_cannot_even_be_opened(self):
        self.server.kill()
        with tempfile.TemporaryDirectory() as directory:
            answer = subprocess.run(
                ["/bin/sh", "-c", 'ulimit -f 1; exec "$0" "$@"', harness.PROGRAM, "serve",
                 "--listen", "127.0.0.1:0", "--store", f"file:{directory}/data"],
                capture_output=True, text=True, check=False, timeout=harness.PATIENCE)
        self.assertEqual((answer.returncode, answer.stdout), (1, ""))
        self.assertRegex(answer.stderr, r"\Abaton: [^\n]*\n\Z")


class Clients:
    """Each submits numbered jobs with a key, until it is refused or the connection ends."""

    def __init__(self, server, payload):
        self.server = server
        self.payload = payload
        self.acknowledged = {}  # number: id
        self.unknown = []       # numbers without a good answer
        self.refusals = []
        self.threads = [threading.Thread(target=self.run, args=(first,))
                        for first in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def submission(self, number):
        return {"type": "t", "queue": "load", "idempotency_key": str(number),
                "payload": [number, self.payload]}

    def run(self, number):
        connection = self.server.connect()
        while True:
            try:
                answer = self.server.call("POST", "/v1/jobs", self.submission(number),
                                          connection=connection)
            except Exception:  # the process is gone: the outcome is unknown
                self.unknown.append(number)
                break
            if answer.status != 201:
                self.refusals.append(answer)
                self.unknown.append(number)
                break
            self.acknowledged[number] = answer.json["job"]["id"]
            number += CLIENTS
        connection.close()

    def join(self):
        for thread in self.threads:
            thread.join(harness.PATIENCE)


class Aftermath(FailingStore):
    def check_aftermath(self, size, payload):
        self.limit_files(size)
        clients = Clients(self.server, payload)
        clients.join()
        self.check_end()
        self.assertGreaterEqual(len(clients.refusals), 1)
        for answer in clients.refusals:
            self.check_problem(answer, 503, "store_unavailable")
        self.start()
        jobs = self.jobs_of("load")
        there = {job["payload"][0]: job for job in jobs}
        self.assertEqual(len(there), len(jobs), "a job is there twice")
        for number, name in clients.acknowledged.items():
            self.assertEqual(there[number]["id"], name)
        self.assertLessEqual(set(there), set(clients.acknowledged) | set(clients.unknown))
        for number, job in there.items():
            self.assertEqual((job["canonical_state"], job["payload"], job["attempt"]),
                             ("SCHEDULED", [number, payload], 0))
        self.check_asking_again(clients, there)
        self.check_all_can_be_done(len(there | dict.fromkeys(clients.unknown)))

    def check_asking_again(self, clients, there):
        """The same key makes one job of both, whether the first was kept or not."""
        for number in clients.unknown + list(clients.acknowledged)[:20]:
            answer = self.call("POST", "/v1/jobs", clients.submission(number))
            self.assertEqual((answer.status, answer.json["duplicate"]),
                             (200, True) if number in there else (201, False), answer)

    def check_all_can_be_done(self, count):
        executions = self.claim(queues=["load"], max=1000)
        self.assertEqual(len(executions), count)
        for execution in executions:
            history = self.ok("GET", f"/v1/jobs/{execution['job']['id']}/history")["history"]
            self.assertEqual([entry["trigger"] for entry in history], ["create", "ready", "claim"])
            self.work(execution, "ack")
        states = [job["canonical_state"] for job in self.jobs_of("load")]
        self.assertEqual(states, ["COMPLETED"] * count)

    def test_nothing_acknowledged_is_lost_when_the_write_fails(self):
        self.check_aftermath(BLOCK * 60, "x")

    def test_nor_when_it_stops_half_way(self):
        self.check_aftermath(BLOCK * 200 + 1234, "x" * 10000)

    def test_nor_when_the_catalog_fails_first(self):
        for _ in range(3):
            self.submit(payload="x" * 200000)  # the catalog grows, the log has more room
        self.check_aftermath(BLOCK * 190, "x" * 3000)

    def test_a_report_that_was_refused_is_made_again(self):
        for _ in range(5):
            self.submit()
        executions = self.claim(max=5)
        self.limit_files(BLOCK)
        answers = self.pipelined(*(
            ("POST", f"/v1/executions/{one['execution_id']}/ack",
             {"lease_token": one["lease_token"], "result": 7}) for one in executions))
        for answer in answers:
            self.check_problem(answer, 503, "store_unavailable")
        self.check_end()
        self.start()
        for execution in executions:
            self.assertEqual(self.work(execution, "ack", result=7)["status"], "DONE")
            job = self.job(execution["job"])
            self.assertEqual((job["state"], job["attempt"], job["result"]), ("COMPLETED", 1, 7))


del FailingStore

if __name__ == "__main__":
    harness.main()
