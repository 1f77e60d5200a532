#!/usr/bin/python3
"""Every committed data directory opens in this build and tells what it told when it was made.

Usage: formats_test.py <format_tool> <baton>

A format version is `v<N>.tar.gz` with its directory and `v<N>.jsonl` with all that is in it. To add
one: format_tool make DIR; tar -czf tests/formats/v<N>.tar.gz -C DIR .; format_tool print DIR.
"""

import contextlib
import json
import pathlib
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import unittest
import uuid

BATON = sys.argv.pop(2) if len(sys.argv) > 2 else "build/release/baton"
TOOL = sys.argv.pop(1) if len(sys.argv) > 1 else "build/release/format_tool"
HERE = pathlib.Path(__file__).resolve().parent


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, timeout=120)


class Formats(unittest.TestCase):
    def test_every_version_opens_and_tells_the_same(self):
        versions = sorted(HERE.glob("v*.tar.gz"))
        self.assertTrue(versions)
        for version in versions:
            expected = HERE / version.name.replace(".tar.gz", ".jsonl")
            with self.subTest(version.name), tempfile.TemporaryDirectory() as directory:
                with tarfile.open(version) as archive:
                    archive.extractall(directory)
                for _ in range(2):
                    printed = run(TOOL, "print", directory)
                    self.assertEqual((printed.returncode, printed.stderr), (0, ""))
                    self.assertEqual(printed.stdout.splitlines(),
                                     expected.read_text(encoding="utf-8").splitlines())
                self.check_parents(directory, printed.stdout)
                examined = run(BATON, "doctor", "--store", f"file:{directory}")
                self.assertEqual(examined.returncode, 0, examined.stdout + examined.stderr)

    def check_parents(self, directory, printed):
        jobs = [json.loads(line) for line in printed.splitlines()]
        expected = {job["id"]: job["parent"] for job in jobs if job.get("parent")}
        self.assertTrue(expected)
        with contextlib.closing(sqlite3.connect(pathlib.Path(directory, "catalog.db"))) as catalog:
            rows = catalog.execute("SELECT id, parent FROM jobs WHERE parent IS NOT NULL")
            found = {str(uuid.UUID(bytes=job)): str(uuid.UUID(bytes=parent))
                     for job, parent in rows}
        self.assertEqual(found, expected)

    def test_the_newest_version_is_what_this_build_writes(self):
        newest = sorted(HERE.glob("v*.jsonl"))[-1]
        with tempfile.TemporaryDirectory() as directory:
            made = run(TOOL, "make", directory)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            printed = run(TOOL, "print", directory)
            self.assertEqual(printed.stdout.splitlines(),
                             newest.read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    unittest.main()
