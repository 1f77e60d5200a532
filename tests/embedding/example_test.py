#!/usr/bin/python3
"""The embedded example is killed in the middle and goes on when it is started again.

Usage: example_test.py <example_embedded>
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "build/release/example_embedded"
SOURCE = pathlib.Path(__file__).resolve().parents[2] / "examples/embedded/main.cc"
REPORTS = ("north", "south", "west")


def pages(text):
    """What was printed of each page, in its order: [("north", 1), …]."""
    return [(name, int(page)) for name, page in re.findall(r"^(\w+): page (\d+)$", text, re.M)]


def killed_after(directory, page):
    """Kills the example once it has printed that page of some report; what it printed until then."""
    with subprocess.Popen([PROGRAM, directory], stdout=subprocess.PIPE, text=True) as process:
        printed = ""
        for line in process.stdout:
            printed += line
            if line.endswith(f"page {page}\n"):
                break
        process.kill()
        printed += process.stdout.read()
        process.wait()
    return printed


def finished(directory):
    return subprocess.run([PROGRAM, directory], capture_output=True, text=True, check=True,
                          timeout=120).stdout


class Example(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = f"{directory.name}/reports"

    def check_endings(self, text, attempt):
        for name in REPORTS:
            self.assertIn(f"{name}: COMPLETED at attempt {attempt}\n", text)

    def test_goes_on_after_it_was_killed(self):
        first = killed_after(self.directory, 4)
        self.assertNotIn("COMPLETED", first)
        second = finished(self.directory)
        for name in REPORTS:
            self.assertIn(f"{name} begins\n", first)
            self.assertIn(f"{name} goes on\n", second)
        self.check_endings(second, 2)
        # Between the two runs every page at most once; one that was kept and not printed is missing.
        both = pages(first) + pages(second)
        self.assertEqual(len(both), len(set(both)), "a page that was printed was written again")
        for name in REPORTS:
            self.assertGreaterEqual(len([page for report, page in both if report == name]), 9)
            self.assertIn((name, 10), pages(second))

    def test_survives_being_killed_again_and_again(self):
        printed = "".join(killed_after(self.directory, page) for page in (2, 5))
        printed += finished(self.directory)
        both = pages(printed)
        self.assertEqual(len(both), len(set(both)))
        self.check_endings(printed, 3)

    def test_does_nothing_twice_when_it_is_started_after_the_end(self):
        finished(self.directory)
        again = finished(self.directory)
        self.assertEqual(pages(again), [])
        self.check_endings(again, 1)

    def test_refuses_a_directory_that_it_cannot_use(self):
        done = subprocess.run([PROGRAM, "/proc/nowhere"], capture_output=True, text=True,
                              check=False, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("store_unavailable", done.stderr)

    def test_is_shorter_than_sixty_lines(self):
        self.assertLess(len(SOURCE.read_text(encoding="utf-8").splitlines()), 60)


if __name__ == "__main__":
    unittest.main()
