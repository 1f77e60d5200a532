#!/usr/bin/python3
"""A server that is stopped, and a worker that is killed, while everyone is at work.

Usage: under_load_test.py <program>
"""

import http.client
import json
import subprocess
import threading

import harness

SUBMITTERS = 4
WORKERS = 4


class Stopped(Exception):
    """The server has gone, or says that it will."""


class Clients:
    """Submit and work, one request after the other, and remember every good answer."""

    def __init__(self, server):
        self.server = server
        self.submitted = {}   # id: number
        self.claimed = {}     # id of the execution: the execution
        self.acknowledged = set()  # ids of executions whose ack was answered
        self.halves = []      # answers that broke off
        self.refusals = []
        roles = [(self.submit, first) for first in range(SUBMITTERS)]
        roles += [(self.work, worker) for worker in range(WORKERS)]
        self.threads = [threading.Thread(target=self.run, args=role) for role in roles]
        for thread in self.threads:
            thread.start()

    def run(self, role, number):
        connection = self.server.connect()
        try:
            while True:
                number = role(connection, number)
        except Stopped:
            connection.close()

    def call(self, connection, path, body):
        """The document of a good answer. Whatever else happens is the end of this client."""
        try:
            connection.request("POST", path, json.dumps(body),
                               {"Content-Type": "application/json"})
            answer = connection.getresponse()
            content = answer.read()
        except (http.client.RemoteDisconnected, ConnectionError) as end:
            raise Stopped from end  # before the first byte of an answer
        except http.client.HTTPException as half:
            self.halves.append(half)
            raise Stopped from half
        if answer.status not in (200, 201):
            self.refusals.append(harness.Answer(answer.status, answer.getheaders(), content))
            raise Stopped
        return json.loads(content)

    def submit(self, connection, number):
        document = self.call(connection, "/v1/jobs",
                             {"type": "t", "queue": "load", "payload": number})
        self.submitted[document["job"]["id"]] = number
        return number + SUBMITTERS

    def work(self, connection, number):
        claim = {"queues": ["load"], "worker": f"w{number}", "max": 3, "wait_ms": 1000}
        for execution in self.call(connection, "/v1/claims", claim)["executions"]:
            self.claimed[execution["execution_id"]] = execution
        for name, execution in list(self.claimed.items()):
            if execution["job"]["payload"] % WORKERS == number and name not in self.acknowledged:
                self.ack(connection, execution)
        return number

    def ack(self, connection, execution):
        name = execution["execution_id"]
        self.call(connection, f"/v1/executions/{name}/ack",
                  {"lease_token": execution["lease_token"],
                   "result": execution["job"]["payload"]})
        self.acknowledged.add(name)

    def join(self):
        for thread in self.threads:
            thread.join(harness.PATIENCE)


class UnderLoad(harness.OnDisk):
    def executions(self, name):
        return self.ok("GET", f"/v1/jobs/{name}/executions")["executions"]


class Drain(UnderLoad):
    def test_every_answer_is_whole_and_every_good_one_is_kept(self):
        clients = Clients(self.server)
        harness.until(lambda: len(clients.acknowledged) > 200)
        self.server.terminate()
        self.assertEqual(self.server.wait(), (0, ""))
        clients.join()
        self.assertEqual(clients.halves, [])
        for answer in clients.refusals:
            self.check_problem(answer, 503, "shutting_down")
        self.start()
        self.check_what_was_said(clients)
        self.finish_the_rest(clients)

    def check_what_was_said(self, clients):
        there = {job["id"]: job for job in self.jobs_of("load")}
        self.assertEqual({name: there[name]["payload"] for name in clients.submitted},
                         clients.submitted)
        numbers = [job["payload"] for job in there.values()]
        self.assertEqual(len(numbers), len(set(numbers)), "a job was made twice")
        self.assertEqual(set(there), set(clients.submitted), "one was kept and not answered")
        for name in clients.acknowledged:
            job = there[clients.claimed[name]["job"]["id"]]
            self.assertEqual((job["state"], job["result"]), ("COMPLETED", job["payload"]))

    def finish_the_rest(self, clients):
        """Workers go on with the leases they had; what nobody claimed is there to be claimed."""
        for name in set(clients.claimed) - clients.acknowledged:
            execution = clients.claimed[name]
            self.assertEqual(self.work(execution, "ack",
                                       result=execution["job"]["payload"])["status"], "DONE")
        while executions := self.claim(queues=["load"], max=100):
            for execution in executions:
                self.work(execution, "ack", result=execution["job"]["payload"])
        for job in self.jobs_of("load"):
            executions = self.executions(job["id"])
            self.assertEqual(([one["status"] for one in executions], job["state"], job["result"]),
                             (["DONE"], "COMPLETED", job["payload"]))


class Workers(UnderLoad):
    def worker(self, name, command):
        process = subprocess.Popen(
            [harness.PROGRAM, "work", "--server", f"http://127.0.0.1:{self.server.port}", "--queue",
             self.queue, "--name", name, "--concurrency", "4", "--exec", command],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def count(self, state):
        return self.ok("GET", f"/v1/queues/{self.queue}")["counts"][state]

    def test_one_of_two_is_killed(self):
        count = 60
        self.ok("PUT", f"/v1/queues/{self.queue}",
                {"timeouts": {"lease_ms": 1000}, "retry": {"initial_ms": 0}})
        for number in range(count):
            self.submit(payload=number)
        # Every fifth job keeps the first worker busy for ever, until all four hands are full.
        endless = f"while ! test -e {self.place}/end; do sleep 0.02; done"
        first = self.worker("first", f"read n; case $n in *[05]) {endless};; esac; echo $n")
        harness.until(lambda: self.count("RUNNING") == 4 and self.count("COMPLETED") >= 12)
        first.kill()
        second = self.worker("second", "cat")
        harness.until(lambda: self.count("COMPLETED") == count)
        open(f"{self.place}/end", "w", encoding="utf-8").close()  # for the orphaned commands
        second.terminate()
        self.assertEqual(second.wait(harness.PATIENCE), 0)
        self.check_each_was_done_once(count)

    def check_each_was_done_once(self, count):
        jobs = self.jobs_of(self.queue)
        self.assertEqual(sorted(job["payload"] for job in jobs), list(range(count)))
        repeated = 0
        for job in jobs:
            self.assertEqual((job["state"], job["result"]), ("COMPLETED", job["payload"]))
            executions = self.executions(job["id"])
            self.assertEqual([one["status"] for one in executions[-1:]], ["DONE"])
            for lost in executions[:-1]:
                self.assertEqual((lost["status"], lost["worker"], lost["failure"]["code"]),
                                 ("ABORTED", "first", "lease_lost"))
                self.assertIsNone(lost["committed_at"])
                repeated += 1
            self.assertIsNotNone(executions[-1]["committed_at"])
        self.assertGreaterEqual(repeated, 4)


del UnderLoad

if __name__ == "__main__":
    harness.main()
