#!/usr/bin/python3
"""Files of a store that are missing, cut off, swapped, of another store or older than the rest.

However they are mixed, a server either has every job that was acknowledged, as it was, or refuses to
start, names a file and says what can be done. BATON_FILE_CASES says how many mixtures are tried.
"""

import hashlib
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

import harness

CASES = int(os.environ.get("BATON_FILE_CASES", "20"))
SEED = int(os.environ.get("BATON_FILE_SEED", "1"))
LARGE = 400_000  # bytes of a payload; some fill a segment of the log


class Store:
    """A directory in three states: when it was younger, killed, and closed in good order."""

    def __init__(self, root, name):
        self.payloads = {}  # by the id of a job: its digest
        data = root / f"{name}-data"
        server = harness.Server(f"file:{data}")
        self.fill(server, name, 10)
        self.list(server)
        self.younger = self.copy(data, root / f"{name}-younger")
        self.fill(server, name, 60)
        self.list(server)
        self.fill(server, name, 5)
        server.kill()
        self.killed = self.copy(data, root / f"{name}-killed")
        server = harness.Server(f"file:{data}")
        server.stop()
        self.closed = data

    def fill(self, server, name, count):
        for number in range(count):
            letter = chr(97 + number % 26)
            text = f"{name}-{len(self.payloads)}-" + letter * (LARGE if number % 2 else 50)
            answer = server.call("POST", "/v1/jobs", {"type": "t", "payload": text})
            assert answer.status == 201, answer
            self.payloads[answer.json["job"]["id"]] = digest(text)

    @staticmethod
    def list(server):
        """Answered when the catalog has everything."""
        assert server.call("GET", "/v1/jobs?limit=1").status == 200

    @staticmethod
    def copy(source, target):
        shutil.copytree(source, target)
        return target


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Mixture:
    """One directory with something wrong in it."""

    def __init__(self, store, other, lot, target):
        self.source = lot.choice([store.killed, store.closed])
        self.target = Store.copy(self.source, target)
        self.done = [self.source.name]
        for _ in range(lot.choice([1, 1, 1, 2])):
            act = lot.choice([self.miss, self.cut, self.swap, self.foreign, self.older])
            act(lot, store, other)

    def pick(self, lot):
        return lot.choice(sorted(path.name for path in self.target.iterdir()))

    def miss(self, lot, *_):
        name = self.pick(lot)
        (self.target / name).unlink()
        self.done.append(f"{name} is missing")

    def cut(self, lot, *_):
        path = self.target / self.pick(lot)
        size = lot.randrange(path.stat().st_size) if path.stat().st_size else 0
        os.truncate(path, size)
        self.done.append(f"{path.name} has {size} bytes")

    def swap(self, lot, *_):
        one, two = self.target / self.pick(lot), self.target / self.pick(lot)
        between = self.target / "between"
        if one != two:
            one.rename(between)
            two.rename(one)
            between.rename(two)
        self.done.append(f"{one.name} and {two.name} are swapped")

    def foreign(self, lot, _, other):
        self.replace(lot, other.killed if "killed" in self.source.name else other.closed, "foreign")

    def older(self, lot, store, _):
        self.replace(lot, store.younger, "older")

    def replace(self, lot, source, what):
        name = lot.choice(sorted(path.name for path in source.iterdir()))
        shutil.copyfile(source / name, self.target / name)
        self.done.append(f"{name} is {what}")


class WrongFiles(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)

    def check_whole(self, server, store):
        for job, payload in store.payloads.items():
            answer = server.call("GET", f"/v1/jobs/{job}")
            self.assertEqual(answer.status, 200, job)
            self.assertEqual(digest(answer.json["payload"]), payload, job)

    def check(self, directory, store):
        """True when the server has started."""
        names = {path.name for path in store.killed.iterdir()} | {"catalog.db-wal"}
        process = subprocess.Popen(
            [harness.PROGRAM, "serve", "--listen", "127.0.0.1:0", "--store", f"file:{directory}"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = process.stdout.readline()
        if not line:
            _, said = process.communicate(timeout=harness.PATIENCE)
            self.assertEqual(process.returncode, 1, said)
            self.assertTrue(any(name in said for name in names) or "log-" in said, said)
            self.assertIn("backup", said)
            return False
        try:
            ready = harness.READY.fullmatch(line)
            server = harness.Server.__new__(harness.Server)
            server.host, server.port = ready[1], int(ready[2])
            self.check_whole(server, store)
        finally:
            process.kill()
            process.communicate()
        return True

    def test_nothing_is_lost_or_changed_without_a_word(self):
        lot = random.Random(SEED)
        mine, other = Store(self.root, "mine"), Store(self.root, "other")
        started = 0
        for case in range(CASES):
            directory = self.root / f"case{case}"
            mixture = Mixture(mine, other, lot, directory)
            with self.subTest(case=case, seed=SEED, done="; ".join(mixture.done)):
                started += self.check(directory, mine)
            shutil.rmtree(directory)
        for whole in (mine.killed, mine.closed):
            self.assertTrue(self.check(whole, mine), "the whole store starts")
        print(f"{CASES} mixtures: {started} started with everything, the others were refused")


if __name__ == "__main__":
    harness.main()
