#!/usr/bin/python3
"""The lifecycle core is pure, time and chance come from src/base, and profiles are data.

src/lifecycle has no clock, no randomness of its own, no lock, no thread and no input or output.
The rest of src/ may not read a clock or make random numbers outside src/base either. Only the
tables in src/lifecycle/profiles know a profile by its name.
"""

import re

import source_tree

_HEADERS = ("atomic condition_variable cstdio filesystem fstream future iostream mutex random "
            "semaphore shared_mutex stdio.h stop_token thread unistd.h")
_CLOCK = r"_clock::now\b|\bclock_gettime\b|\bgettimeofday\b|(?<![\w.>])time\s*\(\s*(nullptr|NULL|0)\s*\)"
_CHANCE = r"(?<![\w.>])s?rand\s*\(|\brandom_device\b|\bgetrandom\b|\bmt19937"
_OUTSIDE = (r"\bf?open\s*\(|\bfopen\b|\bf?printf\s*\(|\bgetenv\b|\bstd::c(out|err|log|in)\b"
            r"|\bthread_local\b|\bstd::(mutex|thread|atomic)\b")
_PROFILES = "standard|document|commit|generation|lease"

CORE = [
    (rf"#\s*include\s*<({'|'.join(map(re.escape, _HEADERS.split()))})>", "not in the pure core"),
    (_CLOCK, "time is a parameter"),
    (_CHANCE, "randomness is a parameter"),
    (_OUTSIDE, "not in the pure core"),
]
ABOVE_BASE = [
    (_CLOCK, "take the time from base::Clock"),
    (_CHANCE, "take random numbers from base::Random"),
]
NO_PROFILE = [
    (rf'[=!]=\s*(std::string_view\s*[({{])?"({_PROFILES})"', "ask the profile's table instead"),
    (rf'"({_PROFILES})"(sv|s)?\s*[)}}]?\s*[=!]=', "ask the profile's table instead"),
    (r"[=!]=\s*(\w+::)*Profile(Id|Name|Kind)?::k?\w+", "ask the profile's table instead"),
    (r"\bcase\s+(\w+::)*Profile(Id|Name|Kind)?::k?\w+", "ask the profile's table instead"),
]


def rules_for(name):
    if name.parts[0] != "src" or len(name.parts) < 3 or source_tree.is_test(name):
        return []
    rules = []
    if name.parts[1] == "lifecycle":
        rules += CORE
    elif name.parts[1] != "base":
        rules += ABOVE_BASE
    if name.parts[1:3] != ("lifecycle", "profiles"):
        rules += NO_PROFILE
    return rules


def main():
    root = source_tree.root_from_arguments()
    faults = []
    for name in source_tree.sources(root):
        rules = rules_for(name)
        code = source_tree.code_of(source_tree.read(root, name), keep_strings=True)
        for pattern, why in rules:
            for match in re.finditer(pattern, code):
                line = code.count("\n", 0, match.start()) + 1
                faults.append(f"{name}:{line}: {match.group(0).strip()}: {why}")
    source_tree.finish(faults)


if __name__ == "__main__":
    main()
