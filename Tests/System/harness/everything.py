#!/usr/bin/env python3
"""Runs every system test, several at a time, and prints one table at the end: points, seconds, seconds of processor time and
outcome of each.

The output of a script that fails is printed in full when it ends; the others say one line each. The exit status is 1 if
any of them failed. Scripts wait most of their time, so more of them run at once than there are processors.
"""

import argparse
import concurrent.futures
import os
import pathlib
import queue
import re
import signal
import subprocess
import sys
import threading
import time

# The last line of a script, as harness.verdict prints it.
SUM = re.compile(r": (\d+) passed, (\d+) failed$")
FAILURE = "FAILED: "
# Those that take longest start first, so that the last one to end does not run alone for long.
LONGEST = ("browser_screens", "swift_client", "swift_package", "description_clients", "browser_edit_safety", "description",
           "unread_answers", "database_recoveries", "browser_growing", "browser_drilling", "browser_faults", "browser_finding",
           "extreme_requests")


class Outcome:
    """How one script ended."""

    def __init__(self, name, lines, status, seconds, usage):
        self.name = name
        self.lines = lines
        self.seconds = seconds
        self.processor_seconds = usage.ru_utime + usage.ru_stime
        sums = [SUM.search(line) for line in lines]
        self.passed = sum(int(found[1]) for found in sums if found)
        self.failures = [line.strip() for line in lines if line.strip().startswith(FAILURE)]
        # A script that ends well without a single point has tested nothing.
        if not self.failures and (status != 0 or self.passed == 0):
            self.failures = [f"{FAILURE}exit status {status}: {lines[-1].strip() if lines else 'it printed nothing'}"]
        self.points = self.passed + len(self.failures)

    @property
    def word(self):
        return f"{len(self.failures)} FAILED" if self.failures else "passed"


class Runner:
    """Runs scripts on several threads, each of which has ports of its own for the servers that must name one."""

    def __init__(self, server, jobs, deadline):
        self.server = server
        self.jobs = jobs
        self.deadline = deadline
        self.slots = queue.SimpleQueue()
        for slot in range(jobs):
            self.slots.put(slot)
        self.printing = threading.Lock()
        self.running = set()

    def run_all(self, scripts):
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            outcomes = [pool.submit(self._run, script) for script in sorted(scripts, key=rank)]
            try:
                return sorted((outcome.result() for outcome in outcomes), key=lambda outcome: outcome.name)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for process in list(self.running):
                    end(process)
                raise

    def _run(self, script):
        slot = self.slots.get()
        begun = time.monotonic()
        # A group of its own, so that all that a script has started ends with it.
        process = subprocess.Popen(
            [sys.executable, str(script), "--server", self.server], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", process_group=0, env=os.environ | {"SYSTEM_TEST_SLOT": str(slot)})
        self.running.add(process)
        timer = threading.Timer(self.deadline, end, [process])
        timer.start()
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
        seconds = time.monotonic() - begun
        if seconds >= self.deadline:
            output += f"{FAILURE}it does not end within {self.deadline} s\n"
        self.running.discard(process)
        self.slots.put(slot)
        outcome = Outcome(script.stem, output.splitlines(), process.returncode, seconds, usage)
        self._tell(outcome)
        return outcome

    def _tell(self, outcome):
        with self.printing:
            if outcome.failures:
                print(f"== {outcome.name}, in full", *outcome.lines, "==", sep="\n")
            print(f"{outcome.name}: {outcome.points} points, {outcome.seconds:.0f} s, {outcome.word}", flush=True)


def rank(script):
    return LONGEST.index(script.stem) if script.stem in LONGEST else len(LONGEST)


def end(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def print_table(outcomes, seconds):
    print(f"\n{'system test':<20}{'points':>8}{'seconds':>9}{'processor':>11}  outcome")
    for outcome in outcomes:
        print(f"{outcome.name:<20}{outcome.points:>8}{outcome.seconds:>9.0f}{outcome.processor_seconds:>11.1f}  {outcome.word}")
        for failure in outcome.failures:
            print(f"    {failure}")
    failures = sum(len(outcome.failures) for outcome in outcomes)
    points = sum(outcome.points for outcome in outcomes)
    processor_seconds = sum(outcome.processor_seconds for outcome in outcomes)
    print(f"{'all':<20}{points:>8}{seconds:>9.0f}{processor_seconds:>11.1f}  {f'{failures} FAILED' if failures else 'passed'}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--server", required=True, help="the program to test")
    parser.add_argument("--jobs", type=int, default=5, help="how many scripts run at a time")
    parser.add_argument("--deadline", type=int, default=1800, help="seconds after which a script is ended")
    parser.add_argument("scripts", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    begun = time.monotonic()
    outcomes = Runner(arguments.server, arguments.jobs, arguments.deadline).run_all(arguments.scripts)
    print_table(outcomes, time.monotonic() - begun)
    sys.exit(1 if any(outcome.failures for outcome in outcomes) else 0)


if __name__ == "__main__":
    main()
