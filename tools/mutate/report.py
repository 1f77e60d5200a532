"""What people and programs read: the progress line, the summary, the JSON file, the table of
equivalent mutants."""

import collections
import json
import pathlib
import sys
import time

LONGEST = 150
PRINT_EVERY = 15.0  # seconds, where the output is not a terminal


class Progress:
    """done/total, killed, survived, time left, on one line."""

    def __init__(self, total):
        self.total = total
        self.done = self.killed = self.survived = 0
        self.begin = self.printed = time.monotonic()
        self.terminal = sys.stdout.isatty()

    def step(self, verdict):
        self.done += 1
        self.killed += verdict.killed
        self.survived += not verdict.killed
        now = time.monotonic()
        if now - self.printed >= (0.2 if self.terminal else PRINT_EVERY) or self.done == self.total:
            self.printed = now
            left = (now - self.begin) / self.done * (self.total - self.done)
            line = (f"{self.done}/{self.total} tried, {self.killed} killed, "
                    f"{self.survived} survived, {clock(left)} left")
            print(f"\r{line:<70}" if self.terminal else line, end="" if self.terminal else "\n",
                  flush=True)

    def end(self):
        if self.terminal and self.done:
            print()


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def short(text):
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def describe(mutant):
    return (f"{mutant.number:6} {mutant.file}:{mutant.line} {mutant.function} [{mutant.kind}]\n"
            f"       - {short(mutant.original)}\n       + {short(mutant.mutated)}")


def statuses(mutants, verdicts, dropped, equivalent):
    """{number: word} for each mutant that was asked for."""
    result = {}
    for mutant in mutants:
        number = mutant.number
        if number in dropped:
            result[number] = "not compiled"
        elif verdicts[number].killed:
            result[number] = "killed"
        else:
            result[number] = "equivalent" if number in equivalent else "survived"
    return result


def print_summary(mutants, status, verdicts, files, seconds):
    columns = ("killed", "survived", "equivalent", "not compiled")
    rows = collections.defaultdict(collections.Counter)
    for mutant in mutants:
        rows[mutant.file][status[mutant.number]] += 1
    width = max([len(name) for name in rows] + [len("file")])
    print(f"\n{'file':<{width}}" + "".join(f"{c:>14}" for c in columns))
    for name in sorted(rows):
        print(f"{name:<{width}}" + "".join(f"{rows[name][c]:>14}" for c in columns))
    total = sum(rows.values(), collections.Counter())
    print(f"{'all':<{width}}" + "".join(f"{total[c]:>14}" for c in columns))
    skipped = collections.Counter()
    for name in rows:
        skipped.update(files[name].skipped)
    for why, count in sorted(skipped.items()):
        print(f"not altered, {why}: {count}")
    hows = collections.Counter(v.how for v in verdicts.values() if v.killed)
    print("killed by " + ", ".join(f"{how} {n}" for how, n in sorted(hows.items()))
          + f"; {clock(seconds)} in all")


def print_survivors(mutants, status, verdicts):
    survivors = [m for m in mutants if status[m.number] == "survived"]
    if not survivors:
        print("every mutant was killed")
        return
    again = f"./dev mutate --only {survivors[0].number}"
    print(f"\n{len(survivors)} survived; to try one of them again: {again}")
    for mutant in survivors:
        print(describe(mutant))
        if verdicts[mutant.number].how == "unreached":
            print("       no test gets there")


def write_json(path, mutants, status, verdicts, files):
    rows = []
    for mutant in mutants:
        verdict = verdicts.get(mutant.number)
        row = {key: getattr(mutant, key) for key in
               ("number", "file", "line", "function", "kind", "original", "mutated")}
        row["status"] = status[mutant.number]
        if verdict is not None:
            row |= {"how": verdict.how, "test": verdict.test, "seconds": round(verdict.seconds, 3)}
        rows.append(row)
    counts = collections.Counter(row["status"] for row in rows)
    skipped = {name: file.skipped for name, file in files.items() if file.skipped}
    result = {"counts": counts, "not_altered": skipped, "mutants": rows}
    pathlib.Path(path).write_text(json.dumps(result, indent=1) + "\n")


def read_equivalent(path, mutants):
    """{line of the table: numbers of the mutants that it names}; an empty set is an error.

    A line is: file | function | original text | mutated text | why it cannot be told apart.
    The texts are those of --list, shortened or whole."""
    known = collections.defaultdict(set)
    for mutant in mutants:
        for original, mutated in ((mutant.original, mutant.mutated),
                                  (short(mutant.original), short(mutant.mutated))):
            text = f"{original} | {mutated}"
            known[(mutant.file, mutant.function, text)].add(mutant.number)
    named = {}
    if not pathlib.Path(path).exists():
        return named
    for line in pathlib.Path(path).read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(" | ")]
        found = set()
        if len(parts) >= 5:  # an operator | may stand in the text, so no fixed count
            file, function, *text, why = parts
            found = known[(file, function, " | ".join(text))] if why else set()
        named[line] = found
    return named
