"""What a document costs to load: time and peak memory of `drilldown check` beside other readers of the same file."""

import os
import sys

import programs
from measure import runs, say

SYNTAXES = {"xml": "XML", "binary": "binary", "json": "JSON"}


def loads(bench):
    peers = programs.build(bench.folder)
    slow = bench.arguments.slow_rounds
    foundation = programs.build_foundation(bench.folder) if slow else None
    for syntax, name in SYNTAXES.items():
        path = bench.large(syntax)
        with open(path, "rb") as file:
            while file.read(1 << 20):
                pass
        fast = {"drilldown": [bench.arguments.server, "check", path]}
        if syntax == "xml":
            fast["expat, empty handlers"] = [peers["expat_pass"], path]
        found = runs(fast, bench.arguments.load_rounds, say)
        if slow:
            python = "Python's json" if syntax == "json" else "Python's plistlib"
            found |= runs({
                python: [sys.executable, os.path.join(programs.PEERS, "plistlib_pass.py"), path],
                "Foundation": [foundation, path],
            }, slow, say)
        own = found.pop("drilldown")
        what = f"load of {name}, {os.path.getsize(path) / 1e6:.0f} MB"
        if not found:
            bench.row(f"{what}: CPU time", f"{own.cpu:.2f} s")
        for other, run in found.items():
            bench.row(f"{what}: CPU time", f"{own.cpu:.2f} s", other, f"{run.cpu:.2f} s", own.cpu / run.cpu)
        for other, run in found.items():
            if "expat" not in other:
                bench.row(
                    f"{what}: peak memory",
                    f"{own.peak / 1e6:.0f} MB",
                    other,
                    f"{run.peak / 1e6:.0f} MB",
                    own.peak / run.peak)
        if not slow:
            bench.row(f"{what}: peak memory", f"{own.peak / 1e6:.0f} MB", "the file",
                      f"{os.path.getsize(path) / 1e6:.0f} MB", own.peak / os.path.getsize(path))
    table(bench)


def table(bench):
    """One large level of short records, whose tree takes more memory than the file."""
    path = os.path.join(bench.folder, "Table.csv")
    with open(path, "w", buffering=1 << 20) as file:
        file.write("id,name,city,count,price,date\n")
        for row in range(bench.arguments.rows):
            file.write(f"{row},name {row * 7919 % 1_000_003},city {row % 97},{row * 31 % 600_000},{row % 997}.25,"
                       f"2024-{row % 12 + 1:02}-{row % 28 + 1:02}\n")
    own = runs({"drilldown": [bench.arguments.server, "check", path]}, bench.arguments.load_rounds, say)["drilldown"]
    size = os.path.getsize(path)
    what = f"load of CSV with {bench.arguments.rows:,} records, {size / 1e6:.0f} MB"
    bench.row(f"{what}: CPU time", f"{own.cpu:.2f} s")
    bench.row(f"{what}: peak memory", f"{own.peak / 1e6:.0f} MB", "the file", f"{size / 1e6:.0f} MB", own.peak / size)
