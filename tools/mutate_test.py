#!/usr/bin/python3
"""Tests of tools/mutate.py on a small project of its own, in a temporary folder."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TOOLS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(TOOLS))

from mutate import gtest, places

CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(sample LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(GTest REQUIRED)
include_directories(src)
foreach(kind strong weak)
  add_executable(${kind}_test src/gate.cc src/${kind}_test.cc)
  target_link_libraries(${kind}_test GTest::gtest_main)
endforeach()
"""

HEADER = """
#pragma once
#include <string_view>
enum class Light { kRed, kAmber, kGreen };
struct Time {
  long ms;
  friend auto operator<=>(Time, Time) = default;
  friend Time operator+(Time a, Time b) { return {a.ms + b.ms}; }
};
bool may_pass(Light light, int speed, bool siren);
Light after(Light light);
std::string_view word(Light light);
Time deadline(Time now);
struct OnlyLess {
  int value;
  friend bool operator<(OnlyLess a, OnlyLess b) { return a.value < b.value; }
};
bool odd(OnlyLess a, OnlyLess b);
struct Found {
  int place;
  explicit operator bool() const { return place >= 0; }
};
Found look_up(int place);
bool is_third(int place);
int steps(int count);
"""

SOURCE = """
#include "gate.h"
#include <array>
#define CHECK(condition) ((condition) ? void() : __builtin_abort())
namespace {
constexpr int kLights = 3;
struct Row {
  Light light;
  std::string_view word;
  Light after;
};
constexpr Row kRows[kLights] = {
    {.light = Light::kRed, .word = "red", .after = Light::kGreen},
    {.light = Light::kAmber, .word = "amber", .after = Light::kRed},
    {.light = Light::kGreen, .word = "green", .after = Light::kAmber},
};
static_assert(kRows[0].light == Light::kRed);
const Row* find(Light light) {
  for (const Row& row : kRows) {
    if (row.light == light) return &row;
  }
  return nullptr;
}
}  // namespace
bool may_pass(Light light, int speed, bool siren) {
  if (siren) return true;
  CHECK(speed > -1);
  return light == Light::kGreen && speed <= 50;
}
Light after(Light light) {
  if (const Row* row = find(light)) return row->after;
  return Light::kRed;
}
std::string_view word(Light light) { return find(light)->word; }
Time deadline(Time now) { return now + Time{1000}; }
bool odd(OnlyLess a, OnlyLess b) { return a < b; }
Found look_up(int place) { return {place}; }
bool is_third(int place) {
  if (look_up(place - 3) && !look_up(place - 4)) return true;
  return false;
}
int steps(int count) {
  int sum = 0;
  switch (count) {
    case 7:
      sum += 100;
      break;
    default:
      for (int i = 0; i < count; ++i) sum += i;
  }
  return sum;
}
"""

WEAK_TEST = """
#include <gtest/gtest.h>
#include "gate.h"
TEST(Gate, LetsGreenPass) {
  EXPECT_TRUE(may_pass(Light::kGreen, 40, false));
  EXPECT_FALSE(may_pass(Light::kRed, 40, false));
  EXPECT_FALSE(may_pass(Light::kGreen, 60, false));
  EXPECT_TRUE(may_pass(Light::kRed, 40, true));
}
"""

STRONG_TEST = (
    WEAK_TEST
    + """
TEST(Gate, KnowsTheLimit) {
  EXPECT_TRUE(may_pass(Light::kGreen, 50, false));
  EXPECT_TRUE(may_pass(Light::kGreen, 0, false));
  EXPECT_FALSE(may_pass(Light::kGreen, 51, false));
}
TEST(Gate, RefusesANegativeSpeed) { EXPECT_DEATH(may_pass(Light::kGreen, -1, false), ""); }
TEST(Table, EachRow) {
  EXPECT_EQ(after(Light::kRed), Light::kGreen);
  EXPECT_EQ(after(Light::kAmber), Light::kRed);
  EXPECT_EQ(after(Light::kGreen), Light::kAmber);
  EXPECT_EQ(after(Light(9)), Light::kRed);
  EXPECT_EQ(word(Light::kRed), "red");
  EXPECT_EQ(word(Light::kAmber), "amber");
  EXPECT_EQ(word(Light::kGreen), "green");
}
TEST(Deadline, IsASecondLater) { EXPECT_EQ(deadline({5}).ms, 1005); }
TEST(Odd, IsLess) {
  EXPECT_TRUE(odd({1}, {2}));
  EXPECT_FALSE(odd({2}, {1}));
}
TEST(Third, IsOnlyThree) {
  EXPECT_FALSE(is_third(2));
  EXPECT_TRUE(is_third(3));
  EXPECT_FALSE(is_third(4));
  EXPECT_FALSE(is_third(5));
}
TEST(Steps, Add) {
  EXPECT_EQ(steps(4), 6);
  EXPECT_EQ(steps(7), 100);
}
"""
)

LOOP = "for (int i = 0; i < count; ++i) sum += i;"
EQUIVALENT = f"src/gate.cc | steps | {LOOP} | {LOOP.replace('0', '1')} | the first step adds 0\n"
PASSES = "return light == Light::kGreen && speed <= 50;"


ODD = "bool odd(OnlyLess a, OnlyLess b) { return a < b; }"


class Sample(unittest.TestCase):
    """One project for all tests here: what one of them built, the next one need not."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        (cls.root / "src").mkdir()
        (cls.root / "tools").mkdir()
        cls.table = cls.root / "tools" / "mutate_equivalent.txt"
        texts = {
            "CMakeLists.txt": CMAKE,
            "src/gate.h": HEADER,
            "src/gate.cc": SOURCE,
            "src/weak_test.cc": WEAK_TEST,
            "src/strong_test.cc": STRONG_TEST,
        }
        for name, text in texts.items():
            (cls.root / name).write_text(text)
        for kind in ("weak", "strong"):
            suite = {"name": kind, "sources": ["src/*.cc"], "tests": [[f"{kind}_test", "*"]]}
            (cls.root / f"{kind}.json").write_text(json.dumps([suite]))

        cls.write_table()
        cls.strong = cls.mutate("strong")  # (exit code, output, JSON)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def write_table(cls, more=""):
        cls.table.write_text(f"# file | function | original | mutated | why\n{EQUIVALENT}{more}")

    def setUp(self):
        self.write_table()

    @classmethod
    def mutate(cls, kind, *arguments):
        """(exit code, output, the JSON result or None)"""
        result = cls.root / "result.json"
        result.unlink(missing_ok=True)
        command = [sys.executable, str(TOOLS / "mutate.py"), "--root", str(cls.root), "--suites",
                   str(cls.root / f"{kind}.json"), "--json", str(result), "--timeout", "3",
                   *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        data = json.loads(result.read_text()) if result.exists() else None
        return done.returncode, done.stdout + done.stderr, data

    def number(self, text):
        rows = self.strong[2]["mutants"]
        return str(next(row["number"] for row in rows if text in row["mutated"]))

    def test_strong_tests_kill_every_mutant(self):
        code, output, data = self.strong
        self.assertEqual(code, 0, output)
        self.assertIn("every mutant was killed", output)
        kinds = {row["kind"] for row in data["mutants"] if row["status"] == "killed"}
        expected = {"compare", "logic", "negate", "arithmetic", "number", "bool", "enum", "word",
                    "drop"}
        self.assertEqual(kinds, expected)
        self.assertEqual(data["counts"]["equivalent"], 1)

    def test_every_row_of_the_table_is_altered(self):
        _, _, data = self.strong
        rows = [row for row in data["mutants"] if row["function"] == "kRows"]
        lines = {row["line"] for row in rows if row["status"] == "killed"}
        first = SOURCE.splitlines().index("constexpr Row kRows[kLights] = {") + 1
        self.assertEqual(lines, {first + 1, first + 2, first + 3})
        self.assertEqual(sum(row["kind"] == "enum" for row in rows), 6)

    def test_what_must_stay_constant_is_not_altered(self):
        _, output, data = self.strong
        self.assertNotIn("kLights", {row["function"] for row in data["mutants"]})
        self.assertIn("not altered, needed by the compiler: 1", output)

    def test_operands_of_an_unwritten_conversion_are_altered(self):
        numbers = {row["mutated"] for row in self.strong[2]["mutants"] if row["kind"] == "number"}
        third = "if (look_up(place - 3) && !look_up(place - 4)) return true;"
        self.assertLessEqual({third.replace("3", "4"), third.replace("- 4", "- 5")}, numbers)

    def test_a_mutant_that_does_not_compile_is_dropped_alone(self):
        _, _, data = self.strong
        dropped = [row for row in data["mutants"] if row["status"] == "not compiled"]
        self.assertEqual([row["mutated"] for row in dropped], [ODD.replace("<", "<=")])

    def test_weak_tests_let_a_mutant_survive_and_it_is_named(self):
        code, output, data = self.mutate("weak", "--file", "gate.cc")
        self.assertEqual(code, 1, output)
        survivors = {(r["original"], r["mutated"]) for r in data["mutants"]
                     if r["status"] == "survived"}
        self.assertIn((PASSES, PASSES.replace("<=", "<")), survivors)
        self.assertNotIn((PASSES, PASSES.replace("<=", ">")), survivors)
        line = SOURCE.splitlines().index("  " + PASSES) + 1
        self.assertIn(f"src/gate.cc:{line} may_pass [compare]", output)
        self.assertIn("+ " + PASSES.replace("<=", "<"), output)
        self.assertIn("no test gets there", output)

        number = next(r["number"] for r in data["mutants"] if "speed < 50" in r["mutated"])
        self.assertIn(f"{number} src/gate.cc", output)
        code, output, data = self.mutate("weak", "--only", str(number))
        self.assertEqual(code, 1, output)
        self.assertEqual([r["number"] for r in data["mutants"]], [number])

    def test_list_names_mutants_and_builds_nothing(self):
        code, output, _ = self.mutate("weak", "--list", "--file", "gate.cc")
        self.assertEqual(code, 0, output)
        self.assertIn(f"- {PASSES}\n", output)
        self.assertIn("+ return light != Light::kGreen && speed <= 50;\n", output)
        self.assertIn("+ return light == Light::kGreen || speed <= 50;\n", output)
        self.assertIn("+ Time deadline(Time now) { return now; }\n", output)
        self.assertIn("+ if (const Row* row = find(light); !row) return row->after;\n", output)
        self.assertNotIn("case 8", output)

    def test_a_stale_line_in_the_table_of_equivalents_is_an_error(self):
        stale = "src/gate.cc | steps | int sum = 0; | int sum = 5; | never was"
        self.write_table(stale)
        code, output, _ = self.mutate("weak", "--list")
        self.assertEqual(code, 2)
        self.assertIn(stale, output)
        self.assertNotIn(EQUIVALENT.strip(), output)

    def test_a_line_whose_mutant_is_killed_is_an_error(self):
        wrong = "src/gate.cc | steps | int sum = 0; | int sum = 1; | nobody looks"
        self.write_table(wrong)
        code, output, _ = self.mutate("strong", "--only", self.number("sum = 1"))
        self.assertEqual(code, 2)
        self.assertIn(f"whose mutants a test tells apart:\n{wrong}", output)

    def test_a_line_without_a_reason_is_an_error(self):
        self.table.write_text("src/gate.cc | steps | int sum = 0; | int sum = 1; | \n")
        code, _, _ = self.mutate("weak", "--list")
        self.assertEqual(code, 2)

    def test_tests_that_fail_without_a_mutant_are_an_error(self):
        broken = self.root / "src" / "weak_test.cc"
        broken.write_text(WEAK_TEST + "TEST(Gate, IsBroken) { EXPECT_TRUE(false); }\n")
        try:
            code, output, _ = self.mutate("weak")
        finally:
            broken.write_text(WEAK_TEST)
        self.assertEqual(code, 2)
        self.assertIn("Gate.IsBroken fails without any mutant", output)


class Rules(unittest.TestCase):
    def test_filters_match_as_in_googletest(self):
        self.assertTrue(gtest.matches("*", "A.B"))
        self.assertTrue(gtest.matches("A.*:C.*", "C.D"))
        self.assertFalse(gtest.matches("A.*", "B.A"))
        self.assertFalse(gtest.matches("-*Property*:*Slow*", "A.SlowOne"))
        self.assertTrue(gtest.matches("-*Property*:*Slow*", "A.Quick"))

    def test_integers(self):
        self.assertEqual(places.altered_integers("5u"), ["6u"])
        self.assertEqual(places.altered_integers("1"), ["2", "0"])
        self.assertEqual(places.altered_integers("0"), ["1"])
        self.assertEqual(places.altered_integers("1'000"), ["1001"])
        self.assertEqual(places.altered_integers("0x10"), ["17"])
        self.assertEqual(places.altered_integers("010"), ["9"])

    def test_words_but_not_prose(self):
        self.assertEqual(places.altered_words('"READY"'), ['"READY_"', '""'])
        self.assertEqual(places.altered_words('""'), ['"mutant"'])
        self.assertIsNone(places.altered_words('"a whole sentence"'))


if __name__ == "__main__":
    unittest.main()
