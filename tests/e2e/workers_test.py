#!/usr/bin/python3
"""Who works: the list of workers, and what `explain` says of them.

Usage: workers_test.py <program>
"""

import harness
import shapes

WORKER = ["execution_count", "executions", "first_seen", "last_seen", "queues", "types", "worker"]


class Seen(harness.Case):
    def worker(self, name):
        found = [one for one in self.ok("GET", "/v1/workers")["workers"] if one["worker"] == name]
        self.assertLessEqual(len(found), 1)
        return found[0] if found else None

    def explained(self, job):
        return self.ok("GET", f"/v1/jobs/{job['id']}/explain")


@harness.both_stores
class Workers(Seen):
    def setUp(self):
        super().setUp()
        self.name = f"worker of {self.queue}"

    def server_time(self):
        self.claim(worker="clock")
        return self.worker("clock")["last_seen"]

    def test_the_shape_of_a_worker(self):
        self.submit()
        claimed = self.claim_one(worker=self.name, types=["t", "u"])
        document = self.ok("GET", "/v1/workers")
        self.assertEqual(sorted(document), ["next_cursor", "workers"])
        worker = self.worker(self.name)
        self.assertEqual(sorted(worker), WORKER)
        self.assertEqual((worker["queues"], worker["types"]), ([self.queue], ["t", "u"]))
        shapes.is_time(self, worker["first_seen"])
        shapes.is_time(self, worker["last_seen"])
        self.assertEqual(worker["execution_count"], 1)
        self.assertEqual(worker["executions"], [{
            "execution_id": claimed["execution_id"], "job_id": claimed["job"]["id"],
            "lease_expires_at": claimed["lease_expires_at"]}])

    def test_a_claim_for_nothing_is_seen(self):
        self.claim(worker=self.name)
        worker = self.worker(self.name)
        self.assertEqual((worker["types"], worker["execution_count"]), (None, 0))
        self.assertEqual(worker["first_seen"], worker["last_seen"])

    def test_a_claim_inside_a_batch_is_seen(self):
        claim = {"queues": [self.queue, "other"], "worker": self.name, "max": 1}
        self.ok("POST", "/v1/executions/batch", {"ops": [], "claim": claim})
        self.assertEqual(self.worker(self.name)["queues"], [self.queue, "other"])

    def test_a_refused_claim_is_not_seen(self):
        body = {"queues": [self.queue], "worker": self.name, "max": 0}
        self.refused(400, "bad_request", "POST", "/v1/claims", body, "max")
        self.assertIsNone(self.worker(self.name))

    def test_calls_are_heard(self):
        self.submit()
        self.submit()
        one, other = self.claim(worker=self.name, max=2)
        for call in (lambda: self.work(one, "heartbeat"),
                     lambda: self.ok("POST", "/v1/executions/batch", {"ops": [
                         {"op": "heartbeat", "execution_id": other["execution_id"],
                          "lease_token": other["lease_token"]}]}),
                     lambda: self.work(one, "ack")):
            before = self.worker(self.name)["last_seen"]
            # An ack is heard once: the next millisecond has begun before the call.
            harness.until(lambda: self.server_time() > before)
            call()
            harness.until(lambda: self.worker(self.name)["last_seen"] > before)
        worker = self.worker(self.name)
        self.assertEqual(worker["execution_count"], 1)
        self.assertGreater(worker["executions"][0]["lease_expires_at"], other["lease_expires_at"])

    def test_pages_by_name(self):
        names = [f"{self.name} {number}" for number in range(5)]
        for name in reversed(names):
            self.claim(worker=name)
        found, cursor = [], ""
        while cursor is not None:
            page = self.ok("GET", "/v1/workers?" + harness.query(limit=2, cursor=cursor))
            self.assertLessEqual(len(page["workers"]), 2)
            found += [one["worker"] for one in page["workers"]]
            cursor = page["next_cursor"]
        self.assertEqual(found, sorted(found))
        self.assertEqual([name for name in found if name in names], names)
        self.refused(400, "bad_request", "GET", "/v1/workers?limit=0", field="limit")
        self.refused(400, "bad_request", "GET", "/v1/workers?queue=a", field="queue")

    def test_explain_says_that_no_worker_asks(self):
        job = self.submit(type="mail")
        told = self.explained(job)
        self.assertEqual((told["code"], told["worker"]), ("no_worker", None))
        self.assertIn(f"no worker has asked for type mail in queue {self.queue} since the start",
                      told["explanation"])
        self.claim(worker=self.name, types=["fax"])
        self.assertEqual(self.explained(job)["code"], "no_worker")
        self.ok("POST", f"/v1/queues/{self.queue}/pause")
        self.claim(worker=self.name, types=["mail"])
        self.assertEqual(self.explained(job)["code"], "queue_paused")
        self.ok("POST", f"/v1/queues/{self.queue}/resume")
        self.assertEqual(self.explained(job)["code"], "waits_for_worker")

    def test_explain_names_the_worker(self):
        job = self.submit()
        claimed = self.claim_one(worker=self.name)
        told = self.explained(job)
        self.assertEqual((told["code"], told["worker"]), ("runs", self.name))
        self.assertEqual(told["worker_last_seen"], self.worker(self.name)["last_seen"])
        self.assertRegex(told["explanation"], rf"\AWorker {self.name} has it, last heard \d+ s ago; "
                         f"if it stays silent until {claimed['lease_expires_at']}, "
                         r"the job runs again\.\Z")


class Restarted(Seen, harness.OnDisk):
    def test_a_worker_from_before_is_known_by_its_heartbeat(self):
        job = self.submit()
        claimed = self.claim_one(worker="from before")
        self.server.kill()
        self.start()
        self.assertIsNone(self.worker("from before"))
        told = self.explained(job)
        self.assertEqual((told["worker"], told["worker_last_seen"]), ("from before", None))
        self.assertIn("not heard since the start", told["explanation"])
        self.work(claimed, "heartbeat")
        # Whose it is, the store is asked beside the answer.
        harness.until(lambda: self.worker("from before") is not None)
        worker = self.worker("from before")
        self.assertEqual((worker["queues"], worker["types"], worker["execution_count"]),
                         ([], None, 1))
        self.assertRegex(self.explained(job)["explanation"], r"last heard \d+ s ago")


if __name__ == "__main__":
    harness.main()
