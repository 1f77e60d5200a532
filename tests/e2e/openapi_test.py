#!/usr/bin/python3
"""spec/openapi.yaml and the server agree: the same operations, and answers of the right shape.

Usage: openapi_test.py <program>
"""

import re
import unittest

import harness
import schema

ROUTE = re.compile(r'\{Method::k(\w+), "([^"]+)", (\w+)')
METHODS = ("get", "post", "put", "patch", "delete")


def routes():
    """(method, path, handler) of the server's table."""
    text = (harness.ROOT / "src/api/routes.cc").read_text(encoding="utf-8")
    return {(method.upper(), path, handler) for method, path, handler in ROUTE.findall(text)}


class Operations(harness.Case):
    """Calls every operation and validates what it is given and what it answers."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.document = cls.server.call("GET", "/openapi.json").json
        cls.schemas = schema.Schemas(cls.document)
        cls.called = set()

    def operations(self):
        for path, item in self.document["paths"].items():
            for method in METHODS:
                if method in item:
                    yield method.upper(), path, item[method]

    def operation(self, name):
        found = [(method, path, one) for method, path, one in self.operations()
                 if one["operationId"] == name]
        self.assertEqual(len(found), 1, name)
        return found[0]

    def no_faults(self, value, wanted, where):
        self.assertEqual(list(self.schemas.faults(value, wanted, where)), [], where)

    def made(self, verb, body=None, status=200, query="", **places):
        """The answer to an operation, of which everything was checked."""
        method, path, operation = self.operation(verb)
        if body is not None:
            content = self.schemas.resolve(operation["requestBody"])["content"]
            self.no_faults(body, content["application/json"]["schema"], f"{verb} request")
        answer = self.call(method, path.format(**places) + query, body)
        self.assertEqual(answer.status, status, f"{verb}: {answer}")
        self.check_answer(verb, operation, answer)
        self.called.add(verb)
        return answer.json if answer.body else None

    def check_answer(self, name, operation, answer):
        described = operation["responses"].get(str(answer.status))
        described = self.schemas.resolve(described or operation["responses"]["default"])
        if "content" not in described:
            self.assertEqual(answer.body, b"", name)
            return
        kind = answer.fields["content-type"].partition(";")[0]
        content = described["content"].get(kind) or described["content"].get("*/*")
        self.assertIsNotNone(content, f"{name} answers with {kind}")
        if kind.endswith("json"):
            self.no_faults(answer.json, content["schema"], name)

    def test_the_table_of_routes_and_the_document_are_the_same(self):
        described = {(method, path, operation["operationId"])
                     for method, path, operation in self.operations()}
        self.assertEqual(described, routes())

    def test_every_place_in_a_path_is_described(self):
        for _, path, operation in self.operations():
            given = self.document["paths"][path].get("parameters", [])
            given = given + operation.get("parameters", [])
            names = {self.schemas.resolve(one)["name"] for one in given
                     if self.schemas.resolve(one)["in"] == "path"}
            self.assertEqual(names, set(re.findall(r"\{(\w+)\}", path)), path)

    def test_every_example_fits_its_schema(self):
        for _, path, operation in self.operations():
            body = self.schemas.resolve(operation.get("requestBody", {"content": {}}))
            for content in body["content"].values():
                self.no_faults(content["example"], content["schema"], path)
        problem = self.document["components"]["responses"]["Problem"]["content"]
        problem = problem["application/problem+json"]
        self.no_faults(problem["example"], problem["schema"], "problem")

    def test_every_operation(self):
        self.jobs()
        self.endings()
        self.work_step_by_step()
        self.work_otherwise()
        self.operating()
        self.server_itself()
        wanted = {operation["operationId"] for _, _, operation in self.operations()}
        self.assertEqual(wanted - self.called, {"follow_events", "status_page", "get_result"})
        self.not_json()

    def made_job(self, **submission):
        body = {"type": "t", "queue": self.queue, **submission}
        return self.made("create_job", body, 201)["job"]["id"]

    def claimed(self, queue=None):
        body = {"queues": [queue or self.queue], "worker": "w", "max": 1}
        return self.made("claim", body)["executions"][0]

    def jobs(self):
        first = self.made_job(payload={"a": 1}, idempotency_key="k", tags={"a": "b"}, priority=1)
        self.made("create_job", {"type": "t", "queue": self.queue, "idempotency_key": "k"})
        jobs = [{"type": "t", "ref": "a"},
                {"type": "t", "depends_on": {"type": "AFTER", "jobs": ["#a"]}}]
        self.made("create_batch", {"jobs": jobs}, 201)
        self.made("create_batch", {"jobs": [{"type": "a b"}, {"type": "t"}], "atomic": False})
        self.made("create_batch", {"jobs": [{"type": "t"}, {"type": "a b"}]}, 422)
        self.made("list_jobs", query="?limit=2&include=payload,result,checkpoint")
        self.made("list_jobs", query="?queue=" + self.queue)
        self.made("list_jobs", query="?nonsense=1", status=400)
        self.made("get_job", id=first)
        self.made("get_job", id="x", status=404)
        self.made("patch_job", {"priority": "LOW", "tags": {}}, id=first)
        self.made("wait_for_job", query="?timeout_ms=0", id=first)
        self.made("explain_job", id=first)
        self.made("get_history", id=first)

    def endings(self):
        job = self.made_job(delay_ms=3600000)
        self.made("cancel_job", {"reason": "r"}, id=job)
        self.made("cancel_job", id=job)
        self.made("retry_job", status=201, id=job)
        self.made("change_many", {"action": "cancel", "filter": {"queue": self.queue}})
        self.made("delete_job", status=204, id=job)
        self.made("delete_job", status=404, id=job)
        self.made("put_queue", {"profile": "document"}, name="documents")
        draft = self.made_job(queue="documents", draft=True)
        self.made("submit_draft", id=draft)
        self.made("submit_draft", status=409, id=draft)
        self.made("put_queue", {"profile": "generation"}, name="pictures")
        picture = self.made_job(queue="pictures", payload={"prompt": "p"}, account="a")
        self.made("reject_job", {"reason": "r"}, id=picture)

    def work_step_by_step(self):
        claimed = self.claimed()
        place = {"id": claimed["execution_id"]}
        token = {"lease_token": claimed["lease_token"]}
        self.made("start_execution", token, **place)
        self.made("heartbeat", {**token, "progress": 3, "checkpoint": [1]}, **place)
        self.made("spawn", {**token, "jobs": [{"type": "child"}]}, **place)
        self.made("commit", {**token, "result": 1}, **place)
        self.made("finish", token, **place)
        self.made("start_execution", token, 409, **place)
        self.made("get_executions", id=claimed["job"]["id"])
        self.made_job(queue="released")
        claimed = self.claimed("released")
        body = {"lease_token": claimed["lease_token"], "delay_ms": 1000, "reason": "later"}
        self.made("release_execution", body, id=claimed["execution_id"])

    def work_otherwise(self):
        self.made_job()
        claimed = self.claimed()
        body = {"lease_token": claimed["lease_token"], "category": "TEMPORARY", "message": "m"}
        self.made("nack", body, id=claimed["execution_id"])
        self.made("get_executions", id=claimed["job"]["id"])
        stopped = self.made_job(queue="stopped")
        claimed = self.claimed("stopped")
        self.made("cancel_job", id=stopped)
        self.made("confirm_cancelled", {"lease_token": claimed["lease_token"]},
                  id=claimed["execution_id"])
        self.made_job(queue="pictures", payload={"prompt": "q"}, account="a")
        claimed = self.claimed("pictures")
        self.made("reject_execution", {"lease_token": claimed["lease_token"], "reason": "r"},
                  id=claimed["execution_id"])
        self.made_job(queue="acked")
        claimed = self.claimed("acked")
        self.made("ack", {"lease_token": claimed["lease_token"]}, id=claimed["execution_id"])
        op = {"execution_id": claimed["execution_id"], "lease_token": claimed["lease_token"]}
        self.made("work_batch", {"ops": [{"op": "ack", **op}, {"op": "start", **op}],
                                 "claim": {"queues": ["acked"], "worker": "w", "max": 1}})

    def operating(self):
        settings = {"max_running": 5, "max_pending": None, "rate": {"per_second": 5, "burst": 2},
                    "retry": {"max_attempts": 2}, "retention": {"failed_ms": 1000}}
        self.made("put_queue", settings, name="settings")
        self.made("get_queue", name="settings")
        self.made("get_queue", name="nobody", status=404)
        self.made("list_queues", query="?limit=2")
        for verb in ("pause_queue", "resume_queue", "drain_queue"):
            self.made(verb, name="settings")
        self.made("delete_queue", name="settings", status=204)
        self.made("delete_queue", name="settings", status=404)
        self.made("get_stats")
        self.made("list_workers", query="?limit=2")
        self.made("list_dead_letters")
        self.made("grant_credits", {"amount": 5, "tier": "user"}, id="a")
        self.made("get_account", id="a")
        self.made("list_entries", id="a")

    def not_json(self):
        """The operations that answer with something else."""
        job = self.done_job(result=1, queue="results")["id"]
        for verb, path in (("get_result", f"/v1/jobs/{job}/result"), ("status_page", "/")):
            answer = self.call("GET", path)
            self.check_answer(verb, self.operation(verb)[2], answer)
        connection = self.server.connect()
        connection.request("GET", "/v1/events")
        kind = connection.getresponse().getheader("Content-Type")
        content = self.operation("follow_events")[2]["responses"]["200"]["content"]
        self.assertIn(kind, content)
        connection.close()

    def server_itself(self):
        for name in ("get_profiles", "healthz", "readyz", "get_openapi"):
            self.made(name)


if __name__ == "__main__":
    unittest.main()
