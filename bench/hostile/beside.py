#!/usr/bin/python3
"""What an innocent client sees, alone and beside each abuse, and what each costs in memory.

Usage: beside.py <program> [--seconds N] [--only WORD] [--store memory:|file:] [--json]
"""

import argparse
import json
import multiprocessing
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/e2e"))
import harness  # noqa: E402  (takes the program from the command line)

import abuses  # noqa: E402
from clients import Memory  # noqa: E402
from innocent import Measurement  # noqa: E402

VERBS = ("submit", "claim", "heartbeat")
WARM_UP = 1.0  # seconds that an abuse is under way before the measurement begins


def attack(abuse, stop):
    abuse.attack(stop)


def measure(kind, store, seconds):
    """One abuse on a server of its own."""
    server = harness.Server(store)
    address = (server.host, server.port)
    memory = Memory(server.pid)
    try:
        abuse = kind(address, harness.PROGRAM, store)
        abuse.prepare()
        alone, failed_alone = Measurement(address, min(seconds, 5)).wait()
        before = memory.now()
        memory.reset_peak()
        stop = multiprocessing.Event()
        attacker = multiprocessing.Process(target=attack, args=(abuse, stop))
        attacker.start()
        time.sleep(WARM_UP)
        beside, failed = Measurement(address, max(seconds, abuse.seconds or 0)).wait()
        peak = memory.peak()
        stop.set()
        attacker.join(30)
        if attacker.is_alive():
            attacker.kill()
        time.sleep(3)
        return {"abuse": kind.name, "alone": alone, "beside": beside,
                "failures": (failed_alone + failed)[:3],
                "memory": {"before": before, "peak": peak, "after": memory.now()}}
    finally:
        server.process.kill()
        server.process.communicate()


def line_of(figures):
    cells = []
    for verb in VERBS:
        one = figures.get(verb)
        cells.append(f"{one['p50']:6.1f} {one['p99']:7.1f} {one['max']:7.1f}" if one else " " * 22)
    return " | ".join(cells)


def show(row):
    memory = row["memory"]
    print(f"{row['abuse']}")
    print(f"  {'alone':<8}{line_of(row['alone'])}")
    print(f"  {'beside':<8}{line_of(row['beside'])} | "
          f"{memory['before']:>5} {memory['peak']:>5} {memory['after']:>5}")
    for failure in row["failures"]:
        print(f"  failed: {failure}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=8, help="for each figure")
    parser.add_argument("--only", default="", help="abuses whose name contains this")
    parser.add_argument("--store", default="file:", choices=("file:", "memory:"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    chosen = [kind for kind in abuses.ALL if options.only.lower() in kind.name.lower()]
    if not chosen:
        parser.error(f"no abuse has '{options.only}' in its name")
    if not options.json:
        print(f"  {'':<8}{'submit':>22} | {'claim':>22} | {'heartbeat':>22} | MiB of the server\n"
              f"  {'ms':<8}{'p50     p99     max':>22} | {'p50     p99     max':>22} | "
              f"{'p50     p99     max':>22} |  before, most, after")
    rows = []
    for kind in chosen:
        with tempfile.TemporaryDirectory() as place:
            store = options.store + (place + "/data" if options.store == "file:" else "")
            rows.append(measure(kind, store, options.seconds))
        if not options.json:
            show(rows[-1])
    if options.json:
        print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
