"""Runs GoogleTest programs: lists tests, matches filters, runs with limits of time and memory."""

import dataclasses
import fnmatch
import os
import re
import resource
import signal
import subprocess
import tempfile
import time

MEMORY = 4 << 30  # bytes of address space: a loop that never ends must not take the machine along
OUTPUT = 256 << 20
FAILED = re.compile(r"^\[  FAILED  \] ([^\s,]+)", re.MULTILINE)
STARTED = re.compile(r"^\[ RUN      \] (\S+)", re.MULTILINE)


@dataclasses.dataclass
class Outcome:
    passed: bool
    how: str  # "", "failure", "crash" or "timeout"
    test: str  # the first test that failed
    seconds: float
    output: str


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT, OUTPUT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(program, arguments, cwd, timeout, **variables):
    """Runs one program to its end. The variables go to its environment."""
    environment = {**os.environ, **variables}
    # RapidCheck: the same cases for every mutant, and no search for the smallest one.
    environment.setdefault("RC_PARAMS", "seed=1 noshrink=1")
    begin = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [str(program), *arguments], cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
            stdout=output, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limit,
        )
        timed_out = False
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        seconds = time.monotonic() - begin
        output.seek(0)
        text = output.read(8 << 20).decode("utf-8", "replace")
    return outcome(process.returncode, timed_out, seconds, text)


def outcome(code, timed_out, seconds, text):
    if code == 0:
        return Outcome(True, "", "", seconds, text)
    failed = FAILED.search(text)
    started = STARTED.findall(text)
    test = failed.group(1) if failed else started[-1] if started else ""
    how = "timeout" if timed_out else "crash" if code < 0 else "failure"
    return Outcome(False, how, test, seconds, text)


def run_tests(program, filter_text, cwd, timeout, **variables):
    arguments = ["--gtest_fail_fast", "--gtest_color=no", f"--gtest_filter={filter_text}"]
    return run(program, arguments, cwd, timeout, **variables)


def list_tests(program, cwd, **variables):
    """The full names of the tests that are not disabled."""
    listed = run(program, ["--gtest_list_tests"], cwd, 60, **variables)
    if not listed.passed:
        raise RuntimeError(f"{program} --gtest_list_tests failed:\n{listed.output[-2000:]}")
    names = []
    suite = ""
    for line in listed.output.splitlines():
        name = line.split("#")[0].rstrip()
        if line.startswith("  "):
            if "DISABLED_" not in suite + name:
                names.append(suite + name.strip())
        elif name.endswith("."):
            suite = name
    return names


def matches(filter_text, name):
    """GoogleTest's own rule: patterns with * and ?, divided by colons, exceptions behind a -."""
    wanted, _, unwanted = filter_text.partition("-")
    return any_matches(wanted or "*", name) and not any_matches(unwanted, name)


def any_matches(patterns, name):
    escaped = patterns.replace("[", "[[]")
    return any(fnmatch.fnmatchcase(name, p) for p in escaped.split(":") if p)
