#!/usr/bin/python3
"""The program as a person or a script meets it: `baton profiles`, --help, --version, mistakes.

Usage: profiles_test.py <program>
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "build/release/baton"
ROOT = pathlib.Path(__file__).resolve().parents[2]
WRONG_USAGE = 2
READER_GONE = 141


def baton(*arguments, stdout=subprocess.PIPE):
    return subprocess.run([PROGRAM, *arguments], stdout=stdout, stderr=subprocess.PIPE, text=True,
                          check=False, timeout=60)


class Profiles(unittest.TestCase):
    def test_text_has_every_table_and_fits_a_terminal(self):
        answer = baton("profiles")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        for title in ("PROFILES", "VOCABULARY", "POLICIES", "TRANSITIONS", "CALLS"):
            self.assertIn(f"\n{title}", "\n" + answer.stdout)
        for line in answer.stdout.splitlines():
            self.assertLessEqual(len(line), 100, line)
            self.assertEqual(line, line.rstrip())

    def test_json_is_data(self):
        answer = baton("profiles", "--json")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        tables = json.loads(answer.stdout)
        self.assertEqual([profile["name"] for profile in tables["profiles"]],
                         ["standard", "document", "commit", "generation", "lease"])
        self.assertEqual([profile["default"] for profile in tables["profiles"]],
                         [True, False, False, False, False])
        self.assertEqual(tables["profiles"][2]["words"]["RETRYING"], "PENDING")
        self.assertIsNone(tables["profiles"][2]["words"]["REJECTED"])

    def test_diagrams_are_closed_fences(self):
        answer = baton("profiles", "--mermaid")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        fences = [line for line in answer.stdout.splitlines() if line.startswith("```")]
        self.assertEqual(fences, ["```mermaid", "```"] * 7)

    def test_exported_files_are_what_the_program_says(self):
        for name, form in (("spec/lifecycle.json", "--json"), ("docs/diagrams.md", "--mermaid")):
            exported = (ROOT / name).read_text(encoding="utf-8")
            self.assertTrue(exported == baton("profiles", form).stdout,
                            f"{name} is out of date: run ./dev generate")


class Help(unittest.TestCase):
    def test_help_names_every_command_with_an_example(self):
        answer = baton("--help")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        body, _, rest = answer.stdout.partition("Subcommands:\n")
        commands, _, examples = rest.partition("Examples:\n")
        self.assertTrue(body)
        names = [line.split()[0] for line in commands.splitlines() if line.strip()]
        self.assertIn("profiles", names)
        for name in names:
            self.assertIn(f"  baton {name}", examples)

    def test_help_of_a_command_has_its_options(self):
        answer = baton("profiles", "--help")
        self.assertEqual(answer.returncode, 0)
        for word in ("--json", "--mermaid", "Examples:"):
            self.assertIn(word, answer.stdout)

    def test_version_is_the_one_of_the_build(self):
        answer = baton("--version")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertRegex(answer.stdout, r"\Abaton \d+\.\d+\.\d+\n\Z")
        version = answer.stdout.split()[1]
        self.assertIn(f"VERSION {version} ", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))


class Mistakes(unittest.TestCase):
    def refused(self, arguments, word):
        answer = baton(*arguments)
        self.assertEqual((answer.returncode, answer.stdout), (WRONG_USAGE, ""), arguments)
        self.assertRegex(answer.stderr, r"\Abaton: ")
        self.assertIn(word, answer.stderr)
        self.assertIn("baton --help", answer.stderr)

    def test_no_command(self):
        self.refused([], "a command is needed")

    def test_unknown_words_are_named(self):
        self.refused(["nonsense"], "nonsense")
        self.refused(["--nonsense"], "--nonsense")
        self.refused(["profiles", "nonsense"], "nonsense")
        self.refused(["profiles", "--nonsense"], "--nonsense")

    def test_two_forms_at_once(self):
        self.refused(["profiles", "--json", "--mermaid"], "--mermaid")


class Output(unittest.TestCase):
    def check_failure(self, answer, why):
        self.assertEqual(answer.returncode, 1)
        self.assertEqual(answer.stderr, f"baton: cannot write to standard output: {why}\n")

    def test_full_disk_is_noticed(self):
        for arguments in (["profiles"], ["profiles", "--json"], ["--help"], ["--version"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                self.check_failure(baton(*arguments, stdout=full), "No space left on device")

    def test_a_reader_that_went_away_wants_no_more(self):
        reading, writing = os.pipe()
        os.close(reading)
        try:
            answer = baton("profiles", stdout=writing)
        finally:
            os.close(writing)
        self.assertEqual((answer.returncode, answer.stderr), (READER_GONE, ""))

    def test_closed_output_is_noticed(self):
        for command in ("profiles", "--version", "--help"):
            answer = subprocess.run(["/bin/sh", "-c", f'exec "$0" {command} >&-', PROGRAM],
                                    stderr=subprocess.PIPE, text=True, check=False, timeout=60)
            self.check_failure(answer, "Bad file descriptor")

    def test_all_streams_may_be_closed(self):
        answer = subprocess.run(["/bin/sh", "-c", 'exec "$0" profiles <&- >&- 2>&-', PROGRAM],
                                check=False, timeout=60)
        self.assertEqual(answer.returncode, 1)


if __name__ == "__main__":
    unittest.main()
