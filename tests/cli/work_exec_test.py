#!/usr/bin/python3
"""`baton work --exec`: what a command gets, what each of its endings means, and how it is stopped.

Usage: work_exec_test.py <program>
"""

import json
import os
import pathlib
import re
import signal
import unittest
import urllib.request

import server_test

KEPT_WAITING = "while ! test -e '{}'; do sleep 0.02; done"


class Case(server_test.Commands):
    def setUp(self):
        super().setUp()
        self.place = self.directory / self.queue
        self.place.mkdir()

    def http(self, method, path, body=None):
        """The bytes of an answer, and their type."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server.url + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read(), answer.headers["Content-Type"]

    def set_queue(self, **settings):
        self.data("queues", self.queue, "--set", json.dumps(settings))

    def ended(self, job):
        """The job when it has ended, well or not."""
        self.baton("wait", job, "--timeout", "30s")
        return self.data("show", job)

    def executions(self, job):
        return self.data("show", job, "--executions")["executions"]

    def state(self, job):
        return self.data("show", job)["canonical_state"]

    def runs(self, job):
        self.until(lambda: self.state(job) == "RUNNING")


# (command, canonical state, category, code of the failure, pattern of the message, how the worker
# tells it)
TEMPORARY = ("DEAD_LETTER", "TEMPORARY")
PERMANENT = ("FAILED", "PERMANENT")
FAILURES = [
    ("exit 75", *TEMPORARY, None, "the command ended with exit 75", "exit 75"),
    ("echo again >&2; exit 75", *TEMPORARY, None, "again", "exit 75"),
    ("exit 65", *PERMANENT, "exit_65", "the command ended with exit 65", "exit 65"),
    ("exit 64", *PERMANENT, "exit_64", "the command ended with exit 64", "exit 64"),
    ("exit 77", *PERMANENT, "rejected", "the command ended with exit 77", "exit 77"),
    ("exit 1", *TEMPORARY, None, "the command ended with exit 1", "exit 1"),
    ("exit 2", *TEMPORARY, None, "the command ended with exit 2", "exit 2"),
    ("exit 255", *TEMPORARY, None, "the command ended with exit 255", "exit 255"),
    # What it printed is no result when it failed.
    ("echo '{}'; exit 66", *TEMPORARY, None, "the command ended with exit 66", "exit 66"),
    ("no-such-command-anywhere", *TEMPORARY, None, ".*not found", "exit 127"),
    ("/", *TEMPORARY, None, ".*ermission denied", "exit 126"),
    ("if", *TEMPORARY, None, ".*yntax error.*", "exit 2"),
    ("kill -9 $$", *TEMPORARY, None, "the command ended with signal 9", "signal 9"),
    ("kill -TERM $$", *TEMPORARY, None, "the command ended with signal 15", "signal 15"),
    ("echo last words >&2; kill -SEGV $$", *TEMPORARY, None, "last words", "signal 11"),
    ("sh -c 'kill -9 $$'; exit", *TEMPORARY, None, ".*", "exit 137"),
    # The last line with something in it is the message.
    (r"printf 'one\ntwo\n\n\n' >&2; exit 1", *TEMPORARY, None, "two", "exit 1"),
    (r"printf 'one\ntwo' >&2; exit 1", *TEMPORARY, None, "two", "exit 1"),
    (r"printf 'at 1%%\rat 2%%\r' >&2; exit 1", *TEMPORARY, None, "at 2%", "exit 1"),
]


class Endings(Case):
    def test_of_every_kind(self):
        self.set_queue(retry={"max_attempts": 1})
        jobs = [self.submit("t", json.dumps(row[0])) for row in FAILURES]
        worker = self.work('eval "$(/usr/bin/python3 -c \'import json,sys;'
                           'print(json.load(sys.stdin))\')"', "--concurrency", "2")
        for job, (command, state, category, code, message, _) in zip(jobs, FAILURES):
            shown = self.ended(job)
            self.assertEqual((shown["canonical_state"], shown["failure_category"], shown["result"],
                              shown["attempt"]), (state, category, None, 1), command)
            self.assertRegex(shown["last_error"], rf"\A{message}\Z", command)
            failure = self.executions(job)[0]["failure"]
            if code:
                self.assertEqual(failure["code"], code, command)
            self.assertEqual(failure["message"], shown["last_error"])
        output, _ = self.drained(worker)
        for job, row in zip(jobs, FAILURES):
            self.assertRegex(output, rf"(?m)^{job}  t  attempt 1  {row[5]}  \S+$", row[0])

    def test_a_temporary_failure_is_tried_again(self):
        self.set_queue(retry={"strategy": "constant", "initial_ms": 0, "max_attempts": 3})
        worker = self.work('test $BATON_ATTEMPT = 3 || exit 75; echo "$BATON_ATTEMPT"')
        shown = self.ended(self.submit("t"))
        self.assertEqual((shown["canonical_state"], shown["result"], shown["attempt"]),
                         ("COMPLETED", 3, 3))
        self.drained(worker)

    def test_giving_back_spends_no_attempt(self):
        self.set_queue(retry={"max_attempts": 1})
        worker = self.work('test $BATON_ATTEMPT -gt 2 || { echo busy >&2; exit 69; }')
        job = self.submit("t")
        shown = self.ended(job)
        self.assertEqual((shown["canonical_state"], shown["attempt"], shown["release_count"],
                          shown["last_error"]), ("COMPLETED", 3, 2, None))
        failure = self.executions(job)[0]["failure"]
        self.assertEqual((failure["category"], failure["code"], failure["message"]),
                         ("SYSTEM", "released", "busy"))
        self.assertRegex(self.good("show", job), r"(?m)^given back +2 times$")
        self.drained(worker)

    def test_giving_back_where_a_delay_is_not_taken(self):
        self.set_queue(profile="document")
        worker = self.work('test $BATON_ATTEMPT -gt 1 || exit 69')
        shown = self.ended(self.submit("t"))
        self.assertEqual((shown["state"], shown["release_count"]), ("SUCCEEDED", 1))
        self.drained(worker)

    def test_a_long_message_is_cut_and_a_wrong_one_is_text(self):
        self.set_queue(retry={"max_attempts": 1})
        worker = self.work("read which; case $which in 1) head -c 20000 /dev/zero | tr '\\0' x;;"
                           " 2) printf 'a\\377b';; esac >&2; exit 1")
        long, wrong = self.submit("t", "1"), self.submit("t", "2")
        self.assertRegex(self.ended(long)["last_error"], r"\Ax{1000,4096}\Z")
        shown = self.ended(wrong)
        self.assertEqual((shown["canonical_state"], shown["last_error"][0],
                          shown["last_error"][-1]), ("DEAD_LETTER", "a", "b"))
        self.drained(worker)

    def test_rejection(self):
        self.set_queue(profile="generation")
        worker = self.work("exit 77")
        shown = self.ended(self.submit("image"))
        self.assertEqual((shown["state"], shown["last_error"]),
                         ("rejected", "the command ended with exit 77"))
        self.drained(worker)


class Results(Case):
    def result(self, job):
        return self.http("GET", f"/v1/jobs/{job}/result")

    def test_what_is_printed_is_the_result(self):
        rows = [("printf '{\"a\":[1,2]}'", b'{"a":[1,2]}', "application/json"),
                ("echo 17", b"17\n", "application/json"),
                ("echo words", b"words\n", "text/plain"),
                ("printf 'a\\377b'", b"a\xffb", "text/plain"),
                ("printf '{\"a\":'", b'{"a":', "text/plain")]
        jobs = [self.submit("t", json.dumps(row[0])) for row in rows]
        worker = self.work('eval "$(/usr/bin/python3 -c \'import json,sys;'
                           'print(json.load(sys.stdin))\')"')
        for job, (command, content, kind) in zip(jobs, rows):
            self.assertEqual(self.ended(job)["canonical_state"], "COMPLETED", command)
            found, type_found = self.result(job)
            self.assertEqual((found.strip() if kind != "text/plain" else found,
                              type_found.partition(";")[0]),
                             (content.strip() if kind != "text/plain" else content, kind), command)
        self.drained(worker)

    def test_nothing_is_no_result(self):
        worker = self.work("echo this is not the result >&2")
        shown = self.ended(self.submit("t"))
        self.assertEqual((shown["canonical_state"], shown["result"], shown["last_error"]),
                         ("COMPLETED", None, None))
        self.drained(worker)

    def test_more_than_a_result_can_be_fails_for_good(self):
        worker = self.work("head -c 20000000 /dev/zero | tr '\\0' 1")
        shown = self.ended(self.submit("t"))
        self.assertEqual((shown["canonical_state"], shown["failure_category"]), PERMANENT)
        self.assertIn("too long", shown["last_error"])
        self.drained(worker)

    def test_one_line_of_json_for_each_job(self):
        worker = self.work("exit $(cat)", "--json")
        good, bad = self.submit("t", "0"), self.submit("t", "65")
        self.ended(good)
        self.ended(bad)
        output, _ = self.drained(worker)
        lines = {line["job_id"]: line for line in map(json.loads, output.splitlines())}
        self.assertEqual({job: (line["type"], line["attempt"], line["ending"])
                          for job, line in lines.items()},
                         {good: ("t", 1, "exit 0"), bad: ("t", 1, "exit 65")})


class Input(Case):
    def test_a_command_need_not_read(self):
        worker = self.work("exec <&-; echo 1")
        job = self.good("submit", "t", "-", "--queue", self.queue,
                        stdin=json.dumps("x" * 1_000_000)).strip()
        self.assertEqual(self.ended(job)["result"], 1)
        self.drained(worker)

    def test_bytes_come_as_they_are(self):
        body = {"type": "t", "queue": self.queue, "payload_base64": "AP8KAA==",
                "content_type": "application/octet-stream"}
        job = json.loads(self.http("POST", "/v1/jobs", body)[0])["job"]["id"]
        worker = self.work('echo "\\"$(od -An -tx1 | tr -d " ")$BATON_CONTENT_TYPE\\""')
        self.assertEqual(self.ended(job)["result"], "00ff0a00application/octet-stream")
        self.drained(worker)

    def test_the_environment(self):
        job = self.submit("t", "--correlation-id", "c", "--max-attempts", "7")
        claim = {"queues": [self.queue], "worker": "first", "max": 1}
        first = json.loads(self.http("POST", "/v1/claims", claim)[0])["executions"][0]
        call = f"/v1/executions/{first['execution_id']}/"
        token = {"lease_token": first["lease_token"]}
        self.http("POST", call + "heartbeat", {**token, "checkpoint": {"page": 4}})
        self.http("POST", call + "nack", {**token, "category": "TEMPORARY", "message": "m"})
        worker = self.work("env")
        self.until(lambda: self.state(job) == "COMPLETED")
        found = dict(line.split("=", 1)
                     for line in self.http("GET", f"/v1/jobs/{job}/result")[0].decode().split("\n")
                     if line.startswith("BATON_"))
        self.drained(worker)
        left = int(found.pop("BATON_TIME_LEFT_MS"))
        self.assertGreater(left, 0)
        self.assertEqual(found, {
            "BATON_URL": self.server.url, "BATON_JOB_ID": job, "BATON_TYPE": "t",
            "BATON_QUEUE": self.queue, "BATON_ATTEMPT": "2", "BATON_MAX_ATTEMPTS": "7",
            "BATON_EXECUTION_ID": self.executions(job)[1]["execution_id"],
            "BATON_CONTENT_TYPE": "application/json", "BATON_CORRELATION_ID": "c",
            "BATON_CHECKPOINT": '{"page": 4}', "BATON_DEPENDENCY_RESULTS": "[]"})

    def test_results_of_dependencies(self):
        first = self.submit("first")
        last = self.submit("last", "--after", first)
        command = 'if [ "$BATON_TYPE" = last ]; then echo "$BATON_DEPENDENCY_RESULTS"; ' \
                  'else echo "[1]"; fi'
        worker = self.work(command)
        self.until(lambda: self.state(last) == "COMPLETED")
        self.drained(worker)
        found = json.loads(self.http("GET", f"/v1/jobs/{last}/result")[0])
        self.assertEqual([(one["job_id"], one["state"], one["result"]) for one in found],
                         [(first, "COMPLETED", [1])])

    def test_results_of_dependencies_that_are_too_long_for_the_environment(self):
        first = [self.submit("first") for _ in range(8)]
        last = self.submit("last", *(word for one in first for word in ("--after", one)))
        command = 'if [ "$BATON_TYPE" = last ]; then echo "$BATON_DEPENDENCY_RESULTS"; ' \
                  'else head -c 16000 /dev/zero | tr "\\0" 1; fi'
        worker = self.work(command)
        self.until(lambda: self.state(last) == "COMPLETED")
        self.drained(worker)
        found = json.loads(self.http("GET", f"/v1/jobs/{last}/result")[0])
        self.assertEqual([(one["result"], one["result_bytes"]) for one in found],
                         [(None, 16000)] * 8)


def alive(process):
    try:
        stat = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


class Stopping(Case):
    def test_when_its_time_is_over(self):
        self.set_queue(retry={"max_attempts": 1}, timeouts={"execution_ms": 500})
        sign = self.place / "told"
        worker = self.work(f"trap 'touch {sign}; exit 0' TERM; while :; do sleep 0.02; done")
        job = self.submit("t")
        shown = self.ended(job)
        self.assertEqual((shown["canonical_state"], shown["failure_category"]),
                         ("DEAD_LETTER", "TIMEOUT"))
        self.until(sign.exists)
        output, _ = self.drained(worker)
        self.assertIn(f"{job}  t  attempt 1  stopped", output)

    def test_what_is_left_of_a_command_is_killed(self):
        worker = self.work("sleep 1000 & echo $!")
        left = self.ended(self.submit("t"))["result"]
        self.until(lambda: not alive(left))
        self.drained(worker)

    def test_a_daemon_that_keeps_the_pipes_keeps_nobody_waiting(self):
        worker = self.work("setsid sleep 1000 & echo $!")
        left = self.ended(self.submit("t"))["result"]
        self.drained(worker)
        os.kill(left, signal.SIGKILL)

    def test_draining_lets_commands_finish_and_keeps_their_leases(self):
        self.set_queue(timeouts={"lease_ms": 500})
        going, told = self.place / "go", self.place / "told"
        worker = self.work(f"trap 'touch {told}' TERM; " + KEPT_WAITING.format(going) + "; echo 1",
                           "--concurrency", "2")
        jobs = [self.submit("t"), self.submit("t")]
        for job in jobs:
            self.runs(job)
        later = self.submit("t")
        worker.send_signal(signal.SIGTERM)
        self.assertIn("finishing", worker.stderr.readline())
        for job in jobs:
            begun = self.executions(job)[0]["claimed_at"]
            self.until(lambda job=job, begun=begun: self.lease_ms(job, begun) > 1500)
        self.assertIsNone(worker.poll())
        going.touch()
        worker.communicate(timeout=60)
        self.assertEqual(worker.returncode, 0)
        for job in jobs:
            shown = self.data("show", job)
            self.assertEqual((shown["canonical_state"], shown["attempt"], shown["result"]),
                             ("COMPLETED", 1, 1))
        self.assertFalse(told.exists(), "the command was told to stop")
        self.assertEqual(self.state(later), "SCHEDULED")

    def test_what_is_not_done_in_time_is_given_back(self):
        self.set_queue(retry={"max_attempts": 1})
        never = self.place / "never"
        job = self.submit("t")
        for deploy in range(1, 11):
            worker = self.work(KEPT_WAITING.format(never), "--drain-timeout", "200ms")
            self.until(lambda deploy=deploy: self.data("show", job)["attempt"] == deploy)
            self.drained(worker)
            shown = self.data("show", job)
            told = (shown["canonical_state"], shown["release_count"], shown["retry_count"])
            self.assertEqual(told, ("SCHEDULED", deploy, 0))
        never.touch()
        worker = self.work(KEPT_WAITING.format(never))
        self.assertEqual(self.ended(job)["canonical_state"], "COMPLETED")
        self.drained(worker)

    def test_two_signals_at_once_are_one(self):
        going = self.place / "go"
        worker = self.work(KEPT_WAITING.format(going))
        job = self.submit("t")
        self.runs(job)
        worker.send_signal(signal.SIGTERM)
        self.assertIn("finishing", worker.stderr.readline())
        worker.send_signal(signal.SIGTERM)
        going.touch()
        worker.communicate(timeout=60)
        self.assertEqual((worker.returncode, self.state(job)), (0, "COMPLETED"))

    def test_leases_are_short_unless_asked_for(self):
        for options, most in (((), 30_000), (("--lease", "90s"), 90_000)):
            going = self.place / f"go{most}"
            worker = self.work(KEPT_WAITING.format(going), *options)
            job = self.submit("t")
            self.runs(job)
            begun = self.executions(job)[0]["claimed_at"]
            self.assertEqual(self.lease_ms(job, begun), most)
            going.touch()
            self.ended(job)
            self.drained(worker)

    def test_a_cancel_arrives_within_seconds(self):
        worker = self.work("exec sleep 1000")
        job = self.submit("t")
        self.runs(job)
        self.baton("cancel", job, "--reason", "wrong customer")
        shown = self.ended(job)
        self.assertEqual((shown["canonical_state"], shown["last_error"]),
                         ("CANCELLED", "wrong customer"))
        self.drained(worker)

    def lease_ms(self, job, begun):
        """How far its lease now reaches beyond its beginning."""
        return milliseconds(self.executions(job)[0]["lease_expires_at"]) - milliseconds(begun)

    def test_an_idle_worker_ends_at_once(self):
        worker = self.work("true")
        self.ended(self.submit("t"))
        output, errors = self.drained(worker)
        self.assertEqual(len(output.splitlines()), 1)
        self.assertIn("finishing", errors)

    def test_the_job_of_a_killed_worker_comes_back(self):
        self.set_queue(timeouts={"lease_ms": 500},
                       retry={"strategy": "constant", "initial_ms": 0})
        never = self.place / "never"
        worker = self.work(KEPT_WAITING.format(never), "--name", "dies")
        job = self.submit("t")
        self.runs(job)
        worker.kill()
        other = self.work("echo 2", "--name", "lives")
        shown = self.ended(job)
        self.assertEqual((shown["canonical_state"], shown["result"]), ("COMPLETED", 2))
        self.assertEqual([one["worker"].partition(":")[0] for one in self.executions(job)],
                         ["dies", "lives"])
        self.drained(other)
        never.touch()  # the command of the killed worker goes on until then

    def test_a_worker_outlives_its_server(self):
        server = server_test.Server(f"file:{self.place}/data")
        address = server.url.removeprefix("http://")
        self.environment = {**self.environment, "BATON_URL": server.url}
        worker = self.work("cat")
        self.assertEqual(self.ended(self.submit("t", "1"))["result"], 1)
        server.stop()
        self.assertIn("cannot connect", worker.stderr.readline())
        server = server_test.Server(f"file:{self.place}/data", listen=address)
        self.addCleanup(server.stop)
        self.assertEqual(self.ended(self.submit("t", "2"))["result"], 2)
        self.drained(worker)


def milliseconds(time):
    parts = re.search(r"T(\d+):(\d+):(\d+)\.(\d+)Z", time).groups()
    hours, minutes, seconds, part = map(int, parts)
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + part


if __name__ == "__main__":
    unittest.main()
