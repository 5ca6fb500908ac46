"""What an app pays to read a long level: the client library beside Foundation's reader, on the same bytes."""

import json
import os
import statistics
import subprocess

import programs

ROWS = 100_000


def client_reading(bench):
    path = os.path.join(bench.folder, "level.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(level(ROWS), file, separators=(",", ":"))
    program = programs.build_client_reading(bench.folder)
    output = subprocess.run([program, path, "5"], check=True, capture_output=True, text=True).stdout
    rounds = [tuple(map(float, line.split())) for line in output.splitlines()]
    own, theirs = (statistics.median(column) for column in zip(*rounds))
    what = f"client: reading a level of {ROWS:,} rows, {os.path.getsize(path) / 1e6:.0f} MB: CPU time"
    bench.row(what, f"{own:.2f} s", "JSONSerialization", f"{theirs:.2f} s", own / theirs)


def level(count):
    """The answer about a level of so many rows, as the service gives it with `fields=*`."""
    rows = [{
        "key": f"Row {n}", "version": f"{n:08x}", "title": f"Row {n}", "leaf": True, "count": 0,
        "href": f"/detail/Row%20{n}",
        "fields": {"Title": f"Row {n}", "Subtitle": f"The subtitle of row {n}", "Price": n / 4, "Tag": n, "Text": "x" * 40},
    } for n in range(count)]
    return {
        "title": "Root", "href": "/levels/", "detail": "/detail/", "version": "v", "depth": 0, "leaf": False,
        "ancestors": [], "count": count, "sections": [{"title": None, "index": None, "start": 0, "count": count}],
        "rows": rows, "next": None,
    }
