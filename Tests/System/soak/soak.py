#!/usr/bin/env python3
"""Everything at once, for as long as is wanted: saves, edits, requests, waiters, streams, and a follower.

Prints each minute what both servers hold: resident memory, threads, descriptors. In the end the last third of the time
must hold no more than the second third did, and the follower what its origin has.
"""

import os
import random
import statistics
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from harness.client import DEADLINE, Closed, Connection, Cut, get, wait_until
from harness.editors import Editor, token_file
from harness.edits import EditedTree, save
from harness.events import EventStream
from harness.mirror import crawl, differences
from harness.server import Server, allow_descriptors
from harness.verdict import Verdict, megabytes, options


# Answers to an edit of what is no longer as it was seen, or of a file that someone else writes at that moment.
REFUSALS = (400, 404, 409, 412, 422)


class Part(threading.Thread):
    """Something that goes on until the end; a fault is kept, and it goes on."""

    def __init__(self, name, seed, stopping, step):
        super().__init__(daemon=True, name=name)
        self.dice = random.Random(f"{name} {seed}")
        self.stopping = stopping
        self.step = step
        self.count = 0
        self.faults = []

    def run(self):
        while not self.stopping.is_set():
            try:
                self.step(self)
                self.count += 1
            except Exception as error:
                self.faults.append(f"{self.name}: {error!r}")
                self.stopping.wait(0.1)


class Soak:
    def __init__(self, arguments, folder, origin, follower):
        self.arguments = arguments
        self.origin = origin
        self.follower = follower
        self.path = os.path.join(folder, "Tree.plist")
        self.tree = EditedTree(arguments.seed, items=200, kept=("One", "Two"))
        self.stopping = threading.Event()
        self.saves = 0
        self.resets = 0

    def parts(self):
        return [
            Part("saves", 0, self.stopping, self.save),
            *[Part(f"edits{number}", number, self.stopping, self.edit) for number in range(self.arguments.editors)],
            *[Part("requests", number, self.stopping, self.request) for number in range(2)],
            *[Part("waiters", number, self.stopping, self.wait) for number in range(self.arguments.waiters)],
            *[Part("streams", number, self.stopping, self.stream) for number in range(self.arguments.streams)],
        ]

    def save(self, part):
        kind = part.dice.random()
        if kind < 0.05:
            document = self.tree.document()
            save(self.path, document[:len(document) // 2])
        else:
            if kind < 0.9:
                self.tree.edit()
            self.tree.save(self.path)
        self.saves += 1
        # Bursts, and pauses between them.
        self.stopping.wait(part.dice.choice([0, 0.02, 0.1, 0.5, 1]))

    def edit(self, part):
        """Edits at random; what is refused is what others have changed meanwhile."""
        with Connection(self.origin.port) as connection:
            editor = Editor(part.name, connection, part.count, kept=("One", "Two"))
            for _ in range(part.dice.randint(1, 20)):
                request = editor.edit()
                if request is not None and not (request.is_done or request.status in REFUSALS):
                    raise RuntimeError(f"an edit is answered otherwise: {request}")
        self.stopping.wait(part.dice.choice([0, 0.02, 0.1, 0.5]))

    def port(self, part):
        return part.dice.choice([self.origin.port, self.follower.port])

    @staticmethod
    def targets(connection, dice):
        level = connection.get("/levels/").json()
        row = dice.choice(level["rows"])
        return ["/levels/", "/levels/One", row["href"], row["href"].replace("/levels/", "/detail/", 1), "/document",
                "/document?format=json", "/levels/?fields=*&limit=5", f"/levels/?since={level['version']}",
                "/changes", "/readyz", "/levels/Nobody"]

    def request(self, part):
        with Connection(self.port(part)) as connection:
            for target in self.targets(connection, part.dice):
                answer = connection.get(target)
                if answer.status not in (200, 404):
                    raise RuntimeError(f"{target} is answered {answer.status}: {answer.body[:200]}")
        self.stopping.wait(0.02)

    def wait(self, part):
        with Connection(self.port(part)) as connection:
            for _ in range(part.dice.randint(1, 20)):
                target = part.dice.choice(["/levels/", "/levels/One", "/levels/Two", "/detail/One", "/document"])
                tag = connection.get(target)["etag"]
                connection.send(target, headers={"If-None-Match": tag, "Prefer": f"wait={part.dice.randint(1, 5)}"})
                if part.dice.random() < 0.1 or self.stopping.is_set():
                    # Gone, whatever was asked.
                    return
                answer = connection.receive()
                if answer.status not in (200, 304):
                    raise RuntimeError(f"{target} is answered {answer.status} to a waiter: {answer.body[:200]}")
                if answer.status == 200 and answer["etag"] == tag:
                    raise RuntimeError(f"{target} is told though it did not change")

    def stream(self, part):
        last = getattr(part, "last", None)
        try:
            stream = EventStream(self.port(part) if last is None else part.port, last_id=last)
        except (Closed, Cut, ConnectionError):
            return
        with stream:
            if last is None:
                part.port = stream.socket.getpeername()[1]
            until = time.monotonic() + part.dice.expovariate(1 / 5)
            while time.monotonic() < until and not self.stopping.is_set() and not stream.ended:
                event = stream.next(0.5)
                if event:
                    if event.name not in ("change", "reset"):
                        raise RuntimeError(f"a stream resumed behind {last} is told {event}")
                    self.resets += event.name == "reset"
                    part.last = event.id
            if stream.ended:
                raise RuntimeError("a stream ends by itself")
        if part.dice.random() < 0.05:
            part.last = None


class Holdings:
    """What a server holds, noted every few seconds."""

    def __init__(self, name, server):
        self.name = name
        self.server = server
        self.samples = []
        self.descriptors_at_rest = server.descriptors()

    def note(self):
        self.samples.append((self.server.resident_bytes(), self.server.threads(), self.server.descriptors()))

    def line(self):
        memory, threads, descriptors = self.samples[-1]
        return f"{self.name} {megabytes(memory)}, {threads} threads, {descriptors} descriptors"

    def judge(self, verdict, growth, clients):
        third = len(self.samples) // 3
        if third < 2:
            verdict.expect(False, f"there are enough samples of {self.name}")
            return
        second, last = self.samples[third:2 * third], self.samples[2 * third:]
        for number, what, slack in ((0, "memory", 1 << 20), (1, "threads", 0), (2, "descriptors", clients)):
            before, after = (statistics.median(sample[number] for sample in part) for part in (second, last))
            verdict.figure(f"{what} of {self.name}, second and last third", f"{before:.0f}, {after:.0f}")
            verdict.expect(
                after <= before * (1 + (growth if number == 0 else 0)) + slack,
                f"{what} of {self.name} stay flat: {before:.0f} in the second third, {after:.0f} in the last")


def main():
    # A history that is full within the first minutes: what grows after that is no history.
    arguments = options(__doc__, minutes=30.0, waiters=20, streams=10, editors=4, seed=1, growth=0.03, history_bytes=2_000_000)
    allow_descriptors(1000)
    with Verdict("soak") as verdict, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "Tree.plist")
        EditedTree(arguments.seed, items=200, kept=("One", "Two")).save(path)
        history = ("--history-bytes", str(arguments.history_bytes))
        tokens = token_file(os.path.join(folder, "tokens"), [f"edits{number}" for number in range(arguments.editors)])
        with Server(arguments.server, path, "--edit-token-file", tokens, *history) as origin:
            source = f"http://127.0.0.1:{origin.port}/document"
            copy = ("--refresh", "1", "--cache", os.path.join(folder, "copy.plist"))
            with Server(arguments.server, source, *copy, *history) as follower:
                soak = Soak(arguments, folder, origin, follower)
                holdings = [Holdings("the origin", origin), Holdings("the follower", follower)]
                run(verdict, soak, holdings, arguments)
                come_to_rest(verdict, soak, holdings)
                for server in (follower, origin):
                    status, _ = server.stop()
                    verdict.expect(status == 0, f"each server stops with status 0, not {status}")


def run(verdict, soak, holdings, arguments):
    parts = soak.parts()
    for part in parts:
        part.start()
    begun = time.monotonic()
    shown = 0
    # Nothing to wait for but the time.
    while (passed := time.monotonic() - begun) < arguments.minutes * 60:
        soak.stopping.wait(min(2, arguments.minutes * 60 - passed))
        for held in holdings:
            held.note()
        if passed // 60 >= shown:
            shown += 1
            faults = sum(len(part.faults) for part in parts)
            lines = "; ".join(held.line() for held in holdings)
            verdict.figure(
                f"minute {passed / 60:.1f}", f"{lines}; {soak.saves} saves, {soak.resets} resets, {faults} faults")
    soak.stopping.set()
    for part in parts:
        part.join(DEADLINE)
        verdict.expect(not part.is_alive(), f"{part.name} end")
        verdict.expect(part.count > 0, f"{part.name} made at least one round")
        for fault in part.faults[:3]:
            verdict.expect(False, fault)
    for kind in ("edits", "requests", "waiters", "streams"):
        verdict.figure(kind, sum(part.count for part in parts if part.name.startswith(kind)))
    for held in holdings:
        held.judge(verdict, arguments.growth, len(parts))


def come_to_rest(verdict, soak, holdings):
    """After the last save both have the same, and nothing is left of all who were there."""
    soak.tree.save(soak.path)
    ports = [soak.origin.port, soak.follower.port]

    def same():
        bodies = []
        for port in ports:
            with Connection(port) as connection:
                bodies.append(crawl(connection))
        return not differences(*bodies)

    took = wait_until(same, every=0.2)
    verdict.expect(took is not None, "the follower ends with what its origin serves")
    for held in holdings:
        # The connection on which one follows the other may come and go.
        most = held.descriptors_at_rest + 2
        took = wait_until(lambda: held.server.descriptors() <= most, every=0.1)
        verdict.expect(
            took is not None,
            f"{held.name} holds at most {most} descriptors at the end; it holds {held.server.descriptors()}")
    for port in ports:
        ready = get(port, "/readyz").json()
        verdict.expect(ready["status"] == "ok", f"/readyz says ok at the end: {ready}")


if __name__ == "__main__":
    main()
