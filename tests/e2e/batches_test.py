#!/usr/bin/python3
"""Many jobs in one call: atomic and not, references, chains, and how dependencies end.

Usage: batches_test.py <program>
"""

import harness
import shapes

UNKNOWN = "aaaaaaaa-0000-4000-8000-000000000000"


# What a batch does not show of its jobs.
BYTES = ("payload", "payload_base64", "result", "result_base64", "result_content_type",
         "checkpoint")


def without_bytes(job):
    return {name: value for name, value in job.items() if name not in BYTES}


@harness.both_stores
class Batches(harness.Case):
    def one(self, **submission):
        return {"type": "t", "queue": self.queue, **submission}

    def batch(self, jobs, status=201, **rest):
        return self.ok("POST", "/v1/jobs/batch", {"jobs": jobs, **rest}, status)["results"]

    def batch_refused(self, status, code, index, jobs, field=None, **rest):
        problem = self.refused(status, code, "POST", "/v1/jobs/batch", {"jobs": jobs, **rest},
                               field)
        self.assertEqual(problem["index"], index)
        return problem

    def jobs_there(self):
        path = "/v1/jobs?" + harness.query(queue=self.queue, limit=1000)
        return len(self.ok("GET", path)["jobs"])

    def test_all_are_made(self):
        results = self.batch([self.one(payload=number) for number in range(1000)])
        self.assertEqual(len(results), 1000)
        for number, result in enumerate(results):
            self.assertEqual(sorted(result), ["duplicate", "job", "payload_differs"])
            self.assertIs(result["duplicate"], False)
            if number % 100 == 0:
                self.assertEqual(self.job(result["job"])["payload"], number)
            shapes.is_job(self, result["job"], BYTES)
        self.assertEqual(self.jobs_there(), 1000)

    def test_references(self):
        results = self.batch([
            self.one(ref="last", depends_on={"type": "AFTER", "jobs": ["#first", "#middle"]}),
            self.one(ref="middle", depends_on=[{"type": "AFTER_ANY", "jobs": ["#first"]}]),
            self.one(ref="first")])
        last, middle, first = (result["job"] for result in results)
        self.assertEqual([job["ref"] for job in (last, middle, first)],
                         ["last", "middle", "first"])
        self.assertEqual([job["state"] for job in (last, middle, first)],
                         ["PENDING", "PENDING", "SCHEDULED"])
        self.assertEqual(last["depends_on"], [{"type": "AFTER", "jobs": [first["id"], middle["id"]],
                                               "allow_failures": False}])
        for job in (last, middle, first):
            self.assertEqual(without_bytes(self.job(job)), {**job, "ref": None})

    def test_chain(self):
        results = self.batch([self.one() for _ in range(3)], chain=True)
        jobs = [result["job"] for result in results]
        self.assertEqual([job["state"] for job in jobs], ["SCHEDULED", "PENDING", "PENDING"])
        for before, after in zip(jobs, jobs[1:]):
            self.assertEqual(after["depends_on"][0]["jobs"], [before["id"]])
        for job in jobs:
            claimed = self.claim(max=10)
            self.assertEqual([one["job"]["id"] for one in claimed], [job["id"]])
            self.work(claimed[0], "ack")

    def test_atomic_refusal_makes_nothing(self):
        self.batch_refused(422, "invalid_job", 1, [self.one(), self.one(type="no spaces"),
                                                   self.one(priority=0)], "type")
        self.assertEqual(self.jobs_there(), 0)
        self.batch_refused(422, "unknown_dependency", 1, [
            self.one(), self.one(depends_on={"type": "AFTER", "jobs": [UNKNOWN]})], "depends_on")
        self.batch_refused(422, "unknown_dependency", 0, [
            self.one(depends_on={"type": "AFTER", "jobs": ["#nobody"]})], "depends_on")
        self.assertEqual(self.jobs_there(), 0)

    def test_a_wrong_shape_names_the_job(self):
        self.batch_refused(400, "bad_request", 1, [self.one(), {"type": 7}], "type")
        self.batch_refused(400, "bad_request", 2, [self.one(), self.one(), self.one(nonsense=1)],
                           "nonsense")
        self.assertEqual(self.jobs_there(), 0)

    def test_not_atomic_makes_the_others(self):
        results = self.batch([
            self.one(ref="bad", type="no spaces"),
            self.one(),
            self.one(depends_on={"type": "AFTER", "jobs": ["#bad"]})], 200, atomic=False)
        self.check_problem_document(results[0]["error"], 422, "invalid_job", "type")
        self.assertEqual(results[1]["job"]["state"], "SCHEDULED")
        self.check_problem_document(results[2]["error"], 422, "unknown_dependency", "depends_on")
        self.assertEqual(self.jobs_there(), 1)

    def test_duplicates_count_as_made(self):
        first = self.submit(idempotency_key="k")
        results = self.batch([self.one(idempotency_key="k"), self.one(idempotency_key="l"),
                              self.one(idempotency_key="l")])
        self.assertEqual([result["duplicate"] for result in results], [True, False, True])
        self.assertEqual(results[0]["job"], without_bytes(first))
        self.assertEqual(results[1]["job"], results[2]["job"])

    def test_cycles(self):
        self.batch_refused(422, "dependency_cycle", 0, [
            self.one(ref="a", depends_on={"type": "AFTER", "jobs": ["#b"]}),
            self.one(ref="b", depends_on={"type": "AFTER", "jobs": ["#a"]})], "depends_on")
        self.batch_refused(422, "dependency_cycle", 0, [
            self.one(ref="a", depends_on={"type": "AFTER", "jobs": ["#a"]})], "depends_on")
        self.assertEqual(self.jobs_there(), 0)

    def test_too_deep(self):
        self.assertEqual(len(self.batch([self.one() for _ in range(100)], chain=True)), 100)
        self.batch_refused(422, "dependency_too_deep", 100, [self.one() for _ in range(101)],
                           "depends_on", chain=True)
        self.assertEqual(self.jobs_there(), 100)

    def test_too_wide(self):
        jobs = [result["job"]["id"] for result in self.batch([self.one()] * 1000)]
        self.submit(depends_on={"type": "AFTER", "jobs": jobs})
        jobs.append(self.submit()["id"])
        body = self.one(depends_on={"type": "AFTER", "jobs": jobs})
        self.refused(422, "dependency_too_wide", "POST", "/v1/jobs", body, "depends_on")

    def test_sizes(self):
        self.refused(400, "bad_request", "POST", "/v1/jobs/batch", {"jobs": []}, "jobs")
        self.batch_refused(400, "bad_request", 1000, [self.one()] * 1001, "jobs")
        self.refused(400, "bad_request", "POST", "/v1/jobs/batch", {}, "jobs")


@harness.both_stores
class Dependencies(harness.Case):
    def end(self, how):
        execution = self.claim_one(types=["first"])
        if how == "well":
            self.work(execution, "ack")
        else:
            self.work(execution, "nack", category="PERMANENT", message="m", code="c")

    def dependent(self, kind, ends, **rest):
        """The state of a job after those that it waits for have ended."""
        jobs = [self.submit(type="first")["id"] for _ in ends]
        made = self.submit(depends_on={"type": kind, "jobs": jobs, **rest})
        self.assertEqual(made["state"], "PENDING")
        for how in ends:
            self.end(how)
        return self.job(made)

    def test_after(self):
        self.assertEqual(self.dependent("AFTER", ["well", "well"])["state"], "SCHEDULED")
        job = self.dependent("AFTER", ["well", "badly"])
        self.assertEqual((job["state"], job["failure_category"]), ("FAILED", "PERMANENT"))

    def test_after_any(self):
        self.assertEqual(self.dependent("AFTER_ANY", ["badly"])["state"], "SCHEDULED")

    def test_fan_in(self):
        self.assertEqual(self.dependent("FAN_IN", ["well", "well"])["state"], "SCHEDULED")
        self.assertEqual(self.dependent("FAN_IN", ["badly"])["state"], "FAILED")
        job = self.dependent("FAN_IN", ["badly", "well"], allow_failures=True)
        self.assertEqual(job["state"], "SCHEDULED")

    def test_what_ended_before_counts_at_once(self):
        done, failed = self.done_job(), self.failed_job()
        self.assertEqual(self.submit(depends_on={"type": "AFTER", "jobs": [done["id"]]})["state"],
                         "SCHEDULED")
        made = self.submit(depends_on={"type": "AFTER", "jobs": [failed["id"]]})
        self.assertEqual((made["state"], self.job(made)["state"]), ("FAILED", "FAILED"))
        self.assertEqual(self.job(made), made)


if __name__ == "__main__":
    harness.main()
