#!/usr/bin/python3
"""Every promise in docs/guarantees.md names tests, and these ran and passed.

A promise is a row of a table. Its last column names tests in backticks, as ctest or GoogleTest
call them, with * for any text: `Suite.Test` also stands for a parameterised or typed test of that
name. Lists are not allowed in the file, so that no promise hides in one.
Usage: check_guarantees.py [root]; the results are those that ./dev test wrote.
"""

import re
import xml.etree.ElementTree

import source_tree

PAGE = "docs/guarantees.md"
BUILD = "build/release"
RESULTS = f"{BUILD}/test-results.xml"


def promises(text):
    """Yields (line number, names of tests or None for a line that is not a row)."""
    lines = text.splitlines()
    fenced = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced:
            continue
        if re.match(r"\s*([-*+]|\d+\.)\s", line):
            yield number, None
        if not line.startswith("|") or re.fullmatch(r"[|\s:\-]+", line):
            continue
        following = lines[number] if number < len(lines) else ""
        if following.startswith("|") and re.fullmatch(r"[|\s:\-]+", following):
            continue  # The head of a table.
        last = re.split(r"(?<!\\)\|", line.strip().strip("|"))[-1]
        yield number, re.findall(r"`([^`]+)`", last)


def outcomes(path):
    """The name of each test and whether it ran and passed."""
    return {case.get("name"): case.get("status") == "run" and case.find("failure") is None
            and case.find("skipped") is None
            for case in xml.etree.ElementTree.parse(path).iter("testcase")}


def pattern_of(name):
    def quoted(text):
        return ".*".join(re.escape(part) for part in text.split("*"))
    suite, dot, test = name.rpartition(".")
    if dot and "/" not in name:
        return re.compile(rf"(.*/)?{quoted(suite)}(/[^.]*)?\.{quoted(test)}(/.*)?")
    return re.compile(quoted(name))


def stale_programs(root):
    """Test programs that were built after the results were written."""
    listing = root / BUILD / "test-programs.txt"
    if not listing.is_file():
        return []
    written = (root / RESULTS).stat().st_mtime
    names = [line.split()[1] for line in listing.read_text().splitlines() if line.strip()]
    return [name for name in names
            if (root / BUILD / name).is_file() and (root / BUILD / name).stat().st_mtime > written]


def faults_of(root):
    if not (root / PAGE).is_file():
        return [f"{PAGE} is missing"]
    if not (root / RESULTS).is_file():
        return [f"{RESULTS} is missing: run ./dev test first"]
    stale = stale_programs(root)
    if stale:
        return [f"{RESULTS} is older than {', '.join(stale)}: run ./dev test first"]
    faults, count = [], 0
    passed = outcomes(root / RESULTS)
    for number, names in promises(source_tree.read(root, PAGE)):
        where = f"{PAGE}:{number}"
        if names is None:
            faults.append(f"{where}: a promise is a row of a table, not an item of a list")
            continue
        count += 1
        if not names:
            faults.append(f"{where}: the last column names no test")
        for name in names:
            pattern = pattern_of(name)
            found = [test for test in passed if pattern.fullmatch(test)]
            if not found:
                faults.append(f"{where}: no test called {name} was run")
            faults.extend(f"{where}: {test} did not pass" for test in found if not passed[test])
    if count == 0:
        faults.append(f"{PAGE}: no table with promises")
    return faults


if __name__ == "__main__":
    source_tree.finish(faults_of(source_tree.root_from_arguments()))
