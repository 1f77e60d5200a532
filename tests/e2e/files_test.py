#!/usr/bin/python3
"""What a server does about its files: who may read them, who else may open them, and what happens
when they, its standard streams or its clock are not what they should be."""

import os
import pathlib
import shutil
import stat
import subprocess
import tempfile
import time
import unittest

import harness

FAKETIME = shutil.which("faketime")


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

    def serve(self, *before, after=()):
        """A server that is expected to end by itself."""
        return subprocess.run([*before, harness.PROGRAM, "serve", "--listen", "127.0.0.1:0",
                               "--store", self.store, *after], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False,
                              timeout=harness.PATIENCE)

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
        second = self.serve()
        self.assertEqual((second.returncode, second.stdout), (1, ""))
        self.assertIn(f"{self.data} is in use", second.stderr)

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

    @unittest.skipUnless(FAKETIME, "faketime is not installed")
    def test_a_clock_that_cannot_be_right_is_refused_or_told(self):
        server = self.start()
        self.submit(server)
        server.terminate()
        self.assertEqual(server.wait(), (0, ""))
        ahead = self.serve(FAKETIME, "+10y")
        self.assertEqual((ahead.returncode, ahead.stdout), (1, ""))
        self.assertIn("--accept-clock", ahead.stderr)
        behind = subprocess.Popen([FAKETIME, "-2d", harness.PROGRAM, "serve", "--listen",
                                   "127.0.0.1:0", "--store", self.store],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            self.assertRegex(behind.stdout.readline(), harness.READY)
        finally:
            # The signal goes to the server, which faketime is by then.
            behind.terminate()
            _, said = behind.communicate(timeout=harness.PATIENCE)
        self.assertIn("before the last change", said)


if __name__ == "__main__":
    harness.main()
