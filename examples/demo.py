#!/usr/bin/python3
"""One job of each profile through success, retry, exhaustion, a lost lease and a redrive.

Starts a server on a temporary directory, is client and worker at once, and prints the steps of
every job in its profile's own words. Exits 0 when each job went where its profile says.
Usage: demo.py <baton>
"""

import http.client
import json
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 30


class Refused(Exception):
    def __init__(self, problem):
        super().__init__(f"{problem['code']}: {problem['detail']}")
        self.code = problem["code"]


class Server:
    """Calls, as a program in any language would make them."""

    def __init__(self, address):
        self.connection = http.client.HTTPConnection(address)
        self.policies = {}

    def call(self, method, path, body=None):
        text = None if body is None else json.dumps(body)
        headers = {"Content-Type": "application/json"} if text else {}
        self.connection.request(method, path, text, headers)
        response = self.connection.getresponse()
        answer = json.loads(response.read() or "null")
        if response.status >= 400:
            raise Refused(answer)
        return answer


class Story:
    """One job of one profile; its type is its own, so that claims find it."""

    def __init__(self, server, profile, name, job_id=None):
        self.server, self.profile, self.type = server, profile, f"demo-{name}"
        self.id = job_id
        if job_id is None:
            body = {"type": self.type, "queue": profile, "payload": {"story": name},
                    "idempotency": "none"}
            self.id = server.call("POST", "/v1/jobs", body)["job"]["id"]

    def claim(self, **more):
        body = {"queues": [self.profile], "types": [self.type], "worker": "demo",
                "wait_ms": PATIENCE_S * 1000, **more}
        found = self.server.call("POST", "/v1/claims", body)["executions"]
        if not found or found[0]["job"]["id"] != self.id:
            raise SystemExit(f"demo: no claim for {self.profile} {self.type}")
        return found[0]

    def tell(self, execution, what, **body):
        path = f"/v1/executions/{execution['execution_id']}/{what}"
        return self.server.call("POST", path, {"lease_token": execution["lease_token"], **body})

    def fail(self):
        self.tell(self.claim(), "nack", category="TEMPORARY", message="not today")

    def job(self):
        return self.server.call("GET", f"/v1/jobs/{self.id}")

    def steps(self, words):
        """The states it went through, in its profile's words; a word that stays is said once."""
        history = self.server.call("GET", f"/v1/jobs/{self.id}/history")["history"]
        said = []
        for entry in history:
            word = words[entry["to"]]
            if not said or said[-1] != word:
                said.append(word)
        return " > ".join(said)


def success(server, profile):
    story = Story(server, profile, "success")
    execution = story.claim()
    story.tell(execution, "start")
    story.tell(execution, "heartbeat", progress=50)
    story.tell(execution, "commit", result={"ok": True})
    story.tell(execution, "done")
    return story, "COMPLETED"


def retry(server, profile):
    story = Story(server, profile, "retry")
    story.fail()
    story.tell(story.claim(), "ack")
    return story, "COMPLETED"


def exhaustion(server, profile):
    story = Story(server, profile, "exhaustion")
    for _ in range(story.job()["max_attempts"]):
        story.fail()
    server.call("GET", f"/v1/jobs/{story.id}/wait?timeout_ms={PATIENCE_S * 1000}")
    return story, server.policies[profile]["exhausted"]


def lost_lease(server, profile):
    story = Story(server, profile, "lost-lease")
    late = story.claim(lease_ms=200)
    current = story.claim()
    try:
        story.tell(late, "ack")
        raise SystemExit(f"demo: {profile} took the word of a worker that had lost its lease")
    except Refused as refused:
        if refused.code != "stale_lease":
            raise
    story.tell(current, "ack")
    return story, "COMPLETED"


def redrive(server, profile):
    story = Story(server, profile, "redrive")
    story.tell(story.claim(), "nack", category="PERMANENT", message="never",
               code="demo")
    server.call("GET", f"/v1/jobs/{story.id}/wait?timeout_ms={PATIENCE_S * 1000}")
    again = server.call("POST", f"/v1/jobs/{story.id}/retry")["job"]["id"]
    story = Story(server, profile, "redrive", again)
    story.tell(story.claim(), "ack")
    return story, "COMPLETED"


def prepare(server, profile):
    settings = {"profile": profile}
    if not server.policies[profile]["retry_pinned"]:
        settings["retry"] = {"initial_ms": 50, "max_ms": 200}
    server.call("PUT", f"/v1/queues/{profile}", settings)


def play(server):
    tables = server.call("GET", "/v1/profiles")["profiles"]
    vocabulary = {table["name"]: table["words"] for table in tables}
    server.policies = {table["name"]: table["policy"] for table in tables}
    for profile in vocabulary:
        prepare(server, profile)
        print(f"\n{profile}", flush=True)
        for tell in (success, retry, exhaustion, lost_lease, redrive):
            story, expected = tell(server, profile)
            if story.job()["canonical_state"] != expected:
                raise SystemExit(f"demo: {profile} {tell.__name__} did not end {expected}")
            name = tell.__name__.replace("_", " ")
            print(f"  {name:<11} {story.steps(vocabulary[profile])}", flush=True)


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/release/baton"
    with tempfile.TemporaryDirectory() as directory:
        server = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0", "--store", f"file:{directory}/data"],
            stdout=subprocess.PIPE, text=True)
        try:
            line = server.stdout.readline()
            print(line, end="")
            start = time.monotonic()
            play(Server(line.split("//")[-1].strip()))
            print(f"\nEvery job went where its profile says ({time.monotonic() - start:.0f} s).")
        finally:
            server.terminate()
            server.wait(timeout=60)


if __name__ == "__main__":
    main()
