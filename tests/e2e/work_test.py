#!/usr/bin/python3
"""What workers do: claiming, every call on an execution, and many of them in one request.

Usage: work_test.py <program>
"""

import harness
import shapes

UNKNOWN = "aaaaaaaa-0000-4000-8000-000000000001"
TOKEN = "00000000000000000000000000000001"
STATUS = ["canonical_state", "state", "status"]


@harness.both_stores
class Claiming(harness.Case):
    def test_the_shape_of_a_claim(self):
        made = self.submit(payload={"a": 1})
        document = self.ok("POST", "/v1/claims",
                           {"queues": [self.queue], "max": 1, "worker": "w1", "wait_ms": 0})
        self.assertEqual(sorted(document), ["executions"])
        claimed = document["executions"][0]
        shapes.is_claimed(self, claimed)
        self.assertEqual((claimed["attempt"], claimed["previous_execution_id"]), (1, None))
        self.assertEqual((claimed["job"]["id"], claimed["job"]["payload"]), (made["id"], {"a": 1}))
        self.assertEqual((claimed["job"]["state"], claimed["job"]["attempt"]), ("RUNNING", 1))
        self.assertEqual(claimed["job"], self.job(made))

    def results_of_next(self):
        claimed = self.claim_one()
        shapes.is_claimed(self, claimed)
        return claimed, claimed["dependency_results"]

    def test_a_claim_brings_the_results_of_a_chain(self):
        one = {"type": "t", "queue": self.queue}
        made = self.ok("POST", "/v1/jobs/batch", {"jobs": [one] * 4, "chain": True}, 201)
        ids = [result["job"]["id"] for result in made["results"]]
        claimed, results = self.results_of_next()
        self.assertEqual(results, [])
        self.work(claimed, "ack", result={"n": 1})
        claimed, results = self.results_of_next()
        self.assertEqual(results, [{"job_id": ids[0], "state": "COMPLETED", "result": {"n": 1},
                                    "result_base64": None, "result_bytes": None,
                                    "result_content_type": "application/json"}])
        self.work(claimed, "ack", result_base64="AP8=", result_content_type="image/png")
        claimed, results = self.results_of_next()
        self.assertEqual(
            (results[0]["result"], results[0]["result_base64"], results[0]["result_content_type"]),
            (None, "AP8=", "image/png"))
        self.work(claimed, "ack", result="x" * 20000)
        _, results = self.results_of_next()
        self.assertEqual((results[0]["result"], results[0]["result_bytes"]), (None, 20002))

    def test_a_claim_brings_the_results_of_a_fan_in(self):
        parent = self.submit()
        self.work(self.claim_one(), "ack", spawn=[{"type": "child", "queue": self.queue}] * 2)
        children = [self.claim_one() for _ in range(2)]
        for index, child in enumerate(children):
            self.work(child, "ack", result=index)
        self.submit(depends_on={"type": "FAN_IN", "jobs": [parent["id"]]})
        _, results = self.results_of_next()
        self.assertEqual([(one["job_id"], one["result"]) for one in results],
                         [(parent["id"], None), (children[0]["job"]["id"], 0),
                          (children[1]["job"]["id"], 1)])

    def test_a_claim_tells_of_a_deleted_dependency(self):
        first = self.submit()
        self.work(self.claim_one(), "ack", result=1)
        self.submit(depends_on={"type": "AFTER", "jobs": [first["id"]]})
        self.assertEqual(self.call("DELETE", f"/v1/jobs/{first['id']}").status, 204)
        _, results = self.results_of_next()
        self.assertEqual([(one["job_id"], one["state"], one["result"]) for one in results],
                         [(first["id"], None, None)])

    def test_order_is_by_priority_then_by_age(self):
        order = ["BULK", "NORMAL", "CRITICAL", "NORMAL", "LOW", "HIGH"]
        made = [self.submit(priority=priority) for priority in order]
        claimed = [one["job"]["id"] for one in self.claim(max=6)]
        self.assertEqual(claimed, [made[index]["id"] for index in (2, 5, 1, 3, 4, 0)])

    def test_queues_in_the_order_given(self):
        second, first = self.queue + ".b", self.queue + ".a"
        self.submit(queue=second, priority=0)
        self.submit(queue=first, priority=4)
        claimed = self.claim(queues=[first, "nobody-made-this", second], max=10)
        self.assertEqual([one["job"]["queue"] for one in claimed], [first, second])

    def test_types(self):
        for name in ("a", "b", "c"):
            self.submit(type=name)
        claimed = self.claim(types=["c", "a"], max=10)
        self.assertEqual([one["job"]["type"] for one in claimed], ["a", "c"])

    def test_nothing_to_do(self):
        self.assertEqual(self.claim(), [])
        self.assertEqual(self.claim(wait_ms=50), [])

    def test_the_lease_is_the_claims_choice(self):
        self.submit(timeouts={"lease_ms": 60000, "execution_ms": 120000})
        claimed = self.claim_one(lease_ms=1000)
        self.assertLess(claimed["lease_expires_at"], claimed["deadline_at"])
        body = {"queues": [self.queue], "worker": "w", "max": 1, "lease_ms": 99}
        self.refused(422, "invalid_job", "POST", "/v1/claims", body, "lease_ms")

    def test_a_paused_queue_gives_nothing(self):
        self.submit()
        self.ok("POST", f"/v1/queues/{self.queue}/pause")
        self.assertEqual(self.claim(), [])
        self.ok("POST", f"/v1/queues/{self.queue}/resume")
        self.assertEqual(len(self.claim()), 1)

    def test_no_more_than_16_mebibytes_at_once(self):
        self.ok("PUT", f"/v1/queues/{self.queue}", {"max_payload_bytes": 8 << 20})
        for _ in range(4):
            self.submit(payload="x" * (6 << 20))
        first = self.claim(max=4)
        self.assertIn(len(first), (2, 3))
        self.assertEqual(len(first) + len(self.claim(max=4)), 4)

    def test_max_running(self):
        self.ok("PUT", f"/v1/queues/{self.queue}", {"max_running": 1})
        self.submit()
        self.submit()
        execution = self.claim(max=5)
        self.assertEqual(len(execution), 1)
        self.assertEqual(self.claim(), [])
        self.work(execution[0], "ack")
        self.assertEqual(len(self.claim()), 1)


@harness.both_stores
class Calls(harness.Case):
    def test_step_by_step(self):
        made = self.submit()
        execution = self.claim_one()
        answer = self.work(execution, "start")
        self.assertEqual(answer, {"status": "IN_PROGRESS", "state": "RUNNING",
                                  "canonical_state": "RUNNING"})
        self.assertEqual(self.work(execution, "start"), answer)
        answer = self.work(execution, "commit", result=[1, 2])
        self.assertEqual(answer["status"], "COMMITTED")
        self.assertEqual(self.job(made)["result"], [1, 2])
        self.assertEqual(self.work(execution, "commit", result="another"), answer)
        answer = self.work(execution, "done")
        self.assertEqual(answer, {"status": "DONE", "state": "COMPLETED",
                                  "canonical_state": "COMPLETED"})
        self.assertEqual(self.work(execution, "done"), answer)
        job = self.job(made)
        self.assertEqual((job["state"], job["result"]), ("COMPLETED", [1, 2]))
        shapes.is_time(self, job["completed_at"])

    def test_ack_from_everywhere(self):
        for before in ((), ("start",), ("start", "commit"), ("start", "commit", "done")):
            self.submit()
            execution = self.claim_one()
            for verb in before:
                self.work(execution, verb)
            answer = self.work(execution, "ack")
            self.assertEqual(sorted(answer), STATUS)
            self.assertEqual(answer["status"], "DONE")

    def test_heartbeat(self):
        made = self.submit()
        execution = self.claim_one()
        answer = self.work(execution, "heartbeat")
        self.assertEqual(sorted(answer), ["cancel_requested", "lease_expires_at"])
        shapes.is_time(self, answer["lease_expires_at"])
        self.assertIs(answer["cancel_requested"], False)
        self.work(execution, "heartbeat", progress=40, message="half way", checkpoint={"page": 4})
        job = self.job(made)
        self.assertEqual((job["progress"], job["checkpoint"]), (40, {"page": 4}))

    def test_the_checkpoint_outlives_the_attempt(self):
        self.submit(retry={"initial_ms": 0})
        execution = self.claim_one()
        self.work(execution, "heartbeat", progress=40, checkpoint=["here"])
        self.work(execution, "nack", category="TEMPORARY", message="m")
        again = self.claim_one(wait_ms=20000)
        self.assertEqual((again["job"]["checkpoint"], again["job"]["progress"]), (["here"], None))
        self.assertEqual((again["attempt"], again["lease_version"]), (2, 2))
        self.assertEqual(again["previous_execution_id"], execution["execution_id"])
        self.assertEqual(again["job"]["previous_execution_id"], execution["execution_id"])

    def test_nack(self):
        made = self.submit()
        answer = self.work(self.claim_one(), "nack", category="TEMPORARY", message="later",
                           code="busy", cause="load", retry_after_ms=3600000)
        self.assertEqual(sorted(answer), ["job"])
        job = answer["job"]
        shapes.is_job(self, job)
        self.assertEqual((job["state"], job["retry_count"], job["last_error"], job["error_type"],
                          job["failure_category"]),
                         ("RETRYING", 1, "later", "RETRYABLE", "TEMPORARY"))
        shapes.is_time(self, job["run_at"])
        self.assertEqual(job, self.job(made))

    def test_exhausted(self):
        made = self.submit(retry={"max_attempts": 2, "initial_ms": 0})
        for _ in range(2):
            self.work(self.claim_one(wait_ms=20000), "nack", category="SYSTEM", message="m")
        job = self.job(made)
        self.assertEqual((job["state"], job["attempt"], job["error_type"]),
                         ("DEAD_LETTER", 2, "TERMINAL"))

    def test_release(self):
        made = self.submit()
        answer = self.work(self.claim_one(), "release", delay_ms=3600000, reason="busy")
        self.assertEqual(sorted(answer), ["job"])
        shapes.is_job(self, answer["job"])
        job = self.job(made)
        self.assertEqual(answer["job"], job)
        self.assertEqual((job["state"], job["attempt"], job["release_count"], job["retry_count"],
                          job["last_error"], job["worker"]), ("RETRYING", 1, 1, 0, None, None))
        self.ok("PATCH", f"/v1/jobs/{made['id']}", {"run_at": "2020-01-01T00:00:00Z"})
        execution = self.claim_one(max_lease_ms=2000)
        self.assertEqual(self.job(made)["worker"], execution["job"]["worker"])
        body = {"ops": [{"op": "release", "execution_id": execution["execution_id"],
                         "lease_token": execution["lease_token"]}]}
        result = self.ok("POST", "/v1/executions/batch", body)["results"][0]
        self.assertEqual((result["ok"], result["job"]["release_count"]), (True, 2))
        body = {"queues": [self.queue], "worker": "w", "lease_ms": 1000, "max_lease_ms": 1000}
        self.refused(400, "bad_request", "POST", "/v1/claims", body, "max_lease_ms")

    def test_reject(self):
        self.ok("PUT", f"/v1/queues/{self.queue}", {"profile": "generation"})
        self.submit(payload={"prompt": "p"}, account="calls")
        job = self.work(self.claim_one(), "reject", reason="unsafe")["job"]
        self.assertEqual((job["state"], job["last_error"]), ("rejected", "unsafe"))

    def test_cancelled_needs_a_request(self):
        self.submit()
        self.work_refused(409, "invalid_transition", self.claim_one(), "cancelled")

    def test_spawn(self):
        made = self.submit()
        execution = self.claim_one()
        child = {"type": "child", "queue": self.queue + ".children", "payload": 1}
        self.assertEqual(self.work(execution, "spawn", jobs=[child]), {"staged": 1})
        self.assertEqual(self.work(execution, "spawn", jobs=[child, child]), {"staged": 3})
        path = "/v1/jobs?" + harness.query(queue=child["queue"])
        self.assertEqual(self.ok("GET", path)["jobs"], [])
        self.work(execution, "ack", spawn=[child])
        children = self.ok("GET", path)["jobs"]
        self.assertEqual([one["parent_id"] for one in children], [made["id"]] * 4)

    def test_spawn_needs_jobs(self):
        self.submit()
        self.work_refused(400, "bad_request", self.claim_one(), "spawn", "jobs")

    def test_an_invalid_child_refuses_the_commit_and_the_lease_stays(self):
        self.submit()
        execution = self.claim_one()
        self.work_refused(422, "invalid_job", execution, "ack", "spawn[1].type",
                          spawn=[{"type": "good"}, {"type": "not good"}])
        self.assertEqual(self.work(execution, "ack")["status"], "DONE")

    def test_staged_children_are_dropped_on_abort(self):
        self.submit()
        execution = self.claim_one()
        queue = self.queue + ".children"
        self.work(execution, "spawn", jobs=[{"type": "child", "queue": queue}])
        self.work(execution, "nack", category="PERMANENT", message="m", code="c")
        self.assertEqual(self.ok("GET", "/v1/jobs?" + harness.query(queue=queue))["jobs"], [])

    def test_start_may_ask_for_less_time(self):
        self.submit()
        execution = self.claim_one()
        self.work(execution, "start", execution_ms=60000)
        after = self.work(execution, "heartbeat")["lease_expires_at"]
        self.assertLess(after, execution["lease_expires_at"])

    def test_calls_in_the_wrong_order(self):
        self.submit()
        execution = self.claim_one()
        for verb in ("commit", "done"):
            self.work_refused(409, "invalid_transition", execution, verb)
        self.work(execution, "start")
        self.work_refused(409, "invalid_transition", execution, "done")
        self.work(execution, "commit")
        for verb, body in (("start", {}), ("spawn", {"jobs": [{"type": "t"}]}), ("cancelled", {}),
                           ("nack", {"category": "TEMPORARY", "message": "m"})):
            self.work_refused(409, "already_committed", execution, verb, **body)
        self.assertIn("lease_expires_at", self.work(execution, "heartbeat"))
        self.work(execution, "done")
        self.work_refused(409, "stale_lease", execution, "heartbeat")

    def test_wrong_tokens_and_ids(self):
        self.submit()
        execution = self.claim_one()
        for token in (TOKEN, "", "x", "ä" * 32, "F" * 32):
            self.work_refused(409, "stale_lease", {**execution, "lease_token": token}, "ack")
        for text in (UNKNOWN, "x", execution["job"]["id"]):
            self.work_refused(404, "not_found", {**execution, "execution_id": text}, "ack")
        self.work(execution, "ack")

    def test_after_an_abort_everything_is_stale(self):
        self.submit()
        execution = self.claim_one()
        nack = {"category": "TEMPORARY", "message": "m"}
        self.work(execution, "nack", **nack)
        for verb, body in (("start", {}), ("heartbeat", {}), ("commit", {}), ("done", {}),
                           ("ack", {}), ("nack", nack), ("spawn", {"jobs": [{"type": "t"}]})):
            self.work_refused(409, "stale_lease", execution, verb, **body)

    def test_members_of_other_calls_are_refused(self):
        self.submit()
        execution = self.claim_one()
        for verb, field, value in (("start", "progress", 1), ("done", "result", 1),
                                   ("heartbeat", "spawn", []), ("nack", "reason", "r"),
                                   ("ack", "category", "SYSTEM"), ("cancelled", "op", "ack")):
            self.work_refused(400, "bad_request", execution, verb, field, **{field: value})

    def test_a_permanent_failure_needs_a_code(self):
        self.submit()
        execution = self.claim_one()
        self.work_refused(422, "invalid_job", execution, "nack", "code", category="PERMANENT",
                          message="m")
        self.work_refused(400, "bad_request", execution, "nack", "category", message="m")


@harness.both_stores
class ManyCalls(harness.Case):
    def op(self, execution, verb, **rest):
        return {"op": verb, "execution_id": execution["execution_id"],
                "lease_token": execution["lease_token"], **rest}

    def exchange(self, ops, **rest):
        return self.ok("POST", "/v1/executions/batch", {"ops": ops, **rest})

    def test_every_op_answers_as_the_call_does(self):
        for _ in range(4):
            self.submit()
        one, two, three, four = self.claim(max=4)
        answer = self.exchange([
            self.op(one, "start"), self.op(one, "heartbeat", progress=1),
            self.op(one, "spawn", jobs=[{"type": "child"}]),
            self.op(one, "commit", result=1), self.op(one, "done"), self.op(two, "ack", result=2),
            self.op(three, "nack", category="TEMPORARY", message="m"),
            self.op({**four, "lease_token": TOKEN}, "ack"), self.op(four, "ack")])
        self.assertEqual(sorted(answer), ["executions", "results"])
        self.assertEqual(answer["executions"], [])
        results = answer["results"]
        self.assertEqual([result.get("status") for result in results],
                         ["IN_PROGRESS", None, None, "COMMITTED", "DONE", "DONE", None, None,
                          "DONE"])
        self.assertEqual([result.get("ok") for result in results], [True] * 7 + [None, True])
        self.assertIn("lease_expires_at", results[1])
        self.assertEqual(results[2]["staged"], 1)
        self.assertEqual(results[6]["job"]["state"], "RETRYING")
        self.check_problem_document(results[7]["error"], 409, "stale_lease")

    def test_finish_some_and_fetch_more(self):
        self.submit()
        self.submit()
        execution = self.claim_one()
        claim = {"queues": [self.queue], "worker": "w", "max": 5}
        answer = self.exchange([self.op(execution, "ack")], claim=claim)
        self.assertEqual(answer["results"][0]["status"], "DONE")
        self.assertEqual(len(answer["executions"]), 1)
        shapes.is_claimed(self, answer["executions"][0])

    def test_only_a_claim_or_nothing_at_all(self):
        self.submit()
        claim = {"queues": [self.queue], "worker": "w", "max": 5}
        answer = self.exchange([], claim=claim)
        self.assertEqual((answer["results"], len(answer["executions"])), ([], 1))
        self.assertEqual(self.exchange([]), {"results": [], "executions": []})

    def test_the_claim_is_checked_first(self):
        self.submit()
        execution = self.claim_one()
        for claim, field in (({"queues": [self.queue], "worker": "w", "max": 0}, "max"),
                             ({"queues": [], "worker": "w"}, "queues"),
                             ({"queues": [self.queue], "worker": ""}, "worker")):
            self.refused(400, "bad_request", "POST", "/v1/executions/batch",
                         {"ops": [self.op(execution, "ack")], "claim": claim}, "claim." + field)
        self.assertEqual(self.work(execution, "start")["status"], "IN_PROGRESS")

    def test_unknown_executions_do_not_touch_the_others(self):
        self.submit()
        execution = self.claim_one()
        ops = [self.op({**execution, "execution_id": text}, "ack") for text in (UNKNOWN, "x")]
        results = self.exchange([*ops, self.op(execution, "ack")])["results"]
        for result in results[:2]:
            self.check_problem_document(result["error"], 404, "not_found")
        self.assertEqual(results[2]["status"], "DONE")

    def test_a_thousand_ops_and_no_more(self):
        self.submit()
        execution = self.claim_one()
        ops = [self.op(execution, "heartbeat")] * 1000
        self.assertEqual(len(self.exchange(ops)["results"]), 1000)
        self.refused(400, "bad_request", "POST", "/v1/executions/batch", {"ops": ops + ops[:1]},
                     "ops[1000]")

    def test_a_wrong_op_is_named(self):
        self.submit()
        execution = self.claim_one()
        for op, field in ((self.op(execution, "nonsense"), "op"),
                          (self.op(execution, "ack", progress=1), "progress"),
                          ({"op": "ack", "execution_id": UNKNOWN}, "lease_token"),
                          ({"op": "ack", "lease_token": TOKEN}, "execution_id")):
            self.refused(400, "bad_request", "POST", "/v1/executions/batch",
                         {"ops": [self.op(execution, "heartbeat"), op]}, "ops[1]." + field)


if __name__ == "__main__":
    harness.main()
