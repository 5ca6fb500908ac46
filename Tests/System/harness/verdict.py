"""What a test found: figures to print, expectations that held or not, and the exit status."""

import argparse
import os
import statistics
import sys


class Verdict:
    """Collects expectations; leaving the `with` block prints the sum and exits 1 if one did not hold."""

    def __init__(self, title):
        self.title = title
        self.held = 0
        self.failures = []

    def expect(self, holds, sentence):
        if holds:
            self.held += 1
        else:
            self.failures.append(sentence)
            print(f"  DOES NOT HOLD: {sentence}", flush=True)
        return bool(holds)

    def figure(self, name, value):
        print(f"  {name}: {value}", flush=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if kind is not None:
            print(f"{self.title}: broken off by {kind.__name__}: {error}", flush=True)
            return False
        if self.held == 0 and not self.failures:
            self.failures.append("nothing was looked at")
        print(f"{self.title}: {self.held} held, {len(self.failures)} did not", flush=True)
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
