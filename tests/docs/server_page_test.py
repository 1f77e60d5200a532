#!/usr/bin/python3
"""What docs/server.md says about running a server holds: its file of options, its calls, its errors.

Usage: server_page_test.py <baton>
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1) if len(sys.argv) > 1 else "build/release/baton")
ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/server.md").read_text(encoding="utf-8")


def block(language):
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return found


class ServerPage(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def config(self, text):
        file = self.directory / "baton.toml"
        file.write_text(text, encoding="utf-8")
        return str(file)

    def serve(self, *arguments):
        process = subprocess.Popen([PROGRAM, "serve", *arguments], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, cwd=self.directory)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def refused(self, *arguments):
        done = subprocess.run([PROGRAM, "serve", *arguments], capture_output=True, text=True,
                              timeout=60, check=False, cwd=self.directory)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        return done.stderr

    def test_its_file_of_options_is_taken(self):
        text = block("toml").replace("127.0.0.1:2286", "127.0.0.1:0")
        server = self.serve("--config", self.config(text))
        self.assertRegex(server.stdout.readline(), r"baton: listening on http://127.0.0.1:\d+\n")
        self.assertTrue((self.directory / "baton-data").is_dir())
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(timeout=60), 0)

    def test_the_command_line_goes_before_the_file(self):
        config = self.config('listen = "127.0.0.1:0"\nstore = "file:./elsewhere"\n')
        server = self.serve("--store", "memory:", "--config", config)
        self.assertIn("listening", server.stdout.readline())
        self.assertFalse((self.directory / "elsewhere").exists())

    def test_mistakes_in_the_file_are_named(self):
        self.assertIn('no option "lisen"', self.refused("--config", self.config('lisen = "x"\n')))
        self.assertIn('no option "serve.listen"',
                      self.refused("--config", self.config('[serve]\nlisten = "x"\n')))
        self.assertIn("threads", self.refused("--config", self.config('threads = "many"\n')))
        self.assertIn("absent.toml", self.refused("--config", "absent.toml"))

    def test_its_calls_and_its_error_are_real(self):
        server = self.serve("--listen", "127.0.0.1:0", "--store", "memory:")
        url = server.stdout.readline().split()[-1]
        environment = {**os.environ, "BATON_URL": url}
        bad = """curl -s $BATON_URL/v1/jobs --json '{"type":"t","retry":{"max_attempts":0}}'"""
        answers = []
        for line in [*block("bash").splitlines(), bad]:
            done = subprocess.run(["bash", "-c", line], env=environment, capture_output=True,
                                  text=True, timeout=60, check=True)
            answers.append(json.loads(done.stdout))
        made, batch, claimed, listed, stats, problem = answers
        self.assertEqual(made["job"]["state"], "SCHEDULED")
        self.assertEqual([one["job"]["state"] for one in batch["results"]], ["SCHEDULED", "PENDING"])
        self.assertEqual(claimed["executions"][0]["job"]["id"], made["job"]["id"])
        self.assertEqual(listed["jobs"][0]["canonical_state"], "RUNNING")
        self.assertEqual([queue["name"] for queue in stats["queues"]], ["default", "mail"])
        self.assertEqual(problem, json.loads(block("json")))


if __name__ == "__main__":
    unittest.main()
