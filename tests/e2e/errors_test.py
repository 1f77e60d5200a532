#!/usr/bin/python3
"""Every refusal that a client without tokens can meet: status, code, field, Retry-After.

Refusals of one kind of call are with the tests of that call; here are those that belong to none,
and what a submission may not say.

Usage: errors_test.py <program>
"""

import harness

UNKNOWN = "aaaaaaaa-0000-4000-8000-000000000000"
YEAR = 367 * 86400000


@harness.both_stores
class Refusals(harness.Case):
    def submission_refused(self, status, code, field, **submission):
        body = {"type": "t", "queue": self.queue, **submission}
        return self.refused(status, code, "POST", "/v1/jobs", body, field)

    def test_bad_request(self):
        for field, value in (("nonsense", 1), ("type", 1), ("queue", {}), ("priority", 5),
                             ("priority", -1), ("priority", "URGENT"), ("priority", 1.5),
                             ("delay_ms", "1"), ("delay_ms", 1.5), ("run_at", "tomorrow"),
                             ("idempotency", "maybe"), ("tags", []), ("tags", "a:b"),
                             ("draft", 1), ("cost", "1"), ("ref", "r"), ("timeout_is", "never"),
                             ("retry", []), ("retry", 3), ("timeouts", 3), ("depends_on", "x"),
                             ("payload_base64", "*"), ("payload_base64", "YQ"),
                             ("content_type", "text/plain"), ("id", UNKNOWN), ("state", "RUNNING")):
            self.submission_refused(400, "bad_request", field, **{field: value})
        for outer, inner, value in (("retry", "max_attempts", "3"), ("retry", "nonsense", 1),
                                    ("retry", "strategy", "magic"), ("retry", "jitter", "some"),
                                    ("retry", "table_ms", []), ("timeouts", "lease_ms", "1"),
                                    ("timeouts", "nonsense", 1), ("tags", "k", 1),
                                    ("depends_on", "type", "BEFORE")):
            self.submission_refused(400, "bad_request", f"{outer}.{inner}",
                                    **{outer: {inner: value}})
        self.refused(400, "bad_request", "POST", "/v1/jobs", {"queue": self.queue}, "type")
        self.submission_refused(400, "bad_request", "payload_base64", payload=1,
                                payload_base64="YQ==")

    def test_invalid_job(self):
        for field, value in (("type", "a b"), ("type", "x" * 1000), ("queue", ""),
                             ("queue", "a b"), ("queue", "x" * 1000), ("delay_ms", -1),
                             ("delay_ms", YEAR), ("idempotency_key", ""),
                             ("idempotency_key", "ä" * 257), ("callback_url", "ftp://x/"),
                             ("callback_url", "nonsense"), ("cost", -1),
                             ("account", "x" * 10000), ("correlation_id", "x" * 10000),
                             ("traceparent", "x" * 10000), ("tags", {"": "x"}),
                             ("tags", {"x" * 1000: "x"}), ("tags", {"x": "x" * 10000}),
                             ("tags", {str(number): "x" for number in range(1000)})):
            self.submission_refused(422, "invalid_job", field, **{field: value})
        for outer, inner, value in (("retry", "max_attempts", 0), ("retry", "max_attempts", 101),
                                    ("retry", "initial_ms", -1), ("retry", "max_ms", YEAR),
                                    ("retry", "multiplier", 0.9), ("retry", "multiplier", 101),
                                    ("retry", "table_ms", [1] * 101), ("retry", "table_ms", [-1]),
                                    ("retry", "strategy", "table"), ("timeouts", "lease_ms", 99),
                                    ("timeouts", "lease_ms", 3600001),
                                    ("timeouts", "execution_ms", 0),
                                    ("timeouts", "lifetime_ms", YEAR),
                                    ("depends_on", "jobs", [])):
            blamed = "table_ms" if value == "table" else inner
            self.submission_refused(422, "invalid_job", f"{outer}.{blamed}",
                                    **{outer: {inner: value}})
        self.submission_refused(422, "invalid_job", "run_at", delay_ms=1,
                                run_at="2030-01-01T00:00:00Z")
        self.submission_refused(422, "invalid_job", "idempotency_key", idempotency_key="k",
                                idempotency="auto")
        self.submission_refused(422, "invalid_job", "account", cost=1)

    def test_the_longest_key(self):
        self.submit(idempotency_key="ä" * 256)

    def test_not_found(self):
        for name in (UNKNOWN, "x", "1", UNKNOWN.upper(), UNKNOWN[:-1] + "1", "%20"):
            for method, below in (("GET", ""), ("DELETE", ""), ("GET", "/history"),
                                  ("GET", "/executions"), ("GET", "/wait"), ("GET", "/result"),
                                  ("GET", "/explain"), ("POST", "/submit"), ("POST", "/cancel"),
                                  ("POST", "/reject"), ("POST", "/retry")):
                answer = self.call(method, f"/v1/jobs/{name}{below}")
                self.assertEqual((answer.status, answer.json["code"]), (404, "not_found"),
                                 f"{method} {name} {below}: {answer}")
        for path in ("/v1", "/v1/", "/v1/jobs/", "/v2/jobs", "/v1/job", "/metricsx", "//",
                     "/v1//jobs", "/v1/jobs/x/y/z", "/v1/queues/a/b/c", "/V1/jobs"):
            self.refused(404, "not_found", "GET", path)

    def test_dependencies(self):
        for name in (UNKNOWN, "x", "", "#nobody"):
            self.submission_refused(422, "unknown_dependency", "depends_on",
                                    depends_on={"type": "AFTER", "jobs": [name]})

    def test_not_in_profile(self):
        self.submission_refused(409, "not_in_profile", "draft", draft=True)
        made = self.submit()
        self.refused(409, "not_in_profile", "POST", f"/v1/jobs/{made['id']}/reject",
                     {"reason": "r"})
        self.work_refused(409, "not_in_profile", self.claim_one(), "reject", reason="r")
        queue = self.queue + ".document"
        self.ok("PUT", f"/v1/queues/{queue}", {"profile": "document"})
        self.submission_refused(409, "not_in_profile", "retry", queue=queue,
                                retry={"max_attempts": 2})
        self.submit(queue=queue)
        execution = self.claim_one(queues=[queue])
        self.work_refused(409, "not_in_profile", execution, "nack", "retry_after_ms",
                          category="TEMPORARY", message="m", retry_after_ms=1)

    def test_queue_full(self):
        self.ok("PUT", f"/v1/queues/{self.queue}", {"max_pending": 2})
        self.submit()
        self.submit()
        answer = self.call("POST", "/v1/jobs", {"type": "t", "queue": self.queue})
        self.check_problem(answer, 429, "queue_full", "queue")
        self.claim_one()
        self.submit()

    def test_rate_limited_claims_wait(self):
        self.ok("PUT", f"/v1/queues/{self.queue}", {"rate": {"per_second": 0.001, "burst": 2}})
        for _ in range(3):
            self.submit()
        self.assertEqual(len(self.claim(max=5)), 2)
        self.assertEqual(self.claim(), [])

    def test_payload_too_large(self):
        self.refused(413, "payload_too_large", "POST", "/v1/jobs", b" " * (20 << 20) + b"{}")

    def test_unsupported_media_type(self):
        for kind in ("text/plain", "application/xml", "application/jsonx", "json", "",
                     "multipart/form-data; boundary=application/json"):
            self.refused(415, "unsupported_media_type", "POST", "/v1/jobs", b'{"type":"t"}',
                         "Content-Type", {"Content-Type": kind})

    def test_a_body_where_none_belongs(self):
        made = self.submit()
        for method, path in (("GET", "/v1/stats"), ("DELETE", f"/v1/jobs/{made['id']}")):
            self.refused(400, "bad_request", method, path, {})

    def test_no_body_where_one_belongs(self):
        for method, path in (("POST", "/v1/jobs"), ("POST", "/v1/claims"),
                             ("PUT", f"/v1/queues/{self.queue}")):
            self.refused(400, "bad_request", method, path)

    def test_parameters_where_none_belong(self):
        made = self.submit()
        for method, path in (("GET", f"/v1/jobs/{made['id']}"), ("GET", "/v1/stats"),
                             ("GET", "/v1/profiles"), ("GET", "/healthz")):
            self.refused(400, "bad_request", method, path + "?nonsense=1", field="nonsense")

    def test_wrong_claims(self):
        for claim, field in (({"max": 0}, "max"), ({"max": 1001}, "max"),
                             ({"queues": []}, "queues"),
                             ({"queues": "a"}, "queues"), ({"queues": [1]}, "queues[0]"),
                             ({"worker": ""}, "worker"), ({"worker": "w" * 10000}, "worker"),
                             ({"wait_ms": -1}, "wait_ms"), ({"wait_ms": 60001}, "wait_ms"),
                             ({"types": "t"}, "types"), ({"x": 1}, "x")):
            body = {"queues": [self.queue], "worker": "w", "max": 1, **claim}
            self.refused(400, "bad_request", "POST", "/v1/claims", body, field)
        for name in ("queues", "worker"):
            body = {"queues": [self.queue], "worker": "w", "max": 1}
            del body[name]
            self.refused(400, "bad_request", "POST", "/v1/claims", body, name)

    def test_wrong_heartbeats(self):
        self.submit()
        execution = self.claim_one()
        for progress in (-1, 101, 1.5, "1"):
            self.work_refused(400, "bad_request", execution, "heartbeat", "progress",
                              progress=progress)

    def test_already_committed_by_another_execution(self):
        self.submit(timeouts={"lease_ms": 100}, retry={"initial_ms": 0})
        late = self.claim_one()
        second = self.claim_one(wait_ms=20000, lease_ms=60000)
        self.work(second, "ack", result="the second's")
        problem = self.work_refused(409, "already_committed", late, "ack", result="the first's")
        self.assertEqual(problem.get("result"), "the second's")
        ops = [{"op": "ack", "execution_id": late["execution_id"],
                "lease_token": late["lease_token"]}]
        answer = self.ok("POST", "/v1/executions/batch", {"ops": ops})
        error = answer["results"][0]["error"]
        self.assertEqual(error["code"], "already_committed")
        self.assertNotIn("result", error)  # a thousand of them might not fit


class Stopping(harness.Case):
    def is_closed(self, server):
        try:
            server.socket().close()
        except OSError:
            return True
        return False

    def test_shutting_down(self):
        """A request that had begun before the server was told to stop gets an answer."""
        server = harness.Server("memory:")
        self.addCleanup(server.stop)
        with server.socket() as connection:
            connection.sendall(b"GET /readyz HTTP/1.1\r\n")
            # Once another connection is answered, the server has seen the first.
            self.assertEqual(server.call("GET", "/readyz").status, 200)
            server.terminate()
            harness.until(lambda: self.is_closed(server))
            connection.sendall(b"Host: localhost\r\n\r\n")
            received = b""
            while piece := connection.recv(65536):
                received += piece
        head, _, body = received.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        fields = [line.partition(": ")[::2] for line in lines[1:]]
        answer = harness.Answer(int(lines[0].split()[1]), fields, body)
        self.check_problem(answer, 503, "shutting_down")
        self.assertEqual(server.wait(), (0, ""))


if __name__ == "__main__":
    harness.main()
