#!/usr/bin/python3
"""Words that do not belong in the tree: notes of unfinished work, tests that are switched off,
paths outside the repository, and file names that say nothing about what is inside."""

import re

import source_tree

# (pattern, why it is a fault), for every text.
WORDS = [
    (r"\b(TODO|FIXME|XXX|HACK)\b", "finish it, or open an issue"),
    (r"(?<!\w)(\.\./)*shared/", "a path outside the repository"),
    (r"(?<![\w.:*])/work(?![\w-])", "a path outside the repository"),
]
# The same, for C++ sources only.
SOURCE_WORDS = [
    (r"\bDISABLED_", "a test is either run or removed"),
    (r"\bGTEST_SKIP\s*\(\s*\)\s*(?!\s*<<)", "say why the test is skipped"),
]
EMPTY_NAMES = {"util", "utils", "common", "helper", "helpers", "misc", "manager", "managers"}
# This file and its test must spell the words out.
EXEMPT = {"tools/check_words.py", "tools/check_test.py"}


def name_faults(name):
    for part in name.parts:
        words = set(re.split(r"[_.\-]", part.lower()))
        if words & EMPTY_NAMES:
            yield f"{name}: '{part}' does not say what is in it"


def text_faults(root, name):
    try:
        text = source_tree.read(root, name)
    except UnicodeDecodeError:
        return
    words = WORDS + (SOURCE_WORDS if name.suffix in (".cc", ".h") else [])
    for pattern, why in words:
        for match in re.finditer(pattern, text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: {match.group(0).strip()}: {why}"


def main():
    root = source_tree.root_from_arguments()
    faults = []
    for name in source_tree.files(root):
        faults.extend(name_faults(name))
        if str(name) not in EXEMPT:
            faults.extend(text_faults(root, name))
    source_tree.finish(faults)


if __name__ == "__main__":
    main()
