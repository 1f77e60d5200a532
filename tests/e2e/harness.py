"""Starts the real server for a test and talks to it: what every test here stands on.

A test script calls `main()` and gets the program's path as its first argument. A class of tests
marked with `both_stores` runs twice, on a store in memory and on one on disk, each with a server of
its own; `call` makes one request and `ok` demands its status.
"""

import http.client
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") \
    else "build/release/baton"
ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 20  # seconds until a test that waits has failed
READY = re.compile(r"baton: listening on http://([0-9.]+):([0-9]+)\n")


met = set()  # (status, code) of every problem document that a test has checked


class Answer:
    """What came back: status, header fields by their names in small letters, bytes."""

    def __init__(self, status, fields, body):
        self.status = status
        self.fields = {name.lower(): value for name, value in fields}
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:600]!r}"


class Server:
    """One process `baton serve` on a free port."""

    def __init__(self, store, *arguments):
        self.store = store
        self.ended = False  # and the test has seen how
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--store", store, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        ready = READY.fullmatch(line)
        if not ready:
            self.process.kill()
            raise AssertionError(f"{line!r} {self.process.communicate()[1]!r}")
        self.host, self.port = ready[1], int(ready[2])

    @property
    def pid(self):
        return self.process.pid

    def connect(self):
        return http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)

    def socket(self):
        return socket.create_connection((self.host, self.port), timeout=PATIENCE)

    def call(self, method, path, body=None, fields=None, connection=None):
        """One request. `body` is sent as JSON, or as it is when it is bytes."""
        mine = connection or self.connect()
        try:
            mine.request(method, path, encoded(body), headers_for(body, fields))
            answer = mine.getresponse()
            return Answer(answer.status, answer.getheaders(), answer.read())
        finally:
            if connection is None:
                mine.close()

    def threads(self):
        return len(list(pathlib.Path(f"/proc/{self.pid}/task").iterdir()))

    def descriptors(self):
        return len(list(pathlib.Path(f"/proc/{self.pid}/fd").iterdir()))

    def kill(self):
        """As a power cut would: nothing is finished."""
        self.process.kill()
        _, spoken = self.wait()
        if spoken:
            raise AssertionError(spoken)

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def wait(self):
        """Its exit code, and what it said on standard error."""
        _, spoken = self.process.communicate(timeout=PATIENCE)
        self.ended = True
        return self.process.returncode, spoken

    def stop(self):
        """At the end of a test, where it must end as it should and have nothing to say. What a
        sanitizer finds is told there, leaks only then."""
        if self.ended:
            return
        self.terminate()
        ending = self.wait()
        if ending != (0, ""):
            raise AssertionError(f"the server ended with {ending[0]} and said: {ending[1]}")


def encoded(body):
    return body if body is None or isinstance(body, bytes) else json.dumps(body).encode()


def headers_for(body, fields):
    given = dict(fields or {})
    if body is not None and "Content-Type" not in given:
        given["Content-Type"] = "application/json"
    return given


def read_answers(connection, count):
    """The next answers on a socket. Each must be whole: a length, and as many bytes."""
    reader = connection.makefile("rb")
    answers = []
    for _ in range(count):
        line = reader.readline()
        if not line.endswith(b"\n"):
            raise AssertionError(f"the connection ended after {answers} {line!r}")
        fields = []
        while (field := reader.readline()) not in (b"\r\n", b""):
            fields.append(field.decode("latin-1").rstrip("\r\n").partition(": ")[::2])
        answer = Answer(int(line.split()[1]), fields, b"")
        length = int(answer.fields["content-length"])
        answer.body = reader.read(length)
        if len(answer.body) != length:
            raise AssertionError(f"half an answer: {answer}")
        answers.append(answer)
    return answers


def query(**parameters):
    return urllib.parse.urlencode(parameters)


def until(condition, what="it did not happen in time"):
    """Asks again until the answer counts as true, and gives it back."""
    deadline = time.monotonic() + PATIENCE
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(what)
        time.sleep(0.01)


class Case(unittest.TestCase):
    """Tests that share one server; each uses queues of its own."""

    store_kind = "memory:"
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.store = cls.store_kind
        if cls.store == "file:":
            cls.store += cls.temporary.name + "/data"
        cls.server = Server(cls.store)
        cls.addClassCleanup(lambda: cls.server.stop())

    def setUp(self):
        self.queue = self.id().split(".")[-1]

    def call(self, method, path, body=None, fields=None):
        return self.server.call(method, path, body, fields)

    def ok(self, method, path, body=None, status=200):
        """The document of an answer that must have this status."""
        answer = self.call(method, path, body)
        self.assertEqual(answer.status, status, f"{method} {path} {body}: {answer}")
        self.assertEqual(answer.fields["content-type"], "application/json")
        return answer.json

    def refused(self, status, code, method, path, body=None, field=None, fields=None):
        """The problem document of an answer that must be this refusal."""
        answer = self.call(method, path, body, fields)
        self.check_problem(answer, status, code, field, f"{method} {path} {str(body)[:300]}")
        return answer.json

    def check_problem(self, answer, status, code, field=None, what=None):
        told = f"{what}: {answer}"
        self.assertEqual(answer.status, status, told)
        self.assertEqual(answer.fields["content-type"], "application/problem+json", told)
        self.check_problem_document(answer.json, status, code, field, told)
        if status in (429, 503):
            self.assertRegex(answer.fields.get("retry-after", ""), r"\A[1-9][0-9]*\Z", told)

    def check_problem_document(self, problem, status, code, field=None, told=None):
        for name in ("type", "title", "detail"):
            self.assertIsInstance(problem[name], str, told)
            self.assertTrue(problem[name], told)
        self.assertEqual((problem["status"], problem["code"]), (status, code), told)
        self.assertEqual(problem.get("field"), field, told)
        met.add((status, code))

    # ---- What most tests need

    def submit(self, status=201, **submission):
        """The job that this submission makes, in the test's queue unless it names another."""
        body = {"type": "t", "queue": self.queue, **submission}
        return self.ok("POST", "/v1/jobs", body, status)["job"]

    def job(self, job):
        return self.ok("GET", f"/v1/jobs/{job['id']}")

    def claim(self, **claim):
        body = {"queues": [self.queue], "worker": "w1", "max": 1, **claim}
        return self.ok("POST", "/v1/claims", body)["executions"]

    def claim_one(self, **claim):
        executions = self.claim(**claim)
        self.assertEqual(len(executions), 1)
        return executions[0]

    def work(self, execution, verb, status=200, **body):
        path = f"/v1/executions/{execution['execution_id']}/{verb}"
        return self.ok("POST", path, {"lease_token": execution["lease_token"], **body}, status)

    def work_refused(self, status, code, execution, verb, field=None, **body):
        path = f"/v1/executions/{execution['execution_id']}/{verb}"
        body = {"lease_token": execution["lease_token"], **body}
        return self.refused(status, code, "POST", path, body, field)

    def failed_job(self, **submission):
        """A job that ended badly, for good."""
        made = self.submit(**submission)
        self.work(self.claim_one(), "nack", category="PERMANENT", message="broken", code="E1")
        return self.job(made)

    def done_job(self, result=None, **submission):
        made = self.submit(**submission)
        self.work(self.claim_one(queues=[made["queue"]]), "ack", result=result)
        return self.job(made)


class OnDisk(Case):
    """Each test has a directory of its own, and starts servers on it."""

    @classmethod
    def setUpClass(cls):
        pass

    def setUp(self):
        super().setUp()
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.place = temporary.name
        self.store = f"file:{self.place}/data"
        self.start()

    def start(self):
        self.server = Server(self.store)
        self.addCleanup(self.server.stop)

    def jobs_of(self, queue):
        """All of them, with their payloads and results."""
        found, cursor = [], ""
        while cursor is not None:
            path = "/v1/jobs?" + query(queue=queue, limit=1000, cursor=cursor,
                                       include="payload,result")
            document = self.ok("GET", path)
            found += document["jobs"]
            cursor = document["next_cursor"]
        return found


def both_stores(case):
    """Runs the class of tests on each kind of store."""
    module = sys.modules[case.__module__]
    for kind, name in (("memory:", "InMemory"), ("file:", "OnDisk")):
        made = type(case.__name__ + name, (case,), {"store_kind": kind})
        made.__module__ = case.__module__
        setattr(module, made.__name__, made)
    return None  # the class itself is not a test


def main():
    unittest.main()
