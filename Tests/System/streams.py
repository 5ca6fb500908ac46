#!/usr/bin/env python3
"""Streams of changes that are torn and taken up again: every revision once, in order, and all that it changed.

Clients read with many disconnections, some within an event, and come again with the last id they have. A client that
fetches only what a stream names ends with what a fresh one gets. One that does not read is told to begin anew.
"""

import json
import os
import plistlib
import random
import socket
import tempfile
import threading

from harness.client import DEADLINE, Closed, Connection, Cut, get, wait_until
from harness.edits import EditedTree, save
from harness.events import EventStream
from harness.mirror import Mirror, contents, crawl, differences
from harness.server import Server
from harness.verdict import Verdict, megabytes, options


def revision(connection):
    return connection.get("/changes").json()["revision"]


class Reader(threading.Thread):
    """Reads the stream in pieces of any size, hangs up at random, and goes on behind the last whole event."""

    def __init__(self, port, since, seed):
        super().__init__(daemon=True)
        self.port = port
        self.last = since
        self.dice = random.Random(seed)
        self.events = []
        self.connections = 0
        self.within_event = 0
        self.final = None
        self.fault = None

    def run(self):
        try:
            while self.last != self.final:
                self._read_some()
        except Exception as error:
            self.fault = f"a reader fails after {len(self.events)} events: {error!r}"

    def _read_some(self):
        self.connections += 1
        patience = self.dice.expovariate(1 / 1500)
        try:
            stream = EventStream(self.port, last_id=self.last)
        except (Closed, Cut, ConnectionError):
            return
        with stream:
            if stream.status != 200:
                raise RuntimeError(f"a stream is answered {stream.status}")
            self._take(stream)
            # The last revision may have been told to others already.
            stream.socket.settimeout(0.5)
            while patience > 0 and self.last != self.final:
                size = min(self.dice.randint(1, 700), int(patience) + 1)
                patience -= size
                try:
                    if not stream.read_piece(size):
                        break
                except TimeoutError:
                    pass
                self._take(stream)
            self.within_event += not stream.parser.is_between_events

    def _take(self, stream):
        for event in stream.take():
            self.events.append(event)
            self.last = event.id


class Keeper(threading.Thread):
    """Keeps all levels and details by what the stream names."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port = port
        self.final = None
        self.fault = None
        self.mirror = None
        self.last = None
        self.ready = threading.Event()

    def run(self):
        try:
            with Connection(self.port) as connection:
                self.last = revision(connection)
                self.mirror = Mirror(connection)
                self.ready.set()
                with EventStream(self.port, last_id=self.last) as stream:
                    while self.last != self.final:
                        event = stream.next(within=0.2)
                        if event is None:
                            if stream.ended:
                                raise RuntimeError("the stream ends by itself")
                            continue
                        if event.name != "change":
                            raise RuntimeError(f"the stream tells {event}")
                        self.mirror.apply(json.loads(event.data))
                        self.last = event.id
        except Exception as error:
            self.fault = f"a keeper fails: {error!r}"
            self.ready.set()


def torn_streams(verdict, arguments, folder):
    """Several readers and keepers while a small tree is edited."""
    path = os.path.join(folder, "Tree.plist")
    tree = EditedTree(arguments.seed)
    tree.save(path)
    with Server(arguments.server, path) as server, Connection(server.port) as connection:
        since = revision(connection)
        readers = [Reader(server.port, since, seed) for seed in range(arguments.readers)]
        keepers = [Keeper(server.port) for _ in range(2)]
        for client in [*readers, *keepers]:
            client.start()
        for keeper in keepers:
            keeper.ready.wait(DEADLINE)
        counts, exact = edit(verdict, tree, path, connection, arguments)
        final = revision(connection)
        for client in [*readers, *keepers]:
            client.final = final
        for client in [*readers, *keepers]:
            client.join(DEADLINE)
            verdict.expect(not client.is_alive(), "every client reaches the last revision")
            verdict.expect(client.fault is None, client.fault)
        answer = connection.get(f"/changes?since={since}").json()
        entries = answer["changes"]
        verdict.expect(
            len(entries) == arguments.saves, f"{arguments.saves} saves make as many entries; they make {len(entries)}")
        verdict.expect(
            answer["revision"] == final, f"the last revision is {final}; the answer says {answer['revision']}")
        for reader in readers:
            judge_reader(verdict, reader, entries)
        fresh = crawl(connection)
        for keeper in keepers:
            wrong = differences(keeper.mirror.bodies, fresh) if keeper.mirror else fresh
            verdict.expect(
                not wrong,
                f"a client that fetches what is named has all {len(fresh)} bodies;"
                f" {len(wrong)} differ: {sorted(wrong)[:5]}")
        verdict.figure("edits", ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
        verdict.figure("entries compared with what differs", exact)
        verdict.figure(
            "connections of the readers",
            f"{sum(reader.connections for reader in readers)}, of which"
            f" {sum(reader.within_event for reader in readers)} were left within an event")
        verdict.figure("fetched by a keeper", f"{keepers[0].mirror.fetched} bodies, and {len(fresh)} at first")


def edit(verdict, tree, path, connection, arguments):
    """Edits and saves; now and then all bodies are compared with what the entry names."""
    counts, exact = {}, 0
    for number in range(arguments.saves):
        before = revision(connection)
        looks = number % arguments.look == 0
        old = crawl(connection) if looks else None
        kind = tree.edit()
        counts[kind] = counts.get(kind, 0) + 1
        tree.save(path)
        took = wait_until(lambda: revision(connection) != before, every=0.001)
        if not verdict.expect(took is not None, f"save {number}, {kind}, makes a revision"):
            continue
        if looks:
            exact += 1
            [*_, entry] = connection.get(f"/changes?since={before}").json()["changes"]
            named = set(entry["levels"]) | set(entry["details"])
            differ = differences(contents(old), contents(crawl(connection)))
            verdict.expect(
                named == differ, f"save {number}, {kind}: named although unchanged {sorted(named - differ)[:3]},"
                f" not named {sorted(differ - named)[:3]}")
    return counts, exact


def judge_reader(verdict, reader, entries):
    verdict.expect(
        all(event.name == "change" for event in reader.events),
        f"a reader gets only change events: {[event for event in reader.events if event.name != 'change'][:3]}")
    told = [event.id for event in reader.events]
    wanted = [entry["revision"] for entry in entries]
    verdict.expect(
        told == wanted, f"a reader gets all {len(wanted)} revisions once and in order; it gets {len(told)},"
        f" twice {len(told) - len(set(told))}, never {len(set(wanted) - set(told))}")
    verdict.expect(
        [json.loads(event.data) for event in reader.events] == entries[:len(told)] or told != wanted,
        "the data of each event is the entry of /changes")


def wide(edition, rows=300):
    """A document of which a save changes every detail."""
    return plistlib.dumps({"Title": "Wide", "Rows": [
        {"Title": f"A row with a long title, number {row}", "Text": f"edition {edition}"} for row in range(rows)]})


class Witness(threading.Thread):
    """Reads its stream at once, and keeps the revisions in their order."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.stream = EventStream(port)
        self.order = []
        self.news = threading.Condition()
        self.fault = None

    def run(self):
        while (event := self.stream.next()) is not None:
            with self.news:
                if event.name != "change":
                    self.fault = f"a witness is told {event}"
                self.order.append(event.id)
                self.news.notify_all()

    def wait_for(self, count):
        with self.news:
            return self.news.wait_for(lambda: len(self.order) >= count, timeout=DEADLINE)


def slow_readers(verdict, arguments, folder, history=None):
    """Some do not read while much is saved: they get all or a reset, and others are told meanwhile."""
    path = os.path.join(folder, "Wide.plist")
    save(path, wide(0))
    edition = 0
    settings = () if history is None else ("--history-bytes", str(history))
    with Server(arguments.server, path, *settings) as server, Connection(server.port) as connection:
        witness = Witness(server.port)
        witness.start()

        def save_many(count):
            nonlocal edition
            for _ in range(count):
                edition += 1
                save(path, wide(edition))
                if not verdict.expect(witness.wait_for(edition), f"a client that reads at once gets edition {edition}"):
                    break

        save_many(10)
        since = revision(connection)
        memory = server.resident_bytes()
        sleepers = [EventStream(server.port, last_id=since, receive_buffer=4096) for _ in range(arguments.sleepers)]
        save_many(arguments.sleep)
        grown = server.resident_bytes() - memory
        verdict.figure("memory added meanwhile", megabytes(grown))
        verdict.expect(
            grown <= arguments.memory * 1e6,
            f"the service needs at most {arguments.memory} MB more: {megabytes(grown)}")
        order = witness.order
        resets = [catch_up(verdict, server, sleeper, since, order) for sleeper in sleepers]
        verdict.figure("clients that did not read", f"{sum(resets)} of {len(resets)} got a reset")
        if history is not None:
            verdict.expect(all(resets), f"a history of {history} bytes does not contain their last event")
        verdict.expect(witness.fault is None, witness.fault)


def catch_up(verdict, server, stream, since, order):
    """Reads all that was missed; says whether there was a reset."""
    last, reset, joins = since, False, 0
    final = order[-1]
    known = {revision: place for place, revision in enumerate(order)}
    while last != final and joins < 5:
        event = stream.next()
        if event is None:
            if not verdict.expect(stream.ended, f"a client that reads again gets an event after {last}"):
                break
            stream.close()
            joins += 1
            stream = EventStream(server.port, last_id=last)
            continue
        if event.name == "reset":
            reset = True
            verdict.expect(event.id in known, f"a reset names a revision: {event}")
        else:
            verdict.expect(
                known.get(event.id) == known[last] + 1, f"the event after {last} is the next revision, not {event}")
        last = event.id if event.id in known else final
    stream.close()
    verdict.expect(last == final, f"a client that reads again reaches {final}; it reaches {last}")
    return reset


def main():
    arguments = options(
        __doc__, saves=300, readers=6, look=5, seed=1, sleepers=10, sleep=250, memory=64)
    with Verdict("streams") as verdict, tempfile.TemporaryDirectory() as folder:
        torn_streams(verdict, arguments, folder)
        slow_readers(verdict, arguments, folder)
        slow_readers(verdict, arguments, folder, history=200_000)


if __name__ == "__main__":
    main()
