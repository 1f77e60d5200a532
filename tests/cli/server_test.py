#!/usr/bin/python3
"""The commands that talk to a server, against a real one on a directory of its own.

Usage: server_test.py <program>
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "build/release/baton"
WRONG_USAGE = 2


class Server:
    """`baton serve` on a free port, until it is told to stop."""

    def __init__(self, store, *options, listen="127.0.0.1:0"):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--listen", listen, "--store", store, *options],
            stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.url = re.fullmatch(r"baton: listening on (https?://\S+)\n", line)[1]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        return code


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.directory = pathlib.Path(cls.temporary.name)
        cls.server = Server(f"file:{cls.directory}/data")
        cls.environment = {name: value for name, value in os.environ.items()
                           if not name.startswith("BATON_")}
        cls.environment["BATON_URL"] = cls.server.url

    @classmethod
    def tearDownClass(cls):
        code = cls.server.stop()
        cls.temporary.cleanup()
        if code != 0:
            raise AssertionError(f"the server ended with {code}")

    def setUp(self):
        # A queue for each test, so that none sees the jobs of another.
        self.queue = self.id().rsplit(".", maxsplit=1)[-1]

    def baton(self, *arguments, stdin=None, **environment):
        return subprocess.run([PROGRAM, *arguments], input=stdin, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False, timeout=60,
                              env={**self.environment, **environment})

    def good(self, *arguments, stdin=None):
        answer = self.baton(*arguments, stdin=stdin)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""), arguments)
        return answer.stdout

    def data(self, *arguments):
        return json.loads(self.good(*arguments, "--json"))

    def refused(self, *arguments, code, word="", stdin=None):
        answer = self.baton(*arguments, stdin=stdin)
        self.assertEqual(answer.returncode, code, (arguments, answer))
        self.assertRegex(answer.stderr, r"\Abaton: ")
        self.assertIn(word, answer.stderr)
        return answer

    def submit(self, *arguments):
        return self.good("submit", *arguments, "--queue", self.queue).strip()

    def work(self, command, *options):
        """A worker for the test's queue, as a process."""
        worker = subprocess.Popen(
            [PROGRAM, "work", "--queue", self.queue, "--exec", command, *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
            env=self.environment)
        self.addCleanup(self.end, worker)
        self.assertRegex(worker.stderr.readline(), r"working on queues? .* of http://")
        return worker

    @staticmethod
    def end(worker):
        if worker.poll() is None:
            worker.kill()
        worker.communicate()

    def drained(self, worker):
        worker.send_signal(signal.SIGTERM)
        output, errors = worker.communicate(timeout=60)
        self.assertEqual(worker.returncode, 0, errors)
        return output, errors

    def until(self, found):
        for _ in range(600):
            if found():
                return
            time.sleep(0.05)
        self.fail("it did not happen in time")


class Jobs(Commands):
    def test_submit_prints_the_id_and_show_the_job(self):
        job = self.submit("--tag", "a=b", "mail", '{"to": "me"}', "--priority", "high",
                          "--max-attempts", "2", "--correlation-id", "c17")
        shown = self.data("show", job)
        self.assertEqual((shown["id"], shown["type"], shown["queue"]), (job, "mail", self.queue))
        self.assertEqual((shown["payload"], shown["priority"]), ({"to": "me"}, "HIGH"))
        self.assertEqual((shown["tags"], shown["max_attempts"]), ({"a": "b"}, 2))
        text = self.good("show", job, "--history", "--executions")
        for word in (job, "mail", self.queue, "HIGH", "a=b", "PENDING", "create", "never claimed"):
            self.assertIn(word, text)
        for line in text.splitlines():
            self.assertEqual(line, line.rstrip())
        self.assertNotIn("\x1b", text)
        self.assertEqual(self.data("show", job, "--history")["history"][0]["trigger"], "create")
        self.assertEqual(self.data("show", job, "--executions")["executions"], [])

    def test_payloads_come_from_anywhere(self):
        file = self.directory / "payload"
        file.write_text("[1]", encoding="utf-8")
        self.assertEqual(self.data("show", self.submit("t", "--payload-file", str(file)))["payload"],
                         [1])
        answer = self.baton("submit", "t", "-", "--queue", self.queue, stdin="[2]")
        self.assertEqual(self.data("show", answer.stdout.strip())["payload"], [2])
        answer = self.baton("submit", "t", "--payload", "-", "--queue", self.queue, stdin="no JSON")
        self.assertEqual(answer.returncode, WRONG_USAGE)
        job = self.submit("t", "--payload", "no JSON", "--content-type", "text/plain")
        self.assertEqual(self.data("show", job)["content_type"], "text/plain")

    def test_the_same_key_is_the_same_job(self):
        first = self.submit("t", "--key", "k")
        again = self.baton("submit", "t", "--key", "k", "--queue", self.queue)
        self.assertEqual((again.returncode, again.stdout.strip()), (0, first))
        self.assertIn("there before", again.stderr)
        self.assertTrue(self.data("submit", "t", "--key", "k", "--queue", self.queue)["duplicate"])

    def test_a_unique_key_belongs_to_one_job_at_a_time(self):
        first = self.submit("t", "--unique", "u", "--unique-while", "waiting")
        self.assertIn("u, while waiting, existing", self.baton("show", first).stdout)
        again = self.baton("submit", "t", "5", "--unique", "u", "--queue", self.queue)
        self.assertEqual((again.returncode, again.stdout.strip()), (0, first))
        self.assertIn("payload was another one", again.stderr)
        refused = self.baton("submit", "t", "--unique", "u", "--on-conflict", "refuse", "--queue",
                             self.queue)
        self.assertEqual(refused.returncode, 1)
        self.assertIn(first, refused.stderr)
        second = self.submit("t", "--unique", "u", "--on-conflict", "replace")
        self.assertEqual(self.data("show", first)["last_error"], f"replaced by {second}")
        for wrong in (("--unique", "u", "--on-conflict", "fight"), ("--unique-while", "active")):
            self.assertEqual(self.baton("submit", "t", *wrong).returncode, WRONG_USAGE)

    def test_delays_and_dependencies_are_explained(self):
        first = self.submit("t", "--delay", "1h30m")
        self.assertEqual(self.data("show", first)["delay_ms"], 5_400_000)
        second = self.submit("t", "--after", first)
        why = self.data("explain", second)
        self.assertEqual(why["waits_for"], [first])
        text = self.good("explain", second)
        self.assertIn(first, text)
        self.assertIn(why["code"], text)

    def test_lists_are_filtered_and_paged(self):
        jobs = [self.submit("t" if i % 2 else "u", "--tag", "n=1") for i in range(5)]
        page = self.data("list", "--queue", self.queue, "--limit", "2")
        self.assertEqual([job["id"] for job in page["jobs"]], [jobs[4], jobs[3]])
        rest = self.data("list", "--queue", self.queue, "--cursor", page["next_cursor"])
        self.assertEqual([job["id"] for job in rest["jobs"]], [jobs[2], jobs[1], jobs[0]])
        text = self.good("list", "--queue", self.queue, "--limit", "2")
        self.assertIn("more: --cursor", text)
        text = self.good("list", "--queue", self.queue, "--limit", "2", "--all")
        self.assertTrue(all(job in text for job in jobs), text)
        typed = self.data("list", "--queue", self.queue, "--type", "t", "--tag", "n=1",
                          "--canonical-state", "SCHEDULED")
        self.assertEqual([job["id"] for job in typed["jobs"]], [jobs[3], jobs[1]])
        self.assertEqual(self.good("list", "--queue", "nobody-has-this"), "no jobs\n")

    def test_cancel_retry_and_wait(self):
        job = self.submit("t")
        self.assertIn("CANCELLED", self.good("cancel", job, "--reason", "why not"))
        answer = self.refused("wait", job, code=1, word="CANCELLED")
        self.assertIn(job, answer.stdout)
        again = self.data("retry", job)["job"]
        self.assertEqual(again["redriven_from"], job)
        self.refused("wait", again["id"], "--timeout", "50ms", code=1, word="still")
        self.refused("cancel", "nonsense", again["id"], code=1, word="not_found")
        self.assertEqual(self.data("show", again["id"])["canonical_state"], "CANCELLED")

    def test_a_batch_makes_what_it_can(self):
        lines = [json.dumps({"type": "t", "queue": self.queue}) for _ in range(2500)]
        lines[7] = "{nonsense"
        lines[1200] = json.dumps({"type": "t", "queue": self.queue, "unknown": 1})
        lines[2400] = json.dumps({"type": "t", "queue": self.queue, "cost": -1, "account": "a"})
        file = self.directory / "jobs.jsonl"
        file.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
        answer = self.refused("submit", "--batch", str(file), code=1, word="line 8: ")
        self.assertIn("line 1201: bad_request", answer.stderr)
        self.assertIn("line 2401: ", answer.stderr)
        self.assertEqual(answer.stdout, "submitted 2497, failed 3\n")
        self.assertEqual(self.data("queues", self.queue)["counts"]["SCHEDULED"], 2497)
        answer = self.baton("submit", "--batch", "-", "--json", stdin=lines[0])
        self.assertEqual(json.loads(answer.stdout),
                         {"submitted": 1, "duplicates": 0, "failed": 0, "unanswered": 0})


class Queues(Commands):
    def test_queues_are_shown_and_switched(self):
        self.submit("t")
        self.assertRegex(self.good("queues"), rf"(?m)^{self.queue} +standard +open +\d")
        self.assertIn("paused", self.good("pause", self.queue))
        self.refused("pause", self.queue + "-2", code=1, word="not_found")
        self.good("submit", "t", "--queue", self.queue + "-2")
        both = self.good("pause", self.queue, self.queue + "-2").splitlines()
        self.assertEqual([line.split()[0] for line in both],
                         ["QUEUE", self.queue, self.queue + "-2"])
        self.assertTrue(self.data("queues", self.queue)["paused"])
        self.assertIn("open", self.good("resume", self.queue))
        self.assertIn("draining", self.good("drain", self.queue))
        self.refused("submit", "t", "--queue", self.queue, code=1, word="conflict")
        self.good("resume", self.queue)
        self.assertIn("5", self.good("queues", self.queue, "--set", '{"max_running": 5}'))
        self.assertEqual(self.data("queues", self.queue)["max_running"], 5)
        self.refused("queues", self.queue, "--set", '{"max": 5}', code=1, word="max")

    def test_a_queue_without_jobs_is_deleted(self):
        self.refused("queues", "--delete", code=2, word="name")
        self.refused("queues", self.queue, "--delete", code=1, word="not_found")
        self.good("queues", self.queue, "--set", '{"max_running": 5}')
        self.assertEqual(self.good("queues", self.queue, "--delete"), "")
        self.refused("queues", self.queue, code=1, word="not_found")
        self.submit("t")
        self.refused("queues", self.queue, "--delete", code=1, word="1 job record")

    def test_the_beginning_of_an_id_is_enough(self):
        job = self.submit("t")
        self.assertEqual(self.data("show", job[:8])["id"], job)
        self.assertIn(job, self.good("show", job[:20].upper()))
        self.assertEqual(self.data("explain", job[:8])["id"], job)
        self.refused("show", job[:7], code=1, word="not_found")
        other = ("1" if job[0] == "0" else "0") + job[1:12]
        self.refused("show", other, code=1, word="no job has an id that begins with")
        self.assertIn(job + "  CANCELLED", self.good("cancel", job[:9]))
        self.assertEqual(self.data("list", "--parent", job[:8])["jobs"], [])

    def test_workers_are_shown(self):
        job = self.submit("t")
        self.assertIn("no_worker", self.good("explain", job))
        worker = subprocess.Popen([PROGRAM, "work", "--queue", self.queue, "--exec", "sleep 60"],
                                  env=self.environment, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        try:
            while self.data("show", job)["canonical_state"] != "RUNNING":
                time.sleep(0.02)
            mine = [one for one in self.data("workers")["workers"] if one["queues"] == [self.queue]]
            self.assertEqual([one["execution_count"] for one in mine], [1])
            self.assertRegex(self.good("workers"), r"\AWORKER +QUEUES +TYPES +RUNNING +LAST SEEN\n")
            self.assertRegex(self.good("workers"), rf"\n\S+ +{self.queue} +all +1 +\S+ ago\n")
            self.assertRegex(self.good("explain", job), r"why +Worker \S+ has it, last heard \d+ s ago")
        finally:
            worker.kill()
            worker.wait()

    def test_stats_count(self):
        self.submit("t")
        stats = self.data("stats")
        mine = [queue for queue in stats["queues"] if queue["name"] == self.queue]
        self.assertEqual(mine[0]["counts"]["SCHEDULED"], 1)
        self.assertRegex(self.good("stats"), r"\d+ jobs have not ended\n\Z")


class Work(Commands):
    def test_a_command_gets_the_job_and_gives_the_result(self):
        job = self.submit("greet", '{"name": "you"}')
        worker = self.work('echo "{\\"id\\":\\"$BATON_JOB_ID\\",\\"type\\":\\"$BATON_TYPE\\",'
                           '\\"queue\\":\\"$BATON_QUEUE\\",\\"attempt\\":$BATON_ATTEMPT,'
                           '\\"payload\\":$(cat)}"')
        self.good("wait", job, "--timeout", "30s")
        shown = self.data("show", job)
        self.assertEqual(shown["result"], {"id": job, "type": "greet", "queue": self.queue,
                                           "attempt": 1, "payload": {"name": "you"}})
        output, _ = self.drained(worker)
        self.assertIn(f"{job}  greet  attempt 1  exit 0", output)

    def test_output_that_is_no_json_is_text(self):
        worker = self.work("printf 'plain words'")
        job = self.submit("t", "--wait").splitlines()[0].split()[1]
        shown = self.data("show", job)
        self.assertEqual(shown["result_content_type"], "text/plain")
        self.drained(worker)

    def test_exit_codes(self):
        rows = [(75, 2, "DEAD_LETTER", "TEMPORARY"), (65, 1, "FAILED", "PERMANENT"),
                (64, 1, "FAILED", "PERMANENT"), (1, 2, "DEAD_LETTER", "TEMPORARY"),
                (77, 1, "FAILED", "PERMANENT")]  # this profile knows no REJECTED
        self.data("queues", self.queue, "--set",
                  '{"retry": {"strategy": "constant", "initial_ms": 0, "max_attempts": 2}}')
        jobs = [self.submit("t", str(row[0])) for row in rows]
        worker = self.work("code=$(cat); echo first >&2; echo because $code >&2; exit $code",
                           "--concurrency", "2")
        for job, (code, attempts, state, category) in zip(jobs, rows):
            self.refused("wait", job, "--timeout", "30s", code=1, word=f"because {code}")
            shown = self.data("show", job)
            self.assertEqual((shown["attempt"], shown["canonical_state"],
                              shown["failure_category"], shown["last_error"]),
                             (attempts, state, category, f"because {code}"), code)
        dead = self.data("dead", "--queue", self.queue)
        self.assertEqual({job["id"] for job in dead["jobs"]}, {jobs[0], jobs[3]})
        _, errors = self.drained(worker)
        self.assertIn("because 65\n", errors)

    def test_rejection_where_there_is_one(self):
        self.data("queues", self.queue, "--set", '{"profile": "generation"}')
        worker = self.work("echo indecent >&2; exit 77")
        job = self.submit("image")
        self.refused("wait", job, "--timeout", "30s", code=1, word="indecent")
        self.assertEqual(self.data("show", job)["canonical_state"], "REJECTED")
        self.drained(worker)

    def test_only_the_types_it_is_for(self):
        other = self.submit("other")
        mine = self.submit("mine")
        worker = self.work("true", "--type", "mine")
        self.good("wait", mine, "--timeout", "30s")
        self.drained(worker)
        self.assertEqual(self.data("show", other)["canonical_state"], "SCHEDULED")

    def test_a_cancelled_job_gets_a_signal(self):
        self.data("queues", self.queue, "--set", '{"timeouts": {"lease_ms": 1500}}')
        sign = self.directory / "terminated"
        job = self.submit("t")
        worker = self.work(f"trap 'touch {sign}; exit 0' TERM; while :; do sleep 0.05; done")
        self.until(lambda: self.data("show", job)["canonical_state"] == "RUNNING")
        self.good("cancel", job)
        self.refused("wait", job, "--timeout", "30s", code=1, word="CANCELLED")
        self.assertTrue(sign.exists())
        self.drained(worker)

    def test_a_command_that_does_not_listen_is_killed(self):
        self.data("queues", self.queue, "--set", '{"timeouts": {"lease_ms": 1500}}')
        job = self.submit("t")
        worker = self.work("trap '' TERM; while :; do sleep 0.05; done", "--grace", "100ms")
        self.until(lambda: self.data("show", job)["canonical_state"] == "RUNNING")
        self.good("cancel", job)
        self.refused("wait", job, "--timeout", "30s", code=1, word="CANCELLED")
        self.drained(worker)

    def test_draining_finishes_what_runs(self):
        started = self.directory / "started"
        job = self.submit("t")
        worker = self.work(f"touch {started}; sleep 0.5; echo 1")
        self.until(started.exists)
        later = self.submit("t")
        self.drained(worker)
        self.assertEqual(self.data("show", job)["result"], 1)
        self.assertEqual(self.data("show", later)["canonical_state"], "SCHEDULED")

    def test_a_second_signal_stops_what_runs(self):
        started = self.directory / "started too"
        job = self.submit("t")
        worker = self.work(f"touch '{started}'; sleep 60")
        self.until(started.exists)
        worker.send_signal(signal.SIGINT)
        self.assertIn("finishing", worker.stderr.readline())
        time.sleep(1.2)  # two signals within a second are one
        worker.send_signal(signal.SIGINT)
        worker.communicate(timeout=30)
        self.assertEqual(worker.returncode, 0)
        shown = self.data("show", job)
        self.assertEqual((shown["canonical_state"], shown["release_count"], shown["last_error"]),
                         ("SCHEDULED", 1, None))


class Secure(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.certificate = f"{self.temporary.name}/certificate.pem"
        key = f"{self.temporary.name}/key.pem"
        subprocess.run(["openssl", "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-days", "1", "-subj", "/CN=test", "-addext",
                        "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", self.certificate],
                       check=True, capture_output=True, timeout=60)
        self.server = Server("memory:", "--tls-cert", self.certificate, "--tls-key", key)
        self.addCleanup(self.server.stop)

    def baton(self, *arguments, url=None, trusted=True):
        environment = {**os.environ, "BATON_URL": url or self.server.url}
        environment["SSL_CERT_FILE"] = self.certificate if trusted else "/dev/null"
        return subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, text=True, timeout=60,
                              stderr=subprocess.PIPE, check=False, env=environment)

    def test_a_server_that_is_trusted(self):
        job = self.baton("submit", "t", json.dumps("x" * 100_000)).stdout.strip()
        shown = self.baton("show", job, "--json")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertEqual(len(json.loads(shown.stdout)["payload"]), 100_000)
        worker = subprocess.Popen(
            [PROGRAM, "work", "--queue", "default", "--exec", "wc -c"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "BATON_URL": self.server.url, "SSL_CERT_FILE": self.certificate})
        done = self.baton("wait", job, "--timeout", "30s", "--json")
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(worker.wait(timeout=30), 0)
        self.assertEqual(json.loads(done.stdout)["result"], 100_002)

    def test_a_server_that_is_not_who_it_should_be(self):
        elsewhere = self.server.url.replace("127.0.0.1", "localhost")
        plain = self.server.url.replace("https", "http")
        for answer in (self.baton("stats", trusted=False), self.baton("stats", url=elsewhere)):
            self.assertEqual((answer.returncode, answer.stdout), (1, ""))
            self.assertIn("store_unavailable: no secure connection", answer.stderr)
        self.assertEqual(self.baton("stats", url=plain).returncode, 1)


class Mistakes(Commands):
    def test_the_servers_error_is_passed_on(self):
        self.refused("show", "nonsense", code=1, word="not_found: ")
        self.refused("submit", "t", "--max-attempts", "1000", code=1, word="max_attempts")

    def test_wrong_usage(self):
        for arguments in (("submit",), ("submit", "t", "{"), ("submit", "t", "--delay", "soon"),
                          ("submit", "t", "--tag", "x"), ("submit", "t", "--priority", "9"),
                          ("list", "--limit", "0"), ("list", "--tag", "x"),
                          ("list", "--created-after", "now"), ("wait", "x", "--timeout", "x"),
                          ("queues", "q", "--set", "{"), ("queues", "--set", "{}"),
                          ("show", "x", "--server", "nonsense"), ("show",),
                          ("work", "--queue", "q"), ("work", "--queue", "q", "--exec", "true",
                                                     "--concurrency", "0")):
            self.refused(*arguments, code=WRONG_USAGE)

    def test_a_server_that_is_gone(self):
        answer = self.baton("stats", "--server", "http://127.0.0.1:1")
        self.assertEqual((answer.returncode, answer.stdout), (1, ""))
        self.assertIn("store_unavailable: cannot connect to 127.0.0.1:1", answer.stderr)

    def test_help_has_an_example(self):
        for command in ("submit", "show", "list", "wait", "cancel", "retry", "explain", "queues",
                        "pause", "resume", "drain", "dead", "work", "workers", "stats"):
            text = self.good(command, "--help")
            self.assertIn(f"  baton {command}", text)
            self.assertIn("--server", text)
            self.assertIn("--json", text)


if __name__ == "__main__":
    unittest.main()
