#!/usr/bin/python3
"""Who may ask: names by which the server is called, pages of other origins, types of bodies.

Every refused request is one that a page can make a browser send, and none of them changes anything.

Usage: origin_test.py <program>
"""

import subprocess
import tempfile
import unittest

import harness


def send(server, method, path, body=b"", **fields):
    """One request with exactly these fields; an underscore in a name is a hyphen."""
    lines = [f"{method} {path} HTTP/1.1"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    if body or method == "POST":
        lines.append(f"Content-Length: {len(body)}")
    with server.socket() as connection:
        connection.sendall("\r\n".join(lines + ["Connection: close", "", ""]).encode() + body)
        return harness.read_answers(connection, 1)[0]


JSON = {"Content_Type": "application/json"}
JOB = b'{"type":"t"}'


@harness.both_stores
class Origin(harness.Case):
    def check(self, status, code, field, method, path, body=b"", **fields):
        answer = send(self.server, method, path, body, **fields)
        self.check_problem(answer, status, code, field, f"{method} {path} {body} {fields}")
        for name in answer.fields:
            self.assertFalse(name.startswith("access-control-"), answer.fields)

    def test_names_that_are_not_the_servers(self):
        before = self.ok("GET", "/v1/stats")["counts"]
        for host in ("evil.test", f"evil.test:{self.server.port}", "localhost.evil.test",
                     "127.0.0.1.evil.test", ""):
            for path in ("/v1/stats", "/healthz", "/", "/nowhere", "/v1/events"):
                self.check(403, "forbidden", "Host", "GET", path, Host=host)
            self.check(403, "forbidden", "Host", "POST", "/v1/jobs", JOB, Host=host, **JSON)
        self.assertEqual(self.ok("GET", "/v1/stats")["counts"], before)

    def test_names_that_are(self):
        for host in ("127.0.0.1", "localhost:1", "[::1]", "10.0.0.1:80", "LOCALHOST"):
            self.assertEqual(send(self.server, "GET", "/healthz", Host=host).status, 200, host)
        without = b"GET /healthz HTTP/1.1\r\n\r\n"
        with self.server.socket() as connection:
            connection.sendall(without)
            self.check_problem(harness.read_answers(connection, 1)[0], 400, "bad_request")

    def test_pages_of_another_origin(self):
        made = self.submit()
        host = f"127.0.0.1:{self.server.port}"
        for origin in ("null", "http://evil.test", "http://127.0.0.1", f"http://localhost:{self.server.port}",
                       f"http://evil.test:{self.server.port}"):
            for method, path, body in (("POST", "/v1/jobs", JOB), ("GET", "/v1/jobs", b""),
                                       ("POST", f"/v1/jobs/{made['id']}/cancel", b""),
                                       ("DELETE", f"/v1/jobs/{made['id']}", b""),
                                       ("OPTIONS", "/v1/jobs", b""), ("GET", "/v1/events", b"")):
                fields = JSON if body else {}
                self.check(403, "forbidden", "Origin", method, path, body, Host=host,
                           Origin=origin, **fields)
        self.assertEqual(self.job(made), made)

    def test_pages_of_its_own(self):
        host = f"127.0.0.1:{self.server.port}"
        answer = send(self.server, "POST", "/v1/jobs", JOB, Host=host, Origin=f"http://{host}",
                      Sec_Fetch_Site="same-origin", **JSON)
        self.assertEqual(answer.status, 201)

    def test_another_site_may_only_link_to_the_first_page(self):
        cross = {"Host": "127.0.0.1", "Sec_Fetch_Site": "cross-site"}
        link = {**cross, "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
        self.assertEqual(send(self.server, "GET", "/", **link).status, 200)
        frame = {**link, "Sec_Fetch_Dest": "iframe"}
        for path, fields in (("/", cross), ("/", frame), ("/v1/stats", link), ("/healthz", cross)):
            self.check(403, "forbidden", "Sec-Fetch-Site", "GET", path, **fields)
        self.check(403, "forbidden", "Sec-Fetch-Site", "POST", "/v1/jobs", JOB, **cross, **JSON)

    def test_types_that_a_form_can_send(self):
        made = self.submit()
        cancel = f"/v1/jobs/{made['id']}/cancel"
        kinds = ("text/plain", "application/x-www-form-urlencoded",
                 "multipart/form-data; boundary=x")
        for kind in kinds:
            for path, body in (("/v1/jobs", JOB), (cancel, b"{}"), (cancel, b"")):
                self.check(415, "unsupported_media_type", "Content-Type", "POST", path, body,
                           Host="localhost", Content_Type=kind)
        for path, body in (("/v1/jobs", JOB), (cancel, b"{}")):
            self.check(415, "unsupported_media_type", "Content-Type", "POST", path, body,
                       Host="localhost")
        self.assertEqual(self.job(made), made)
        self.assertEqual(send(self.server, "POST", cancel, Host="localhost").status, 200)


class AllowHost(unittest.TestCase):
    def serves(self, *arguments):
        server = harness.Server("memory:", *arguments)
        self.addCleanup(server.stop)
        for host, status in (("a.example", 200), ("B.example:80", 200), ("127.0.0.1", 200),
                             ("c.example", 403)):
            self.assertEqual(send(server, "GET", "/healthz", Host=host).status, status, host)
        for origin, status in (("https://a.example", 200), ("http://b.example:8", 200),
                               ("https://c.example", 403)):
            answer = send(server, "GET", "/healthz", Host="127.0.0.1", Origin=origin)
            self.assertEqual(answer.status, status, origin)

    def test_on_the_command_line(self):
        self.serves("--allow-host", "a.example", "--allow-host", "b.example")

    def test_in_a_file(self):
        for key in ("allow-host", "allow_hosts"):
            with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
                file.write(f'{key} = ["a.example", "b.example"]\n')
                file.flush()
                self.serves("--config", file.name)

    def test_what_is_no_name(self):
        for text in ("", "a:80", "http://a", "*.example"):
            ended = subprocess.run(
                [harness.PROGRAM, "serve", "--listen", "127.0.0.1:0", "--store", "memory:",
                 "--allow-host", text], capture_output=True, text=True, check=False,
                timeout=harness.PATIENCE)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn("allow-host", ended.stderr)


if __name__ == "__main__":
    harness.main()
