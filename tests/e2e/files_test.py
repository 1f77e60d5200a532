#!/usr/bin/python3
"""What a server does about its files: who may read them, who else may open them, and what happens
when they, its standard streams or its clock are not what they should be."""

import glob
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import time
import unittest

import harness

FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)


class Files(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.data = pathlib.Path(self.temporary.name) / "data"
        self.store = f"file:{self.data}"

    def start(self, *arguments):
        server = harness.Server(self.store, *arguments)
        self.addCleanup(server.stop)
        return server

    def begin(self, clock=None):
        """A server with another clock, perhaps; nobody waits until it is ready."""
        environment = dict(os.environ)
        if clock:
            environment |= {"LD_PRELOAD": FAKETIME, "FAKETIME": clock}
        return subprocess.Popen([harness.PROGRAM, "serve", "--listen", "127.0.0.1:0", "--store",
                                 self.store], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=environment)

    def refused(self, clock=None):
        """What a server says that ends by itself."""
        process = self.begin(clock)
        printed, said = process.communicate(timeout=harness.PATIENCE)
        self.assertEqual((process.returncode, printed), (1, ""), said)
        return said

    def submit(self, server):
        answer = server.call("POST", "/v1/jobs", {"type": "t"})
        self.assertEqual(answer.status, 201, answer)

    def test_nobody_else_may_read_them(self):
        before = os.umask(0)
        try:
            server = self.start()
        finally:
            os.umask(before)
        self.submit(server)
        for path in (self.data, *self.data.iterdir()):
            self.assertEqual(stat.S_IMODE(path.stat().st_mode) & 0o077, 0, path)

    def test_a_second_server_is_kept_out_though_the_lock_is_gone(self):
        self.start()
        (self.data / "lock").unlink()
        self.assertIn(f"{self.data} is in use", self.refused())

    def test_closed_streams_never_land_in_a_file(self):
        process = subprocess.Popen(
            ["/bin/sh", "-c", 'exec "$0" serve --listen 127.0.0.1:0 --store "$1" <&- >&- 2>&-',
             harness.PROGRAM, self.store])
        try:
            deadline = time.monotonic() + harness.PATIENCE
            while not (self.data / "catalog.db").exists():
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
            for stream in range(3):
                self.assertEqual(os.readlink(f"/proc/{process.pid}/fd/{stream}"), "/dev/null")
        finally:
            process.terminate()
            self.assertEqual(process.wait(timeout=harness.PATIENCE), 0)
        self.assertEqual((self.data / "lock").read_text(encoding="ascii"), f"{process.pid}\n")

    def test_a_directory_that_is_removed_ends_the_server(self):
        server = self.start()
        self.submit(server)
        shutil.rmtree(self.data)
        answer = server.call("POST", "/v1/jobs", {"type": "t"})
        self.assertEqual((answer.status, answer.json["code"]), (503, "store_unavailable"))
        code, said = server.wait()
        self.assertEqual(code, 1)
        self.assertIn("was removed", said)

    @unittest.skipUnless(FAKETIME, "faketime is not installed")
    def test_a_clock_that_cannot_be_right_is_refused_or_told(self):
        server = self.start()
        self.submit(server)
        server.terminate()
        self.assertEqual(server.wait(), (0, ""))
        self.assertIn("--accept-clock", self.refused("+10y"))
        behind = self.begin("-2d")
        try:
            self.assertRegex(behind.stdout.readline(), harness.READY)
        finally:
            behind.terminate()
            _, said = behind.communicate(timeout=harness.PATIENCE)
        self.assertIn("before the last change", said)


if __name__ == "__main__":
    harness.main()
