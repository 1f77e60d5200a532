#!/usr/bin/python3
"""Running again what failed: one job, once, and a whole workflow by one call.

Usage: redrive_test.py <program>
"""

import harness


class Redriving(harness.Case):
    def retry(self, job, status=201, **body):
        return self.ok("POST", f"/v1/jobs/{job['id']}/retry", body, status)["job"]

    def bulk(self, **body):
        filter_ = body.pop("filter", {"queue": self.queue})
        return self.ok("POST", "/v1/jobs/bulk", {"action": "retry", "dry_run": False,
                                                 "filter": filter_, **body})


@harness.both_stores
class Redrive(Redriving):
    def run_all(self):
        """Works until nothing is left; the names of the jobs in the order of their runs."""
        names = []
        while executions := self.claim(max=100):
            for one in executions:
                names.append(one["job"]["payload"]["name"])
                self.work(one, "ack")
        return names

    def test_a_job_is_redriven_once(self):
        old = self.failed_job()
        copy = self.retry(old)
        self.assertEqual((copy["redriven_from"], copy["redriven_to"]), (old["id"], None))
        seen = self.job(old)
        self.assertEqual(seen["redriven_to"], copy["id"])
        self.assertEqual(seen["version"], old["version"] + 1)
        self.assertEqual(seen["updated_at"], old["updated_at"])
        path = f"/v1/jobs/{old['id']}/retry"
        told = self.refused(409, "conflict", "POST", path)
        self.assertIn(copy["id"], told["detail"])
        again = self.retry(old, again=True)
        self.assertEqual(self.job(old)["redriven_to"], again["id"])
        self.refused(400, "bad_request", "POST", path, {"twice": True}, "twice")

    def test_dead_letters_leave_the_list(self):
        job = self.submit(retry={"max_attempts": 1})
        self.work(self.claim_one(), "nack", category="TEMPORARY", message="down")
        path = "/v1/dead-letters?" + harness.query(queue=self.queue)
        self.assertEqual([one["id"] for one in self.ok("GET", path)["jobs"]], [job["id"]])
        self.retry(job)
        self.assertEqual(self.ok("GET", path)["jobs"], [])
        self.assertEqual(len(self.ok("GET", path + "&redriven=all")["jobs"]), 1)
        self.refused(400, "bad_request", "GET", path + "&redriven=some", field="redriven")

    def test_a_job_that_failed_by_a_dependency_names_it(self):
        first = self.submit()
        second = self.submit(depends_on={"type": "AFTER", "jobs": [first["id"]]})
        self.work(self.claim_one(), "nack", category="PERMANENT", message="broken", code="E1")
        self.assertIn(first["id"], self.job(second)["last_error"])
        told = self.refused(409, "conflict", "POST", f"/v1/jobs/{second['id']}/retry")
        self.assertIn(first["id"], told["detail"])
        alone = self.retry(second, drop_dependencies=True)
        self.assertEqual((alone["canonical_state"], alone["depends_on"]), ("SCHEDULED", []))

    def test_all_is_no_filter(self):
        self.refused(400, "bad_request", "POST", "/v1/jobs/bulk",
                     {"action": "delete", "filter": {"redriven": "all"}}, "filter")

    def test_a_workflow_of_fifty_runs_again_by_one_call(self):
        def named(name, **more):
            return {"type": "t", "queue": self.queue, "payload": {"name": name}, **more}

        def after(kind, *jobs):
            return {"depends_on": {"type": kind, "jobs": list(jobs)}}

        parent = self.submit(payload={"name": "parent"})
        spawn = [named(f"child {number}") for number in range(20)]
        self.work(self.claim_one(), "ack", spawn=spawn)
        # More than a page of others between the children and those that wait for them.
        others = [named("other") for _ in range(600)]
        self.ok("POST", "/v1/jobs/batch", {"jobs": others}, 201)
        chain = [named("join", ref="join", **after("FAN_IN", parent["id"]))]
        chain += [named(f"step {number}", ref=f"s{number}",
                        **after("AFTER", f"#s{number - 1}" if number else "#join"))
                  for number in range(28)]
        made = self.ok("POST", "/v1/jobs/batch", {"jobs": chain}, 201)["results"]
        broken = 0
        while executions := self.claim(max=500):
            for one in executions:
                fails = one["job"]["payload"]["name"] in ("child 7", "other")
                broken += fails
                how = {"category": "PERMANENT", "message": "broken", "code": "E1"} if fails else {}
                self.work(one, "nack" if fails else "ack", **how)
        self.assertEqual(broken, 601)
        last = harness.until(lambda: self.job(made[-1]["job"])["canonical_state"] == "FAILED")
        self.assertTrue(last)
        failed = 601 + 29
        dry = self.bulk(dry_run=True)
        self.assertEqual((dry["matched"], dry["changed"]), (failed, 0))
        done = self.bulk()
        self.assertEqual((done["matched"], done["changed"], done["refused"]), (failed, failed, 0))
        self.assertIsNone(done["next_cursor"])
        names = [name for name in self.run_all() if name != "other"]
        self.assertEqual(names,
                         ["child 7", "join"] + [f"step {number}" for number in range(28)])
        again = self.bulk()
        self.assertEqual((again["matched"], again["changed"]), (0, 0))


class Wide(Redriving, harness.OnDisk):
    def test_a_job_that_waited_for_too_many_is_passed_over(self):
        parents = [self.submit() for _ in range(10)]
        for one in self.claim(max=10):
            children = [{"type": "t", "queue": self.queue + ".children"} for _ in range(1000)]
            self.work(one, "ack", spawn=children)
        first = self.failed_job(payload={"name": "first"})
        wide = self.submit(delay_ms=3_600_000, payload={"name": "wide"}, depends_on={
            "type": "FAN_IN", "jobs": [one["id"] for one in parents]})
        self.ok("POST", f"/v1/jobs/{wide['id']}/cancel")
        changed, calls, cursor = 0, 0, None
        while calls == 0 or cursor is not None:
            answer = self.bulk(**({"cursor": cursor} if cursor else {}))
            changed, calls, cursor = changed + answer["changed"], calls + 1, answer["next_cursor"]
            self.assertLess(calls, 10)
        self.assertEqual(changed, 1)
        self.assertIsNotNone(self.job(first)["redriven_to"])


if __name__ == "__main__":
    harness.main()
