#!/usr/bin/python3
"""Every code that an answer can carry, with the test that brings a server to give it.

The list is written here by hand and compared with the codes of the sources and of openapi.yaml: a
new code wants a row, and a row wants a test. The tests are run once more, and each must have met
its code.

Usage: codes_test.py <program>
"""

import json
import re
import unittest

import harness

# (status, code, the test)
ROWS = [
    (400, "bad_request", "errors_test.RefusalsInMemory.test_bad_request"),
    (402, "insufficient_credits", "accounts_test.AccountsInMemory.test_too_few_credits"),
    (403, "forbidden", "origin_test.OriginInMemory.test_pages_of_another_origin"),
    (404, "not_found", "errors_test.RefusalsInMemory.test_not_found"),
    (409, "stale_lease", "work_test.CallsInMemory.test_wrong_tokens_and_ids"),
    (409, "already_committed",
     "errors_test.RefusalsInMemory.test_already_committed_by_another_execution"),
    (409, "invalid_transition", "work_test.CallsInMemory.test_calls_in_the_wrong_order"),
    (409, "not_in_profile", "errors_test.RefusalsInMemory.test_not_in_profile"),
    (409, "conflict", "queues_test.QueuesInMemory.test_the_profile_is_fixed_once_there_are_jobs"),
    (413, "payload_too_large", "errors_test.RefusalsInMemory.test_payload_too_large"),
    (415, "unsupported_media_type", "errors_test.RefusalsInMemory.test_unsupported_media_type"),
    (422, "invalid_job", "errors_test.RefusalsInMemory.test_invalid_job"),
    (422, "unknown_dependency", "errors_test.RefusalsInMemory.test_dependencies"),
    (422, "dependency_cycle", "batches_test.BatchesInMemory.test_cycles"),
    (422, "dependency_too_deep", "batches_test.BatchesInMemory.test_too_deep"),
    (422, "dependency_too_wide", "batches_test.BatchesInMemory.test_too_wide"),
    (429, "quota_exceeded", "accounts_test.AccountsInMemory.test_quota_of_a_guest"),
    (429, "queue_full", "errors_test.RefusalsInMemory.test_queue_full"),
    (500, "damaged", "damaged_test.Damaged.test_one_job_and_none_of_the_others"),
    (503, "store_unavailable",
     "failing_store_test.Answers.test_every_call_is_told_and_the_process_ends"),
    (503, "shutting_down", "errors_test.Stopping.test_shutting_down"),
    # Of HTTP itself.
    (405, "method_not_allowed", "system_test.Http.test_methods_that_a_path_does_not_have"),
    (414, "uri_too_long", "system_test.Http.test_limits_and_what_is_not_understood"),
    (417, "expectation_failed", "system_test.Http.test_limits_and_what_is_not_understood"),
    (431, "headers_too_large", "system_test.Http.test_limits_and_what_is_not_understood"),
    (501, "not_implemented", "system_test.Http.test_limits_and_what_is_not_understood"),
    (505, "http_version_not_supported",
     "system_test.Http.test_limits_and_what_is_not_understood"),
]

# Those that need the inside of a server: a store that is held, a limit that is lower, a handler
# that gives up. They have a test in C++, over HTTP as well.
IN_CPP = [
    (503, "submission_timeout", "src/server/submission_timeout_test.cc",
     "TEST_F(SubmissionTimeout, IsTheAnswerWhenTheStoreTakesTooLong)"),
    (408, "request_timeout", "src/http/slow_client_test.cc",
     "TEST(SlowClient, IsToldWhenItsHeadTakesTooLong)"),
    (500, "internal_error", "src/http/server_test.cc",
     "TEST(Server, AnswersARequestThatWasGivenUp)"),
    (503, "too_many_connections", "src/http/limits_test.cc",
     "TEST(Limits, ConnectionsBeyondTheLimitAreTurnedAway)"),
]

# Reserved for what is still to come: tokens, guards. A claim over its rate waits instead. Once a
# source gives one of these, it wants a row above.
NOT_GIVEN = [
    (401, "unauthenticated", "kUnauthenticated"),
    (422, "guard_rejected", "kGuardRejected"),
    (429, "rate_limited", "kRateLimited"),
]
GIVERS = ("lifecycle", "store", "engine", "json", "wire", "api", "server", "assets", "guards")


def source(path):
    return (harness.ROOT / path).read_text(encoding="utf-8")


def camel(code):
    return "k" + "".join(word.capitalize() for word in code.split("_"))


class Codes(unittest.TestCase):
    maxDiff = None

    @staticmethod
    def listed():
        """(code, status) of all rows here."""
        rows = ROWS + IN_CPP + NOT_GIVEN
        return sorted((code, status) for status, code, *_ in rows)

    def test_the_list_is_that_of_the_sources(self):
        names = source("include/baton/words.h")
        names = re.search(r"kNames<Code> = \{(.*?)\}", names, re.DOTALL)[1]
        names = re.findall(r'"(\w+)"', names)
        statuses = dict(re.findall(r"\{Code::(\w+), (\d+)\}", source("src/api/answer.cc")))
        given = {(name, int(statuses[camel(name)])) for name in names}
        self.assertEqual(len(names), len(statuses))
        faults = re.findall(r'\{Fault::\w+, (\d+), "(\w+)"\}', source("src/http/problem.cc"))
        self.assertGreater(len(faults), 5)
        given |= {(code, int(status)) for status, code in faults}
        given.add(("method_not_allowed", 405))
        self.assertEqual(self.listed(), sorted(given))

    def test_the_list_is_that_of_the_description(self):
        document = json.loads(source("spec/openapi.json"))
        described = document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]
        self.assertEqual([code for code, _ in self.listed()], sorted(described))

    def test_each_is_met_by_its_test(self):
        for status, code, name in ROWS:
            with self.subTest(code):
                harness.met.clear()
                result = unittest.TestResult()
                unittest.defaultTestLoader.loadTestsFromName(name).run(result)
                faults = result.errors + result.failures
                self.assertEqual((result.testsRun, faults), (1, []), name)
                self.assertIn((status, code), harness.met, f"{name} did not meet it")

    def test_each_of_the_others_has_its_test(self):
        for _, code, path, test in IN_CPP:
            self.assertIn(test, source(path), code)

    def test_what_is_not_given_is_nowhere_in_the_sources(self):
        for _, code, name in NOT_GIVEN:
            for folder in GIVERS:
                for path in sorted((harness.ROOT / "src" / folder).rglob("*.cc")):
                    if path.name == "answer.cc" or path.name.endswith("_test.cc"):
                        continue
                    self.assertNotIn(f"Code::{name}", path.read_text(encoding="utf-8"),
                                     f"{path} gives {code}: it wants a row and a test")


if __name__ == "__main__":
    harness.main()
