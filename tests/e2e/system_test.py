#!/usr/bin/python3
"""The server as programs meet it: health, profiles, documents, and HTTP itself.

Usage: system_test.py <program>
"""

import json

import harness
import shapes


@harness.both_stores
class Documents(harness.Case):
    def test_health(self):
        self.assertEqual(self.ok("GET", "/healthz")["status"], "ok")
        self.assertEqual(self.ok("GET", "/readyz")["status"], "ready")

    def test_profiles_are_the_exported_tables(self):
        exported = json.loads((harness.ROOT / "spec/lifecycle.json").read_text(encoding="utf-8"))
        self.assertEqual(self.ok("GET", "/v1/profiles"), exported)

    def test_openapi_is_the_exported_document(self):
        exported = json.loads((harness.ROOT / "spec/openapi.json").read_text(encoding="utf-8"))
        self.assertEqual(self.ok("GET", "/openapi.json"), exported)

    def test_the_first_page_is_html(self):
        answer = self.call("GET", "/")
        self.assertEqual((answer.status, answer.fields["content-type"]),
                         (200, "text/html; charset=utf-8"))
        self.assertTrue(answer.body.startswith(b"<!doctype html>"))


class Http(harness.Case):
    def exchange(self, data, ends=True):
        """Everything that comes back for these bytes, until the server closes."""
        with self.server.socket() as connection:
            connection.sendall(data)
            received = b""
            while ends or not received:
                piece = connection.recv(65536)
                if not piece:
                    break
                received += piece
            return received

    def test_head_is_get_without_the_body(self):
        made = self.submit()
        for path in ("/", "/healthz", "/v1/queues", f"/v1/jobs/{made['id']}", "/v1/jobs"):
            body = self.call("GET", path)
            head = self.call("HEAD", path)
            self.assertEqual((head.status, head.body), (200, b""))
            for name in ("content-type", "content-length"):
                self.assertEqual(head.fields[name], body.fields[name], path)
        head = self.call("HEAD", "/nowhere")
        self.assertEqual((head.status, head.body), (404, b""))

    def test_one_connection_takes_many_requests(self):
        connection = self.server.connect()
        connection.connect()
        local = connection.sock.getsockname()
        for number in range(50):
            answer = self.server.call("POST", "/v1/jobs", {"type": "t", "payload": number},
                                      connection=connection)
            self.assertEqual((answer.status, answer.json["job"]["payload"]), (201, number))
        self.assertEqual(connection.sock.getsockname(), local)
        connection.close()

    def test_refusals_do_not_close_the_connection(self):
        connection = self.server.connect()
        connection.connect()
        local = connection.sock.getsockname()
        for method, path, body, status in (
                ("GET", "/nowhere", None, 404), ("DELETE", "/healthz", None, 405),
                ("POST", "/v1/jobs", b"{", 400), ("POST", "/v1/jobs", b"x" * (21 << 20), 413),
                ("GET", "/v1/jobs?limit=0", None, 400), ("GET", "/healthz", None, 200)):
            answer = self.server.call(method, path, body, connection=connection)
            self.assertEqual(answer.status, status, path)
        self.assertEqual(connection.sock.getsockname(), local)
        connection.close()

    def test_pipelined_requests_are_answered_in_order(self):
        count = 40
        requests = []
        for number in range(count):
            body = json.dumps({"type": "t", "payload": number}).encode()
            requests.append(b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\n"
                            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                            % (len(body), body))
        requests.append(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        received = self.exchange(b"".join(requests))
        bodies = [part.partition(b"\r\n\r\n")[2] for part in received.split(b"HTTP/1.1 ")[1:]]
        self.assertEqual(len(bodies), count + 1)
        for number, body in enumerate(bodies[:-1]):
            self.assertEqual(json.loads(body)["job"]["payload"], number)
        self.assertEqual(json.loads(bodies[-1]), {"status": "ok"})

    def test_a_slow_answer_keeps_its_place_in_the_line(self):
        claim = json.dumps({"queues": [self.queue], "worker": "w", "max": 1, "wait_ms": 300})
        data = ("POST /v1/claims HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(claim)}\r\n\r\n"
                f"{claim}GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        received = self.exchange(data.encode())
        self.assertLess(received.index(b'{"executions":[]}'), received.index(b'{"status":"ok"}'))

    def test_http_1_0_closes(self):
        received = self.exchange(b"GET /healthz HTTP/1.0\r\n\r\n")
        self.assertIn(b" 200 ", received.partition(b"\r\n")[0])

    def test_chunks(self):
        data = (b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
                b"Content-Type: application/json\r\n"
                b"Connection: close\r\n\r\n5\r\n{\"typ\r\n7;x=y\r\ne\":\"t\"}\r\n0\r\n\r\n")
        self.assertIn(b" 201 ", self.exchange(data).partition(b"\r\n")[0])

    def test_a_client_that_asks_before_it_sends(self):
        data = (b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n"
                b"Content-Type: application/json\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")
        with self.server.socket() as connection:
            connection.sendall(data)
            self.assertEqual(connection.recv(1000), b"HTTP/1.1 100 Continue\r\n\r\n")
            connection.sendall(b'{"type":"t"}')
            self.assertIn(b" 201 ", connection.recv(1000).partition(b"\r\n")[0])

    def test_methods_that_a_path_does_not_have(self):
        for method, path, allowed in (("DELETE", "/v1/jobs", "POST, GET, HEAD"),
                                      ("PUT", "/v1/claims", "POST"),
                                      ("POST", "/healthz", "GET, HEAD"),
                                      ("GET", "/v1/jobs/batch", "POST")):
            answer = self.call(method, path)
            self.check_problem(answer, 405, "method_not_allowed")
            self.assertEqual(answer.fields["allow"], allowed)

    def test_limits_and_what_is_not_understood(self):
        for status, code, head in (
                (414, "uri_too_long", "GET /" + "x" * 9000 + " HTTP/1.1\r\nHost: localhost"),
                (417, "expectation_failed",
                 "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nExpect: wonders"),
                (431, "headers_too_large",
                 "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + "x" * 17000),
                (501, "not_implemented",
                 "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked"),
                (505, "http_version_not_supported", "GET / HTTP/2.0\r\nHost: localhost")):
            with self.server.socket() as connection:
                connection.sendall(f"{head}\r\n\r\n".encode())
                answer, = harness.read_answers(connection, 1)
                self.check_problem(answer, status, code)

    def test_names_in_paths_are_decoded(self):
        self.submit(queue="a/b:c")
        for name in ("a%2Fb%3Ac", "a%2fb:c"):
            queue = self.ok("GET", f"/v1/queues/{name}")
            self.assertEqual(queue["name"], "a/b:c")
        shapes.is_queue(self, queue)

    def test_a_content_type_with_parameters(self):
        for kind in ("application/json; charset=utf-8", "Application/JSON",
                     "application/json ;a=b"):
            answer = self.call("POST", "/v1/jobs", b'{"type":"t"}', {"Content-Type": kind})
            self.assertEqual(answer.status, 201, kind)


if __name__ == "__main__":
    harness.main()
