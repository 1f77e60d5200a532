#!/usr/bin/python3
"""Lists of jobs: filters, pages, what they leave out; dead letters; the same change to many.

Usage: lists_test.py <program>
"""

import harness
import shapes

FAR = "2100-01-01T00:00:00Z"
LONG_AGO = "2001-01-01T00:00:00.000Z"


class ListCase(harness.Case):
    def page(self, path="/v1/jobs", **parameters):
        return self.ok("GET", path + "?" + harness.query(**parameters))

    def ids(self, **parameters):
        return [job["id"] for job in self.page(queue=self.queue, **parameters)["jobs"]]

    def bulk(self, action, **body):
        body = {"action": action, "filter": {"queue": self.queue}, **body}
        return self.ok("POST", "/v1/jobs/bulk", body)


@harness.both_stores
class Lists(ListCase):
    def test_newest_first_without_the_bulky_parts(self):
        made = [self.submit(payload=number) for number in range(3)]
        document = self.page(queue=self.queue)
        self.assertEqual(sorted(document), ["jobs", "next_cursor"])
        self.assertIsNone(document["next_cursor"])
        self.assertEqual([job["id"] for job in document["jobs"]],
                         [job["id"] for job in reversed(made)])
        for job in document["jobs"]:
            shapes.is_job(self, job, left_out=(*shapes.BULKY, "payload_base64"))
            for name in shapes.BULKY:
                self.assertNotIn(name, job)

    def test_include(self):
        self.done_job(payload={"p": 1}, result={"r": 2})
        job = self.page(queue=self.queue, include="payload,result,checkpoint")["jobs"][0]
        shapes.is_job(self, job)
        self.assertEqual((job["payload"], job["result"], job["checkpoint"]),
                         ({"p": 1}, {"r": 2}, None))
        job = self.page(queue=self.queue, include="result")["jobs"][0]
        self.assertEqual(("payload" in job, "checkpoint" in job, job["result"]),
                         (False, False, {"r": 2}))

    def test_filters(self):
        self.ok("PUT", f"/v1/queues/{self.queue}", {"profile": "commit"})
        delayed = self.submit(delay_ms=3600000, tags={"a:b": "c", "x": "1"})["id"]
        ready = self.submit(type="other", tags={"x": "2"}, correlation_id="c 1")["id"]
        owned = self.submit(account="owner")["id"]
        for parameters, expected in (
                ({"state": "PENDING"}, [owned, ready, delayed]), ({"state": "pending"}, []),
                ({"canonical_state": "DELAYED"}, [delayed]),
                ({"canonical_state": "SCHEDULED"}, [owned, ready]),
                ({"type": "other"}, [ready]), ({"tag": "x:2"}, [ready]), ({"tag": "x:3"}, []),
                ({"correlation_id": "c 1"}, [ready]), ({"account": "owner"}, [owned]),
                ({"created_after": LONG_AGO}, [owned, ready, delayed]),
                ({"created_before": LONG_AGO}, []), ({"created_after": FAR}, []),
                ({"created_before": FAR, "type": "t", "account": "owner"}, [owned]),
                ({"created_before": "2100-01-01T01:00:00+01:00"}, [owned, ready, delayed])):
            self.assertEqual(self.ids(**parameters), expected, parameters)

    def test_children_of_a_job(self):
        parent = self.submit()
        self.work(self.claim_one(), "ack", spawn=[{"type": "child", "queue": self.queue}] * 2)
        self.submit()
        children = self.ids(parent=parent["id"])
        self.assertEqual([self.job({"id": one})["parent_id"] for one in children],
                         [parent["id"]] * 2)
        self.assertEqual(self.ids(parent=children[0]), [])
        self.refused(400, "bad_request", "GET", "/v1/jobs?parent=nobody", field="parent")
        counts = self.ok("POST", "/v1/jobs/bulk",
                         {"action": "cancel", "filter": {"parent": parent["id"]}})
        self.assertEqual(counts["matched"], 2)

    def test_the_beginning_of_an_id(self):
        ids = [self.submit()["id"] for _ in range(3)]
        for one in ids:
            for length in (8, 9, 20, 36):
                self.assertEqual(self.ids(id_prefix=one[:length]), [one])
            self.assertEqual(self.ids(id_prefix=one[:13].upper()), [one])
        for wrong in ("", "1234567", "12345678x", "g2345678", "0" * 37):
            self.refused(400, "bad_request", "GET", f"/v1/jobs?id_prefix={wrong}",
                         field="id_prefix")
        counts = self.ok("POST", "/v1/jobs/bulk",
                         {"action": "cancel", "filter": {"id_prefix": ids[0][:8]}})
        self.assertEqual(counts["matched"], 1)
        self.refused(400, "bad_request", "POST", "/v1/jobs/bulk",
                     {"action": "cancel", "filter": {"id_prefix": "1"}}, field="id_prefix")

    def test_times_are_exclusive(self):
        made = self.submit()
        self.assertEqual(self.ids(created_after=made["created_at"]), [])
        self.assertEqual(self.ids(created_before=made["created_at"]), [])

    def test_pages(self):
        made = [self.submit()["id"] for _ in range(7)]
        seen, cursor, pages = [], "", 0
        while cursor is not None:
            document = self.page(queue=self.queue, limit=3, cursor=cursor)
            self.assertLessEqual(len(document["jobs"]), 3)
            seen += [job["id"] for job in document["jobs"]]
            cursor = document["next_cursor"]
            pages += 1
            self.submit()  # what comes meanwhile is newer, and not in the way
        self.assertEqual((seen, pages), (made[::-1], 3))

    def test_a_page_stops_at_its_bytes(self):
        payload = "x" * 900000
        made = [self.submit(payload=payload)["id"] for _ in range(20)]
        seen, cursor, pages = [], "", 0
        while cursor is not None:
            answer = self.call("GET", "/v1/jobs?" + harness.query(
                queue=self.queue, include="payload", limit=1000, cursor=cursor))
            self.assertLess(len(answer.body), 32 << 20)
            document = answer.json
            seen += [job["id"] for job in document["jobs"]]
            cursor = document["next_cursor"]
            pages += 1
        self.assertEqual(seen, made[::-1])
        self.assertGreater(pages, 1)
        self.assertEqual(len(self.ids()), 20)  # without payloads one page has them all

    def test_limits(self):
        for _ in range(101):
            self.submit()
        self.assertEqual(len(self.ids()), 100)
        self.assertEqual(len(self.ids(limit=1000)), 101)
        for limit in ("0", "1001", "-1", "x", "", "1.5", "99999999999999999999", "+5", " 5"):
            path = "/v1/jobs?" + harness.query(limit=limit)
            self.refused(400, "bad_request", "GET", path, field="limit")

    def test_wrong_parameters(self):
        for name, value in (("cursor", "x"), ("cursor", "n0"), ("cursor", "n-1"),
                            ("cursor", "n99999999999999999999"), ("canonical_state", "Ready"),
                            ("canonical_state", ""), ("tag", "x"), ("created_after", "yesterday"),
                            ("created_before", ""), ("include", "everything"), ("nonsense", "1")):
            path = "/v1/jobs?" + harness.query(**{name: value})
            self.refused(400, "bad_request", "GET", path, field=name)
        self.refused(400, "bad_request", "GET", "/v1/jobs?queue=a&queue=b", field="queue")

    def test_dead_letters(self):
        made = self.submit(retry={"max_attempts": 1})
        self.work(self.claim_one(), "nack", category="TEMPORARY", message="m")
        self.submit()
        document = self.page("/v1/dead-letters", queue=self.queue)
        self.assertEqual(sorted(document), ["jobs", "next_cursor"])
        self.assertEqual([(job["id"], job["state"]) for job in document["jobs"]],
                         [(made["id"], "DEAD_LETTER")])
        self.refused(400, "bad_request", "GET", "/v1/dead-letters?state=FAILED", field="state")


@harness.both_stores
class Bulk(ListCase):
    def test_a_dry_run_is_the_default(self):
        made = [self.submit()["id"] for _ in range(3)]
        answer = self.bulk("cancel")
        self.assertEqual((answer["dry_run"], answer["matched"], answer["changed"]), (True, 3, 0))
        self.assertEqual(sorted(answer["sample"]), sorted(made))
        self.assertIsNone(answer["next_cursor"])
        self.assertEqual(len(self.ids(state="SCHEDULED")), 3)

    def test_cancel_retry_delete(self):
        for _ in range(3):
            self.submit()
        done = self.done_job()
        answer = self.bulk("cancel", dry_run=False)
        self.assertEqual((answer["dry_run"], answer["matched"], answer["changed"],
                          answer["skipped"], answer["refused"]), (False, 3, 3, 1, 0))
        self.assertEqual(len(self.ids(state="CANCELLED")), 3)
        answer = self.bulk("retry", dry_run=False, filter={"queue": self.queue,
                                                           "canonical_state": "CANCELLED"})
        self.assertEqual((answer["matched"], answer["changed"]), (3, 3))
        self.assertEqual(len(self.ids(state="SCHEDULED")), 3)
        answer = self.bulk("delete", dry_run=False)
        self.assertEqual((answer["matched"], answer["changed"], answer["skipped"]), (4, 4, 3))
        self.refused(404, "not_found", "GET", f"/v1/jobs/{done['id']}")

    def test_more_than_ten_thousand_take_several_calls(self):
        jobs = [{"type": "t", "queue": self.queue}] * 1000
        for _ in range(11):
            self.ok("POST", "/v1/jobs/batch", {"jobs": jobs}, 201)
        first = self.bulk("cancel", dry_run=False)
        self.assertEqual(first["changed"], 10000)
        rest = self.bulk("cancel", dry_run=False, cursor=first["next_cursor"])
        self.assertEqual((rest["changed"], rest["next_cursor"]), (1000, None))

    def test_every_filter(self):
        self.submit(type="x", tags={"k": "v"}, correlation_id="c", account="bulk")
        self.submit()
        every = {"queue": self.queue, "state": "SCHEDULED", "canonical_state": "SCHEDULED",
                 "type": "x", "tag": "k:v", "correlation_id": "c", "account": "bulk",
                 "created_after": LONG_AGO, "created_before": FAR}
        self.assertEqual(self.bulk("cancel", filter=every)["matched"], 1)

    def test_wrong_bodies(self):
        for body, field in (({"action": "cancel", "filter": {}}, "filter"),
                            ({"action": "cancel"}, "filter"), ({"filter": {"type": "t"}}, "action"),
                            ({"action": "burn", "filter": {"type": "t"}}, "action"),
                            ({"action": "cancel", "filter": {"x": 1}}, "filter.x"),
                            ({"action": "cancel", "filter": {"tag": "x"}}, "filter.tag"),
                            ({"action": "cancel", "filter": {"type": None}}, "filter"),
                            ({"action": "cancel", "filter": {"type": "t"}, "cursor": "x"},
                             "cursor")):
            self.refused(400, "bad_request", "POST", "/v1/jobs/bulk", body, field)


if __name__ == "__main__":
    harness.main()
