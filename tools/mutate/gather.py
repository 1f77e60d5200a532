"""Parses the sources of all suites, with a cache, and numbers the mutants."""

import concurrent.futures
import hashlib
import json
import pathlib
import pickle
import shlex

from mutate import find, suites

HEADERS = ("src/**/*.h", "include/**/*.h")
KEPT_FLAGS = ("-I", "-D", "-isystem", "-std")


def gather(root, work, all_suites, jobs):
    """{path: SourceFile} for every suite, numbered by (file, offset, kind)."""
    root = pathlib.Path(root)
    paths = sorted({p for suite in all_suites for p in suites.source_files(root, suite)})
    common = common_key(root)
    flags = compile_flags(root)
    cache = pathlib.Path(work) / "found"
    cache.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        calls = [pool.submit(find_cached, str(root), path, common, flags.get(path), str(cache))
                 for path in paths]
        files = [call.result() for call in calls]
    number = 0
    for file in files:
        for mutant in file.mutants():
            number += 1
            mutant.number = number
    return {file.path: file for file in files}


def find_cached(root, path, common, flags, cache):
    flags = flags or ["-std=c++20", f"-I{root}/src", f"-I{root}/include"]
    text = (pathlib.Path(root) / path).read_bytes()
    key = digest(common.encode(), path.encode(), json.dumps(flags).encode(), text)
    stored = pathlib.Path(cache) / (path.replace("/", "_") + ".pickle")
    try:
        file = pickle.loads(stored.read_bytes())
        if file.key == key:
            return file
    except (OSError, pickle.PickleError, EOFError, AttributeError):
        pass
    file = find.find(root, path, key, flags)
    stored.write_bytes(pickle.dumps(file))
    return file


def common_key(root):
    """Changes when a header or this tool does."""
    here = pathlib.Path(__file__).parent
    paths = sorted(here.glob("*.py"))
    for pattern in HEADERS:
        paths += sorted(root.glob(pattern))
    return digest(*(p.as_posix().encode() + p.read_bytes() for p in paths))


def digest(*parts):
    result = hashlib.sha256()
    for part in parts:
        result.update(hashlib.sha256(part).digest())
    return result.hexdigest()


def compile_flags(root):
    """{path: flags for the parser} from the debug build, where there is one."""
    database = root / "build" / "debug" / "compile_commands.json"
    found = {}
    try:
        entries = json.loads(database.read_text())
    except (OSError, ValueError):
        return found
    for entry in entries:
        file = pathlib.Path(entry["directory"], entry["file"])
        if file.is_relative_to(root):
            found[file.relative_to(root).as_posix()] = kept(shlex.split(entry["command"]))
    return found


def kept(words):
    flags = []
    take_next = False
    for word in words:
        if take_next or word.startswith(KEPT_FLAGS):
            flags.append(word)
        take_next = word in KEPT_FLAGS
    if not any(flag.startswith("-std") for flag in flags):
        flags.insert(0, "-std=c++20")
    return flags
