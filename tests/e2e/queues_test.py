#!/usr/bin/python3
"""Queues and their settings, pausing and draining, and the counts of everything.

Usage: queues_test.py <program>
"""

import harness
import shapes

EVERYTHING = {
    "profile": "lease", "retry": {"max_attempts": 5, "strategy": "linear", "initial_ms": 10,
                                  "multiplier": 3, "max_ms": 1000, "jitter": "ten_percent",
                                  "table_ms": [1, 2]},
    "timeouts": {"execution_ms": 10000, "lease_ms": 2000, "lifetime_ms": 86400000},
    "timeout_is": "terminal", "system_is": "temporary", "idempotency_window_ms": 60000,
    "max_payload_bytes": 2000, "max_pending": 10, "max_running": 4,
    "rate": {"per_second": 2.5, "burst": 3},
    "retention": {"completed_ms": 1000000, "failed_ms": 2000000}, "paused": True}


@harness.both_stores
class Queues(harness.Case):
    def put(self, body, status=200):
        return self.ok("PUT", f"/v1/queues/{self.queue}", body, status)

    def test_made_on_first_use(self):
        self.refused(404, "not_found", "GET", f"/v1/queues/{self.queue}", field="queue")
        self.submit()
        queue = self.ok("GET", f"/v1/queues/{self.queue}")
        shapes.is_queue(self, queue)
        self.assertEqual((queue["name"], queue["profile"], queue["paused"]),
                         (self.queue, "standard", False))
        self.assertEqual(queue["retention"], {"completed_ms": 30 * 86400000,
                                              "failed_ms": 90 * 86400000})
        self.assertEqual((queue["max_payload_bytes"], queue["idempotency_window_ms"]),
                         (1 << 20, 86400000))
        self.assertEqual((queue["max_pending"], queue["max_running"], queue["rate"]),
                         (None, None, None))

    def test_every_setting(self):
        queue = self.put(EVERYTHING)
        shapes.is_queue(self, queue)
        self.assertEqual({name: queue[name] for name in EVERYTHING}, EVERYTHING)
        self.assertEqual(self.ok("GET", f"/v1/queues/{self.queue}"), queue)

    def test_settings_merge(self):
        self.put(EVERYTHING)
        queue = self.put({"retry": {"max_attempts": 9}, "timeouts": {"lease_ms": 3000},
                          "retention": {"failed_ms": 5}})
        self.assertEqual(queue["retry"], {**EVERYTHING["retry"], "max_attempts": 9})
        self.assertEqual(queue["timeouts"], {**EVERYTHING["timeouts"], "lease_ms": 3000})
        self.assertEqual(queue["retention"], {"completed_ms": 1000000, "failed_ms": 5})
        queue = self.put({"rate": None, "max_pending": None, "max_running": None})
        self.assertEqual((queue["rate"], queue["max_pending"], queue["max_running"]),
                         (None, None, None))
        self.assertEqual(queue["max_payload_bytes"], 2000)

    def test_jobs_inherit(self):
        self.put({**EVERYTHING, "paused": False})
        job = self.submit(retry={"max_attempts": 2}, timeouts={"lease_ms": 500})
        self.assertEqual(job["profile"], "lease")
        self.assertEqual(job["retry"], {**EVERYTHING["retry"], "max_attempts": 2})
        self.assertEqual(job["timeouts"], {**EVERYTHING["timeouts"], "lease_ms": 500})
        self.assertEqual((job["timeout_is"], job["system_is"]), ("terminal", "temporary"))
        body = {"type": "t", "queue": self.queue, "timeouts": {"execution_ms": 10001}}
        self.refused(422, "invalid_job", "POST", "/v1/jobs", body, "timeouts.execution_ms")

    def test_the_profile_is_fixed_once_there_are_jobs(self):
        self.put({"profile": "commit"})
        self.submit()
        self.refused(409, "conflict", "PUT", f"/v1/queues/{self.queue}", {"profile": "lease"},
                     "profile")
        self.put({"profile": "commit"})

    def test_words_of_every_profile(self):
        for profile, word in (("standard", "SCHEDULED"), ("document", "QUEUED"),
                              ("commit", "PENDING"), ("generation", "queued"), ("lease", "Ready")):
            queue = f"{self.queue}.{profile}"
            self.ok("PUT", f"/v1/queues/{queue}", {"profile": profile})
            job = self.submit(queue=queue, account="words")
            self.assertEqual((job["profile"], job["state"], job["canonical_state"]),
                             (profile, word, "SCHEDULED"))

    def test_pause_resume_drain(self):
        path = f"/v1/queues/{self.queue}"
        for verb in ("pause", "resume", "drain"):
            self.refused(404, "not_found", "POST", f"{path}/{verb}", None, "queue")
        self.refused(404, "not_found", "GET", path, None, "queue")
        self.ok("PUT", path, {})
        queue = self.ok("POST", path + "/pause")
        shapes.is_queue(self, queue)
        self.assertIs(queue["paused"], True)
        self.submit()
        self.assertIs(self.ok("POST", path + "/resume", {})["paused"], False)
        self.ok("POST", path + "/drain")
        body = {"type": "t", "queue": self.queue}
        self.refused(409, "conflict", "POST", "/v1/jobs", body, "queue")
        self.ok("POST", path + "/resume")
        self.submit()

    def test_wrong_settings(self):
        for settings, status, code, field in (
                ({"nonsense": 1}, 400, "bad_request", "nonsense"),
                ({"profile": "nobody"}, 400, "bad_request", "profile"),
                ({"retry": {"strategy": "function"}}, 400, "bad_request", "retry.strategy"),
                ({"retry": {"max_attempts": 0}}, 422, "invalid_job", "retry.max_attempts"),
                ({"retry": {"max_attempts": 101}}, 422, "invalid_job", "retry.max_attempts"),
                ({"retry": {"multiplier": 0.5}}, 422, "invalid_job", "retry.multiplier"),
                ({"timeouts": {"lease_ms": 99}}, 422, "invalid_job", "timeouts.lease_ms"),
                ({"timeouts": {"lease_ms": 3600001}}, 422, "invalid_job", "timeouts.lease_ms"),
                ({"max_payload_bytes": 0}, 422, "invalid_job", "max_payload_bytes"),
                ({"max_payload_bytes": (16 << 20) + 1}, 422, "invalid_job", "max_payload_bytes"),
                ({"max_pending": -1}, 400, "bad_request", "max_pending"),
                ({"rate": {"per_second": 0, "burst": 1}}, 400, "bad_request", "rate.per_second"),
                ({"rate": {"burst": 1}}, 400, "bad_request", "rate.per_second"),
                ({"rate": {"per_second": -1}}, 422, "invalid_job", "rate.per_second"),
                ({"rate": {"per_second": 1, "burst": 0}}, 422, "invalid_job", "rate.burst"),
                ({"retention": {"completed_ms": -1}}, 422, "invalid_job",
                 "retention.completed_ms"),
                ({"paused": "yes"}, 400, "bad_request", "paused"),
                ({"profile": "document", "retry": {"max_attempts": 2}}, 409, "not_in_profile",
                 "retry")):
            self.refused(status, code, "PUT", f"/v1/queues/{self.queue}", settings, field)
        self.refused(404, "not_found", "GET", f"/v1/queues/{self.queue}", field="queue")

    def test_delete(self):
        target = f"/v1/queues/{self.queue}"
        self.refused(404, "not_found", "DELETE", target, field="queue")
        self.put({"profile": "lease", "paused": True})
        job = self.submit()
        self.refused(409, "conflict", "DELETE", target, field="queue")
        self.ok("POST", f"/v1/jobs/{job['id']}/cancel", {})
        problem = self.refused(409, "conflict", "DELETE", target, field="queue")
        self.assertIn("1 job record", problem["detail"])
        self.assertEqual(self.call("DELETE", f"/v1/jobs/{job['id']}").status, 204)
        answer = self.call("DELETE", target)
        self.assertEqual((answer.status, answer.body), (204, b""))
        self.refused(404, "not_found", "GET", target, field="queue")
        self.submit()
        self.assertEqual(self.ok("GET", target)["profile"], "standard")

    def test_wrong_names(self):
        for name in ("a%20b", "%C3%A4", "a" * 300):
            self.refused(422, "invalid_job", "PUT", f"/v1/queues/{name}", {}, "queue")

    def test_list(self):
        names = [f"{self.queue}.{letter}" for letter in "cab"]
        for name in names:
            self.ok("PUT", f"/v1/queues/{name}", {})
        document = self.ok("GET", "/v1/queues")
        self.assertEqual(sorted(document), ["next_cursor", "queues"])
        there = [queue["name"] for queue in document["queues"]]
        self.assertEqual([name for name in there if name in names], sorted(names))
        for queue in document["queues"]:
            shapes.is_queue(self, queue)

    def test_list_in_pages(self):
        for letter in "abcde":
            self.ok("PUT", f"/v1/queues/{self.queue}.{letter}", {})
        seen, cursor = [], ""
        while cursor is not None:
            document = self.ok("GET", "/v1/queues?" + harness.query(limit=2, cursor=cursor))
            self.assertLessEqual(len(document["queues"]), 2)
            seen += [queue["name"] for queue in document["queues"]]
            cursor = document["next_cursor"]
        self.assertEqual(seen, [q["name"] for q in self.ok("GET", "/v1/queues")["queues"]])


@harness.both_stores
class Stats(harness.Case):
    def counts(self):
        stats = self.ok("GET", "/v1/stats")
        queue = [one for one in stats["queues"] if one["name"] == self.queue]
        return queue[0]["counts"]

    def test_counts_follow_the_jobs(self):
        self.submit(delay_ms=3600000)
        for _ in range(3):
            self.submit()
        execution = self.claim_one()
        counts = self.counts()
        self.assertEqual(sorted(counts), sorted(shapes.CANONICAL))
        self.assertEqual((counts["DELAYED"], counts["SCHEDULED"], counts["RUNNING"]), (1, 2, 1))
        self.work(execution, "ack")
        counts = self.counts()
        self.assertEqual((counts["RUNNING"], counts["COMPLETED"]), (0, 1))
        self.ok("POST", "/v1/jobs/bulk", {"action": "delete", "dry_run": False,
                                          "filter": {"queue": self.queue}})
        self.assertEqual(self.counts()["COMPLETED"], 0)

    def test_the_whole_document(self):
        self.submit()
        stats = self.ok("GET", "/v1/stats")
        shapes.has(self, stats, ("queues", "counts", "live_jobs"))
        for one in (stats, *stats["queues"]):
            shapes.has(self, one, ("rates", "wait", "run"))
            for times in (one["wait"], one["run"]):
                shapes.has(self, times, ("p50_ms", "p95_ms", "p99_ms"))
        for state in shapes.CANONICAL:
            self.assertEqual(stats["counts"][state],
                             sum(queue["counts"][state] for queue in stats["queues"]))

    def test_stats_come_in_pages_by_name(self):
        for number in range(5):
            self.submit(queue=f"{self.queue}.{number}")
        seen, cursor = [], ""
        while cursor is not None:
            stats = self.ok("GET", "/v1/stats?" + harness.query(limit=2, cursor=cursor))
            self.assertLessEqual(len(stats["queues"]), 2)
            self.assertGreaterEqual(stats["counts"]["SCHEDULED"], 5)  # of all, on every page
            seen += [queue["name"] for queue in stats["queues"]]
            cursor = stats["next_cursor"]
        self.assertEqual(seen, sorted(seen))
        self.assertLessEqual({f"{self.queue}.{number}" for number in range(5)}, set(seen))
        self.refused(400, "bad_request", "GET", "/v1/stats?limit=1001", field="limit")


if __name__ == "__main__":
    harness.main()
