#!/usr/bin/python3
"""Unique keys over HTTP: at most one job holds one, whatever many clients do at once and however
the server ends.

Usage: uniqueness_test.py <program>
"""

import threading

import harness

CLIENTS = 64
JOBS = 200  # that are made before the server is killed, and again after it


@harness.both_stores
class Keys(harness.Case):
    def unique(self, status, **unique):
        body = {"type": self.queue, "queue": self.queue, "unique": {"key": "u", **unique}}
        return self.ok("POST", "/v1/jobs", body, status)

    def test_a_job_shows_its_key_with_what_was_left_out(self):
        made = self.unique(201)["job"]
        self.assertEqual(made["unique"],
                         {"key": "u", "while": "active", "on_conflict": "existing"})
        self.assertEqual(self.job(made)["unique"], made["unique"])
        self.assertIsNone(self.submit()["unique"])

    def test_another_submission_gets_the_holder(self):
        first = self.unique(201)
        self.assertIsNone(first["payload_differs"])
        again = self.unique(200)
        self.assertEqual((again["job"]["id"], again["duplicate"], again["payload_differs"]),
                         (first["job"]["id"], True, False))
        body = {"type": self.queue, "queue": self.queue, "unique": {"key": "u"}, "payload": 2}
        self.assertIs(self.ok("POST", "/v1/jobs", body)["payload_differs"], True)

    def test_or_is_refused(self):
        first = self.unique(201)["job"]
        problem = self.refused(409, "conflict", "POST", "/v1/jobs",
                               {"type": self.queue, "queue": self.queue,
                                "unique": {"key": "u", "on_conflict": "refuse"}}, "unique.key")
        self.assertIn(first["id"], problem["detail"])

    def test_or_replaces_it(self):
        first = self.unique(201)["job"]
        second = self.unique(201, on_conflict="replace")["job"]
        ended = self.job(first)
        self.assertEqual((ended["canonical_state"], ended["last_error"]),
                         ("CANCELLED", f"replaced by {second['id']}"))
        self.claim_one(queues=[self.queue])
        self.refused(409, "conflict", "POST", "/v1/jobs",
                     {"type": self.queue, "queue": self.queue,
                      "unique": {"key": "u", "on_conflict": "replace"}}, "unique.key")

    def test_a_waiting_job_holds_its_key_until_it_is_claimed(self):
        self.unique(201, **{"while": "waiting"})
        self.unique(200)
        self.claim_one(queues=[self.queue])
        self.unique(201)

    def test_what_is_wrong_is_named(self):
        for unique, field in (({}, "unique.key"), ({"key": "u", "whiel": "active"}, "unique.whiel"),
                              ({"key": "u", "while": "ever"}, "unique.while"),
                              ({"key": "u", "on_conflict": "?"}, "unique.on_conflict"),
                              ({"key": 1}, "unique.key"), ("u", "unique")):
            self.refused(400, "bad_request", "POST", "/v1/jobs", {"type": "t", "unique": unique},
                         field)
        for key in ("", "ä" * 257):
            self.refused(422, "invalid_job", "POST", "/v1/jobs",
                         {"type": "t", "unique": {"key": key}}, "unique.key")


class Crowd:
    """Clients that all submit with one unique key, and a worker that ends what it gets."""

    def __init__(self, server):
        self.server = server
        self.made = 0
        self.wrong = []
        self.stopped = False
        ways = ("existing", "replace", "refuse")
        self.threads = [threading.Thread(target=self.run, args=(self.submit, ways[n % 3]))
                        for n in range(CLIENTS)]
        self.threads.append(threading.Thread(target=self.run, args=(self.work, None)))
        for thread in self.threads:
            thread.start()

    def run(self, act, argument):
        connection = self.server.connect()
        while not self.stopped:
            try:
                act(connection, argument)
            except Exception:  # the server has gone
                return

    def submit(self, connection, on_conflict):
        body = {"type": "t", "queue": "crowd", "unique": {"key": "u", "on_conflict": on_conflict}}
        answer = self.server.call("POST", "/v1/jobs", body, connection=connection)
        if answer.status == 201:
            self.made += 1
        elif answer.status not in (200, 409):
            self.wrong.append(answer)

    def work(self, connection, _):
        # A job that the kill leaves running holds its key until its lease is over.
        claim = {"queues": ["crowd"], "worker": "w", "max_lease_ms": 500}
        claimed = self.server.call("POST", "/v1/claims", claim, connection=connection)
        for execution in claimed.json["executions"]:
            self.server.call("POST", f"/v1/executions/{execution['execution_id']}/ack",
                             {"lease_token": execution["lease_token"]}, connection=connection)

    def join(self):
        for thread in self.threads:
            thread.join(harness.PATIENCE)


class ManyAtOnce(harness.OnDisk):
    def test_one_job_at_a_time_is_active_also_across_kills(self):
        for _ in range(3):
            crowd = Crowd(self.server)
            harness.until(lambda: crowd.made >= JOBS)  # pylint: disable=cell-var-from-loop
            self.server.kill()
            crowd.stopped = True
            crowd.join()
            self.assertEqual(crowd.wrong, [])
            self.start()
        jobs = self.jobs_of("crowd")[::-1]
        self.assertGreaterEqual(len(jobs), 3 * JOBS)
        for job, following in zip(jobs, jobs[1:]):
            self.assertIsNotNone(job["completed_at"], job)
            self.assertLessEqual(job["completed_at"], following["created_at"])


if __name__ == "__main__":
    harness.main()
