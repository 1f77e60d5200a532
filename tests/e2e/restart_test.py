#!/usr/bin/python3
"""A server that dies, is stopped under load, or meets another on its directory.

Usage: restart_test.py <program>
"""

import json
import subprocess
import threading

import harness


class Directory(harness.OnDisk):
    def restart(self):
        self.server.kill()
        self.start()


class Load:
    """Clients that submit one job after the other and remember what was acknowledged."""

    def __init__(self, server, clients=4):
        self.server = server
        self.acknowledged = []
        self.other = []
        self.threads = [threading.Thread(target=self.run) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def run(self):
        connection = self.server.connect()
        while True:
            try:
                answer = self.server.call("POST", "/v1/jobs", {"type": "t", "queue": "load"},
                                          connection=connection)
            except OSError:
                return
            except Exception:  # http.client's own: the connection ended
                return
            if answer.status != 201:
                self.other.append(answer)
                return
            self.acknowledged.append(answer.json["job"]["id"])

    def join(self):
        for thread in self.threads:
            thread.join(harness.PATIENCE)


class Kills(Directory):
    def test_everything_acknowledged_is_there_again(self):
        load = Load(self.server)
        harness.until(lambda: len(load.acknowledged) > 300)
        self.server.kill()
        load.join()
        self.start()
        self.check_all_there(load)

    def check_all_there(self, load):
        there, cursor = set(), ""
        while cursor is not None:
            path = "/v1/jobs?" + harness.query(queue="load", limit=1000, cursor=cursor)
            document = self.ok("GET", path)
            there |= {job["id"] for job in document["jobs"]}
            cursor = document["next_cursor"]
        self.assertEqual(set(load.acknowledged) - there, set())
        self.assertGreaterEqual(len(there), len(load.acknowledged))

    def test_jobs_are_as_they_were(self):
        jobs = [self.submit(payload={"n": number}, tags={"a": "b"}, delay_ms=3600000 * number)
                for number in range(3)]
        jobs.append(self.failed_job(type="f", priority="CRITICAL"))
        history = self.ok("GET", f"/v1/jobs/{jobs[3]['id']}/history")
        executions = self.ok("GET", f"/v1/jobs/{jobs[3]['id']}/executions")
        queue = self.ok("PUT", f"/v1/queues/{self.queue}", {"max_pending": 77})
        self.ok("POST", "/v1/accounts/a/grant", {"amount": 5, "tier": "pro"})
        account = self.ok("GET", "/v1/accounts/a")
        self.restart()
        for job in jobs:
            self.assertEqual(self.job(job), job)
        self.assertEqual(self.ok("GET", f"/v1/jobs/{jobs[3]['id']}/history"), history)
        self.assertEqual(self.ok("GET", f"/v1/jobs/{jobs[3]['id']}/executions"), executions)
        self.assertEqual(self.ok("GET", f"/v1/queues/{self.queue}"), queue)
        self.assertEqual(self.ok("GET", "/v1/accounts/a"), account)

    def test_a_committed_job_ends_done(self):
        made = self.submit()
        execution = self.claim_one(lease_ms=500)
        self.work(execution, "start")
        self.work(execution, "commit", result="kept")
        self.restart()
        job = self.ok("GET", f"/v1/jobs/{made['id']}/wait?timeout_ms=20000")
        self.assertEqual((job["state"], job["result"], job["attempt"]), ("COMPLETED", "kept", 1))
        executions = self.ok("GET", f"/v1/jobs/{made['id']}/executions")["executions"]
        self.assertEqual([one["status"] for one in executions], ["DONE"])

    def test_a_worker_goes_on_with_its_lease(self):
        made = self.submit()
        execution = self.claim_one()
        self.work(execution, "start")
        self.restart()
        self.work(execution, "heartbeat", progress=50)
        self.work(execution, "ack", result=1)
        self.assertEqual(self.job(made)["state"], "COMPLETED")

    def test_keys_are_remembered(self):
        made = self.submit(idempotency_key="k")
        self.restart()
        self.assertEqual(self.submit(200, idempotency_key="k"), made)

    def test_event_numbers_begin_anew(self):
        self.submit()
        self.restart()
        connection = self.server.connect()
        connection.request("GET", "/v1/events", headers={"Last-Event-ID": "2"})
        answer = connection.getresponse()
        lines = [answer.readline() for _ in range(4)]
        self.assertIn(b"event: resync\n", lines)
        connection.close()


class Drain(Directory):
    check_all_there = Kills.check_all_there

    def test_under_load_nothing_acknowledged_is_lost(self):
        load = Load(self.server)
        harness.until(lambda: len(load.acknowledged) > 300)
        self.server.terminate()
        self.assertEqual(self.server.wait(), (0, ""))
        load.join()
        for answer in load.other:
            self.check_problem(answer, 503, "shutting_down")
        self.start()
        self.check_all_there(load)

    def test_who_waits_is_answered(self):
        made = self.submit(delay_ms=3600000)
        wait, claim = self.server.connect(), self.server.connect()
        wait.request("GET", f"/v1/jobs/{made['id']}/wait?timeout_ms=60000")
        body = {"queues": [self.queue], "worker": "w", "max": 1, "wait_ms": 60000}
        claim.request("POST", "/v1/claims", json.dumps(body),
                      {"Content-Type": "application/json"})
        self.ok("GET", "/readyz")
        self.server.terminate()
        answer = claim.getresponse()
        self.assertEqual((answer.status, json.loads(answer.read())), (200, {"executions": []}))
        answer = wait.getresponse()
        self.assertEqual((answer.status, json.loads(answer.read())), (200, made))
        self.assertEqual(self.server.wait(), (0, ""))
        for connection in (wait, claim):
            connection.close()

    def test_interrupt_is_the_same(self):
        self.server.process.send_signal(2)
        self.assertEqual(self.server.wait(), (0, ""))


class Workers(Directory):
    def worker(self, lease_ms):
        """A process that claims a job, says so and then sleeps for ever."""
        code = (f"import json, time, urllib.request as r\n"
                f"body = json.dumps({{'queues': ['{self.queue}'], 'worker': 'dies', 'max': 1,"
                f"'lease_ms': {lease_ms}}}).encode()\n"
                f"request = r.Request('http://{self.server.host}:{self.server.port}/v1/claims',"
                f"body, {{'Content-Type': 'application/json'}})\n"
                f"print(r.urlopen(request).read().decode(), flush=True)\n"
                f"time.sleep(1000)\n")
        process = subprocess.Popen(["/usr/bin/python3", "-c", code], stdout=subprocess.PIPE,
                                   text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_the_job_of_a_killed_worker_is_taken_over(self):
        made = self.submit()
        process = self.worker(lease_ms=1000)
        lost = json.loads(process.stdout.readline())["executions"][0]
        process.kill()
        self.assertEqual(self.claim(), [])
        taken = self.claim_one(worker="lives", wait_ms=20000)
        self.assertEqual((taken["job"]["id"], taken["attempt"], taken["previous_execution_id"]),
                         (made["id"], 2, lost["execution_id"]))
        self.work_refused(409, "stale_lease", lost, "ack")
        self.work(taken, "ack")
        executions = self.ok("GET", f"/v1/jobs/{made['id']}/executions")["executions"]
        self.assertEqual([(one["worker"], one["status"]) for one in executions],
                         [("dies", "ABORTED"), ("lives", "DONE")])
        self.assertEqual((executions[0]["failure"]["category"], executions[0]["failure"]["code"]),
                         ("SYSTEM", "lease_lost"))


class SecondServer(Directory):
    def test_it_is_refused_and_told_by_whom(self):
        answer = subprocess.run([harness.PROGRAM, "serve", "--listen", "127.0.0.1:0", "--store",
                                 self.store], capture_output=True, text=True, check=False,
                                timeout=harness.PATIENCE)
        self.assertEqual((answer.returncode, answer.stdout), (1, ""))
        self.assertRegex(answer.stderr, rf"\Abaton: .*\b{self.server.pid}\b.*\n\Z")
        self.submit()

    def test_an_address_that_is_taken(self):
        address = f"{self.server.host}:{self.server.port}"
        answer = subprocess.run([harness.PROGRAM, "serve", "--listen", address, "--store",
                                 "memory:"], capture_output=True, text=True, check=False,
                                timeout=harness.PATIENCE)
        self.assertEqual((answer.returncode, answer.stdout), (1, ""))
        self.assertIn(address, answer.stderr)


del Directory

if __name__ == "__main__":
    harness.main()
