#!/usr/bin/python3
"""One job at a time: creating, reading, changing, ending and deleting it.

Usage: jobs_test.py <program>
"""

import base64
import datetime

import harness
import shapes


def hours_from_now(hours):
    time = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + "250Z"


@harness.both_stores
class Creating(harness.Case):
    def test_the_least_that_is_needed(self):
        answer = self.ok("POST", "/v1/jobs", {"type": "mail.send"}, 201)
        self.assertEqual(sorted(answer), ["duplicate", "job", "payload_differs"])
        self.assertIs(answer["duplicate"], False)
        job = answer["job"]
        shapes.is_job(self, job)
        expected = {
            "type": "mail.send", "queue": "default", "payload": None, "payload_base64": None,
            "content_type": "application/json", "priority": "NORMAL", "delay_ms": None,
            "run_at": None, "idempotency_key": None, "idempotency": None, "unique": None, "depends_on": [],
            "tags": {}, "correlation_id": None, "callback_url": None, "account": None,
            "cost": None, "draft": False, "traceparent": None, "ref": None, "profile": "standard",
            "state": "SCHEDULED", "canonical_state": "SCHEDULED", "attempt": 0, "max_attempts": 3,
            "retry_count": 0, "max_retries": 2, "started_at": None, "completed_at": None,
            "last_error": None, "error_type": None, "failure_category": None, "progress": None,
            "checkpoint": None, "cancel_requested": False, "result": None, "result_url": None,
            "parent_id": None, "redriven_from": None, "previous_execution_id": None,
            "timeout_is": "temporary", "system_is": "temporary",
            "timeouts": {"execution_ms": 1800000, "lease_ms": 300000, "lifetime_ms": 604800000},
            "retry": {"max_attempts": 3, "strategy": "exponential", "initial_ms": 1000,
                      "multiplier": 2, "max_ms": 3600000, "jitter": "none", "table_ms": None}}
        self.assertEqual({name: job[name] for name in expected}, expected)
        self.assertEqual(job["created_at"], job["scheduled_at"])
        self.assertEqual(self.job(job), job)

    def test_everything_that_can_be_given(self):
        given = {
            "payload": {"text": "ä€𝄞\u0000\"", "n": [1.5, -0, 1e30, None, True]},
            "priority": 1, "delay_ms": 3600000, "idempotency_key": "ключ-1",
            "unique": {"key": "ключ-2", "while": "waiting", "on_conflict": "replace"},
            "retry": {"max_attempts": 7, "strategy": "table", "initial_ms": 5, "multiplier": 1.5,
                      "max_ms": 100, "jitter": "full", "table_ms": [1, 2, 3]},
            "timeouts": {"execution_ms": 60000, "lease_ms": 1000, "lifetime_ms": 86400000},
            "timeout_is": "terminal", "system_is": "terminal", "tags": {"a": "1", "b:c": "ü"},
            "correlation_id": "order 7", "callback_url": "https://example.org/hook",
            "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
        made = self.submit(**given)
        shapes.is_job(self, made)
        for name, value in {**given, "priority": "HIGH"}.items():
            self.assertEqual(made[name], value, name)
        self.assertEqual((made["state"], made["max_attempts"], made["max_retries"]),
                         ("DELAYED", 7, 6))
        shapes.is_time(self, made["run_at"])
        self.assertEqual(self.job(made), made)

    def test_priorities_by_number_and_by_name(self):
        for number, name in enumerate(shapes.PRIORITIES):
            self.assertEqual(self.submit(priority=number)["priority"], name)
            self.assertEqual(self.submit(priority=name)["priority"], name)

    def test_a_time_to_run_at(self):
        when = hours_from_now(2)
        made = self.submit(run_at=when)
        self.assertEqual((made["canonical_state"], made["run_at"]), ("DELAYED", when))
        self.assertEqual(self.job(made), made)
        self.assertEqual(self.submit(run_at="2001-02-03T04:05:06Z")["canonical_state"],
                         "SCHEDULED")

    def test_a_payload_of_bytes(self):
        encoded = base64.b64encode(bytes(range(256))).decode()
        made = self.submit(payload_base64=encoded, content_type="image/x-test")
        self.assertEqual((made["payload"], made["payload_base64"], made["content_type"]),
                         (None, encoded, "image/x-test"))
        self.assertEqual(self.job(made), made)
        self.assertEqual(self.claim_one()["job"]["payload_base64"], encoded)

    def test_a_payload_keeps_its_text(self):
        for text in ("12345678901234567890123", "1.10", '{"a":1,"a":2}', '"\\u00e9"', "false"):
            body = f'{{"type":"t","queue":"{self.queue}","payload":{text}}}'.encode()
            answer = self.call("POST", "/v1/jobs", body)
            self.assertEqual(answer.status, 201)
            self.assertIn(f'"payload":{text},'.encode(), answer.body)

    def test_the_same_key_gives_the_same_job(self):
        body = {"type": "t", "queue": self.queue, "idempotency_key": "k", "payload": 1}
        first = self.ok("POST", "/v1/jobs", body, 201)
        again = self.ok("POST", "/v1/jobs", {**body, "payload": 2}, 200)
        self.assertEqual(again, {"job": first["job"], "duplicate": True, "payload_differs": True})
        self.assertIs(self.ok("POST", "/v1/jobs", body, 200)["payload_differs"], False)
        other = self.ok("POST", "/v1/jobs", {**body, "type": "other"}, 201)
        self.assertNotEqual(other["job"]["id"], first["job"]["id"])

    def test_automatic_keys(self):
        body = {"type": "t", "queue": self.queue, "payload": {"prompt": "p"}, "account": "a",
                "idempotency": "auto"}
        first = self.ok("POST", "/v1/jobs", body, 201)["job"]
        again = self.ok("POST", "/v1/jobs", body, 200)
        self.assertEqual((again["job"]["id"], again["duplicate"]), (first["id"], True))
        self.ok("POST", "/v1/jobs", {**body, "idempotency": "none"}, 201)

    def test_a_payload_of_a_mebibyte_and_more_where_the_queue_allows(self):
        size = 1 << 20
        self.submit(payload="x" * (size - 2))
        body = {"type": "t", "queue": self.queue, "payload": "x" * (size - 1)}
        self.refused(413, "payload_too_large", "POST", "/v1/jobs", body, "payload")
        self.ok("PUT", f"/v1/queues/{self.queue}", {"max_payload_bytes": 16 << 20})
        self.submit(payload="x" * ((16 << 20) - 2))


@harness.both_stores
class Reading(harness.Case):
    def test_history(self):
        made = self.submit(delay_ms=1)
        self.work(self.claim_one(wait_ms=20000), "ack")
        document = self.ok("GET", f"/v1/jobs/{made['id']}/history")
        entries = document["history"]
        for number, entry in enumerate(entries, 1):
            shapes.has(self, entry, shapes.HISTORY)
            self.assertEqual(entry["seq"], number)
            shapes.is_time(self, entry["at"])
        self.assertEqual([(entry["from"], entry["to"]) for entry in entries],
                         [(None, "PENDING"), ("PENDING", "DELAYED"), ("DELAYED", "SCHEDULED"),
                          ("SCHEDULED", "RUNNING"), ("RUNNING", "COMPLETED")])
        self.assertIsNone(entries[0]["execution_id"])
        self.assertRegex(entries[4]["execution_id"], shapes.ID)

    def test_executions(self):
        made = self.submit(retry={"initial_ms": 0})
        first = self.claim_one(worker="one")
        self.work(first, "nack", category="TEMPORARY", message="again", code="busy", cause="disk")
        second = self.claim_one(worker="two", wait_ms=20000)
        self.work(second, "start")
        self.work(second, "commit")
        self.work(second, "done")
        executions = self.ok("GET", f"/v1/jobs/{made['id']}/executions")["executions"]
        self.assertEqual(len(executions), 2)
        for number, execution in enumerate(executions, 1):
            shapes.is_execution(self, execution)
            self.assertEqual((execution["attempt"], execution["lease_version"]), (number, number))
            self.assertEqual(execution["job_id"], made["id"])
        old, new = executions
        self.assertEqual((old["status"], old["worker"], old["previous_execution_id"]),
                         ("ABORTED", "one", None))
        self.assertEqual(old["failure"], {"category": "TEMPORARY", "code": "busy",
                                          "message": "again", "cause": "disk"})
        self.assertEqual((old["started_at"], old["committed_at"]), (None, None))
        self.assertEqual((new["status"], new["worker"], new["previous_execution_id"]),
                         ("DONE", "two", old["execution_id"]))
        self.assertIsNone(new["failure"])
        for name in ("started_at", "committed_at", "finished_at"):
            shapes.is_time(self, new[name])

    def test_result_of_json_and_of_bytes(self):
        job = self.done_job(result={"sum": 3})
        answer = self.call("GET", f"/v1/jobs/{job['id']}/result")
        self.assertEqual((answer.status, answer.fields["content-type"], answer.body),
                         (200, "application/json", b'{"sum": 3}'))
        self.assertEqual(job["result"], {"sum": 3})
        made = self.submit()
        self.work(self.claim_one(), "ack", result_base64="/wD+", result_content_type="image/png")
        answer = self.call("GET", f"/v1/jobs/{made['id']}/result")
        self.assertEqual((answer.status, answer.fields["content-type"], answer.body),
                         (200, "image/png", b"\xff\x00\xfe"))
        self.assertIsNone(self.job(made)["result"])

    def test_a_result_is_no_page_of_the_server(self):
        made = self.submit()
        self.work(self.claim_one(), "ack", result_base64="PGI+",
                  result_content_type="text/html\r\nX-Evil: 1")
        answer = self.call("GET", f"/v1/jobs/{made['id']}/result")
        self.assertEqual((answer.fields["x-content-type-options"],
                          answer.fields["content-security-policy"]), ("nosniff", "sandbox"))
        self.assertNotIn("x-evil", answer.fields)

    def test_no_result_yet(self):
        made = self.submit()
        self.refused(404, "not_found", "GET", f"/v1/jobs/{made['id']}/result")

    def test_explain(self):
        first = self.submit(delay_ms=3600000)
        second = self.submit(depends_on={"type": "AFTER", "jobs": [first["id"]]})
        told = self.ok("GET", f"/v1/jobs/{second['id']}/explain")
        self.assertEqual((told["id"], told["state"], told["canonical_state"]),
                         (second["id"], "PENDING", "PENDING"))
        self.assertEqual(told["waits_for"], [first["id"]])
        self.assertTrue(told["explanation"])
        told = self.ok("GET", f"/v1/jobs/{first['id']}/explain")
        self.assertEqual((told["canonical_state"], told["until"]), ("DELAYED", first["run_at"]))


@harness.both_stores
class Changing(harness.Case):
    def test_patch(self):
        made = self.submit(priority="LOW", tags={"a": "1"}, correlation_id="c")
        path = f"/v1/jobs/{made['id']}"
        patch = {"priority": 0, "tags": {"b": "2"}, "correlation_id": "d",
                 "callback_url": "https://example.org/", "version": made["version"]}
        job = self.ok("PATCH", path, patch)["job"]
        shapes.is_job(self, job)
        self.assertEqual((job["priority"], job["tags"], job["correlation_id"],
                          job["callback_url"]),
                         ("CRITICAL", {"b": "2"}, "d", "https://example.org/"))
        self.assertGreater(job["version"], made["version"])
        self.assertEqual(self.job(made), job)
        self.refused(409, "conflict", "PATCH", path, {"priority": 1, "version": made["version"]},
                     "version")
        self.assertEqual(self.ok("PATCH", path, {"tags": {}})["job"]["tags"], {})

    def test_patch_of_what_is_fixed(self):
        done = self.done_job()
        path = f"/v1/jobs/{self.submit()['id']}"
        for field in ("type", "payload", "queue", "id", "state"):
            self.refused(400, "bad_request", "PATCH", path, {field: "x"}, field)
        self.refused(409, "invalid_transition", "PATCH", f"/v1/jobs/{done['id']}",
                     {"tags": {"a": "b"}})

    def test_a_draft_is_submitted(self):
        self.ok("PUT", f"/v1/queues/{self.queue}", {"profile": "document"})
        made = self.submit(draft=True)
        self.assertEqual((made["state"], made["canonical_state"], made["draft"]),
                         ("CREATED", "CREATED", True))
        self.assertEqual(self.claim(), [])
        path = f"/v1/jobs/{made['id']}/submit"
        job = self.ok("POST", path)["job"]
        self.assertEqual((job["state"], job["canonical_state"]), ("QUEUED", "SCHEDULED"))
        self.refused(409, "invalid_transition", "POST", path)
        self.assertEqual(self.claim_one()["job"]["state"], "RUNNING")

    def test_cancel_of_a_waiting_job(self):
        made = self.submit()
        path = f"/v1/jobs/{made['id']}/cancel"
        job = self.ok("POST", path, {"reason": "no longer needed"})["job"]
        shapes.is_job(self, job)
        self.assertEqual((job["state"], job["error_type"], job["last_error"]),
                         ("CANCELLED", "TERMINAL", "no longer needed"))
        shapes.is_time(self, job["completed_at"])
        self.assertEqual(self.ok("POST", path)["job"], job)
        done = self.done_job()
        self.refused(409, "invalid_transition", "POST", f"/v1/jobs/{done['id']}/cancel", {})

    def test_cancel_of_a_running_job(self):
        made = self.submit()
        execution = self.claim_one()
        job = self.ok("POST", f"/v1/jobs/{made['id']}/cancel", {"force": False})["job"]
        self.assertEqual((job["state"], job["cancel_requested"]), ("RUNNING", True))
        self.assertIs(self.work(execution, "heartbeat")["cancel_requested"], True)
        job = self.work(execution, "cancelled")["job"]
        self.assertEqual(job["state"], "CANCELLED")

    def test_cancel_by_force(self):
        made = self.submit()
        execution = self.claim_one()
        job = self.ok("POST", f"/v1/jobs/{made['id']}/cancel", {"force": True})["job"]
        self.assertEqual(job["state"], "CANCELLED")
        self.work_refused(409, "stale_lease", execution, "ack")

    def test_reject(self):
        self.ok("PUT", f"/v1/queues/{self.queue}", {"profile": "generation"})
        made = self.submit(payload={"prompt": "x"}, account="rejected")
        job = self.ok("POST", f"/v1/jobs/{made['id']}/reject", {"reason": "policy"})["job"]
        self.assertEqual((job["state"], job["canonical_state"], job["last_error"]),
                         ("rejected", "REJECTED", "policy"))

    def test_retry_makes_a_new_job(self):
        failed = self.failed_job(payload={"a": 1}, tags={"k": "v"}, priority="HIGH",
                                 correlation_id="c", idempotency_key="key")
        self.assertEqual((failed["state"], failed["last_error"], failed["error_type"],
                          failed["failure_category"]),
                         ("FAILED", "broken", "TERMINAL", "PERMANENT"))
        job = self.ok("POST", f"/v1/jobs/{failed['id']}/retry", status=201)["job"]
        shapes.is_job(self, job)
        self.assertNotEqual(job["id"], failed["id"])
        self.assertEqual((job["redriven_from"], job["attempt"], job["idempotency_key"]),
                         (failed["id"], 0, None))
        for name in ("payload", "tags", "priority", "correlation_id", "type", "queue"):
            self.assertEqual(job[name], failed[name])
        self.assertEqual(self.job(failed), {**failed, "redriven_to": job["id"],
                                            "version": failed["version"] + 1})
        self.refused(409, "invalid_transition", "POST", f"/v1/jobs/{job['id']}/retry")

    def test_bodies_that_must_be_empty(self):
        job, queue = f"/v1/jobs/{self.submit()['id']}", f"/v1/queues/{self.queue}"
        for path in (f"{job}/retry", f"{job}/submit", f"{queue}/pause", f"{queue}/resume",
                     f"{queue}/drain"):
            self.refused(400, "bad_request", "POST", path, {"nonsense": 1}, "nonsense")
            self.refused(400, "bad_request", "POST", path, [])
        self.assertIs(self.ok("GET", queue)["paused"], False)

    def test_minimal_answers(self):
        prefer = {"Prefer": "respond-async, Return=minimal; foo"}
        body = {"type": "t", "queue": self.queue, "idempotency_key": self.queue}
        for status, duplicate in ((201, False), (200, True)):
            answer = self.call("POST", "/v1/jobs", body, fields=prefer)
            self.assertEqual((answer.status, answer.fields["preference-applied"]),
                             (status, "return=minimal"))
            made = answer.json
            self.assertEqual(list(made["job"]), ["id", "state", "canonical_state", "version"])
            self.assertEqual(made["duplicate"], duplicate)
            self.assertIs(made["payload_differs"], False if duplicate else None)
        shown = self.ok("GET", f"/v1/jobs/{made['job']['id']}")
        self.assertEqual({name: shown[name] for name in made["job"]}, made["job"])
        batch = {"jobs": [body, {"type": "t", "queue": self.queue, "ref": "a"},
                          {"type": "t", "queue": self.queue,
                           "depends_on": {"jobs": ["#a"]}}, {"type": "t", "cost": 1}],
                 "atomic": False}
        answer = self.call("POST", "/v1/jobs/batch", batch, fields=prefer)
        self.assertEqual(answer.fields["preference-applied"], "return=minimal")
        results = answer.json["results"]
        self.assertEqual([one.get("duplicate") for one in results], [True, False, False, None])
        self.assertEqual([one["job"]["canonical_state"] for one in results[:3]],
                         ["SCHEDULED", "SCHEDULED", "PENDING"])
        self.assertEqual({len(one["job"]) for one in results[:3]}, {4})
        self.assertEqual(results[3]["error"]["code"], "invalid_job")

    def test_delete(self):
        made = self.submit()
        path = f"/v1/jobs/{made['id']}"
        self.refused(409, "invalid_transition", "DELETE", path)
        self.ok("POST", path + "/cancel")
        answer = self.call("DELETE", path)
        self.assertEqual((answer.status, answer.body), (204, b""))
        for below in ("", "/history", "/executions", "/wait", "/result", "/explain"):
            self.refused(404, "not_found", "GET", path + below)
        self.refused(404, "not_found", "DELETE", path)


if __name__ == "__main__":
    harness.main()
