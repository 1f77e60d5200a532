#!/usr/bin/python3
"""A server that stands still for longer than a lease takes no work from workers that were in time.

Usage: stalls_test.py <program>
"""

import json
import os
import signal
import time

import harness

WORKERS = 300  # more than the system reports as readable at once
LEASE_MS = 1000
STALL = 1.6  # seconds


@harness.both_stores
class Stalls(harness.Case):
    def send(self, connection, execution, verb):
        body = {"lease_token": execution["lease_token"]}
        connection.request("POST", f"/v1/executions/{execution['execution_id']}/{verb}",
                           harness.encoded(body), harness.headers_for(body, None))

    def answer(self, connection):
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, json.loads(body)

    def test_calls_that_wait_on_their_connections_come_before_the_ends_of_leases(self):
        for _ in range(WORKERS):
            self.submit()
        connections = [self.server.connect() for _ in range(WORKERS)]
        for connection in connections:
            connection.connect()
        executions = self.claim(max=WORKERS, lease_ms=LEASE_MS)
        self.assertEqual(len(executions), WORKERS)
        os.kill(self.server.pid, signal.SIGSTOP)
        try:
            for i, (connection, execution) in enumerate(zip(connections, executions)):
                self.send(connection, execution, "heartbeat" if i % 2 == 0 else "ack")
            time.sleep(STALL)
        finally:
            os.kill(self.server.pid, signal.SIGCONT)
        statuses = [self.answer(connection)[0] for connection in connections]
        self.assertEqual(statuses, [200] * WORKERS)
        for execution in executions[1::2]:
            self.assertEqual(self.job(execution["job"])["canonical_state"], "COMPLETED")

    def test_a_lease_that_nobody_extends_ends_all_the_same(self):
        made = self.submit()
        self.claim_one(lease_ms=100)
        harness.until(lambda: self.job(made)["canonical_state"] != "RUNNING")
        self.assertEqual(self.claim_one()["job"]["id"], made["id"])


if __name__ == "__main__":
    harness.main()
