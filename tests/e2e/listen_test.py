#!/usr/bin/python3
"""Without tokens nobody but the machine itself can reach a server.

Usage: listen_test.py <program>
"""

import os
import pathlib
import re
import socket
import subprocess
import tempfile
import unittest

import harness

LISTENS = "0A"  # in /proc/net/tcp


def sockets_of(pid):
    """The numbers of a process's sockets."""
    found = set()
    for descriptor in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        match = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(descriptor))
        if match:
            found.add(match[1])
    return found


def listening(pid):
    """(family, address, port) of all sockets on which a process takes connections."""
    mine, found = sockets_of(pid), []
    for family, path in ((4, "/proc/net/tcp"), (6, "/proc/net/tcp6")):
        if not pathlib.Path(path).exists():
            continue
        for line in pathlib.Path(path).read_text(encoding="ascii").splitlines()[1:]:
            words = line.split()
            address, port = words[1].split(":")
            if words[3] == LISTENS and words[9] in mine:
                found.append((family, address, int(port, 16)))
    return found


class Listen(unittest.TestCase):
    def refused(self, *arguments, code):
        answer = subprocess.run([harness.PROGRAM, "serve", *arguments], capture_output=True,
                                text=True, check=False, timeout=harness.PATIENCE)
        self.assertEqual((answer.returncode, answer.stdout), (code, ""), arguments)
        self.assertRegex(answer.stderr, r"\Abaton: [^\n]+\n\Z")
        return answer.stderr

    def test_the_default_is_loopback(self):
        text = subprocess.run([harness.PROGRAM, "serve", "--help"], capture_output=True, text=True,
                              check=True, timeout=harness.PATIENCE).stdout
        self.assertRegex(text, r"--listen \S+=127\.0\.0\.1:2286\s")

    def test_it_listens_there_and_nowhere_else(self):
        server = harness.Server("memory:")
        self.addCleanup(server.stop)
        self.assertEqual(listening(server.pid), [(4, "0100007F", server.port)])

    def test_every_other_address_is_refused_and_nothing_is_left_behind(self):
        names = ["0.0.0.0", "[::]", "[::ffff:127.0.0.1]", "192.0.2.1", "example.com",
                 "127.0.0.1.example.com", "127.example.com", socket.gethostname()]
        with tempfile.TemporaryDirectory() as directory:
            for name in names:
                if name == "localhost":
                    continue  # some machines are called so
                said = self.refused("--listen", f"{name}:0", "--store", f"file:{directory}/data",
                                    code=1)
                self.assertIn("loopback", said, name)
                self.assertIn(name.strip("[]"), said)
            self.assertEqual(os.listdir(directory), [])

    def test_what_is_no_address_is_wrong_usage(self):
        for text in ("", "x", ":1", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:80", "[]:1"):
            self.assertIn("HOST:PORT", self.refused("--listen", text, code=2), text)

    def test_what_is_no_store(self):
        for text in ("", "memory", "file:", "postgres://x", "/tmp"):
            said = self.refused("--listen", "127.0.0.1:0", "--store", text, code=1)
            self.assertIn(f'"{text}"', said)
            self.assertIn("file:DIR", said)

    def test_other_wrong_options(self):
        for arguments in (("--threads", "0"), ("--threads", "65"), ("--tls-cert", "x"),
                          ("--tls-key", "x")):
            self.refused("--listen", "127.0.0.1:0", "--store", "memory:", *arguments, code=2)
        said = self.refused("--listen", "127.0.0.1:0", "--store", "memory:", "--tls-cert",
                            "/nowhere", "--tls-key", "/nowhere", code=1)
        self.assertIn("/nowhere", said)


if __name__ == "__main__":
    unittest.main()
