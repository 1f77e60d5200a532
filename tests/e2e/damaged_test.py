#!/usr/bin/python3
"""A bit of the catalog turns around while no server runs on it.

Usage: damaged_test.py <program>
"""

import pathlib

import harness


class Damaged(harness.OnDisk):
    def damage(self, text):
        """Turns one bit around in the middle of this text."""
        path = pathlib.Path(self.place) / "data" / "catalog.db"
        stored = bytearray(path.read_bytes())
        at = stored.find(text.encode()) + len(text) // 2
        self.assertGreater(at, len(text))
        stored[at] ^= 1
        path.write_bytes(stored)

    def test_one_job_and_none_of_the_others(self):
        jobs = [self.submit(payload={"text": letter * 20_000}) for letter in "abc"]
        self.server.stop()
        self.damage("b" * 3_000)
        self.start()
        path = f"/v1/jobs/{jobs[1]['id']}"
        answer = self.call("GET", path)
        self.check_problem(answer, 500, "damaged")
        self.assertNotIn("/", answer.json["detail"], "paths are not for clients")
        for job, letter in ((jobs[0], "a"), (jobs[2], "c")):
            self.assertEqual(self.job(job)["payload"], {"text": letter * 20_000})
        # A list does not pretend that there are only two.
        self.check_problem(self.call("GET", f"/v1/jobs?queue={self.queue}&include=payload"), 500,
                           "damaged")
        claimed = self.claim(max=10)
        self.assertEqual([one["job"]["id"] for one in claimed], [jobs[0]["id"], jobs[2]["id"]])
        for execution in claimed:
            self.work(execution, "ack")
        self.check_problem(self.call("GET", path), 500, "damaged")


if __name__ == "__main__":
    harness.main()
