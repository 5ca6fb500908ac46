#!/usr/bin/env python3
"""Reads random levels on many connections while the document is saved again and again with one level changed.

No answer may fail, none may mix two editions of the changed level, and all other levels keep their ETag. The resident
memory must not grow from the third reload to the last. Clients that wait meanwhile are part of waiters.py and rechecks.py.
For the full weight: --items 1100000 --reloads 30 --every 5
"""

import multiprocessing
import os
import random
import re
import signal
import tempfile
import time

from harness.client import DEADLINE, Connection, wait_until
from harness.documents import EditionedFile, Shape
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


def main():
    arguments = options(__doc__, items=11000, reloads=8, every=0.5, connections=32, processes=2, growth=0.25)
    allow_descriptors(arguments.connections + 100)
    with Verdict("reload_under_load") as verdict, tempfile.TemporaryDirectory() as folder:
        shape = Shape(arguments.items)
        changed = (shape.groups // 2, shape.shelves // 3)
        file = EditionedFile(os.path.join(folder, "Large.plist"), shape)
        verdict.figure(
            "document",
            f"{shape.items} items, {megabytes(os.path.getsize(file.path))}")
        with Server(arguments.server, file.path) as server:
            results = multiprocessing.Queue()
            stopping = multiprocessing.Event()
            share = arguments.connections // arguments.processes
            loads = [
                multiprocessing.Process(
                    target=Load(server.port, shape, share, seed, changed).run, args=(stopping, results), daemon=True)
                for seed in range(arguments.processes)]
            for load in loads:
                load.start()
            memory = reload_again_and_again(verdict, server, file, changed, arguments)
            stopping.set()
            found = [results.get(timeout=2 * DEADLINE) for _ in loads]
            for process in loads:
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
