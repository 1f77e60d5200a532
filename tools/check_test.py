#!/usr/bin/python3
"""Each checker accepts a good tree and refuses a bad one."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent


def function_of(lines, head="int length()"):
    """A function whose braces are `lines` lines apart, counting both."""
    return head + " {\n" + "  step();\n" * (lines - 2) + "}\n"


class CheckerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text=""):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run_checker(self, checker, *arguments):
        # The tree stands in no repository, so that every file in it counts.
        return subprocess.run([sys.executable, TOOLS / f"check_{checker}.py", *arguments],
                              capture_output=True, text=True, check=False,
                              env={**os.environ, "GIT_CEILING_DIRECTORIES": str(self.root.parent)})

    def assert_accepts(self, checker):
        answer = self.run_checker(checker, self.root)
        self.assertEqual((answer.returncode, answer.stdout, answer.stderr), (0, "", ""))

    def assert_refuses(self, checker, *fragments):
        answer = self.run_checker(checker, self.root)
        self.assertEqual((answer.returncode, answer.stderr), (1, ""), answer.stdout)
        for fragment in fragments:
            self.assertIn(fragment, answer.stdout)
        return answer.stdout


class Includes(CheckerTest):
    def setUp(self):
        super().setUp()
        for header in ("src/base/result.h", "src/lifecycle/decide.h", "src/store/store.h",
                       "src/store/local/machine/machine.h", "src/store/postgres/sql.h",
                       "src/store/conformance/suite.h", "src/engine/timers.h",
                       "src/http/parser.h", "include/baton/job.h"):
            self.write(header)

    def include(self, name, path):
        self.write(name, f"#include {path}\n")

    def test_downward_includes_are_accepted(self):
        self.include("src/lifecycle/decide.cc", '"base/result.h"')
        self.include("src/store/local/machine/machine.cc", '"store/store.h"')
        self.include("src/api/routes.cc", '"http/parser.h"')
        self.include("src/client/client.cc", '"baton/job.h"')
        self.include("src/server/wiring.cc", '"store/postgres/sql.h"')
        self.include("src/store/local/machine/machine_test.cc", '"store/conformance/suite.h"')
        self.include("sim/world.cc", '"store/local/machine/machine.h"')
        self.include("src/lifecycle/map.cc", "<boost/unordered/unordered_flat_map.hpp>")
        self.include("src/http/socket.cc", "<boost/asio.hpp>")
        self.include("src/client/socket.cc", "<boost/asio.hpp>")
        self.include("src/cli/bench.cc", '"bench/server/rounds.h"')
        self.assert_accepts("includes")

    def test_upward_include_is_refused(self):
        self.include("src/base/result.cc", '"lifecycle/decide.h"')
        self.include("src/lifecycle/decide.cc", '"store/store.h"')
        self.assert_refuses("includes",
                            "src/base/result.cc:1: lifecycle/decide.h: src/base may not see",
                            "src/lifecycle/decide.cc:1: store/store.h: src/lifecycle may not see")

    def test_a_guard_may_not_see_the_store(self):
        self.include("src/guards/guard.cc", '"store/store.h"')
        self.assert_refuses("includes", "src/guards may not see src/store")

    def test_client_and_worker_see_only_public_headers_and_base(self):
        self.include("src/client/client.cc", '"lifecycle/decide.h"')
        self.include("src/worker/worker.cc", '"engine/timers.h"')
        self.assert_refuses("includes", "src/client may not see", "src/worker may not see")

    def test_http_knows_no_jobs(self):
        self.include("src/http/parser.cc", '"lifecycle/decide.h"')
        self.assert_refuses("includes", "src/http may not see src/lifecycle")

    def test_stores_do_not_know_each_other(self):
        self.include("src/store/store.cc", '"store/local/machine/machine.h"')
        self.include("src/store/local/machine/machine.cc", '"store/postgres/sql.h"')
        self.include("src/store/local/log.cc", '"store/conformance/suite.h"')
        self.assert_refuses("includes", "the contract in src/store may not see store/local",
                            "local may not see store/postgres",
                            "local may not see store/conformance")

    def test_public_header_may_not_see_src(self):
        self.include("include/baton/engine.h", '"base/result.h"')
        self.assert_refuses("includes", "only include public headers")

    def test_relative_path_is_refused(self):
        self.include("src/lifecycle/decide.cc", '"decide.h"')
        self.assert_refuses("includes", "is not a path from src/ or include/")

    def test_unknown_folder_is_refused(self):
        self.include("src/novelty/thing.cc", '"base/result.h"')
        self.assert_refuses("includes", "src/novelty is not in the table")

    def test_heavy_boost_stays_in_the_sources_of_http_and_client(self):
        self.include("src/http/socket.h", "<boost/asio.hpp>")
        self.include("src/client/socket.h", "<boost/asio.hpp>")
        self.include("src/engine/timers.cc", "<boost/beast/http.hpp>")
        self.assert_refuses("includes", "src/http/socket.h:1", "src/client/socket.h:1",
                            "src/engine/timers.cc:1")

    def test_only_the_command_sees_the_benchmark(self):
        self.include("src/server/wiring.cc", '"bench/server/rounds.h"')
        self.assert_refuses("includes", "is not a path from src/ or include/")


class Names(CheckerTest):
    def test_a_type_may_have_its_name_alone(self):
        self.write("src/base/a.h", "namespace baton::base {\nstruct One {};\n}  // namespace baton::base\n")
        self.write("src/http/a.cc", "namespace baton::http {\nnamespace {\nstruct One {};\n"
                   "}  // namespace\n}  // namespace baton::http\n")
        self.assert_accepts("names")

    def test_a_second_type_of_the_same_name_is_refused(self):
        self.write("src/base/a.h", "namespace baton::base {\nstruct One {};\n}  // namespace baton::base\n")
        self.write("src/http/a.h", "namespace baton::http {\nusing One = int;\n}  // namespace baton::http\n")
        self.assert_refuses("names", "One: one name for several types")

    def test_a_name_that_went_does_not_come_back(self):
        self.write("src/base/a.h", "struct QueueView;\n")
        self.assert_refuses("names", "the type is called Queue")


class Sizes(CheckerTest):
    def test_limits_are_inclusive(self):
        self.write("src/base/a.cc", function_of(70))
        self.write("src/base/b.cc", "//\n" * 600)
        self.assert_accepts("sizes")

    def test_long_file_is_refused(self):
        self.write("src/base/a.h", "//\n" * 601)
        self.assert_refuses("sizes", "src/base/a.h: 601 lines")

    def test_long_functions_of_every_form_are_refused(self):
        heads = ["int f()", "auto f(int a = {}) -> std::vector<int>", "bool T::operator==(const T&) const",
                 "template <typename T, int n = 3>\nvoid f(T x) noexcept",
                 "T::T(int a)\n    : a_(a), b_{a}, c_{{1, 2}}", "[[nodiscard]] Result<int> T::f() const&",
                 "static std::pair<int, int> f(std::function<void()> g)",
                 "bool operator<=(A a, B b)", "struct Row f()", "enum Kind f(enum Kind k)"]
        for head in heads:
            with self.subTest(head):
                self.write("src/base/a.cc", "namespace x {\n" + function_of(71, head) + "}\n")
                self.assert_refuses("sizes", "71 lines in one function")

    def test_long_method_in_a_class_is_refused(self):
        for head in ("void f() override", "explicit T(int a) : a_{a}", "~T()"):
            with self.subTest(head):
                self.write("src/base/a.h", "class T final : public B {\n public:\n  int z = 1;\n"
                           "  int y{2};\n\n public:\n" + function_of(71, head) + "};\n")
                self.assert_refuses("sizes", "71 lines in one function")

    def test_braces_in_comments_strings_and_macros_do_not_count(self):
        self.write("src/base/a.cc", "#define OPEN {\n#define TWO \\\n  {\n"
                   "// {\n/* { */ const char* s = \"{\"; char c = '{'; auto r = R\"({)\";\n"
                   "const int n = 1'000;\n" + function_of(60) + function_of(60))
        self.assert_accepts("sizes")
        self.write("src/base/a.cc", "// }\nconst char* s = \"}\";\n" + function_of(71))
        self.assert_refuses("sizes", "71 lines")

    def test_tests_and_tables_may_be_long(self):
        self.write("src/base/a_test.cc", function_of(200, "TEST(Suite, Does)")
                   + function_of(200, "RC_GTEST_PROP(Suite, Holds, (int x))"))
        self.write("src/base/a.cc", "constexpr Row kRows[] = {\n" + "  {1, 2},\n" * 150 + "};\n"
                   "const std::vector<Row> more{\n" + "  {1, 2},\n" * 150 + "};\n"
                   "enum class Kind {\n" + "  kA,\n" * 100 + "};\n"
                   "struct Wide {\n" + "  int a;\n" * 100 + "};\n")
        self.assert_accepts("sizes")

    def test_lambda_counts_towards_its_function(self):
        self.write("src/base/a.cc", "int f() {\n  auto g = [] {\n" + "  step();\n" * 70 + "  };\n}\n")
        self.assert_refuses("sizes", "74 lines")


class Words(CheckerTest):
    def test_plain_text_is_accepted(self):
        self.write("docs/a.md", "Workers ask /v1/work and /workers; std::shared_ptr; shared, either\n"
                   "mktemp /tmp/x.XXXXXX; TEST(A, B) { GTEST_SKIP() << \"needs a disk\"; }\n")
        self.write("src/base/commonly_used.cc")
        self.assert_accepts("words")

    def test_bad_words_are_refused(self):
        for text in ("// TODO: later", "FIXME", "XXX", "a HACK", "see ../shared/notes.md", "see shared/notes.md",
                     "cd /work/main", "cd /work"):
            with self.subTest(text):
                self.write("docs/a.md", f"first line\n{text}\n")
                self.assert_refuses("words", "docs/a.md:2: ")

    def test_tests_that_are_switched_off_are_refused(self):
        for text in ("TEST(A, DISABLED_B) {}", "GTEST_SKIP();", "GTEST_SKIP() ;"):
            with self.subTest(text):
                self.write("src/base/a_test.cc", f"\n{text}\n")
                self.assert_refuses("words", "src/base/a_test.cc:2: ")

    def test_empty_names_are_refused(self):
        for name in ("src/base/utils.h", "src/common/a.cc", "src/base/string_util.cc",
                     "src/engine/lease_manager.cc", "tests/helpers/a.h", "docs/misc.md"):
            with self.subTest(name):
                path = self.write(name)
                self.assert_refuses("words", f"{name}: ")
                path.unlink()


class Purity(CheckerTest):
    def test_pure_code_is_accepted(self):
        self.write("src/lifecycle/decide.cc", "#include <chrono>\n// not rand() nor std::mutex\n"
                   "Time due(Time now) { return now + operand(now) + strand(1); }\n"
                   "const Call kCall = {\"commit\"};\n")
        self.write("src/lifecycle/decide_test.cc", "#include <thread>\n#include <iostream>\n")
        self.write("src/lifecycle/profiles/lease.cc", 'bool is(auto n) { return n == "lease"; }\n')
        self.write("src/base/clock.cc", "auto t() { return std::chrono::steady_clock::now(); }\n")
        self.assert_accepts("purity")

    def test_impure_core_is_refused(self):
        for text in ("#include <mutex>", "#include <thread>", "#include <iostream>",
                     "#include <random>", "auto t = std::chrono::system_clock::now();",
                     "auto t = Clock::steady_clock::now();", "int r = rand();", "srand(1);",
                     "auto t = time(nullptr);", "std::random_device d;", 'fopen("a", "r");',
                     "std::cout << 1;", 'printf("x");', "thread_local int n;", 'getenv("A");'):
            with self.subTest(text):
                self.write("src/lifecycle/decide.cc", text + "\n")
                self.assert_refuses("purity", "src/lifecycle/decide.cc:1: ")

    def test_clock_above_base_is_refused(self):
        self.write("src/engine/timers.cc", "auto t = std::chrono::steady_clock::now();\n")
        self.assert_refuses("purity", "take the time from base::Clock")

    def test_branch_on_a_profile_is_refused(self):
        for text in ('if (name == "generation") {}', 'if ("standard" != name) {}',
                     'if (name == std::string_view{"lease"}) {}', "if (p == ProfileId::kLease) {}",
                     "case lifecycle::Profile::kCommit:"):
            with self.subTest(text):
                self.write("src/store/store.cc", text + "\n")
                self.assert_refuses("purity", "ask the profile's table instead")


class Guarantees(CheckerTest):
    HEAD = "# Guarantees\n\nSome words.\n\n| promise | test |\n|---|---|\n"

    def setUp(self):
        super().setUp()
        self.write("build/release/test-programs.txt", "unit base_test\n")
        self.results = self.write("build/release/test-results.xml", """<testsuite>
            <testcase name="Decide.RefusesLateCommit" status="run"/>
            <testcase name="All/Store.KeepsJobs/0" status="run"/>
            <testcase name="All/Store.KeepsJobs/1" status="run"/>
            <testcase name="Typed/0.Works" status="run"/>
            <testcase name="crash.kill" status="run"/>
            <testcase name="Decide.Skipped" status="notrun"><skipped message="x"/></testcase>
            <testcase name="Decide.Broken" status="fail"><failure message=""/></testcase>
            </testsuite>""")

    def promise(self, row):
        self.write("docs/guarantees.md", self.HEAD + row + "\n")

    def test_named_tests_that_passed_are_accepted(self):
        for tests in ("`Decide.RefusesLateCommit`", "`Store.KeepsJobs`", "`All/Store.KeepsJobs/*`",
                      "`Typed.Works`, `crash.kill`", "`Decide.Refuses*`", "`*.RefusesLate*`"):
            with self.subTest(tests):
                self.promise(f"| a late `commit` \\| is refused | {tests} |")
                self.assert_accepts("guarantees")

    def test_missing_test_is_refused(self):
        for test in ("Decide.Refuses", "Other.RefusesLateCommit", "Nothing.*"):
            with self.subTest(test):
                self.promise(f"| a promise | `Decide.RefusesLateCommit`, `{test}` |")
                self.assert_refuses("guarantees", f"docs/guarantees.md:7: no test called {test}")

    def test_test_that_did_not_pass_is_refused(self):
        for test in ("Decide.Broken", "Decide.Skipped", "Decide.*"):
            with self.subTest(test):
                self.promise(f"| a promise | `{test}` |")
                self.assert_refuses("guarantees", "did not pass")

    def test_promise_without_test_is_refused(self):
        self.promise("| a `promise` | later |")
        self.assert_refuses("guarantees", "names no test")
        self.promise("| a promise | `crash.kill` |\n\n- another promise")
        self.assert_refuses("guarantees", "docs/guarantees.md:9: a promise is a row of a table")
        self.write("docs/guarantees.md", "Nothing is promised.\n")
        self.assert_refuses("guarantees", "no table with promises")

    def test_missing_or_old_results_are_refused(self):
        self.promise("| a promise | `crash.kill` |")
        program = self.write("build/release/base_test")
        os.utime(program, (self.results.stat().st_mtime + 5,) * 2)
        self.assert_refuses("guarantees", "older than base_test", "run ./dev test first")
        self.results.unlink()
        self.assert_refuses("guarantees", "is missing: run ./dev test first")


class Generated(CheckerTest):
    def program(self, body):
        path = self.write("baton", "#!/bin/sh\n" + body)
        path.chmod(0o755)
        return path

    def check(self, program, *options):
        return self.run_checker("generated", *options, program, self.root)

    def test_equal_files_are_accepted_and_others_refused(self):
        program = self.program('echo "$2"\n')
        self.assertEqual(self.check(program).returncode, 1)
        self.assertEqual(self.check(program, "--write").returncode, 0)
        self.assertEqual(self.check(program).returncode, 0)
        self.write("spec/lifecycle.json", "other\n")
        answer = self.check(program)
        self.assertEqual(answer.returncode, 1)
        self.assertIn("spec/lifecycle.json differs", answer.stdout)

    def test_openapi_json_is_made_from_openapi_yaml(self):
        program = self.program("exit 2\n")
        self.write("spec/openapi.yaml", "openapi: 3.1.0\npaths: {/: &a {get: {}}, /a: *a}\n")
        self.assertIn("spec/openapi.json is missing", self.check(program).stdout)
        self.assertEqual(self.check(program, "--write").returncode, 0)
        written = (self.root / "spec/openapi.json").read_text(encoding="utf-8")
        self.assertEqual(written,
                         '{"openapi":"3.1.0","paths":{"/":{"get":{}},"/a":{"get":{}}}}\n')
        self.assertEqual(self.check(program).returncode, 0)
        self.write("spec/openapi.yaml", "openapi: 3.1.1\n")
        self.assertIn("spec/openapi.json differs", self.check(program).stdout)

    def test_program_that_cannot_export_agrees_only_with_a_missing_file(self):
        program = self.program("exit 2\n")
        self.assertEqual(self.check(program).returncode, 0)
        self.write("docs/diagrams.md", "old\n")
        self.assertEqual(self.check(program).returncode, 1)


if __name__ == "__main__":
    unittest.main()
