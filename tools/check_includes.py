#!/usr/bin/python3
"""Includes point one way: base, lifecycle, store, engine, api, server, each on those before it.

The table below is the whole rule for src/. A public header in include/ sees only its own kind.
The simulator, the tests and the benchmarks may see everything; src/cli may see the benchmark that
is one of its commands. Boost's heavy headers stay in the sources of src/http and src/client, because
one file that includes them takes seconds to compile.
"""

import re

import source_tree

# folder of src/: the folders of src/ that it may include, besides itself and include/.
_CORE = {"base", "lifecycle"}
_ENGINE = _CORE | {"store", "guards", "assets"}
_API = _ENGINE | {"engine", "http", "json", "wire"}
_ALL = _API | {"api", "client", "worker", "server"}
ALLOWED = {
    "base": set(),
    "lifecycle": {"base"},
    "store": _CORE,
    "guards": _CORE,
    "assets": _CORE,
    "engine": _ENGINE,
    "json": {"base"},
    "wire": {"base", "json"},
    "http": {"base"},
    "api": _API,
    "client": {"base", "json", "wire"},
    "worker": {"base"},
    "server": _ALL,
    "cli": _ALL,
}
# The contract in store/ knows no implementation, and no implementation knows another.
STORE_PARTS = {"local", "postgres", "conformance"}
EVERYWHERE = ("sim", "tests", "bench", "fuzz", "examples")
LIGHT_BOOST = ("boost/unordered", "boost/container")

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def store_fault(name, target):
    if len(target) < 3 or target[1] not in STORE_PARTS:
        return None
    part = name.parts[2] if len(name.parts) > 3 else None
    if part == target[1] or (target[1] == "conformance" and source_tree.is_test(name)):
        return None
    return f"{part or 'the contract in src/store'} may not see store/{target[1]}"


def quoted_fault(root, name, path):
    """Why this file may not include "path", or None."""
    target = tuple(path.split("/"))
    if name.parts[0] in EVERYWHERE:
        return None
    if target[0] == "baton" and (root / "include" / path).is_file():
        return None
    if name.parts[0] == "include":
        return "a public header may only include public headers"
    if name.parts[:2] == ("src", "cli") and target[:2] == ("bench", "server"):
        return None
    if not (root / "src" / path).is_file():
        return "is not a path from src/ or include/"
    folder = name.parts[1]
    if folder not in ALLOWED:
        return f"src/{folder} is not in the table of tools/check_includes.py"
    if folder == target[0]:
        return store_fault(name, target) if folder == "store" else None
    if target[0] not in ALLOWED[folder]:
        return f"src/{folder} may not see src/{target[0]}"
    return None


def boost_fault(name, path):
    if not path.startswith("boost/") or path.startswith(LIGHT_BOOST):
        return None
    if name.parts[:2] in (("src", "http"), ("src", "client")) and name.suffix == ".cc":
        return None
    return "heavy Boost headers belong in the .cc files of src/http and src/client"


def faults_of(root, name):
    for number, line in enumerate(source_tree.read(root, name).splitlines(), 1):
        match = _INCLUDE.match(line)
        if not match:
            continue
        kind, path = match.groups()
        fault = None
        if name.parts[0] not in EVERYWHERE:
            fault = boost_fault(name, path)
        if not fault and kind == '"':
            fault = quoted_fault(root, name, path)
        if fault:
            yield f"{name}:{number}: {path}: {fault}"


def main():
    root = source_tree.root_from_arguments()
    source_tree.finish([fault for name in source_tree.sources(root)
                        if len(name.parts) > 1 and name.parts[0] in ("src", "include") + EVERYWHERE
                        for fault in faults_of(root, name)])


if __name__ == "__main__":
    main()
