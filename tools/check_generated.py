#!/usr/bin/python3
"""The files that are exported from the lifecycle tables say what the program says, and openapi.json
is what openapi.yaml is.

Usage: check_generated.py [--write] <program> [root]. With --write the files are made anew.
"""

import argparse
import pathlib
import subprocess
import sys

# (file, arguments of the program that print it)
EXPORTS = [
    ("spec/lifecycle.json", ["profiles", "--json"]),
    ("docs/diagrams.md", ["profiles", "--mermaid"]),
]

OPENAPI = pathlib.Path(__file__).with_name("openapi.py")


def fault_of(program, path, arguments, write):
    answer = subprocess.run([program] + arguments, capture_output=True, check=False)
    spoken = f"{pathlib.Path(program).name} {' '.join(arguments)}"
    if answer.returncode != 0:
        # A program that cannot export a file yet, and a tree without that file, agree.
        return f"{spoken} failed, but {path} exists" if path.exists() else None
    if write:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(answer.stdout)
        print(f"wrote {path} ({len(answer.stdout)} bytes)")
        return None
    if not path.is_file():
        return f"{path} is missing: run ./dev generate"
    if path.read_bytes() != answer.stdout:
        return f"{path} differs from the output of '{spoken}': run ./dev generate"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("program")
    parser.add_argument("root", nargs="?", default=".", type=pathlib.Path)
    options = parser.parse_args()
    faults = [fault_of(options.program, options.root / name, arguments, options.write)
              for name, arguments in EXPORTS]
    source = options.root / "spec/openapi.yaml"
    if source.is_file():
        faults.append(fault_of(str(OPENAPI), options.root / "spec/openapi.json", [str(source)],
                               options.write))
    for fault in filter(None, faults):
        print(fault)
    sys.exit(1 if any(faults) else 0)


if __name__ == "__main__":
    main()
