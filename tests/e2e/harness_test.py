#!/usr/bin/python3
"""What the other tests rely on: a server that ends badly, or has something to say, fails its test.

Usage: harness_test.py <program>
"""

import pathlib
import tempfile
import unittest

import harness

# Stands in for the program: it says that it is ready, and ends as it is told to.
STAND_IN = """#!/bin/sh
trap '{ending}' TERM
echo 'baton: listening on http://127.0.0.1:1'
while :; do sleep 0.01; done
"""


class Ends(unittest.TestCase):
    def server(self, ending):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        script = pathlib.Path(directory.name) / "baton"
        script.write_text(STAND_IN.format(ending=ending), encoding="utf-8")
        script.chmod(0o755)
        program, harness.PROGRAM = harness.PROGRAM, str(script)
        try:
            return harness.Server("memory:")
        finally:
            harness.PROGRAM = program

    def test_well(self):
        self.server("exit 0").stop()

    def test_with_a_leak(self):
        with self.assertRaisesRegex(AssertionError, "ended with 23 and said: LeakSanitizer"):
            self.server("echo LeakSanitizer >&2; exit 23").stop()

    def test_with_words_only(self):
        with self.assertRaisesRegex(AssertionError, "ended with 0 and said: runtime error"):
            self.server("echo runtime error >&2; exit 0").stop()

    def test_with_a_code_only(self):
        with self.assertRaisesRegex(AssertionError, "ended with 1 and said: "):
            self.server("exit 1").stop()

    def test_by_itself(self):
        server = self.server("exit 1")
        server.terminate()
        server.process.wait(harness.PATIENCE)
        with self.assertRaisesRegex(AssertionError, "ended with 1 and said: "):
            server.stop()


if __name__ == "__main__":
    unittest.main()
