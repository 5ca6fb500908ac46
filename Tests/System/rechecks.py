#!/usr/bin/env python3
"""Many clients that wait for long pages of their own, and a save that changes them all: nobody else is delayed.

The streams, the polls of /changes and of a short level are told within a second, ordinary requests go on, and sorts by
other clients find their places; each long page comes in its turn. For the full weight: --waiters 10000 --patience 290 --plain 50
"""

import multiprocessing
import os
import plistlib
import tempfile
import threading
import time

from harness.client import Connection, get, wait_until
from harness.crowd import Crowd, poll, stream
from harness.edits import save
from harness.server import Server, allow_descriptors, settle
from harness.verdict import Verdict, milliseconds, options, spread

ROWS, TABLE, SORTS, SEEKING, SAVES = 9_900, 20_000, 40, 300, 4
# So many requests at once are answered on a busy machine too; of more, the server refuses some.
TOGETHER = 50
# The number at its end is more than the sections of the level, so that all have the same answer.
LONG, SHORT, PLAIN = "/levels/Long?limit=9900&fields=Subtitle&sections=", "/levels/Short", "/levels/Plain"
# Each finds nothing, and has to look through the table again after each save.
SOUGHT = "/levels/Table?where=Title~nothing"


def document(edition):
    def rows(count, name, edition=edition):
        return [{"Title": f"{name} {row}", "Subtitle": f"{edition}"} for row in range(count)]

    return plistlib.dumps({"Title": "Rechecks", "Rows": [
        {"Title": "Long", "Children": rows(ROWS, "Row")}, {"Title": "Short", "Children": rows(2, "Row")},
        {"Title": "Plain", "Children": rows(20, "Row", 0)}, {"Title": "Table", "Children": rows(TABLE, "Cell")}]},
        fmt=plistlib.FMT_BINARY)


class Discarding(Crowd):
    """A crowd that keeps the head of an answer only."""

    def __init__(self, port):
        super().__init__(port)
        self.heads = {}

    def _read(self, member):
        piece = member.socket.recv(1 << 18)
        if not piece:
            member.ended = True
            self.poll.unregister(member.socket)
        self.heads.setdefault(member, piece[:12])


def ask_all(server, members, target, tag, patience):
    """Each member polls a target of its own, which ends in its number from 1, and waits there before too many others ask."""
    for number, member in enumerate(members, 1):
        member.ask(poll(f"{target}{number}", tag, patience))
        if number % TOGETHER == 0:
            settle(server)


def wait_for_pages(server, count, tag, tag_of_none, patience, pipe):
    """A process of its own: all wait, each for a page of its own, and read what comes; some seek what never comes."""
    with Discarding(server.port) as crowd:
        ask_all(server, crowd.join(SEEKING), SOUGHT, tag_of_none, patience)
        pages = crowd.join(count)
        ask_all(server, pages, LONG, tag, patience)
        pipe.send("asked")
        end = time.monotonic() + patience
        while time.monotonic() < end and not all(member in crowd.heads for member in pages):
            crowd.listen(0.1)
            if pipe.poll():
                pipe.recv()
                pipe.send(sum(member in crowd.heads for member in pages))
        statuses = {}
        for head in (crowd.heads.get(member) for member in pages):
            statuses[head] = statuses.get(head, 0) + 1
        pipe.send(statuses)


class Repeated(threading.Thread):
    """Asks again and again on one connection, and notes how long each answer took."""

    def __init__(self, port, targets, pause):
        super().__init__(daemon=True)
        self.port, self.targets, self.pause = port, targets, pause
        self.took, self.statuses, self.stopping = [], {}, False

    def run(self):
        with Connection(self.port) as connection:
            for target in self.targets:
                if self.stopping:
                    return
                asked = time.monotonic()
                status = connection.get(target).status
                self.took.append(time.monotonic() - asked)
                self.statuses[status] = self.statuses.get(status, 0) + 1
                time.sleep(self.pause)


def plain_targets():
    while True:
        yield PLAIN


def nobody_else_is_delayed(verdict, arguments, folder):
    path = os.path.join(folder, "Rechecks.plist")
    save(path, document(1))
    with Server(arguments.server, path, "--waiters", str(arguments.waiters + SEEKING + 100)) as server:
        with Connection(server.port) as connection:
            tags = {target: connection.get(target)["etag"] for target in (LONG + "1", SHORT, SOUGHT + "1")}
        ours, theirs = multiprocessing.Pipe()
        pages = multiprocessing.Process(
            target=wait_for_pages, daemon=True, args=(
                server, arguments.waiters, tags[LONG + "1"], tags[SOUGHT + "1"], arguments.patience, theirs))
        pages.start()
        ours.recv()
        settle(server)
        ours.send("how many")
        verdict.expect(ours.recv() == 0, "all pages are waited for")
        with Crowd(server.port) as crowd:
            told = {"a stream": stream(), "a poll of /changes": poll("/changes", "x", arguments.patience),
                    "a poll of a short level": poll(SHORT, tags[SHORT], arguments.patience)}
            members = dict(zip(told, crowd.join(len(told))))
            for name, member in members.items():
                member.ask(told[name])
            first = members["a stream"]
            crowd.read(lambda: b"id:" in first.received)
            first.received.clear()
            first.arrived = None
            settle(server)
            plain = Repeated(server.port, plain_targets(), 0.01)
            sorts = [Repeated(server.port, [
                f"/levels/Table?sort=Title&limit=1&where=Title>{client}.{number}" for number in range(SORTS)], 0)
                for client in range(2)]
            for thread in (plain, *sorts):
                thread.start()
            save(path, document(2))
            saved = time.monotonic()
            crowd.read_all(members.values(), lambda member: True, arguments.patience)
            for name, member in members.items():
                took = (member.arrived or saved + arguments.patience) - saved
                verdict.figure(f"{name} is told after", milliseconds(took))
                verdict.expect(took < 1, f"{name} is told within 1 s of the save, not after {took:.2f} s")
            for thread in sorts:
                thread.join(arguments.patience)
            statuses = {status: sum(thread.statuses.get(status, 0) for thread in sorts) for status in (200, 503)}
            verdict.figure("sorts by other clients", f"{statuses}, {spread(sorts[0].took + sorts[1].took)}")
            verdict.expect(statuses == {200: 2 * SORTS, 503: 0}, f"all sorts are made: {statuses}")
            began = time.monotonic()
            statuses = ours.recv() if ours.poll(arguments.patience) else {}
            verdict.figure("the last page came after the sorts by", f"{time.monotonic() - began:.1f} s")
            plain.stopping = True
            plain.join(arguments.patience)
        slow = sorted(plain.took)[int(len(plain.took) * 0.99)]
        verdict.figure(
            "plain requests meanwhile", f"{len(plain.took)}, {spread(plain.took)}, 99 % {milliseconds(slow)}")
        verdict.expect(slow < arguments.plain / 1000, f"99 of 100 plain requests take at most {arguments.plain} ms")
        verdict.figure("the pages", statuses)
        verdict.figure("peak memory", f"{server.peak_bytes() / 1e6:.0f} MB")
        verdict.expect(
            statuses == {b"HTTP/1.1 200": arguments.waiters}, f"every client gets its new page: {statuses}")
        pages.join()


def sorts_find_their_places(verdict, program, folder):
    """All places to wait are taken, by searches that each save repeats: what others sort is made before them."""
    path = os.path.join(folder, "Sorts.plist")
    save(path, document(1))
    with Server(program, path, "--waiters", str(SEEKING)) as server, Crowd(server.port) as crowd:
        with Connection(server.port) as connection:
            tag = connection.get(SOUGHT + "1")["etag"]
        ask_all(server, crowd.join(SEEKING), SOUGHT, tag, 100)
        settle(server)
        crowd.listen(0.1)
        verdict.expect(not crowd.told, f"{SEEKING} searches are waited for, all but {len(crowd.told)}")
        sorts = [Repeated(server.port, [
            f"/levels/Table?sort=Title&limit=1&where=Title>{client}.{number}" for number in range(SORTS)], 0.05)
            for client in range(2)]
        for edition in range(2, 2 + SAVES):
            save(path, document(edition))
            wait_until(lambda: f'"Subtitle":"{edition}"'.encode() in get(server.port, SHORT + "?fields=Subtitle").body)
        for thread in sorts:
            thread.start()
        for thread in sorts:
            thread.join(100)
        statuses = [thread.statuses for thread in sorts]
        verdict.expect(statuses == [{200: SORTS}] * 2, f"after {SAVES} saves in a row all sorts are made: {statuses}")


def main():
    arguments = options(__doc__, waiters=300, patience=120, plain=500)
    allow_descriptors(arguments.waiters + SEEKING + 200)
    with Verdict("rechecks") as verdict, tempfile.TemporaryDirectory() as folder:
        nobody_else_is_delayed(verdict, arguments, folder)
        sorts_find_their_places(verdict, arguments.server, folder)


if __name__ == "__main__":
    main()
