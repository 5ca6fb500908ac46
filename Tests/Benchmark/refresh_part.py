"""How soon the service starts and stops, and how soon a change shows: by asking, by waiting, by a stream."""

import contextlib
import os
import statistics
import time

from harness.client import Connection, get, wait_until
from harness.documents import versioned
from harness.edits import save
from harness.events import EventStream
from harness.readiness import document_of, served
from harness.verdict import milliseconds
from requests_part import server

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Data", "Data.plist")
SLEEPERS = 10


def start_and_stop(bench):
    """From the start of the process to its first answer, and from the signal to its end."""
    starts, stops = [], []
    for _ in range(bench.arguments.changes):
        with server(bench, DATA) as own:
            starts.append(get(own.port, "/levels/").done - own.started_at)
            stops.append(own.stop()[1])
    row(bench, "from the start of the process to the first answer", starts)
    row(bench, "from SIGTERM to the end of the process", stops)


def refresh(bench):
    path = os.path.join(bench.folder, "Versions.plist")
    save(path, versioned(0))
    with contextlib.ExitStack() as running:
        chain = [running.enter_context(server(bench, path))]
        for _ in range(2):
            chain.append(running.enter_context(server(bench, document_of(chain[-1].port), "--refresh", "1")))
        for where, own in (("", chain[0]), (", through two followers", chain[2])):
            asked, waited, streamed = changes(path, own, bench.arguments.changes)
            row(bench, f"from a save to the first new answer{where}", asked)
            row(bench, f"from a save to the answer to a waiting client{where}", waited)
            row(bench, f"from a save to the event in a stream{where}", streamed)


def changes(path, own, count):
    """Seconds from a save until it is seen by asking again and again, by waiting, and by a stream."""
    seconds = []
    with EventStream(own.port) as stream, Connection(own.port) as connection:
        first = 1 + int(served(own))
        for version in range(first, first + count):
            tag = get(own.port, "/levels/")["etag"]
            connection.send("/levels/", headers={"If-None-Match": tag, "Prefer": "wait=120"})
            save(path, versioned(version))
            saved = time.monotonic()
            asked = wait_until(lambda: served(own) == str(version), every=0.001)
            seconds.append((asked, connection.receive().done - saved, stream.next().came - saved))
            # Two changes that come closer together share the spacing of two loads.
            time.sleep(0.2)
    return zip(*seconds)


def slow_readers(bench):
    """Streams that are not read slow down nobody: a save reaches another stream as soon as before."""
    path = os.path.join(bench.folder, "Slow.plist")
    save(path, versioned(0, rows=300))
    with server(bench, path) as own, EventStream(own.port) as stream, contextlib.ExitStack() as sleepers:
        version = 0

        def events():
            nonlocal version
            seconds = []
            for _ in range(10 * bench.arguments.changes):
                version += 1
                save(path, versioned(version, rows=300))
                saved = time.monotonic()
                seconds.append(stream.next().came - saved)
            return statistics.median(seconds)

        alone = events()
        for _ in range(SLEEPERS):
            sleepers.enter_context(EventStream(own.port, receive_buffer=4096))
        beside = events()
    bench.row(f"from a save to the event in a stream, beside {SLEEPERS} streams whose clients read nothing",
              milliseconds(beside), "without other streams", milliseconds(alone), beside / alone)


def row(bench, what, seconds):
    seconds = list(seconds)
    bench.row(what, milliseconds(statistics.median(seconds)), "the slowest", milliseconds(max(seconds)))
