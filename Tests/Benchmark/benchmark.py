#!/usr/bin/env python3
"""Measures the service beside other programs in one run and prints the manual's table in Markdown.

Servers run on core 0, clients on core 1. Figures are medians of rounds taken in turns; what counts is the ratio, since
absolute times differ from machine to machine. `--only` chooses parts; the sizes can be made small to try it out.
"""

import argparse
import multiprocessing
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "System"))
sys.dont_write_bytecode = True

import client_part  # noqa: E402
import codings_part  # noqa: E402
import database_part  # noqa: E402
import documents_part  # noqa: E402
import editing_part  # noqa: E402
import follow_part  # noqa: E402
import refresh_part  # noqa: E402
import requests_part  # noqa: E402
import search_part  # noqa: E402
import tables_part  # noqa: E402
import tls_part  # noqa: E402
import tree_part  # noqa: E402
import waiting_part  # noqa: E402
from harness import documents  # noqa: E402
from measure import CLIENT_CORE, say  # noqa: E402

PARTS = {
    "requests": requests_part.cached_and_unchanged,
    "random": requests_part.random_levels,
    "codings": codings_part.codings,
    "tls": tls_part.requests_and_handshakes,
    "load": documents_part.loads,
    "growth": tree_part.growth,
    "pause": tree_part.pause,
    "wide": tree_part.wide,
    "search": search_part.search,
    "start": refresh_part.start_and_stop,
    "refresh": refresh_part.refresh,
    "slow": refresh_part.slow_readers,
    "waiting": waiting_part.waiting,
    "follow": follow_part.through_caches,
    "crowds": follow_part.crowds,
    "editing": editing_part.durable_edits,
    "slower": editing_part.slower_disk,
    "large": editing_part.large_edits,
    "beside": editing_part.reads_beside_edits,
    "client": client_part.client_reading,
    "database-imports": database_part.imports,
    "database-reads": database_part.reading,
    "database-edits": database_part.edits,
    "database-servers": database_part.elsewhere,
    "database-large": database_part.large_tree_edits,
    "tables": tables_part.pages,
    "tables-growth": tables_part.growth,
    "tables-beside": tables_part.beside,
    "tables-waiting": tables_part.waiting,
}


class Bench:
    """What every part needs: the options, a scratch folder, the large document, and the table."""

    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder
        self.rows = []

    def row(self, what, own, beside="", other="", ratio=None):
        self.rows.append((what, own, beside, other, "" if ratio is None else f"{ratio:.2f}"))
        say(" | ".join(self.rows[-1]))

    def large(self, syntax):
        """The path of the large document in a syntax, written when first asked for."""
        path = os.path.join(self.folder, {"xml": "Large.plist", "binary": "Large.bplist", "json": "Large.json"}[syntax])
        if not os.path.exists(path):
            say(f"writing {path}")
            apart(getattr(documents, f"write_{syntax}"), path, documents.Shape(self.arguments.items))
        return path

    def table(self):
        lines = ["| measurement | drilldown | other program or case | its figure | ratio |",
                 "| --- | ---: | --- | ---: | ---: |"]
        return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in self.rows])


def apart(function, *arguments):
    """Runs in a process of its own: a child's peak memory counts from its parent's at the start."""
    worker = multiprocessing.Process(target=function, args=arguments)
    worker.start()
    worker.join()
    if worker.exitcode:
        raise RuntimeError(f"{function.__name__} failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--server", required=True, type=os.path.abspath, help="the service's program")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="parts to measure")
    parser.add_argument("--items", type=int, default=1_100_000, help="items of the large document")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the wide level")
    parser.add_argument("--largest-power", type=int, default=6, help="the growing tree ends at ten to this many items")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of requests")
    parser.add_argument("--seconds", type=int, default=3, help="seconds of one round")
    parser.add_argument("--load-rounds", type=int, default=3, help="rounds of loads")
    parser.add_argument(
        "--slow-rounds", type=int, default=1, help="rounds of Python's and Foundation's loads; 0 leaves them out")
    parser.add_argument("--reloads", type=int, default=5, help="reloads while answers are timed")
    parser.add_argument("--changes", type=int, default=10, help="changes whose way to clients is timed")
    parser.add_argument("--waiters", type=int, default=2_000, help="clients that wait for a change")
    parser.add_argument("--followers", type=int, default=10_000, help="clients that follow one level without a cache")
    parser.add_argument("--table-power", type=int, default=7, help="the largest table has ten to this many records")
    parser.add_argument("--table-waiters", type=int, default=10_000, help="clients that wait for pages of a table")
    parser.add_argument("--folder", help="where the documents are written and kept; a temporary one without it")
    arguments = parser.parse_args()
    if (os.cpu_count() or 1) < 2:
        parser.error("two processors are needed, one for the servers and one for the clients")
    os.sched_setaffinity(0, {CLIENT_CORE})
    with tempfile.TemporaryDirectory() as scratch:
        if arguments.folder:
            os.makedirs(arguments.folder, exist_ok=True)
        bench = Bench(arguments, arguments.folder or scratch)
        broken_off = []
        for name in arguments.only:
            say(f"== {name}")
            try:
                PARTS[name](bench)
            except Exception as error:
                # What the other parts took minutes to find is not thrown away for it.
                broken_off.append(name)
                say(f"{name} is broken off: {error!r}")
    print(bench.table())
    sys.exit(f"broken off: {', '.join(broken_off)}" if broken_off else 0)


if __name__ == "__main__":
    main()
