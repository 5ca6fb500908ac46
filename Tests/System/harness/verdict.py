"""What a test found: figures to print, points that passed or failed, and the exit status."""

import argparse
import os
import statistics
import sys
import threading


class Verdict:
    """Collects expectations; leaving the `with` block prints the sum and exits 1 if one failed."""

    def __init__(self, title):
        self.title = title
        self.passed = 0
        self.failures = []
        # Parts of a test may run on threads.
        self.lock = threading.Lock()

    def expect(self, holds, sentence):
        with self.lock:
            if holds:
                self.passed += 1
            else:
                self.failures.append(sentence)
                print(f"  FAILED: {sentence}", flush=True)
        return bool(holds)

    def figure(self, name, value):
        print(f"  {name}: {value}", flush=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if kind is not None:
            print(f"{self.title}: stopped by {kind.__name__}: {error}", flush=True)
            return False
        if self.passed == 0 and not self.failures:
            self.failures.append("the test has no points")
        print(f"{self.title}: {self.passed} passed, {len(self.failures)} failed", flush=True)
        sys.exit(1 if self.failures else 0)


def options(description, **defaults):
    """A parser with `--server`; each further option is named by its default's keyword."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--server", required=True, type=os.path.abspath, help="the program to test")
    for name, default in defaults.items():
        flag = "--" + name.replace("_", "-")
        if isinstance(default, bool):
            parser.add_argument(flag, action="store_true", default=default)
        else:
            parser.add_argument(flag, type=type(default), default=default)
    return parser.parse_args()


def milliseconds(seconds):
    return f"{seconds * 1000:.1f} ms"


def megabytes(size):
    return f"{size / 1e6:.1f} MB"


def spread(seconds):
    """Median and greatest of some times."""
    seconds = list(seconds)
    if not seconds:
        return "none"
    return f"median {milliseconds(statistics.median(seconds))}, slowest {milliseconds(max(seconds))}"
