#!/usr/bin/python3
"""Everything hostile at once, for a while, beside clients that must not notice: nothing that was
acknowledged is lost, every lease whose holder heartbeats in time is kept, and when it is over the
server's memory, descriptors and threads are what they were.

Usage: soak.py <program> [--seconds N]
"""

import argparse
import http.client
import multiprocessing
import pathlib
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/e2e"))
import harness  # noqa: E402  (takes the program from the command line)

import abuses  # noqa: E402
from clients import Client, Memory, Refused, descriptors, threads  # noqa: E402

SCALE = 0.02  # of each abuse: all of them run at once, on the cores that the server has, too
LEASE_MS = 5000
HOLDERS = 8
SUBMITTERS = 2
SETTLE = 20.0  # seconds after the last abuse, at most
MEMORY_SLACK_MIB = 96  # what allocators and caches may keep


class Witness:
    """Remembers what the server promised, and asks for it at the end."""

    def __init__(self, address):
        self.address = address
        self.lock = threading.Lock()
        self.submitted = {}     # id: payload
        self.completed = set()  # ids whose ack was answered
        self.given_up = set()   # ids whose holder was not heard in time: their leases may end
        self.faults = []
        self.heartbeats = 0
        self.stop = threading.Event()
        roles = [self.submit] * SUBMITTERS + [self.hold] * HOLDERS
        self.threads = [threading.Thread(target=self.run, args=(role, n))
                        for n, role in enumerate(roles)]
        for thread in self.threads:
            thread.start()

    def run(self, role, number):
        client = Client(self.address)
        while not self.stop.is_set():
            try:
                role(client, number)
            except (Refused, OSError, http.client.HTTPException) as failure:
                if isinstance(failure, Refused) and failure.status < 500:
                    self.fault(f"{role.__name__}: {failure}")
                time.sleep(0.1)

    def fault(self, text):
        with self.lock:
            self.faults.append(text)
        print("fault:", text, file=sys.stderr)

    def submit(self, client, number):
        with self.lock:
            payload = len(self.submitted)
        answer = client.call("POST", "/v1/jobs", {
            "type": "witness", "queue": f"witness-{number % 2}", "payload": payload,
            "timeouts": {"lease_ms": LEASE_MS}})
        with self.lock:
            self.submitted[answer["job"]["id"]] = payload
        time.sleep(0.02)

    def hold(self, client, number):
        """Works on one job for some lengths of its lease, with heartbeats in time."""
        for execution in client.claim(f"witness-{number % 2}", wait_ms=1000):
            job = execution["job"]["id"]
            if execution["attempt"] != 1 and job not in self.given_up:
                self.fault(f"job {job} had lost its lease")
            until = time.monotonic() + (LEASE_MS * 2.5 / 1000 if number % 4 == 0 else 0.05)
            asked = time.monotonic()
            try:
                while time.monotonic() < until and not self.stop.is_set():
                    asked = self.heartbeat(client, execution, asked)
                    time.sleep(min(1.0, max(0.0, until - time.monotonic())))
                client.work(execution, "ack", result=execution["job"]["payload"])
            except (Refused, OSError, http.client.HTTPException) as failure:
                self.given_up.add(job)
                late = time.monotonic() - asked > LEASE_MS / 1000
                if isinstance(failure, Refused) and failure.status < 500 and not late:
                    self.fault(f"job {job}, in time: {failure}")
                continue
            with self.lock:
                self.completed.add(job)

    def heartbeat(self, client, execution, asked):
        """Asks until it is answered or too late for it; gives the time at which it asked."""
        while True:
            begun = time.monotonic()
            try:
                client.work(execution, "heartbeat")
                with self.lock:
                    self.heartbeats += 1
                return begun
            except (Refused, OSError, http.client.HTTPException) as failure:
                refused = isinstance(failure, Refused) and failure.status < 500
                if refused or time.monotonic() - asked > LEASE_MS / 1000:
                    raise
                time.sleep(0.1)

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join(120)

    def check(self, address):
        """Everything that was acknowledged, as a server on `address` has it."""
        client = Client(address)
        for name, payload in self.submitted.items():
            status, body = client.raw("GET", f"/v1/jobs/{name}")
            if status != 200:
                self.fault(f"job {name}: {status} {body[:200]!r}")
                continue
            job = harness.json.loads(body)
            if job["payload"] != payload:
                self.fault(f"job {name} has another payload")
            if name in self.completed and (job["state"], job["result"]) != ("COMPLETED", payload):
                self.fault(f"job {name} was acknowledged and is {job['state']}")


def attack(abuse, stop):
    abuse.attack(stop)


class Figures:
    """What the server holds."""

    def __init__(self, pid):
        self.memory = Memory(pid).now()
        self.descriptors = descriptors(pid)
        self.threads = threads(pid)

    def __str__(self):
        return f"{self.memory} MiB, {self.descriptors} descriptors, {self.threads} threads"


def attack_for(server, store, seconds):
    stop = multiprocessing.Event()
    attackers = []
    for kind in abuses.ALL:
        abuse = kind((server.host, server.port), harness.PROGRAM, store, SCALE)
        abuse.prepare()
        attackers.append(multiprocessing.Process(target=attack, args=(abuse, stop)))
    for attacker in attackers:
        attacker.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.process.poll() is None:
        time.sleep(min(30.0, max(0.1, end - time.monotonic())))
        print(f"{max(0, int(end - time.monotonic())):>6} s left: {Figures(server.pid)}")
        sys.stdout.flush()
    stop.set()
    for attacker in attackers:
        attacker.join(60)
        if attacker.is_alive():
            attacker.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1800)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        store = f"file:{place}/data"
        server = harness.Server(store)
        witness = Witness((server.host, server.port))
        attack_for(server, store, min(20, options.seconds / 4))  # caches fill, allocators settle
        settle = min(SETTLE, options.seconds / 2)
        time.sleep(settle)
        before = Figures(server.pid)
        attack_for(server, store, options.seconds)
        time.sleep(settle)
        witness.end()
        if server.process.poll() is not None:
            witness.fault(f"the server ended: {server.process.communicate()[1]}")
        else:
            after = Figures(server.pid)
            print(f"before: {before}\nafter:  {after}")
            if after.memory > before.memory + MEMORY_SLACK_MIB:
                witness.fault("memory has grown")
            if after.descriptors > before.descriptors + 4 or after.threads > before.threads:
                witness.fault("descriptors or threads are left")
            server.kill()
            server = harness.Server(store)
            witness.check((server.host, server.port))
            server.stop()
        print(f"{len(witness.submitted)} jobs submitted, {len(witness.completed)} completed, "
              f"{witness.heartbeats} heartbeats, {len(witness.faults)} faults")
        print(f"{len(witness.given_up)} jobs were given up by their holders")
        return 1 if witness.faults or not witness.completed or not witness.heartbeats else 0


if __name__ == "__main__":
    sys.exit(main())
