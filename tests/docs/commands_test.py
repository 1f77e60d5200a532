#!/usr/bin/python3
"""What the documentation tells people to type exists, and so do the files it points to.

Commands stand in ```sh fences. The cheap ones are run; of the others it is checked that ./dev has
the command and that its arguments name something.
Usage: commands_test.py <program>
"""

import json
import pathlib
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "build/release/baton"
ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted(path for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def run(*words):
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)


def fenced_commands(text):
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield from (line for line in block.splitlines() if line.strip())


def prose(text):
    """The text without fenced code, where a lambda looks like a link."""
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


DEV_HELP = run("./dev", "help").stdout
DEV_COMMANDS = set(re.findall(r"^  (\w+)", DEV_HELP, re.MULTILINE)) | {"help"}
STAGES = set(re.search(r"^stages=\((.*)\)", read("tools/check.sh"), re.MULTILINE)[1].split())
PRESETS = {preset["name"] for preset in json.loads(read("CMakePresets.json"))["buildPresets"]}
PURPOSES = {path.stem for path in ROOT.glob("tools/packages/*.txt")}


class Commands(unittest.TestCase):
    def check_options(self, arguments, source):
        for option in (word for word in arguments if word.startswith("--")):
            self.assertRegex(read(source), rf"{option}\b", f"{source} has no {option}")

    def check_stages(self, arguments):
        self.check_options(arguments, "tools/check.sh")
        self.assertLessEqual({word for word in arguments if not word.startswith("--")}, STAGES)

    def check_command(self, line):
        program, name, *arguments = line.split()
        self.assertEqual(program, "./dev", line)
        self.assertIn(name, DEV_COMMANDS, line)
        if name == "help":
            self.assertEqual(run("./dev", "help").returncode, 0)
        elif name == "run":
            self.assertEqual(run(PROGRAM, "profiles", *arguments).returncode, 0, line)
        elif name == "setup":
            self.assertLessEqual(set(arguments), PURPOSES, line)
        elif name == "build":
            self.assertLessEqual(set(arguments[:1]), PRESETS, line)
        elif name == "check":
            self.check_stages(arguments)
        elif name == "test":
            self.check_options(arguments, "dev")
        elif name == "mutate":
            self.check_options(arguments, "tools/mutate.py")

    def test_fenced_commands_exist_and_cheap_ones_work(self):
        for page in ("README.md", "CONTRIBUTING.md"):
            commands = list(fenced_commands(read(page)))
            self.assertTrue(commands, page)
            for line in commands:
                with self.subTest(page=page, line=line):
                    self.check_command(line)

    def test_quick_start_is_two_commands(self):
        start = re.search(r"^## Quick start\n(.*?)^## ", read("README.md"), re.MULTILINE | re.DOTALL)
        self.assertEqual(list(fenced_commands(start[1])), ["./dev run", "./dev test"])

    def test_commands_of_dev_in_running_text_exist(self):
        for page in PAGES:
            for name, rest in re.findall(r"`\./dev (\w+)([^`]*)`", read(page)):
                with self.subTest(page=page.name, command=name):
                    self.assertIn(name, DEV_COMMANDS)
                    if name == "check":
                        self.check_stages(rest.split())

    def test_commands_of_the_program_in_running_text_work(self):
        for page in PAGES:
            for arguments in re.findall(r"`baton (profiles[^`]*)`", read(page)):
                with self.subTest(page=page.name, command=arguments):
                    self.assertEqual(run(PROGRAM, *arguments.split()).returncode, 0)

    def test_every_command_of_dev_is_accepted_by_it(self):
        dispatched = re.search(r"^    (setup .*)\)$", read("dev"), re.MULTILINE)[1]
        self.assertEqual(DEV_COMMANDS, set(dispatched.split(" | ")))


class Pages(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", prose(read(page))):
                if "://" in target:
                    continue
                with self.subTest(page=page.name, target=target):
                    self.assertTrue((page.parent / target).exists())

    def test_paths_in_running_text_exist(self):
        folders = r"src|docs|spec|tests|tools|cmake|include|sim|bench"
        for page in PAGES:
            for path in re.findall(rf"`((?:{folders})/[\w./-]*)`", read(page)):
                with self.subTest(page=page.name, path=path):
                    self.assertTrue((ROOT / path).exists())

    def test_sources_that_the_architecture_names_exist(self):
        sources = {path.name for folder in ("src", "include", "sim") for path in ROOT.glob(f"{folder}/**/*.*")}
        for name in re.findall(r"`(?:[\w-]+/)?([\w-]+\.(?:cc|h))`", read("ARCHITECTURE.md")):
            with self.subTest(name=name):
                self.assertTrue(name in sources, "there is no such file in src/, include/ or sim/")

    def test_every_decision_is_numbered_in_its_title(self):
        pages = sorted((ROOT / "docs/decisions").glob("*.md"))
        for number, page in enumerate(pages, 1):
            with self.subTest(page=page.name):
                self.assertTrue(page.name.startswith(f"{number:04d}-"))
                self.assertRegex(read(page), rf"\A# {number}\. \S")


if __name__ == "__main__":
    unittest.main()
