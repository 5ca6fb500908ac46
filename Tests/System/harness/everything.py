#!/usr/bin/env python3
"""Runs every system test, one after the other, and prints one table at the end: what held, what did not, how long.

A script that fails does not keep the others from running; the exit status is 1 if any of them failed.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import time

# The last line of a script, as harness.verdict prints it.
SUM = re.compile(r": (\d+) held, (\d+) did not$")


class Outcome:
    """How one script ended."""

    def __init__(self, name, lines, status, seconds):
        self.name = name
        self.seconds = seconds
        sums = [SUM.search(line) for line in lines]
        self.held = sum(int(found[1]) for found in sums if found)
        self.failures = [line.strip() for line in lines if line.strip().startswith("DOES NOT HOLD: ")]
        if status != 0 and not self.failures:
            self.failures = [f"exit status {status}: {lines[-1].strip() if lines else 'it printed nothing'}"]


def run(script, server):
    print(f"== {script.name}", flush=True)
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, str(script), "--server", server], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace")
    lines = []
    for line in process.stdout:
        print(line, end="", flush=True)
        lines.append(line.rstrip("\n"))
    return Outcome(script.name, lines, process.wait(), time.monotonic() - began)


def print_table(outcomes):
    print(f"\n{'system test':<24}{'held':>8}{'failed':>8}{'seconds':>9}")
    for outcome in outcomes:
        print(f"{outcome.name:<24}{outcome.held:>8}{len(outcome.failures):>8}{outcome.seconds:>9.0f}")
        for failure in outcome.failures:
            print(f"    {failure}")
    print(f"{'all':<24}{sum(o.held for o in outcomes):>8}{sum(len(o.failures) for o in outcomes):>8}"
          f"{sum(o.seconds for o in outcomes):>9.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True, help="the program to test")
    parser.add_argument("scripts", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    outcomes = [run(script, arguments.server) for script in arguments.scripts]
    print_table(outcomes)
    sys.exit(1 if any(outcome.failures for outcome in outcomes) else 0)


if __name__ == "__main__":
    main()
