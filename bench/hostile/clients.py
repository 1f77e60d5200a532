"""Clients for the hostile benchmark: one connection each, and the few calls that all of them make."""

import http.client
import json
import os
import socket
import time


class Refused(Exception):
    """An answer that is no success."""

    def __init__(self, status, body):
        super().__init__(f"{status} {body[:300]!r}")
        self.status = status
        self.body = body


class Client:
    """One connection to a server, which is opened again when it breaks."""

    def __init__(self, address, patience=60):
        self.address = address
        self.patience = patience
        self.connection = None

    def raw(self, method, path, body=None):
        """Status and bytes of one answer."""
        data = None if body is None else json.dumps(body).encode()
        fields = {} if data is None else {"Content-Type": "application/json"}
        if self.connection is None:
            self.connection = http.client.HTTPConnection(*self.address, timeout=self.patience)
        try:
            self.connection.request(method, path, data, fields)
            answer = self.connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def call(self, method, path, body=None):
        """The document of a successful answer."""
        status, content = self.raw(method, path, body)
        if status not in (200, 201):
            raise Refused(status, content)
        return json.loads(content)

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    # ---- What most abuses begin with

    def submit_many(self, jobs, size=1000):
        """Submits jobs in batches; gives their ids."""
        ids = []
        for first in range(0, len(jobs), size):
            answer = self.call("POST", "/v1/jobs/batch", {"jobs": jobs[first:first + size]})
            ids += [one["job"]["id"] for one in answer["results"]]
        return ids

    def claim(self, queue, count=1, **more):
        body = {"queues": [queue], "worker": "bench", "max": count, **more}
        return self.call("POST", "/v1/claims", body)["executions"]

    def work(self, execution, verb, **body):
        path = f"/v1/executions/{execution['execution_id']}/{verb}"
        return self.call("POST", path, {"lease_token": execution["lease_token"], **body})

    def work_off(self, queue):
        """Claims and acknowledges until nothing is left; gives how many jobs that were."""
        count = 0
        while executions := self.claim(queue, 1000):
            ops = [{"op": "ack", "execution_id": one["execution_id"],
                    "lease_token": one["lease_token"]} for one in executions]
            self.call("POST", "/v1/executions/batch", {"ops": ops})
            count += len(executions)
        return count


def open_socket(address):
    return socket.create_connection(address, timeout=60)


def send_request(connection, address, path):
    """Asks, and leaves the answer where it is."""
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n\r\n".encode())


class Memory:
    """What a process holds, in MiB."""

    def __init__(self, pid):
        self.pid = pid

    def _field(self, name):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as lines:
            for line in lines:
                if line.startswith(name + ":"):
                    return int(line.split()[1]) // 1024
        raise KeyError(name)

    def now(self):
        return self._field("VmRSS")

    def peak(self):
        """Since the last reset."""
        return self._field("VmHWM")

    def reset_peak(self):
        with open(f"/proc/{self.pid}/clear_refs", "w", encoding="ascii") as refs:
            refs.write("5")


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def threads(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


class Latencies:
    """How long calls took, by their name, in milliseconds."""

    def __init__(self):
        self.times = {}

    def timed(self, name, call):
        begin = time.monotonic()
        try:
            return call()
        finally:
            self.times.setdefault(name, []).append((time.monotonic() - begin) * 1000)

    def figures(self):
        return {name: percentiles(times) for name, times in sorted(self.times.items())}


def percentiles(times):
    ordered = sorted(times)

    def at(share):
        return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 2)

    return {"count": len(ordered), "p50": at(0.5), "p99": at(0.99), "max": round(ordered[-1], 2)}
