"""What a hostile or careless client does to a server. Each abuse prepares what it needs, and then
attacks until it is told to stop, in a process of its own."""

import http.client
import json
import subprocess
import tempfile
import time

from clients import Client, Refused, open_socket, send_request

MEGABYTE = 1 << 20


class Abuse:
    name = ""
    seconds = None  # how long a measurement beside it must last; None: as the caller likes

    def __init__(self, address, program=None, store=None, scale=1.0):
        self.address = address
        self.program = program
        self.store = store
        self.scale = scale

    def count(self, full):
        return max(1, int(full * self.scale))

    def prepare(self):
        """Before the clock runs."""

    def attack(self, stop):
        """Again and again, until `stop` is set."""
        while not stop.is_set():
            try:
                self.once()
            except (Refused, OSError, http.client.HTTPException):
                time.sleep(0.05)

    def once(self):
        raise NotImplementedError


def own_queue(name):
    """A queue that no earlier round has used."""
    return f"{name}-{time.time_ns()}"


def fat_result(client, queue):
    """A job whose result is as large as the queue allows, and a worker that came too late."""
    client.call("PUT", f"/v1/queues/{queue}",
                {"max_payload_bytes": 16 * MEGABYTE, "timeouts": {"lease_ms": 100}})
    client.call("POST", "/v1/jobs", {"type": "fat", "queue": queue, "idempotency_key": queue})
    late = client.claim(queue)[0]
    deadline = time.monotonic() + 30
    while not (again := client.claim(queue, wait_ms=1000, lease_ms=60000)):
        assert time.monotonic() < deadline
    client.work(again[0], "ack", result="x" * (15 * MEGABYTE))
    return late


class Duplicates(Abuse):
    """One small batch that asks 200 times for a job with a large result."""
    name = "200 duplicates of a job with a 15 MB result"

    def prepare(self):
        self.client = Client(self.address)
        queue = own_queue("fat")
        fat_result(self.client, queue)
        self.batch = {"jobs": [{"type": "fat", "queue": queue, "idempotency_key": queue}] * 200}

    def once(self):
        self.client.call("POST", "/v1/jobs/batch", self.batch)


class StaleAcks(Abuse):
    name = "40 late acks of a job with a 15 MB result"

    def prepare(self):
        self.client = Client(self.address)
        late = fat_result(self.client, own_queue("late"))
        op = {"op": "ack", "execution_id": late["execution_id"], "lease_token": late["lease_token"]}
        self.batch = {"ops": [op] * 40}

    def once(self):
        self.client.call("POST", "/v1/executions/batch", self.batch)


class FatLists(Abuse):
    name = "lists with 200 MB of payloads"

    def prepare(self):
        self.client = Client(self.address)
        payload = "p" * (200 << 10)
        for _ in range(self.count(20)):
            self.client.submit_many([{"type": "fat", "queue": "payloads", "payload": payload}] * 50)
        self.client.close()
        self.client = Client(self.address)

    path = "/v1/jobs?queue=payloads&include=payload&limit=1000"

    def once(self):
        self.client.raw("GET", self.path)


class UnreadLists(FatLists):
    name = "8 clients that ask for such lists and never read"

    def attack(self, stop):
        sockets = [open_socket(self.address) for _ in range(8)]
        for one in sockets:
            for _ in range(4):
                send_request(one, self.address, self.path)
        stop.wait()
        for one in sockets:
            one.close()


class IdleConnections(Abuse):
    name = "2,000 idle connections"

    def attack(self, stop):
        sockets = [open_socket(self.address) for _ in range(2000)]
        stop.wait()
        for one in sockets:
            one.close()


class UnreadEvents(Abuse):
    name = "50 event streams that nobody reads"

    def attack(self, stop):
        sockets = [open_socket(self.address) for _ in range(50)]
        for one in sockets:
            send_request(one, self.address, "/v1/events")
        client = Client(self.address)
        while not stop.is_set():
            try:
                client.submit_many([{"type": "noise", "queue": "noise"}] * 1000)
                client.work_off("noise")
            except (Refused, OSError, http.client.HTTPException):
                time.sleep(0.05)
        for one in sockets:
            one.close()


class QueueNames(Abuse):
    name = "/v1/stats over 50,000 queues"

    def prepare(self):
        self.client = Client(self.address)
        total = self.count(50_000)
        self.client.submit_many([{"type": "t", "queue": f"name-{n:06}"} for n in range(total)])

    def once(self):
        cursor = ""
        while cursor is not None:
            path = "/v1/stats" + (f"?cursor={cursor}" if cursor else "")
            cursor = self.client.call("GET", path).get("next_cursor")


class EmptyFilters(Abuse):
    name = "lists by filters that match nothing, 200,000 jobs"

    def prepare(self):
        self.client = Client(self.address)
        self.client.submit_many(
            [{"type": "t", "queue": "many", "tags": {"team": "a"}}] * self.count(200_000))

    def once(self):
        for query in ("correlation_id=", "account=", "tag=team:a&type=nothing",
                      "queue=many&correlation_id="):
            self.client.raw("GET", f"/v1/jobs?{query}&limit=1000")


class Delays(Abuse):
    name = "200,000 delays that end together"
    seconds = 25

    def prepare(self):
        self.client = Client(self.address)
        self.total = self.count(200_000)

    def attack(self, stop):
        while not stop.is_set():
            at = time.time() + 8 * max(self.scale, 0.25)
            text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + ".000Z"
            try:
                self.client.submit_many(
                    [{"type": "t", "queue": "delays", "run_at": text}] * self.total)
                stop.wait(max(0.0, at - time.time()) + 4)
                if self.scale < 1:
                    self.client.work_off("delays")
            except (Refused, OSError, http.client.HTTPException):
                time.sleep(0.05)
            if self.scale >= 1:
                stop.wait()


class Dependents(Abuse):
    name = "100,000 dependents of one job"
    seconds = 25

    def prepare(self):
        self.client = Client(self.address)
        self.total = self.count(100_000)

    def once(self):
        first = self.client.submit_many([{"type": "first", "queue": "graph"}])[0]
        after = {"type": "AFTER", "jobs": [first]}
        self.client.submit_many(
            [{"type": "then", "queue": "graph", "depends_on": after}] * self.total)
        executions = self.client.claim("graph", types=["first"])
        for execution in executions:
            self.client.work(execution, "ack")
        time.sleep(2)
        self.client.work_off("graph")


class Retention(Abuse):
    """Jobs that have ended and are kept only because of their keys."""
    name = "retention beside 20,000 spared jobs"
    seconds = 70  # a server looks once a minute

    def prepare(self):
        self.client = Client(self.address)
        self.client.call("PUT", "/v1/queues/spared",
                         {"retention": {"completed_ms": 1000, "failed_ms": 1000}})
        total = self.count(20_000)
        self.client.submit_many(
            [{"type": "t", "queue": "spared", "idempotency_key": f"k{n}"} for n in range(total)])
        self.client.work_off("spared")

    def attack(self, stop):
        stop.wait()


class LargeSubmissions(Abuse):
    name = "submissions of 1 MB"

    def prepare(self):
        self.client = Client(self.address)
        self.body = {"type": "t", "queue": "large", "payload": "x" * (MEGABYTE - 1000)}

    def once(self):
        for _ in range(20):
            self.client.call("POST", "/v1/jobs", self.body)
        if self.scale < 1:
            self.client.work_off("large")


class WaitingClaims(Abuse):
    name = "1,000 claims that wait for another type"

    def attack(self, stop):
        body = {"queues": ["innocent"], "types": ["nothing"], "worker": "w", "wait_ms": 60000}
        text = json.dumps(body)
        request = (f"POST /v1/claims HTTP/1.1\r\nHost: {self.address[0]}\r\n"
                   f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n{text}")
        sockets = []
        for _ in range(1000):
            one = open_socket(self.address)
            one.sendall(request.encode())
            sockets.append(one)
        stop.wait()
        for one in sockets:
            one.close()


class Backups(Abuse):
    name = "one backup after the other"

    def prepare(self):
        Client(self.address).submit_many([{"type": "t", "queue": "kept"}] * self.count(50_000))

    def once(self):
        if not self.store.startswith("file:"):
            return time.sleep(1)
        with tempfile.TemporaryDirectory() as place:
            subprocess.run([self.program, "backup", place + "/copy", "--store", self.store],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return None


class Bulk(Abuse):
    name = "bulk actions on 10,000 jobs"

    def prepare(self):
        self.client = Client(self.address)

    def once(self):
        self.client.submit_many([{"type": "t", "queue": "bulk"}] * self.count(10_000))
        for action in ("cancel", "delete"):
            self.client.call("POST", "/v1/jobs/bulk", {
                "action": action, "filter": {"queue": "bulk"}, "dry_run": False})


ALL = [Duplicates, StaleAcks, FatLists, UnreadLists, IdleConnections, UnreadEvents, QueueNames,
       EmptyFilters, Delays, Dependents, Retention, LargeSubmissions, WaitingClaims, Backups, Bulk]
