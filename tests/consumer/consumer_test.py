#!/usr/bin/python3
"""What is installed can be built against: an outside project, the example, and the guide's code.

Installs a build to a temporary prefix, builds tests/consumer/project and examples/embedded with it,
and runs them. The code on docs/embedding.md must be that of the project, word for word.
Usage: consumer_test.py <build folder>
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

BUILD = sys.argv.pop(1) if len(sys.argv) > 1 else "build/release"
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = ROOT / "tests/consumer/project"
GUIDE = ROOT / "docs/embedding.md"


def run(*words):
    done = subprocess.run([str(word) for word in words], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


def blocks(language):
    text = GUIDE.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def flush_left(code):
    return textwrap.dedent(code).strip()


class Consumer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.top = pathlib.Path(cls.folder.name)
        cls.prefix = cls.top / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)

    def build(self, source):
        build = self.top / source.name
        run("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        return build

    def test_an_outside_project_builds_and_runs(self):
        build = self.build(PROJECT)
        self.assertEqual(run(build / "program"), 'COMPLETED "hello world"\n')
        self.assertEqual(run(build / "guide"),
                         '{"charged":true}\n3 pages\nFAILED: no amount\n')

    def test_the_example_builds_outside_of_the_tree(self):
        build = self.build(ROOT / "examples/embedded")
        self.assertIn("west: COMPLETED", run(build / "embedded", self.top / "reports"))

    def test_the_program_is_installed(self):
        self.assertIn("baton", run(self.prefix / "bin/baton", "--help"))

    def test_only_public_headers_are_installed_and_they_stand_alone(self):
        installed = {path.relative_to(self.prefix / "include").as_posix()
                     for path in (self.prefix / "include").rglob("*") if path.is_file()}
        self.assertEqual(installed, {f"baton/{path.name}"
                                     for path in (ROOT / "include/baton").glob("*.h")})
        for name in sorted(installed):
            with self.subTest(name=name):
                source = self.top / "alone.cc"
                source.write_text(f"#include <{name}>\n")
                run("c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                    f"-I{self.prefix}/include", source)


class Guide(unittest.TestCase):
    def test_its_code_is_what_the_project_runs(self):
        sources = "\n".join((PROJECT / name).read_text(encoding="utf-8")
                            for name in ("main.cc", "guide.cc"))
        known = "\n".join(line.strip() for line in sources.splitlines())
        found = blocks("cpp")
        self.assertGreater(len(found), 8)
        for code in found:
            with self.subTest(code=code):
                self.assertIn("\n".join(line.strip() for line in code.strip().splitlines()), known)

    def test_its_project_file_is_the_projects(self):
        lists = (PROJECT / "CMakeLists.txt").read_text(encoding="utf-8")
        for code in blocks("cmake"):
            self.assertIn(flush_left(code), lists)

    def test_its_commands_are_those_that_this_test_runs(self):
        commands = [line for block in blocks("sh") for line in block.splitlines()]
        self.assertEqual(commands, ["./dev build",
                                    "cmake --install build/release --prefix /opt/baton"])

    def test_it_has_no_code_of_another_kind(self):
        text = GUIDE.read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r"^```(\w+)$", text, re.MULTILINE)), {"sh", "cmake", "cpp"})


if __name__ == "__main__":
    unittest.main()
