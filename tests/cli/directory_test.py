#!/usr/bin/python3
"""`baton doctor`, `baton backup` and `baton restore` on real data directories.

Usage: directory_test.py <program> <program that puts a directory under load>
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

LOAD = sys.argv.pop(2) if len(sys.argv) > 2 else "build/release/crash_child"
PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "build/release/baton"
WRONG_USAGE = 2


def baton(*arguments):
    return subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, timeout=120)


class Load:
    """A store under load in another process, until it is killed."""

    def __init__(self, directory, until=100):
        self.process = subprocess.Popen([LOAD, str(directory), "1", "1"], stdout=subprocess.PIPE,
                                        text=True)
        self.submitted = 0
        while self.submitted < until:
            line = self.process.stdout.readline()
            self.submitted += line.startswith("submitted")

    def kill(self):
        if self.process.stdout.closed:
            return self.submitted
        self.process.kill()
        for line in self.process.stdout:
            self.submitted += line.startswith("submitted")
        self.process.wait()
        self.process.stdout.close()
        return self.submitted


class Directory(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.data = pathlib.Path(self.temporary.name) / "data"
        self.store = f"file:{self.data}"

    def examined(self, store):
        answer = baton("doctor", "--store", store, "--json")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        report = json.loads(answer.stdout)
        self.assertEqual((report["healthy"], report["findings"]), (True, []))
        return report

    def test_a_killed_store_is_healthy_and_has_everything(self):
        submitted = Load(self.data).kill()
        report = self.examined(self.store)
        self.assertGreaterEqual(report["jobs"], submitted)
        answer = baton("doctor", "--store", self.store)
        self.assertEqual(answer.returncode, 0)
        self.assertTrue(answer.stdout.endswith("verdict     healthy\n"), answer.stdout)

    def test_a_backup_brings_everything_back(self):
        Load(self.data).kill()
        before = self.examined(self.store)
        copy = f"{self.temporary.name}/copies/monday"
        answer = baton("backup", "--store", self.store, copy)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        answer = baton("restore", copy, "--store", f"file:{self.temporary.name}/new", "--json")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertEqual(json.loads(answer.stdout)["as_of"], before["last_change"])
        after = self.examined(f"file:{self.temporary.name}/new")
        for field in ("turns", "last_change", "jobs", "live_jobs", "queues"):
            self.assertEqual(after[field], before[field])

    def test_a_backup_of_a_store_in_use_is_whole(self):
        load = Load(self.data, until=3000)
        self.addCleanup(load.kill)
        copy = f"{self.temporary.name}/copy"
        answer = baton("backup", "--store", self.store, copy, "--json")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        acknowledged = load.kill()
        self.assertGreater(self.examined(f"file:{copy}")["jobs"], 0)
        self.assertGreaterEqual(self.examined(self.store)["jobs"], acknowledged)

    # Once it had only what the catalog had, up to a tenth of a second behind.
    def test_a_backup_has_all_that_was_acknowledged_before_it_began(self):
        load = Load(self.data, until=100)
        self.addCleanup(load.kill)
        for number in range(5):
            while load.submitted < 500 * (number + 1):
                load.submitted += load.process.stdout.readline().startswith("submitted")
            before = load.submitted
            copy = f"{self.temporary.name}/copy{number}"
            answer = baton("backup", "--store", self.store, copy)
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))
            self.assertGreaterEqual(self.examined(f"file:{copy}")["jobs"], before)

    def test_a_store_in_use_is_examined_and_said_to_be_so(self):
        load = Load(self.data)
        self.addCleanup(load.kill)
        report = self.examined(self.store)
        self.assertGreater(report["jobs"], 0)
        self.assertIn(f"process {load.process.pid}", report["notes"][0])

    def files(self):
        return {path.name: (path.stat().st_mtime_ns, path.read_bytes())
                for path in self.data.iterdir()}

    def test_the_doctor_and_a_backup_write_nothing_into_the_directory(self):
        Load(self.data).kill()
        before = self.files()
        self.examined(self.store)
        self.assertEqual(self.files(), before)
        answer = baton("backup", "--store", self.store, f"{self.temporary.name}/copy")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertEqual(self.files(), before)

    def test_what_cannot_be_counted_is_not_called_nothing(self):
        Load(self.data).kill()
        (self.data / "manifest").unlink()
        answer = baton("doctor", "--store", self.store, "--json")
        self.assertEqual(answer.returncode, 1)
        report = json.loads(answer.stdout)
        self.assertEqual((report["healthy"], report["jobs"]), (False, None))
        self.assertIn("manifest is missing", report["findings"][0])
        answer = baton("doctor", "--store", self.store)
        self.assertIn("not known", answer.stdout)

    def test_a_catalog_that_the_log_can_make_again_is_told_of(self):
        Load(self.data, until=50).kill()
        before = self.examined(self.store)
        for path in self.data.glob("catalog.db*"):
            path.unlink()
        after = self.examined(self.store)
        self.assertIn("catalog.db is missing", after["notes"][0])
        self.assertEqual(after["jobs"], before["jobs"])

    def test_damaged_data_is_copied_when_that_is_asked_for(self):
        Load(self.data).kill()
        jobs = self.examined(self.store)["jobs"]
        (self.data / "manifest").unlink()
        copy = f"{self.temporary.name}/copy"
        refused = baton("backup", "--store", self.store, copy)
        self.assertEqual((refused.returncode, pathlib.Path(copy).exists()), (1, False))
        self.assertIn("manifest is missing", refused.stderr)
        answer = baton("backup", "--store", self.store, copy, "--damaged", "--json")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertIn("manifest is missing", json.loads(answer.stdout)["findings"][0])
        self.assertEqual(self.examined(f"file:{copy}")["jobs"], jobs)

    def test_damage_is_found_and_not_copied(self):
        Load(self.data).kill()
        self.examined(self.store)
        catalog = self.data / "catalog.db"
        size = catalog.stat().st_size
        with catalog.open("r+b") as file:
            file.seek(size // 2)
            file.write(b"\xff" * 8192)
        answer = baton("doctor", "--store", self.store)
        self.assertEqual(answer.returncode, 1)
        self.assertIn("WRONG", answer.stdout)
        self.assertTrue(answer.stdout.endswith("verdict     damaged\n"), answer.stdout)
        copy = pathlib.Path(self.temporary.name) / "copy"
        answer = baton("backup", "--store", self.store, str(copy))
        self.assertEqual(answer.returncode, 1)
        self.assertFalse(copy.exists())

    def test_nothing_is_overwritten(self):
        Load(self.data).kill()
        taken = pathlib.Path(self.temporary.name) / "taken"
        taken.mkdir()
        (taken / "letter").write_text("mine", encoding="utf-8")
        for arguments in (("backup", "--store", self.store, str(taken)),
                          ("restore", str(self.data), "--store", f"file:{taken}")):
            answer = baton(*arguments)
            self.assertEqual(answer.returncode, 1, arguments)
            self.assertIn("not empty", answer.stderr)
        self.assertEqual((taken / "letter").read_text(encoding="utf-8"), "mine")

    def test_a_place_without_data_is_a_clear_error_and_stays_so(self):
        for command in (("doctor",), ("backup", f"{self.temporary.name}/copy")):
            answer = baton(*command, "--store", self.store)
            self.assertEqual(answer.returncode, 1)
            self.assertIn("there is no data of a Baton store", answer.stderr)
        self.assertFalse(self.data.exists())

    def test_another_store_is_wrong_usage(self):
        answer = baton("doctor", "--store", "memory:")
        self.assertEqual(answer.returncode, WRONG_USAGE)
        self.assertIn("file:DIR", answer.stderr)


if __name__ == "__main__":
    unittest.main()
