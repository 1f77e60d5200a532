#!/usr/bin/python3
"""Requests that wait: claims for a job, waits for an end; many of them cost no threads.

Usage: long_polls_test.py <program>
"""

import json
import time

import harness

AT_ONCE = 200
SHORT_MS = 200
SHORT = (SHORT_MS - 1) / 1000  # seconds; the server counts whole milliseconds


class Later:
    """A request whose answer is fetched later."""

    def __init__(self, server, method, path, body=None):
        self.begun = time.monotonic()
        self.connection = server.connect()
        self.connection.request(method, path, harness.encoded(body),
                                harness.headers_for(body, None))

    def answer(self):
        answer = self.connection.getresponse()
        body = json.loads(answer.read())
        self.connection.close()
        return answer.status, body

    def close(self):
        self.connection.close()


@harness.both_stores
class LongPolls(harness.Case):
    def later(self, method, path, body=None):
        made = Later(self.server, method, path, body)
        self.addCleanup(made.close)
        return made

    def waiting_claim(self, wait_ms=20000, **claim):
        body = {"queues": [self.queue], "worker": "w", "max": 1, "wait_ms": wait_ms, **claim}
        return self.later("POST", "/v1/claims", body)

    def test_a_claim_gets_a_job_that_is_submitted_later(self):
        claim = self.waiting_claim()
        made = self.submit()
        status, body = claim.answer()
        self.assertEqual((status, body["executions"][0]["job"]["id"]), (200, made["id"]))
        self.assertLess(time.monotonic() - claim.begun, 10)

    def test_a_claim_gets_a_job_when_its_delay_is_over(self):
        claim = self.waiting_claim()
        made = self.submit(delay_ms=100)
        self.assertEqual(claim.answer()[1]["executions"][0]["job"]["id"], made["id"])

    def test_a_claim_gets_a_job_when_the_queue_goes_on(self):
        self.ok("PUT", f"/v1/queues/{self.queue}", {"paused": True})
        made = self.submit()
        claim = self.waiting_claim()
        self.ok("POST", f"/v1/queues/{self.queue}/resume")
        self.assertEqual(claim.answer()[1]["executions"][0]["job"]["id"], made["id"])

    def test_each_job_goes_to_one_claim(self):
        claims = [self.waiting_claim() for _ in range(10)]
        made = [self.submit()["id"] for _ in range(10)]
        got = [claim.answer()[1]["executions"][0]["job"]["id"] for claim in claims]
        self.assertEqual(sorted(got), sorted(made))

    def test_types_wake_only_who_wants_them(self):
        other = self.waiting_claim(wait_ms=300, types=["b"])
        claim = self.waiting_claim(types=["a"])
        self.submit(type="a")
        self.assertEqual(len(claim.answer()[1]["executions"]), 1)
        self.assertEqual(other.answer()[1]["executions"], [])

    def test_an_empty_list_after_the_wait(self):
        claim = self.waiting_claim(wait_ms=SHORT_MS)
        self.assertEqual(claim.answer(), (200, {"executions": []}))
        self.assertGreaterEqual(time.monotonic() - claim.begun, SHORT)

    def test_a_claim_whose_client_went_away_takes_nothing(self):
        claim = self.waiting_claim(wait_ms=60000)
        claim.close()
        self.ok("GET", "/readyz")  # the server has been round since
        made = self.submit()
        other = self.waiting_claim(wait_ms=20000)
        self.assertEqual(other.answer()[1]["executions"][0]["job"]["id"], made["id"])

    def test_a_wait_ends_when_the_job_does(self):
        made = self.submit()
        waits = [self.later("GET", f"/v1/jobs/{made['id']}/wait?timeout_ms=20000")
                 for _ in range(5)]
        self.work(self.claim_one(), "ack", result=7)
        for wait in waits:
            status, job = wait.answer()
            self.assertEqual((status, job["state"], job["result"]), (200, "COMPLETED", 7))
        self.assertLess(time.monotonic() - waits[0].begun, 10)

    def test_a_wait_gives_the_job_as_it_is_at_the_timeout(self):
        made = self.submit()
        path = f"/v1/jobs/{made['id']}/wait"
        begun = time.monotonic()
        self.assertEqual(self.ok("GET", f"{path}?timeout_ms={SHORT_MS}"), made)
        self.assertGreaterEqual(time.monotonic() - begun, SHORT)
        self.assertEqual(self.ok("GET", path + "?timeout_ms=0"), made)
        for value in ("-1", "300001", "x", ""):
            self.refused(400, "bad_request", "GET", path + "?timeout_ms=" + value,
                         field="timeout_ms")

    def test_a_wait_for_a_job_that_ended_is_short(self):
        job = self.done_job()
        self.assertEqual(self.ok("GET", f"/v1/jobs/{job['id']}/wait"), job)

    def test_a_batch_of_calls_waits_for_its_claim(self):
        self.submit()
        execution = self.claim_one()
        body = {"ops": [{"op": "ack", "execution_id": execution["execution_id"],
                         "lease_token": execution["lease_token"]}],
                "claim": {"queues": [self.queue], "worker": "w", "max": 1, "wait_ms": 20000}}
        later = self.later("POST", "/v1/executions/batch", body)
        harness.until(lambda: self.job(execution["job"])["state"] == "COMPLETED")
        made = self.submit()
        status, answer = later.answer()
        self.assertEqual((status, answer["results"][0]["status"]), (200, "DONE"))
        self.assertEqual(answer["executions"][0]["job"]["id"], made["id"])

    def test_many_idle_polls_add_no_threads(self):
        made = self.submit(delay_ms=3600000)
        self.waiting_claim(wait_ms=0).answer()
        before = self.server.threads()
        polls = [self.waiting_claim(wait_ms=30000) for _ in range(AT_ONCE // 2)]
        polls += [self.later("GET", f"/v1/jobs/{made['id']}/wait?timeout_ms=30000")
                  for _ in range(AT_ONCE // 2)]
        self.assertEqual(self.ok("GET", "/healthz"), {"status": "ok"})
        self.assertEqual(self.server.threads(), before)
        for poll in polls:
            poll.close()


if __name__ == "__main__":
    harness.main()
