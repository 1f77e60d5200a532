#!/usr/bin/python3
"""Mutation tester: alters the code bit by bit; the tests must notice every change.

One instrumented build holds all mutants, and an environment variable says which one is alive, so
that nothing is rebuilt between them. How it goes: mutate/gather.py parses the sources (find.py
decides what is altered), mutate/tree.py writes and builds the instrumented copy in build/mutate,
mutate/trial.py runs the tests. mutate/suites.py says which sources and which tests.

Mutants that no test can tell apart are listed, with the reason, in tools/mutate_equivalent.txt.
Exit code: 0 when every mutant is killed, 1 when one survives, 2 when it could not be found out.
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True

from mutate import report, suites, trial
from mutate.gather import gather
from mutate.tree import BuildError, Tree


class UsageError(Exception):
    pass


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__.splitlines()[0])
    parser.add_argument("--suite", action="append", help="only this suite (may be repeated)")
    parser.add_argument("--file", action="append", help="only files whose path ends so")
    parser.add_argument("--only", help="only these mutants: 123 or 5,7,20-30")
    parser.add_argument("--changed", nargs="?", const="HEAD", metavar="REF",
                        help="only lines that differ from a commit (HEAD)")
    parser.add_argument("--list", action="store_true", help="print the mutants, build nothing")
    parser.add_argument("--json", metavar="FILE", help="write the results for programs")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time (2)")
    parser.add_argument("--timeout", type=float, default=10.0, metavar="SECONDS",
                        help="a run of the tests may take this or ten times its usual time (10)")
    parser.add_argument("--root", default=str(pathlib.Path(__file__).resolve().parent.parent),
                        help=argparse.SUPPRESS)
    parser.add_argument("--suites", help=argparse.SUPPRESS)  # JSON instead of the table
    return parser.parse_args()


def say(text):
    print(text, flush=True)


def numbers_of(text):
    numbers = set()
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part.strip())
        if not match:
            raise UsageError(f"--only {text}: not a list of numbers")
        first, last = int(match.group(1)), int(match.group(2) or match.group(1))
        numbers |= set(range(first, last + 1))
    return numbers


def changed_lines(root, ref):
    """{path: lines that differ from ref}; None stands for a whole new file."""
    def git(*words):
        done = subprocess.run(["git", "-C", root, *words], capture_output=True, text=True)
        if done.returncode != 0:
            raise UsageError(f"git {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    lines = {path: None for path in git("ls-files", "-o", "--exclude-standard").splitlines()}
    path = ""
    for line in git("diff", "-U0", "--no-prefix", "--no-renames", ref).splitlines():
        if line.startswith("+++ "):
            path = line[4:]
        elif match := re.match(r"@@ .* \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(match.group(1)), int(match.group(2) or 1)
            lines.setdefault(path, set()).update(range(first, first + count))
    return lines


def choose(arguments, chosen_suites, files):
    """The mutants that the arguments ask for."""
    paths = {p for suite in chosen_suites for p in suites.source_files(arguments.root, suite)}
    mutants = [m for path in sorted(paths) for m in files[path].mutants()]
    if arguments.file:
        mutants = [m for m in mutants if m.file.endswith(tuple(arguments.file))]
    if arguments.only:
        wanted = numbers_of(arguments.only)
        mutants = [m for m in mutants if m.number in wanted]
    if arguments.changed:
        lines = changed_lines(arguments.root, arguments.changed)
        mutants = [m for m in mutants
                   if m.file in lines and (lines[m.file] is None or m.line in lines[m.file])]
    return mutants


def programs_of(some_suites):
    return list(dict.fromkeys(program for suite in some_suites for program, _ in suite.tests))


def try_all(arguments, tree, needed_suites, mutants):
    """{number: Verdict} for each mutant."""
    killers = trial.Killers(tree.work / "killers.json")
    tests = trial.Trial(tree, killers, arguments.jobs, arguments.timeout)
    say("== unaltered tests")
    tests.explore(programs_of(needed_suites))
    verdicts = {}
    progress = report.Progress(len(mutants))
    say(f"== {len(mutants)} mutants")
    for suite in needed_suites:
        stages = tests.stages(suite)
        own = set(suites.source_files(arguments.root, suite))
        batch = [m for m in mutants if m.file in own and m.number not in verdicts]
        pool = concurrent.futures.ThreadPoolExecutor(arguments.jobs)
        try:
            calls = {pool.submit(tests.run, mutant, stages): mutant for mutant in batch}
            for call in concurrent.futures.as_completed(calls):
                verdicts[calls[call].number] = call.result()
                progress.step(call.result())
        finally:
            pool.shutdown(cancel_futures=True)
            killers.save()
    progress.end()
    return verdicts


def run(arguments):
    begin = time.monotonic()
    all_suites = suites.load(arguments.suites) if arguments.suites else suites.SUITES
    chosen_suites = [s for s in all_suites if not arguments.suite or s.name in arguments.suite]
    if not chosen_suites:
        raise UsageError(f"--suite: there are {', '.join(s.name for s in all_suites)}")
    work = pathlib.Path(arguments.root, "build", "mutate")
    work.mkdir(parents=True, exist_ok=True)
    files = gather(arguments.root, work, all_suites, arguments.jobs)
    for file in files.values():
        for problem in file.problems:
            say(f"warning: {problem}")
    everything = [m for file in files.values() for m in file.mutants()]
    table = pathlib.Path(arguments.root, "tools", "mutate_equivalent.txt")
    named = report.read_equivalent(table, everything)
    refuse_lines([line for line, numbers in named.items() if not numbers], "that match no mutant")
    mutants = choose(arguments, chosen_suites, files)
    if arguments.list:
        for mutant in mutants:
            print(report.describe(mutant))
        say(f"{len(mutants)} mutants")
        return 0
    if not mutants:
        say("no mutants")
        return 0
    return build_and_try(arguments, work, chosen_suites, files, mutants, named, begin)


def refuse_lines(lines, why):
    if lines:
        raise UsageError(f"lines of tools/mutate_equivalent.txt {why}:\n" + "\n".join(lines))


def build_and_try(arguments, work, chosen_suites, files, mutants, named, begin):
    say(f"== build with {sum(len(f.mutants()) for f in files.values())} mutants")
    tree = Tree(arguments.root, work, files.values(), say)
    touched = {mutant.file for mutant in mutants}
    needed = [s for s in chosen_suites if touched & set(suites.source_files(arguments.root, s))]
    tree.prepare(programs_of(needed))
    asked = [m for m in mutants if m.number not in tree.dropped]
    verdicts = try_all(arguments, tree, needed, asked)
    equivalent = set().union(*named.values())
    status = report.statuses(mutants, verdicts, tree.dropped, equivalent)
    report.print_summary(mutants, status, verdicts, files, time.monotonic() - begin)
    report.print_survivors(mutants, status, verdicts)
    if arguments.json:
        report.write_json(arguments.json, mutants, status, verdicts, files)
    refuse_lines([line for line, numbers in named.items()
                  if all(status.get(number) == "killed" for number in numbers)],
                 "whose mutants a test tells apart")
    return 1 if "survived" in status.values() else 0


def main():
    try:
        return run(parse_arguments())
    except (UsageError, BuildError, trial.TrialError) as error:
        print(f"mutate: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 2


if __name__ == "__main__":
    sys.exit(main())
