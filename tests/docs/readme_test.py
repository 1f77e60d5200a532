#!/usr/bin/python3
"""Everything that the README tells people to type works, and its C++ worker is the example.

The ```bash blocks are run one after the other, as they stand, with a server beside them.
Usage: readme_test.py <baton> <example_worker>
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

WORKER = sys.argv.pop(2) if len(sys.argv) > 2 else "build/release/example_worker"
PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "build/release/baton"
ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


class Readme(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.server = subprocess.Popen(
            [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--store", f"file:{directory.name}/data"],
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.stop)
        url = self.server.stdout.readline().split()[-1]
        path = f"{pathlib.Path(PROGRAM).resolve().parent}:{os.environ['PATH']}"
        self.environment = {**os.environ, "BATON_URL": url, "PATH": path}

    def stop(self):
        self.server.terminate()
        self.assertEqual(self.server.wait(timeout=60), 0)
        self.server.stdout.close()

    def run_shell(self, script):
        done = subprocess.run(["bash", "-e", "-c", script], env=self.environment, cwd="/",
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, script + done.stdout + done.stderr)
        return done.stdout

    def wait_for(self, command, expected):
        deadline = time.monotonic() + 60
        while expected not in (printed := self.run_shell(command)):
            self.assertLess(time.monotonic(), deadline, printed)
            time.sleep(0.05)

    def test_what_it_says_to_type_works(self):
        first, worker, calls = blocks("bash")
        self.assertIn("SCHEDULED", self.run_shell(first))
        with subprocess.Popen(["bash", "-c", "exec " + worker], env=self.environment, cwd="/",
                              stdout=subprocess.PIPE) as working:
            self.wait_for("baton list", "COMPLETED")
            self.run_shell("baton submit greet null")
            self.wait_for("baton list", "whom shall I greet?")
            working.terminate()
            working.stdout.read()
            self.assertEqual(working.wait(timeout=60), 0)
        answers = self.run_shell(calls)
        self.assertIn('"lease_token"', answers)
        self.assertEqual(answers.count('"greet"'), 2)

    def test_its_worker_is_the_example_and_works(self):
        source = (ROOT / "examples/worker/main.cc").read_text(encoding="utf-8")
        self.assertEqual(blocks("cpp"), [source])
        self.assertLessEqual(source.count("\n"), 30)
        with subprocess.Popen([WORKER], env=self.environment, stdout=subprocess.PIPE,
                              text=True) as worker:
            job = self.run_shell("baton submit greet '\"you\"' --wait --json")
            worker.terminate()
            printed = worker.stdout.read()
            self.assertEqual(worker.wait(timeout=60), 0)
        self.assertIn('hello "you"', printed)
        self.assertIn('"greeted":true', job.replace(" ", ""))


if __name__ == "__main__":
    unittest.main()
