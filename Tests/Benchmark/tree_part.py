"""What the size and the form of the tree cost: growth, the longest pause in a reload, and one very wide level."""

import contextlib
import os
import statistics
import time

from harness.client import Connection
from harness.documents import HEAD, TAIL, Shape, write_xml
from measure import Run, cpu_nanoseconds, cpu_per_request
from requests_part import listed, server


TITLES = {"different titles": "Row {:07d}", "the same title": "Row"}


def growth(bench):
    """The same kind of level, ten rows two steps down, in ever larger trees. Without a cache: each is made anew."""
    with contextlib.ExitStack() as running:
        peers = {}
        for power in range(1, bench.arguments.largest_power + 1):
            shape = Shape(1)
            shape.leaves = 10
            shape.shelves = min(100, 10 ** (power - 1))
            shape.groups = max(1, 10 ** power // (shape.shelves * shape.leaves))
            document = os.path.join(bench.folder, f"Growing-{power}.plist")
            write_xml(document, shape)
            paths = [shape.path(g, s) for g in range(shape.groups) for s in range(shape.shelves)]
            targets = listed(
                bench, f"targets-{power}", ["/levels" + path for path in paths[:: max(1, len(paths) // 10_000)]])
            own = running.enter_context(server(bench, document, "--cache-bytes", "0"))
            peers[power] = (own.pid, own.port, "/", {"targets": targets})
        costs = cpu_per_request(peers, bench.arguments.rounds, bench.arguments.seconds)
    for power, cost in costs.items():
        bench.row(f"random level of 10 rows in a tree of 10^{power} items, not cached: CPU per request",
                  f"{cost:.1f} µs", "10^1 items", f"{costs[1]:.1f} µs", cost / costs[1])


def pause(bench):
    """One client asks for a small level without pause while the large document is loaded again."""
    document = bench.large("xml")
    with server(bench, document) as own, Connection(own.port) as connection:
        waited = {"before": [], "during": []}
        lasted = []
        revision = connection.get("/readyz").json()["revision"]
        ask_for(connection, 5, waited["before"])
        for turn in range(bench.arguments.reloads):
            rename_one_title(document, turn)
            begun = time.monotonic()
            while connection.get("/readyz").json()["revision"] == revision:
                ask_for(connection, 0.02, waited["during"])
                if time.monotonic() - begun > 120:
                    raise RuntimeError("the reload never ends")
            lasted.append(time.monotonic() - begun)
            revision = connection.get("/readyz").json()["revision"]
    for name, part in (("longest wait", 1.0), ("99.9th percentile of the wait", 0.999)):
        during, before = (
            1000 * sorted(waited[when])[int(part * (len(waited[when]) - 1))] for when in ("during", "before"))
        bench.row(f"{name} for an answer during a reload of the large document on the same core",
                  f"{during:.1f} ms", f"{name} without a reload", f"{before:.1f} ms")
    bench.row("from a save of the large document to its new revision", f"{statistics.median(lasted):.2f} s")


def ask_for(connection, seconds, times):
    until = time.monotonic() + seconds
    while (begun := time.monotonic()) < until:
        answer = connection.get("/levels/?limit=10")
        assert answer.status == 200
        times.append(time.monotonic() - begun)


def rename_one_title(document, turn):
    """Saves the document with its root's title changed, aside and renamed."""
    aside = document + ".aside"
    with open(document, "rb") as old, open(aside, "wb") as new:
        head = old.read(1 << 12)
        start = head.index(b"<string>Larg") + len("<string>")
        new.write(head[:start] + f"Larg{turn % 10}".encode() + head[start + 5:])
        while piece := old.read(1 << 22):
            new.write(piece)
    os.replace(aside, document)


def wide(bench):
    for name, title in TITLES.items():
        document = os.path.join(bench.folder, "Wide.plist")
        with open(document, "w", buffering=1 << 20) as file:
            file.write(f"{HEAD}<array>\n")
            for row in range(bench.arguments.rows):
                file.write(f"\t<dict>\n\t\t<key>Title</key>\n\t\t<string>{title.format(row)}</string>\n\t</dict>\n")
            file.write(f"</array>\n{TAIL}")
        loads = [Run([bench.arguments.server, "check", document]).wall for _ in range(bench.arguments.load_rounds)]
        what = f"a level of {bench.arguments.rows:,} rows with {name}"
        bench.row(f"{what}: load", f"{statistics.median(loads):.2f} s")
        with server(bench, document, "--cache-bytes", "0") as own:
            pages = pages_of(own.port)
            costs = {place: [] for place in pages}
            with Connection(own.port) as connection:
                for _ in range(bench.arguments.rounds * 20):
                    for place, target in pages.items():
                        before = cpu_nanoseconds(own.pid)
                        assert connection.get(target).status == 200
                        costs[place].append((cpu_nanoseconds(own.pid) - before) / 1000)
            first = statistics.median(costs["first"])
            for place, times in costs.items():
                cost = statistics.median(times)
                bench.row(
                    f"{what}: CPU of the {place} page of 100",
                    f"{cost:.0f} µs",
                    "the first page",
                    f"{first:.0f} µs",
                    cost / first)


def pages_of(port):
    """Targets of the first, the middle and the last page of 100 rows, found by following the links."""
    with Connection(port) as connection:
        links = ["/levels/?limit=10000"]
        counts = []
        while links[-1]:
            page = connection.get(links[-1])
            assert page.status == 200, page.body[:300]
            level = page.json()
            counts.append(len(level["rows"]))
            links.append(level["next"])
        assert sum(counts) == level["count"], "the pages together are the level"
        pages = links[:-1]
        last = hundred(pages[-1])
        while following := connection.get(last).json()["next"]:
            last = following
    return {"first": "/levels/?limit=100", "middle": hundred(pages[len(pages) // 2]), "last": last}


def hundred(link):
    return link.replace("limit=10000", "limit=100")
