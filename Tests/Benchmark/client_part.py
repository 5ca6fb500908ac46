"""What an app pays to read a long level: the client library beside Foundation's reader, on the same bytes."""

import json
import os
import statistics
import subprocess

import programs

ROWS = 100_000
PAGE = 1_000


def client_reading(bench):
    path = os.path.join(bench.folder, "level.json")
    program = programs.build_client_reading(bench.folder)
    for count, rounds in ((ROWS, 5), (PAGE, 101)):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(level(count), file, separators=(",", ":"))
        output = subprocess.run([program, path, str(rounds)], check=True, capture_output=True, text=True).stdout
        times = [tuple(map(float, line.split())) for line in output.splitlines()]
        own, typed, theirs = (statistics.median(column) for column in zip(*times))
        what = f"client: reading a level of {count:,} rows, {os.path.getsize(path) / 1e6:.1f} MB: CPU time"
        bench.row(what, f"{1e3 * own:.1f} ms", "JSONSerialization", f"{1e3 * theirs:.1f} ms", own / theirs)
        bench.row("client: the same, with each row as an own type", f"{1e3 * typed:.1f} ms", "untyped", f"{1e3 * own:.1f} ms",
                  typed / own)


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
