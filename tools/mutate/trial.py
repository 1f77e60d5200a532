"""Tries mutants against the tests: first the unaltered program, then one mutant after the other.

To be quick: a traced run of every single test tells which mutants it reaches, so that a mutant
only meets tests that can notice it; those that killed its neighbours come first, slow ones last.
"""

import array
import collections
import concurrent.futures
import dataclasses
import json
import pathlib
import tempfile
import threading

from mutate import gtest

TIMES_UNALTERED = 10.0
SLOW = 0.5  # seconds: such tests are tried after the others
NEIGHBOURS = 4  # tests tried first because they killed mutants nearby
LONGEST_FILTER = 100_000


class TrialError(Exception):
    pass


@dataclasses.dataclass
class Verdict:
    killed: bool
    how: str  # "failure", "crash", "timeout"; for survivors "unreached" or ""
    program: str = ""
    test: str = ""
    seconds: float = 0.0


@dataclasses.dataclass
class Stage:
    """One (program, filter) of a suite with the tests that belong to it."""

    program: str
    filter: str
    tests: list
    seconds: float  # of an unaltered run


class Killers:
    """Remembers which test killed which mutant, across runs."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.lock = threading.Lock()
        self.exact = {}
        self.near = collections.defaultdict(collections.Counter)
        try:
            self.exact = json.loads(self.path.read_text())
        except (OSError, ValueError):
            pass

    def note(self, mutant, program, test):
        with self.lock:
            self.exact[mutant.signature()] = [program, test]
            for place in (mutant.file, f"{mutant.file} {mutant.function}"):
                self.near[place][(program, test)] += 1

    def candidates(self, mutant):
        """(program, test) pairs, the likeliest first."""
        with self.lock:
            found = []
            if mutant.signature() in self.exact:
                found.append(tuple(self.exact[mutant.signature()]))
            for place in (f"{mutant.file} {mutant.function}", mutant.file):
                found += [pair for pair, _ in self.near[place].most_common(NEIGHBOURS)]
        return list(dict.fromkeys(found))

    def save(self):
        self.path.write_text(json.dumps(self.exact, indent=0, sort_keys=True))


class Trial:
    def __init__(self, tree, killers, jobs, shortest_timeout):
        self.tree = tree
        self.killers = killers
        self.jobs = jobs
        self.shortest_timeout = shortest_timeout
        self.paths = {}  # program -> path
        self.at_start = {}  # program -> mutants reached before any test runs
        self.reached = collections.defaultdict(set)  # mutant -> {(program, test)}
        self.seconds = {}  # (program, test) -> unaltered time

    # Before: the unaltered program

    def explore(self, programs):
        """Lists the tests and finds out which mutants each one reaches."""
        for program in programs:
            self.paths[program] = self.tree.program(program)
            names = self._list(program)
            with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
                calls = {name: pool.submit(self._trace, program, name) for name in names}
                for name, call in calls.items():
                    reached, seconds = call.result()
                    self.seconds[(program, name)] = seconds
                    for number in reached - self.at_start[program]:
                        self.reached[number].add((program, name))

    def _list(self, program):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "trace")
            names = gtest.list_tests(
                self.paths[program], self.tree.copy, BATON_MUTANT_TRACE=str(trace))
            self.at_start[program] = read_trace(trace)
        return names

    def _trace(self, program, name):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "trace")
            done = gtest.run_tests(self.paths[program], name, self.tree.copy, 600,
                                   BATON_MUTANT_TRACE=str(trace))
            if not done.passed:
                raise TrialError(f"{name} fails without any mutant:\n{done.output[-3000:]}")
            return read_trace(trace), done.seconds

    def stages(self, suite):
        """The suite's stages, each measured by an unaltered run that must pass."""
        stages = []
        for program, wanted in suite.tests:
            tests = [name for known, name in self.seconds
                     if known == program and gtest.matches(wanted, name)]
            if not tests:
                continue
            done = gtest.run_tests(self.paths[program], wanted, self.tree.copy, 1800)
            if not done.passed:
                raise TrialError(f"{program} fails without any mutant:\n{done.output[-3000:]}")
            stages.append(Stage(program, wanted, tests, done.seconds))
        if not stages:
            raise TrialError(f"suite {suite.name}: its filters match no test")
        return stages

    # The mutants

    def run(self, mutant, stages):
        seconds = 0.0
        at_start = {s.program for s in stages if mutant.number in self.at_start[s.program]}
        if not at_start and not self._reaching(mutant, stages):
            return Verdict(False, "unreached")
        tried = set()
        for program, filter_text, expected in self._batches(mutant, stages, at_start, tried):
            timeout = max(self.shortest_timeout, TIMES_UNALTERED * expected)
            done = gtest.run_tests(self.paths[program], filter_text, self.tree.copy, timeout,
                                   BATON_MUTANT=str(mutant.number))
            seconds += done.seconds
            if not done.passed:
                if done.test and done.how != "timeout":  # the next one may find a quicker test
                    self.killers.note(mutant, program, done.test)
                return Verdict(True, done.how, program, done.test, seconds)
        return Verdict(False, "", seconds=seconds)

    def _reaching(self, mutant, stages):
        known = {(stage.program, test) for stage in stages for test in stage.tests}
        return self.reached.get(mutant.number, set()) & known

    def _batches(self, mutant, stages, at_start, tried):
        """(program, filter, unaltered seconds) of the runs to make, in order."""
        reaching = self._reaching(mutant, stages)
        near = [pair for pair in self.killers.candidates(mutant)
                if pair in reaching or (pair[0] in at_start and pair in self.seconds)]
        near = near[:NEIGHBOURS]
        for program in dict.fromkeys(program for program, _ in near):
            yield self._batch(program, [t for p, t in near if p == program], tried)
        for stage in stages:
            if stage.program in at_start:  # a table may change the list of tests: run them all
                yield stage.program, stage.filter, stage.seconds
                continue
            left = [t for t in stage.tests
                    if (stage.program, t) in reaching and (stage.program, t) not in tried]
            quick = [t for t in left if self.seconds[(stage.program, t)] < SLOW]
            slow = [t for t in left if self.seconds[(stage.program, t)] >= SLOW]
            for batch in (quick, slow):
                if batch:
                    yield self._batch(stage.program, batch, tried, stage)

    def _batch(self, program, tests, tried, stage=None):
        tried |= {(program, test) for test in tests}
        filter_text = ":".join(tests)
        if stage is not None and len(filter_text) > LONGEST_FILTER:
            return program, stage.filter, stage.seconds
        return program, filter_text, sum(self.seconds[(program, test)] for test in tests)


def read_trace(path):
    numbers = array.array("i")
    if path.exists():
        numbers.frombytes(path.read_bytes())
    return set(numbers)
