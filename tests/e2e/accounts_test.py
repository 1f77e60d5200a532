#!/usr/bin/python3
"""Credits and quota: granting, reserving, capturing, releasing, and the ledger of it.

Usage: accounts_test.py <program>
"""

import harness
import shapes


@harness.both_stores
class Accounts(harness.Case):
    def setUp(self):
        super().setUp()
        self.path = f"/v1/accounts/{self.queue}"

    def grant(self, **body):
        return self.ok("POST", self.path + "/grant", body)

    def balance(self):
        account = self.ok("GET", self.path)
        shapes.has(self, account, shapes.ACCOUNT)
        self.assertEqual(account["granted"],
                         account["available"] + account["reserved"] + account["captured"])
        return account["available"], account["reserved"], account["captured"]

    def paid(self, **submission):
        return self.submit(account=self.queue, cost=10, **submission)

    def test_an_account_nobody_made(self):
        account = self.ok("GET", self.path)
        self.assertEqual({name: account[name] for name in shapes.ACCOUNT},
                         {"id": self.queue, "tier": "guest", "available": 0, "reserved": 0,
                          "captured": 0, "granted": 0})

    def test_grant(self):
        account = self.grant(amount=100, tier="pro")
        self.assertEqual({name: account[name] for name in shapes.ACCOUNT},
                         {"id": self.queue, "tier": "pro", "available": 100, "reserved": 0,
                          "captured": 0, "granted": 100})
        self.assertEqual(self.grant(amount=5)["granted"], 105)
        self.assertEqual(self.grant(tier="user")["tier"], "user")

    def test_a_grant_with_a_key_counts_once(self):
        for _ in range(2):
            account = self.grant(amount=7, idempotency_key="invoice 1")
            self.assertEqual(account["granted"], 7)
        self.assertEqual(self.grant(amount=7, idempotency_key="invoice 2")["granted"], 14)

    def test_captured_at_the_commit(self):
        self.grant(amount=100)
        made = self.paid()
        self.assertEqual((made["account"], made["cost"]), (self.queue, 10))
        self.assertEqual(self.balance(), (90, 10, 0))
        execution = self.claim_one()
        self.work(execution, "start")
        self.work(execution, "commit")
        self.assertEqual(self.balance(), (90, 0, 10))
        self.work(execution, "done")
        self.assertEqual(self.balance(), (90, 0, 10))

    def test_released_by_a_bad_end(self):
        self.grant(amount=100)
        self.paid()
        self.work(self.claim_one(), "nack", category="PERMANENT", message="m", code="c")
        made = self.paid()
        self.ok("POST", f"/v1/jobs/{made['id']}/cancel")
        self.assertEqual(self.balance(), (100, 0, 0))

    def test_a_rejected_job_is_paid(self):
        self.ok("PUT", f"/v1/queues/{self.queue}", {"profile": "generation"})
        self.grant(amount=100)
        self.paid(payload={"prompt": "p"})
        self.work(self.claim_one(), "reject", reason="r")
        self.assertEqual(self.balance(), (90, 0, 10))

    def test_too_few_credits(self):
        self.grant(amount=9)
        body = {"type": "t", "queue": self.queue, "account": self.queue, "cost": 10}
        self.refused(402, "insufficient_credits", "POST", "/v1/jobs", body, "cost")
        self.assertEqual(self.balance(), (9, 0, 0))
        self.refused(422, "invalid_job", "POST", "/v1/jobs", {"type": "t", "cost": 1}, "account")

    def test_quota_of_a_guest(self):
        self.ok("PUT", f"/v1/queues/{self.queue}", {"profile": "generation"})
        jobs = [self.submit(account=self.queue, payload=number) for number in range(5)]
        body = {"type": "t", "queue": self.queue, "account": self.queue, "payload": "sixth"}
        answer = self.call("POST", "/v1/jobs", body)
        self.check_problem(answer, 429, "quota_exceeded", "account")
        for job in jobs:
            self.ok("POST", f"/v1/jobs/{job['id']}/cancel")
        # Five within the hour are enough, too.
        answer = self.call("POST", "/v1/jobs", body)
        self.check_problem(answer, 429, "quota_exceeded", "account")
        self.assertGreater(int(answer.fields["retry-after"]), 3000)
        self.grant(tier="user")
        self.submit(account=self.queue)

    def test_a_duplicate_costs_nothing(self):
        self.grant(amount=10)
        first = self.paid(idempotency_key="k")
        self.assertEqual(self.submit(200, account=self.queue, cost=10, idempotency_key="k"), first)
        self.assertEqual(self.balance(), (0, 10, 0))

    def test_entries(self):
        self.grant(amount=100)
        made = self.paid()
        self.work(self.claim_one(), "ack")
        document = self.ok("GET", self.path + "/entries")
        self.assertEqual(sorted(document), ["entries", "next_cursor"])
        entries = document["entries"]
        self.assertEqual([(entry["seq"], entry["kind"], entry["amount"], entry["job_id"])
                          for entry in entries],
                         [(1, "grant", 100, None), (2, "reserve", 10, made["id"]),
                          (3, "capture", 10, made["id"])])
        for entry in entries:
            shapes.is_time(self, entry["at"])

    def test_entries_in_pages(self):
        for _ in range(5):
            self.grant(amount=1)
        seen, cursor = [], ""
        while cursor is not None:
            query = harness.query(limit=2, cursor=cursor)
            document = self.ok("GET", f"{self.path}/entries?{query}")
            self.assertLessEqual(len(document["entries"]), 2)
            seen += [entry["seq"] for entry in document["entries"]]
            cursor = document["next_cursor"]
        self.assertEqual(seen, [1, 2, 3, 4, 5])

    def test_wrong_grants(self):
        for body, status, code, field in (
                ({}, 400, "bad_request", "amount"), ({"amount": "5"}, 400, "bad_request", "amount"),
                ({"amount": 1.5}, 400, "bad_request", "amount"),
                ({"amount": 1, "tier": "king"}, 400, "bad_request", "tier"),
                ({"amount": 1, "x": 1}, 400, "bad_request", "x"),
                ({"amount": -1}, 422, "invalid_job", "amount"),
                ({"amount": 9223372036854775807}, 422, "invalid_job", "amount")):
            self.refused(status, code, "POST", self.path + "/grant", body, field)
        self.assertEqual(self.balance(), (0, 0, 0))


if __name__ == "__main__":
    harness.main()
