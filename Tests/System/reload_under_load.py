#!/usr/bin/env python3
"""Reads random levels on many connections while the document is saved again and again with one level changed.

No answer may fail, none may mix two editions of the changed level, and all other levels keep their ETag. Prints the
slowest answer, the time from a save to its first answer, and the resident memory from the third reload to the last.
For the full weight: --items 1100000 --reloads 30 --every 5
"""

import multiprocessing
import os
import random
import re
import signal
import tempfile
import time

from harness.client import Connection, wait_until
from harness.documents import EditionedFile, Shape
from harness.server import Server
from harness.verdict import Verdict, megabytes, milliseconds, options, spread

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
        self.slowest = 0.0
        self.faults = []

    def run(self, stopping, results):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            self._ask_until(stopping)
        except Exception as error:
            self.faults.append(f"a client fails after {self.answers} answers: {error!r}")
        results.put((self.answers, self.slowest, self.newest, self.faults[:5], self.tags))

    def _ask_until(self, stopping):
        open_ones = [Connection(self.port) for _ in range(self.connections)]
        while not stopping.is_set():
            asked = []
            for connection in open_ones:
                # One in eight looks at the level that changes.
                level = self.changed if self.dice.random() < 0.125 else self._any()
                connection.send("/levels" + self.shape.path(*level))
                asked.append((level, time.monotonic()))
            for connection, (level, begun) in zip(open_ones, asked):
                answer = connection.receive()
                self.slowest = max(self.slowest, answer.done - begun)
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
    arguments = options(__doc__, items=11000, reloads=8, every=0.5, connections=32, processes=2, within=10.0,
                        slowest=2.0, growth=0.25)
    with Verdict("reload_under_load") as verdict, tempfile.TemporaryDirectory() as folder:
        shape = Shape(arguments.items)
        changed = (shape.groups // 2, shape.shelves // 3)
        begun = time.monotonic()
        file = EditionedFile(os.path.join(folder, "Large.plist"), shape)
        verdict.figure(
            "document",
            f"{shape.items} items, {megabytes(os.path.getsize(file.path))}, "
            f"written in {time.monotonic() - begun:.1f} s")
        with Server(arguments.server, file.path, start_within=120) as server:
            verdict.figure("first load", f"{server.ready_at - server.started_at:.2f} s")
            results = multiprocessing.Queue()
            stopping = multiprocessing.Event()
            share = arguments.connections // arguments.processes
            loads = [
                multiprocessing.Process(
                    target=Load(server.port, shape, share, seed, changed).run, args=(stopping, results), daemon=True)
                for seed in range(arguments.processes)]
            for load in loads:
                load.start()
            reloads, memory = reload_again_and_again(verdict, server, file, changed, arguments)
            stopping.set()
            found = [results.get(timeout=60) for _ in loads]
            for load in loads:
                load.join()
            judge(verdict, found, reloads, arguments)
            verdict.figure("from a save to its first answer", spread(reloads))
            verdict.figure("resident memory", ", ".join(megabytes(size) for size in memory))
            if len(memory) > 3:
                verdict.expect(
                    memory[-1] <= memory[2] * (1 + arguments.growth),
                    f"memory stays as it was after the third reload: {megabytes(memory[2])}, {megabytes(memory[-1])}")


def reload_again_and_again(verdict, server, file, changed, arguments):
    reloads, memory = [], []
    target = "/levels" + file.shape.path(*changed)
    with Connection(server.port) as connection:
        for edition in range(1, arguments.reloads + 1):
            file.save(*changed, edition)
            saved = time.monotonic()
            wanted = f'"edition {edition:08d}"'.encode()
            took = wait_until(lambda: wanted in connection.get(target).body, arguments.within)
            if not verdict.expect(took is not None, f"edition {edition} is served within {arguments.within} s"):
                break
            reloads.append(took)
            # Nothing to wait for but the time: the load has to go on between two saves.
            wait_until(lambda: time.monotonic() - saved >= arguments.every, arguments.every + 1)
            memory.append(server.resident_bytes())
    return reloads or [0.0], memory


def judge(verdict, found, reloads, arguments):
    tags = {}
    for answers, _, newest, faults, seen in found:
        for fault in faults:
            verdict.expect(False, fault)
        verdict.expect(answers > 100, f"each process gets its answers; one got {answers}")
        verdict.expect(
            newest == arguments.reloads, f"each process sees the last edition, {arguments.reloads}; one saw {newest}")
        for level, tag in seen.items():
            verdict.expect(tags.setdefault(level, tag) == tag, f"two clients see one ETag of level {level}")
    slowest = max(slowest for _, slowest, _, _, _ in found)
    verdict.figure("answers", sum(answers for answers, *_ in found))
    verdict.figure("slowest answer", milliseconds(slowest))
    verdict.expect(
        slowest <= arguments.slowest, f"no answer takes more than {arguments.slowest} s; one took {slowest:.2f} s")


if __name__ == "__main__":
    main()
