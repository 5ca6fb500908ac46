#!/usr/bin/env python3
"""Thousands of clients that wait, with long polls, links and streams: which of them a change wakes, and their memory.

A change of one level answers the clients of that level, a small part of all; the others are not woken. Those that hang
up free their places, and a stop answers all of them.
For the full weight: --waiters 10000 --watchers 1000 --streams 1000
"""

import json
import os
import plistlib
import socket
import struct
import tempfile

from harness.client import Connection, wait_until
from harness.crowd import Crowd, poll, request, stream
from harness.edits import save
from harness.events import Dechunker, EventStream
from harness.server import Server, allow_descriptors, settle
from harness.verdict import Verdict, options

# Longer than any part of this takes: no client's time may run out before what it waits for.
PATIENCE = 290
BUSY, QUIET, ORDINARY = "/levels/Busy", "/levels/Quiet", "/levels/Ordinary"
HANG_UPS = ("close", "reset", "half-close")


def document(edition=0):
    """Three levels of twenty rows; those of the first name the edition."""
    return plistlib.dumps({"Title": "Waiting", "Rows": [
        {"Title": level, "Children": [
            {"Title": f"Row {row}", "Subtitle": f"edition {edition if level == 'Busy' else 0}"} for row in range(20)]}
        for level in ("Busy", "Quiet", "Ordinary")]})


def ask_often(server, target, connections=32, rounds=50):
    """Requests that do not wait, on many connections at once."""
    clients = [Connection(server.port) for _ in range(connections)]
    for _ in range(rounds):
        for client in clients:
            client.send(target)
        for client in clients:
            client.receive()
    for client in clients:
        client.close()


class Waiting:
    """A server with everybody waiting."""

    def __init__(self, verdict, server, path, crowd, arguments):
        self.verdict = verdict
        self.server = server
        self.path = path
        self.crowd = crowd
        self.arguments = arguments
        self.edition = 0
        self.waiters, self.watchers, self.streams = [], [], []

    def tag(self, target):
        with Connection(self.server.port) as connection:
            return connection.get(target)["etag"]

    def warm_up(self, target=QUIET):
        """Brings the server's memory to its usual size with some polls and requests, and frees all places again."""
        ask_often(self.server, target)
        members = self.crowd.join(64)
        for number, member in enumerate(members):
            member.ask(stream() if number % 2 else poll(target, self.tag(target), PATIENCE))
        settle(self.server)
        before = self.server.descriptors()
        self.crowd.leave(members)
        self.wait_for_descriptors(before - len(members), "warming up")
        settle(self.server)

    def wait_for_descriptors(self, count, when):
        took = wait_until(lambda: self.server.descriptors() <= count, every=0.02)
        self.verdict.expect(
            took is not None,
            f"descriptors are back to {count} after {when}; they are {self.server.descriptors()}")

    def cost_of(self, count, kind, begin, most=None):
        """Lets clients begin to wait; judges the memory that each took, in KiB."""
        most = most or self.arguments.each
        before = self.server.resident_bytes()
        members = begin(count)
        settle(self.server)
        each = (self.server.resident_bytes() - before) / count
        self.verdict.figure(f"resident memory of {kind}", f"{each / 1024:.2f} KiB, {count} of them")
        self.verdict.expect(
            each <= most * 1024, f"{kind} takes at most {most} KiB; it takes {each / 1024:.2f}")
        return members

    def begin_polls(self, count, target=QUIET, answers=0):
        """Polls that wait; each connection has had some answers before."""
        tag = self.tag(target)
        members = self.crowd.join(count)
        for number in range(answers):
            for member in members:
                member.ask(request((ORDINARY, "/levels/", "/detail/Ordinary", target)[number % 4]))
            left = self.crowd.read_all(members, lambda member: member.is_answered())
            self.verdict.expect(not left, f"{len(left)} of {count} connections got no answer {number + 1}")
        for member in members:
            member.ask(poll(target, tag, PATIENCE))
        return members

    def begin_streams(self, count):
        members = self.crowd.join(count)
        for member in members:
            member.ask(stream())
        left = self.crowd.read_all(members, lambda member: b"\r\n\r\n" in member.received)
        self.verdict.expect(not left, f"every stream begins at once; {len(left)} do not")
        refused = sum(not member.received.startswith(b"HTTP/1.1 200") for member in members)
        self.verdict.expect(refused == 0, f"every stream is 200; {refused} are not")
        return members

    def told_nothing(self, members, what):
        woken = sum(member.arrived is not None or member.ended for member in members)
        self.verdict.expect(woken == 0, f"{what} get nothing; {woken} of {len(members)} do")

    def change(self):
        """Saves another edition; it must reach the watchers, which follow the level, and the streams, and no others."""
        with Connection(self.server.port) as connection:
            link = connection.get(BUSY).json()["follow"].replace("wait=20", f"wait={PATIENCE}")
        for member in self.watchers:
            member.ask(request(link))
        for member in self.streams:
            member.received.clear()
            member.arrived = None
        settle(self.server)
        self.told_nothing(self.watchers, "clients of the level that will change")
        self.edition += 1
        save(self.path, document(self.edition))
        knowing = [*self.watchers, *self.streams]
        streams = set(self.streams)

        def knows(member):
            return b"event: change" in member.received if member in streams else member.is_answered()

        left = self.crowd.read_all(knowing, knows)
        self.verdict.expect(not left, f"all get edition {self.edition}; {len(left)} do not")
        right = f'"edition {self.edition}"'.encode()
        wrong = sum(
            member.received.count(right) != 20 or not member.received.startswith(b"HTTP/1.1 200")
            for member in self.watchers)
        self.verdict.expect(wrong == 0, f"each watcher gets all rows of edition {self.edition}; {wrong} do not")
        self.told_nothing(self.waiters, f"clients of levels that edition {self.edition} did not change")

    def changes(self):
        for _ in range(self.arguments.rounds):
            self.change()


def first_requests_wait(verdict, arguments, folder):
    """Connections whose first request waits: memory, changes, hang-ups."""
    path = os.path.join(folder, "First.plist")
    save(path, document())
    places = ("--waiters", str(arguments.waiters + arguments.streams + 100))
    with Server(arguments.server, path, *places) as server, Crowd(server.port) as crowd:
        waiting = Waiting(verdict, server, path, crowd, arguments)
        waiting.warm_up()
        base = server.descriptors()
        waiting.waiters = waiting.cost_of(
            arguments.waiters - arguments.watchers, "a waiter whose first request waits", waiting.begin_polls)
        waiting.streams = waiting.cost_of(arguments.streams, "a stream", waiting.begin_streams)
        waiting.watchers = crowd.join(arguments.watchers)
        waiting.told_nothing(waiting.waiters, "clients of an unchanged level")
        waiting.changes()
        waiting.told_nothing(waiting.waiters, "clients of an unchanged level, after all changes,")
        tag = waiting.tag(BUSY)
        for member in waiting.watchers:
            member.ask(poll(BUSY, tag, PATIENCE))
        settle(server)
        hang_up(waiting, base)
        verdict.figure("resident memory after all have left", f"{server.resident_bytes() / 1e6:.1f} MB")


def hang_up(waiting, base):
    """Half of them go, each in one of the ways there are, and then the others."""
    everybody = [*waiting.waiters, *waiting.watchers, *waiting.streams]
    before = waiting.server.descriptors()
    leaving, staying = everybody[::2], everybody[1::2]
    for number, member in enumerate(leaving):
        how = HANG_UPS[number % len(HANG_UPS)]
        if how == "reset":
            member.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif how == "half-close":
            member.socket.shutdown(socket.SHUT_WR)
    waiting.crowd.leave([member for number, member in enumerate(leaving) if HANG_UPS[number % 3] != "half-close"])
    waiting.wait_for_descriptors(before - len(leaving), "half of the clients closed their connections")
    waiting.crowd.leave(leaving)
    waiting.told_nothing([member for member in staying if member not in set(waiting.streams)], "clients that stayed")
    waiting.crowd.leave(staying)
    waiting.wait_for_descriptors(base, "all clients closed their connections")


def later_requests_wait(verdict, arguments, folder):
    """Keep-alive connections that had answers before they wait: memory, and the stop of all."""
    path = os.path.join(folder, "Later.plist")
    save(path, document())
    room = arguments.waiters + arguments.streams + 100
    with Server(arguments.server, path, "--waiters", str(room)) as server, Crowd(server.port) as crowd:
        waiting = Waiting(verdict, server, path, crowd, arguments)
        waiting.warm_up()
        polls = waiting.cost_of(
            arguments.waiters, "a waiter that had five answers before",
            lambda count: waiting.begin_polls(count, answers=5), arguments.later_each)
        streams = waiting.begin_streams(arguments.streams)
        settle(server)
        # Requests sent after a poll stay unread while it waits: they cost nothing and spoil no answer.
        for member in polls[::10]:
            member.socket.send(request("/healthz") * 50)
        settle(server)
        waiting.told_nothing(polls, "clients that had answers before")
        status, _ = server.stop()
        verdict.expect(
            status == 0, f"the service stops with status 0 while all wait; it stops with {status}: {server.log[-3:]}")
        left = crowd.read_all([*polls, *streams], lambda member: member.ended)
        verdict.expect(not left, f"every connection ends when the service stops; {len(left)} do not")
        unanswered = [member for member in polls if not member.is_answered() or member.answer()[0] != 304]
        verdict.expect(
            not unanswered,
            f"a stop answers every waiter with 304; {len(unanswered)} get another answer, or none:"
            f" {[bytes(member.received[:60]) for member in unanswered[:3]]}")
        torn = [member for member in streams if not ends_cleanly(bytes(member.received))]
        verdict.expect(
            not torn,
            f"a stop ends every stream cleanly; {len(torn)} end otherwise:"
            f" {[bytes(member.received[-60:]) for member in torn[:3]]}")


def ends_cleanly(received):
    """Whether a stream ended between two events, and with its last chunk where there are any."""
    head, _, body = received.partition(b"\r\n\r\n")
    if b"transfer-encoding: chunked" in head.lower():
        chunks = Dechunker()
        body = chunks.feed(body)
        if not chunks.ended:
            return False
    return not body or body.endswith(b"\n\n")


def each_its_own(verdict, arguments, folder):
    """Each waits for a representation of its own: memory, and only those that change are answered."""
    levels, rows = 50, 20
    path = os.path.join(folder, "Own.plist")

    def own(edition):
        return plistlib.dumps({"Title": "Own", "Rows": [
            {"Title": f"Level {level}", "Children": [
                {"Title": f"Row {row}", "Subtitle": f"edition {edition if level == 0 else 0}"} for row in range(rows)]}
            for level in range(levels)]})

    save(path, own(0))
    count = arguments.waiters
    targets = [f"/levels/Level%20{number % levels}?fields=Subtitle,Field{number}" for number in range(count)]
    changing = [number for number in range(count) if number % levels == 0]
    with Server(arguments.server, path, "--waiters", str(count + 100)) as server, Crowd(server.port) as crowd:
        waiting = Waiting(verdict, server, path, crowd, arguments)
        waiting.warm_up("/levels/Level%201")
        with Connection(server.port) as connection:
            tags = [connection.get(target)["etag"] for target in targets]

        def begin(count):
            members = crowd.join(count)
            for member, target, tag in zip(members, targets, tags):
                member.ask(poll(target, tag, PATIENCE))
            return members

        members = waiting.cost_of(count, "a waiter of a representation of its own", begin, arguments.own_each)
        told = [members[number] for number in changing]
        others = [member for number, member in enumerate(members) if number % levels]
        save(path, own(1))
        left = crowd.read_all(told, lambda member: member.is_answered())
        verdict.expect(
            not left, f"all clients whose representation changes are answered; {len(left)} of {len(told)} are not")
        wrong = sum(b'"edition 1"' not in member.received for member in told)
        verdict.expect(wrong == 0, f"each of them gets the new edition; {wrong} do not")
        waiting.told_nothing(others, "clients whose representation does not change")


def come_in_waves(verdict, arguments, folder):
    """All come, wait and leave, again and again: the memory they leave is used again."""
    path = os.path.join(folder, "Waves.plist")
    save(path, document())
    places = arguments.waiters + arguments.streams + 100
    with Server(arguments.server, path, "--waiters", str(places)) as server:
        base, full = server.resident_bytes(), []
        for _ in range(arguments.waves):
            with Crowd(server.port) as crowd:
                waiting = Waiting(verdict, server, path, crowd, arguments)
                waiting.begin_polls(arguments.waiters)
                waiting.begin_streams(arguments.streams)
                settle(server)
                full.append((server.resident_bytes() - base) / (arguments.waiters + arguments.streams))
            settle(server)
        verdict.figure(
            "resident memory of each, wave by wave", ", ".join(f"{each / 1024:.1f}" for each in full) + " KiB")
        verdict.figure("and after the last", f"{server.resident_bytes() / 1e6:.1f} MB, {base / 1e6:.1f} at first")
        verdict.expect(
            full[-1] <= arguments.wave_each * 1024,
            f"each takes at most {arguments.wave_each} KiB in the last wave; it takes {full[-1] / 1024:.1f}")


def places_are_few(verdict, arguments, folder):
    """Past the number of places a client is told to come again; a hang-up frees a place."""
    path = os.path.join(folder, "Few.plist")
    save(path, document())
    places = 100
    with Server(arguments.server, path, "--waiters", str(places)) as server, Crowd(server.port) as crowd:
        waiting = Waiting(verdict, server, path, crowd, arguments)
        tag = waiting.tag(QUIET)
        base = server.descriptors()
        polls = waiting.begin_polls(places - 20)
        streams = waiting.begin_streams(20)
        settle(server)
        waiting.told_nothing(polls, "all clients that find a place")
        with Connection(server.port) as connection:
            refused(verdict, connection.get(QUIET, If_None_Match=tag, Prefer="wait=10"), "a poll")
            refused(verdict, connection.get("/changes", Accept="text/event-stream"), "a stream")
            revision = connection.get("/changes").json()["revision"]
            refused(verdict, connection.get(f"/changes?since={revision}&wait=10"), "a poll of the changes")
            for lines, status in (((), 200), ((("If-None-Match", tag),), 304)):
                answer = connection.request(QUIET, headers=lines)
                verdict.expect(
                    answer.status == status,
                    f"a request that does not wait is {status} though all places are taken; it is {answer.status}")
            # A poll whose answer is there already needs no place.
            answer = connection.get(QUIET, If_None_Match='"another"', Prefer="wait=10")
            verdict.expect(answer.status == 200, f"a poll that need not wait gets 200, not {answer.status}")
        gone = polls[::2] + streams[::2]
        # Some have sent more than one request, which must not hide that they are gone.
        for member in gone[::3]:
            member.socket.send(request("/healthz"))
        crowd.leave(gone)
        took = wait_until(lambda: admits(server.port), every=0.01)
        verdict.expect(took is not None, "closed connections free their places")
        took = wait_until(lambda: server.descriptors() <= base + places - len(gone))
        verdict.expect(
            took is not None,
            f"every closed connection is noticed; {server.descriptors() - base - places + len(gone)} are not")
        settle(server)
        again = crowd.join(len(gone))
        for member in again:
            member.ask(poll(QUIET, tag, 1))
        left = crowd.read_all(again, lambda member: member.is_answered())
        answers = {member.answer()[0] for member in again if member not in left}
        verdict.expect(
            not left and answers == {304}, f"each freed place is taken again; {len(left)} unanswered, {answers}")
        verdict.expect(admits(server.port), "polls whose time is over free their places as well")
        waiting.told_nothing([member for member in polls if member not in set(gone)], "clients that stayed")


def places_suffice(verdict, arguments, folder):
    """As many places as clients are enough, however soon each waits again."""
    path = os.path.join(folder, "Enough.plist")
    save(path, document())
    places, rounds = 100, 20
    with Server(arguments.server, path, "--waiters", str(places)) as server, Crowd(server.port) as crowd:
        waiting = Waiting(verdict, server, path, crowd, arguments)
        members = waiting.begin_polls(places, target=BUSY)
        settle(server)
        statuses = {}
        for edition in range(1, rounds + 1):
            save(path, document(edition))
            told = set()

            def all_wait_again():
                for member in crowd.told - told:
                    if not (answer := member.answer()):
                        continue
                    status, _ = answer
                    statuses[status] = statuses.get(status, 0) + 1
                    told.add(member)
                    if status == 200:
                        member.ask(poll(BUSY, f'"{version_in(bytes(member.received))}"', PATIENCE))
                crowd.told.clear()
                return len(told) == places

            verdict.expect(crowd.read(all_wait_again), f"all clients get edition {edition}")
        verdict.expect(
            statuses == {200: places * rounds},
            f"{places} places are enough for {places} clients that wait again at once; their answers are {statuses}")


def version_in(answer):
    return json.loads(answer.partition(b"\r\n\r\n")[2])["version"]


def admits(port):
    with EventStream(port) as stream:
        return stream.status == 200


def refused(verdict, answer, what):
    verdict.expect(answer.status == 503, f"{what} beyond the places gets 503, not {answer.status}")
    verdict.expect(
        (answer["retry-after"] or "").isdigit(), f"{what} gets a Retry-After: {answer['retry-after']}")
    verdict.expect(
        answer["content-type"] == "application/problem+json" and answer.json().get("status") == 503,
        f"{what} gets a problem: {answer.body[:200]}")


def main():
    arguments = options(
        __doc__, waiters=2000, watchers=1000, streams=200, rounds=5, each=20.0, later_each=20.0, own_each=20.0, waves=6,
        wave_each=32.0)
    allow_descriptors(arguments.waiters + arguments.streams + 200)
    with Verdict("waiters") as verdict, tempfile.TemporaryDirectory() as folder:
        places_are_few(verdict, arguments, folder)
        places_suffice(verdict, arguments, folder)
        first_requests_wait(verdict, arguments, folder)
        later_requests_wait(verdict, arguments, folder)
        each_its_own(verdict, arguments, folder)
        come_in_waves(verdict, arguments, folder)


if __name__ == "__main__":
    main()
