"""What the checkers know about the source tree: which files there are, and their code.

Each checker takes the root of a tree as its only argument, so that its tests can give it a bad
one, prints one line for each fault and ends with 1 if there was any.
"""

import pathlib
import re
import subprocess
import sys


def root_from_arguments():
    if len(sys.argv) > 1:
        return pathlib.Path(sys.argv[1])
    return pathlib.Path(__file__).resolve().parent.parent


def files(root, suffixes=None):
    """Paths, relative to the root, of the tracked files that exist; of all files without git."""
    try:
        listed = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z"],
            capture_output=True, check=True).stdout.decode().split("\0")
        names = [pathlib.PurePosixPath(name) for name in listed if name]
    except (OSError, subprocess.CalledProcessError):
        names = [pathlib.PurePosixPath(path.relative_to(root).as_posix())
                 for path in root.rglob("*")]
        names = [name for name in names if name.parts[0] not in ("build", ".git")]
    return sorted(name for name in names
                  if (root / name).is_file() and (not suffixes or name.suffix in suffixes))


def sources(root):
    return files(root, (".cc", ".h"))


def read(root, name):
    return (root / name).read_text(encoding="utf-8")


def is_test(name):
    return name.stem.endswith("_test") or name.parts[0] in ("tests", "sim", "bench")


_TOKEN = re.compile(
    r'''(?P<raw>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
      | (?P<line>//[^\n]*) | (?P<block>/\*.*?\*/)
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<char>(?<![0-9a-zA-Z_])'(?:[^'\\\n]|\\.)+')''',
    re.DOTALL | re.VERBOSE)


def code_of(text, keep_strings=False):
    """The text with comments, and unless told otherwise strings, blanked; lines stay in place."""
    def blank(match):
        found = match.group(0)
        if keep_strings and match.lastgroup in ("raw", "mark", "string", "char"):
            return found
        if match.group("string") is not None:
            return '""'
        return "".join("\n" if c == "\n" else " " for c in found)
    return _TOKEN.sub(blank, text)


def finish(faults):
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)
