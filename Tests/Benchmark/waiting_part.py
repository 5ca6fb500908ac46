"""What clients that wait cost: others, the processor, and the time until the last stream has a change."""

import gc
import os
import plistlib
import statistics
import time

from harness.client import Connection, get
from harness.crowd import Crowd, poll, stream
from harness.edits import save
from harness.server import allow_descriptors, settle
from harness.verdict import milliseconds
from measure import cpu_nanoseconds
from requests_part import server

BUSY, QUIET, ORDINARY = "/levels/Busy", "/levels/Quiet", "/levels/Ordinary"
PATIENCE = 290
IDLE_SECONDS = 10


def document(edition=0):
    """Three levels of twenty rows; those of the first name the edition."""
    return plistlib.dumps({"Title": "Waiting", "Rows": [
        {"Title": level, "Children": [
            {"Title": f"Row {row}", "Subtitle": f"edition {edition if level == 'Busy' else 0}"} for row in range(20)]}
        for level in ("Busy", "Quiet", "Ordinary")]})


def waiting(bench):
    count = bench.arguments.waiters
    allow_descriptors(2 * count + 200)
    path = os.path.join(bench.folder, "Waiting.plist")
    save(path, document())
    settings = ("--waiters", str(2 * count), "--idle-timeout", "300")
    with server(bench, path, *settings) as own, server(bench, path, *settings) as alone, Crowd(own.port) as crowd:
        comparison = [Ordinary(own), Ordinary(alone)]
        before = ratio(comparison, bench.arguments.rounds)[2]
        begin(crowd, own, QUIET, count // 2)
        streams = crowd.join(count // 10)
        for member in streams:
            member.ask(stream())
        begin(crowd, own, BUSY, count // 2)
        settle(own)
        beside, plain, during = ratio(comparison, bench.arguments.rounds)
        bench.row(f"an ordinary request while {count} clients wait: CPU", f"{beside:.1f} µs", "no client waits",
                  f"{plain:.1f} µs", during / before)
        idle(bench, own, crowd, count)
        told(bench, crowd, path, streams)
        late(bench, own)
        bench.row(
            f"from SIGTERM to the end of the process while {count} clients wait", milliseconds(own.stop()[1]))


class Ordinary:
    """Clients that do not wait. Many ask at once, so that the server does not sleep between two requests."""

    def __init__(self, own, connections=32):
        self.pid = own.pid
        self.clients = [Connection(own.port) for _ in range(connections)]

    def cost(self, rounds=50):
        """Microseconds of processor time of the server for a request."""
        begun = cpu_nanoseconds(self.pid)
        for _ in range(rounds):
            for client in self.clients:
                client.send(ORDINARY)
            for client in self.clients:
                client.receive()
        return (cpu_nanoseconds(self.pid) - begun) / 1000 / rounds / len(self.clients)


def ratio(comparison, rounds):
    """Medians of both costs, taken in turns, and of their ratio."""
    costs = [[one.cost() for one in comparison] for _ in range(4 * rounds)]
    first, second = (statistics.median(part) for part in zip(*costs))
    return first, second, statistics.median(one / two for one, two in costs)


def begin(crowd, own, target, count):
    tag = get(own.port, target)["etag"]
    members = crowd.join(count)
    for member in members:
        member.ask(poll(target, tag, PATIENCE))
    return members


def idle(bench, own, crowd, count):
    begun = cpu_nanoseconds(own.pid)
    crowd.listen(IDLE_SECONDS)
    share = (cpu_nanoseconds(own.pid) - begun) / 1e9 / IDLE_SECONDS
    bench.row(f"CPU while {count} clients wait without a change", f"{share * 100:.2f} % of a core")


def told(bench, crowd, path, streams):
    """From the first stream that has a change to the last."""
    spans = []
    for edition in range(1, 1 + bench.arguments.rounds):
        for member in streams:
            member.received.clear()
            member.arrived = None
        gc.collect()
        save(path, document(edition))
        left = crowd.read_all(streams, lambda member: b"event: change" in member.received)
        if left:
            raise RuntimeError(f"{len(left)} streams are not told of edition {edition}")
        times = [member.arrived for member in streams]
        spans.append(max(times) - min(times))
    bench.row(f"from the first client that receives a change to the last of {len(streams)} streams",
              milliseconds(statistics.median(spans)))


def late(bench, own):
    """How long after its time a poll is answered that waits for a change in vain."""
    tag = get(own.port, QUIET)["etag"]
    lateness = []
    for _ in range(bench.arguments.changes):
        with Connection(own.port) as connection:
            begun = time.monotonic()
            answer = connection.get(QUIET, If_None_Match=tag, Prefer="wait=1")
            lateness.append(answer.done - begun - 1)
    bench.row("long poll with a wait of one second and no change: delay after that second",
              milliseconds(statistics.median(lateness)), "the slowest", milliseconds(max(lateness)))
