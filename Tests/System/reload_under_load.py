#!/usr/bin/env python3
"""Reads random levels on many connections while the document is saved again and again with one level changed.

No answer may fail, none may mix two editions of the changed level, and all other levels keep their ETag. Others wait
with long polls and streams: they are told of the changed level alone, and of each edition as a whole. The resident
memory must not grow from the third reload to the last.
For the full weight: --items 1100000 --reloads 30 --every 5 --waiters 5000 --streams 500
"""

import json
import multiprocessing
import os
import random
import re
import signal
import tempfile
import time

from harness.client import DEADLINE, Connection, wait_until
from harness.crowd import Crowd, poll, request, stream
from harness.documents import EditionedFile, Shape
from harness.events import Dechunker, EventParser
from harness.server import Server, allow_descriptors
from harness.verdict import Verdict, megabytes, options

EDITION = re.compile(rb'"edition (\d+)"')


class Load:
    """One process's share of the clients: several connections, all with a request under way."""

    def __init__(self, port, shape, connections, seed, changed):
        self.port = port
        self.shape = shape
        self.connections = connections
        self.dice = random.Random(seed)
        self.changed = changed
        self.tags = {}
        self.newest = 0
        self.answers = 0
        self.faults = []

    def run(self, stopping, results):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            self._ask_until(stopping)
        except Exception as error:
            self.faults.append(f"a client fails after {self.answers} answers: {error!r}")
        results.put((self.answers, self.newest, self.faults[:5], self.tags))

    def _ask_until(self, stopping):
        connections = [Connection(self.port) for _ in range(self.connections)]
        while not stopping.is_set():
            # One in eight looks at the level that changes.
            self._ask(
                connections, [self.changed if self.dice.random() < 0.125 else self._any() for _ in connections])
        # All look at it in the end, when the last edition is served.
        self._ask(connections, [self.changed for _ in connections])

    def _ask(self, connections, levels):
        for connection, level in zip(connections, levels):
            connection.send("/levels" + self.shape.path(*level))
        for connection, level in zip(connections, levels):
            answer = connection.receive()
            self.answers += 1
            self._judge(level, answer)

    def _any(self):
        return self.dice.randrange(self.shape.groups), self.dice.randrange(self.shape.shelves)

    def _judge(self, level, answer):
        path = self.shape.path(*level)
        if answer.status != 200:
            self.faults.append(f"{path} is answered {answer.status}: {answer.body[:200]}")
            return
        editions = EDITION.findall(answer.body)
        if len(editions) != self.shape.leaves or len(set(editions)) != 1:
            self.faults.append(f"{path} has {len(editions)} rows of the editions {set(editions)}")
            return
        edition = int(editions[0])
        if level == self.changed:
            self.newest = max(self.newest, edition)
        elif edition != 0:
            self.faults.append(f"{path} never changed and is served in edition {edition}")
        elif self.tags.setdefault(level, answer["etag"]) != answer["etag"]:
            self.faults.append(f"{path} never changed, and its ETag went from {self.tags[level]} to {answer['etag']}")


class Waiting:
    """One process of clients that wait: half of the long polls on the level that changes, and streams."""

    PATIENCE = 3

    def __init__(self, port, shape, waiters, streams, changed, last):
        self.port = port
        self.shape = shape
        self.waiters = waiters
        self.streams = streams
        self.changed = changed
        # The last edition.
        self.last = last
        self.dice = random.Random(0)
        # What each waiter waits for: the level, its tag, its edition, and since when.
        self.waits = {}
        self.counts = {200: 0, 304: 0}
        self.events = []
        self.faults = []

    def run(self, ready, stopping, results):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        newest = []
        try:
            with Crowd(self.port) as crowd:
                streams = self._begin(crowd)
                ready.set()
                while not stopping.is_set():
                    self._answer(crowd)
                # What was on its way when the last save was told to all others.
                wait_until(lambda: self._answer(crowd) or self._all_told(streams))
                newest = [edition for level, _, edition, _ in self.waits.values() if level == self.changed]
                self.events = [events_of(bytes(member.received)) for member in streams]
        except Exception as error:
            self.faults.append(f"those who wait fail after {self.counts}: {error!r}")
        ready.set()
        results.put((self.counts, newest, self.events, self.faults[:5]))

    def _all_told(self, streams):
        return (all(edition == self.last for level, _, edition, _ in self.waits.values() if level == self.changed)
                and all(member.received.count(b"event: change") >= self.last for member in streams))

    def _begin(self, crowd):
        streams = crowd.join(self.streams)
        for member in streams:
            member.ask(stream())
        members = crowd.join(self.waiters)
        for number, member in enumerate(members):
            level = self.changed if number % 2 else self._unchanged()
            self.waits[member] = (level, None, 0, time.monotonic())
            member.ask(request("/levels" + self.shape.path(*level)))
        left = crowd.read_all(members, lambda member: member.is_answered())
        if left:
            raise RuntimeError(f"{len(left)} of {len(members)} get no first answer")
        crowd.told.update(members)
        return streams

    def _unchanged(self):
        while True:
            level = (self.dice.randrange(self.shape.groups), self.dice.randrange(self.shape.shelves))
            if level != self.changed:
                return level

    def _answer(self, crowd):
        """Judges what has come, and lets each answered client wait again."""
        crowd.read(lambda: crowd.told, 0.1)
        told, crowd.told = crowd.told, set()
        for member in told & self.waits.keys():
            if member.ended:
                raise RuntimeError(f"a waiter's connection ends: {bytes(member.received[:200])}")
            if member.is_answered():
                self._judge(member)

    def _judge(self, member):
        level, tag, edition, since = self.waits[member]
        status, _ = member.answer()
        path = self.shape.path(*level)
        took = member.arrived - since
        if status == 304 and tag is not None:
            if took < self.PATIENCE:
                self.faults.append(f"{path} is 304 after {took:.2f} of {self.PATIENCE} s")
        elif status == 200:
            editions = {int(number) for number in EDITION.findall(bytes(member.received))}
            if len(editions) != 1:
                self.faults.append(f"{path} is sent with the editions {editions}")
            elif tag is not None and (level != self.changed or max(editions) <= edition):
                self.faults.append(f"{path} of edition {edition} is sent again, with edition {editions}")
            edition = max(editions, default=edition)
        else:
            self.faults.append(f"{path} is answered {status} to a waiter: {bytes(member.received[:300])}")
        if tag is not None:
            self.counts[status] = self.counts.get(status, 0) + 1
        tag = self._tag(member) or tag
        self.waits[member] = (level, tag, edition, time.monotonic())
        member.ask(poll("/levels" + path, tag, self.PATIENCE))

    @staticmethod
    def _tag(member):
        found = re.search(rb"^ETag: (.*?)\r$", bytes(member.received), re.MULTILINE | re.IGNORECASE)
        return found and found[1].decode("latin-1")


def events_of(received):
    """The events of a stream as they came, and what is left of them."""
    head, _, body = received.partition(b"\r\n\r\n")
    if b"chunked" in head.lower():
        body = Dechunker().feed(body)
    return [(event.name, event.id, json.loads(event.data)) for event in EventParser().feed(body, 0)]


def main():
    arguments = options(__doc__, items=11000, reloads=8, every=0.5, connections=32, processes=2, growth=0.25,
                        waiters=200, streams=20)
    allow_descriptors(arguments.waiters + arguments.streams + arguments.connections + 100)
    with Verdict("reload_under_load") as verdict, tempfile.TemporaryDirectory() as folder:
        shape = Shape(arguments.items)
        changed = (shape.groups // 2, shape.shelves // 3)
        file = EditionedFile(os.path.join(folder, "Large.plist"), shape)
        verdict.figure(
            "document",
            f"{shape.items} items, {megabytes(os.path.getsize(file.path))}")
        places = ("--waiters", str(arguments.waiters + arguments.streams))
        with Server(arguments.server, file.path, *places) as server:
            results = multiprocessing.Queue()
            stopping = multiprocessing.Event()
            share = arguments.connections // arguments.processes
            loads = [
                multiprocessing.Process(
                    target=Load(server.port, shape, share, seed, changed).run, args=(stopping, results), daemon=True)
                for seed in range(arguments.processes)]
            waiting = Waiting(server.port, shape, arguments.waiters, arguments.streams, changed, arguments.reloads)
            ready, told = multiprocessing.Event(), multiprocessing.Queue()
            crowd = multiprocessing.Process(target=waiting.run, args=(ready, stopping, told), daemon=True)
            crowd.start()
            verdict.expect(ready.wait(DEADLINE), "all waiting clients have begun")
            for load in loads:
                load.start()
            memory = reload_again_and_again(verdict, server, file, changed, arguments)
            stopping.set()
            found = [results.get(timeout=2 * DEADLINE) for _ in loads]
            judge_waiting(verdict, told.get(timeout=2 * DEADLINE), shape.path(*changed), arguments)
            for process in [*loads, crowd]:
                process.join()
            judge(verdict, found, arguments)
            verdict.figure("resident memory", ", ".join(megabytes(size) for size in memory))
            # Some trees are held longer than others by clients that read them: the least of some samples shows a leak.
            verdict.expect(
                min(memory[-3:]) <= max(memory[:3]) * (1 + arguments.growth),
                f"memory does not grow after the third reload: {megabytes(max(memory[:3]))},"
                f" {megabytes(min(memory[-3:]))}")


def reload_again_and_again(verdict, server, file, changed, arguments):
    memory = []
    target = "/levels" + file.shape.path(*changed)
    with Connection(server.port) as connection:
        for edition in range(1, arguments.reloads + 1):
            file.save(*changed, edition)
            saved = time.monotonic()
            wanted = f'"edition {edition:08d}"'.encode()
            took = wait_until(lambda: wanted in connection.get(target).body)
            if not verdict.expect(took is not None, f"edition {edition} is served"):
                break
            # Nothing to wait for but the time: the load has to go on between two saves.
            wait_until(lambda: time.monotonic() - saved >= arguments.every, arguments.every + 1)
            memory.append(server.resident_bytes())
    return memory


def judge_waiting(verdict, found, changed, arguments):
    counts, newest, streams, faults = found
    for fault in faults:
        verdict.expect(False, fault)
    verdict.figure("answers to waiting clients", f"{counts.get(200, 0)} changes, {counts.get(304, 0)} without a change")
    last = sum(edition == arguments.reloads for edition in newest)
    verdict.expect(
        last == len(newest),
        f"all clients that wait for the changed level get its last edition; {len(newest) - last} do not")
    orders = {tuple(id for _, id, _ in events) for events in streams}
    verdict.expect(
        len(orders) <= 1 and all(len(order) == len(set(order)) == arguments.reloads for order in orders),
        f"each stream reports {arguments.reloads} revisions, all in the same order: {[len(order) for order in orders]}")
    entries = [(name, entry["levels"]) for events in streams for name, _, entry in events]
    wrong = [entry for entry in entries if entry != ("change", ["/levels" + changed])]
    verdict.expect(not wrong, f"streams report the changed level only; {len(wrong)} events do not: {wrong[:3]}")


def judge(verdict, found, arguments):
    tags = {}
    for answers, newest, faults, seen in found:
        for fault in faults:
            verdict.expect(False, fault)
        verdict.expect(answers > 0, "each process gets answers")
        verdict.expect(
            newest == arguments.reloads, f"each process sees the last edition, {arguments.reloads}; one saw {newest}")
        for level, tag in seen.items():
            verdict.expect(tags.setdefault(level, tag) == tag, f"all clients see the same ETag of level {level}")
    verdict.figure("answers", sum(answers for answers, *_ in found))


if __name__ == "__main__":
    main()
