#!/usr/bin/env python3
"""Servers that follow each other: a file, a follower of it, and a follower of that one.

A save must show at the far end within a second, with the same entity tags everywhere. Links of the chain are killed,
stopped and started again, and an origin of this script misbehaves: the last good tree goes on, and recovers by itself.
"""

import os
import plistlib
import select
import signal
import socket
import tempfile
import threading
import time

from harness.client import Connection, get, wait_until
from harness.documents import version_of, versioned
from harness.edits import EditedTree, save
from harness.events import EventStream
from harness.mirror import crawl, differences
from harness.server import Server, unused_port
from harness.verdict import Verdict, megabytes, milliseconds, options, spread

# After failures a follower makes pauses, which double up to a minute; nothing here fails for longer than some seconds.
RECOVERY = 15.0


def document_of(port):
    return f"http://127.0.0.1:{port}/document"


def served(server):
    return version_of(get(server.port, "/levels/"))


def ready(server):
    return get(server.port, "/readyz").json()


def is_stale(server):
    answer = ready(server)
    return answer["status"] == "stale" and len(answer.get("lastError", "").split()) > 3


def is_ok(server):
    return ready(server)["status"] == "ok"


class Chain:
    """Three servers, each on a port that it keeps when it is started again."""

    def __init__(self, program, path, folder):
        self.program = program
        self.path = path
        self.folder = folder
        self.ports = [unused_port() for _ in range(3)]
        self.servers = [None, None, None]
        for place in range(3):
            self.start(place)

    @property
    def end(self):
        return self.servers[2]

    def start(self, place):
        if place == 0:
            source, settings = self.path, ()
        else:
            source = document_of(self.ports[place - 1])
            settings = ("--refresh", "1", "--cache", os.path.join(self.folder, f"copy-{place}.plist"))
        self.servers[place] = Server(self.program, source, *settings, port=self.ports[place])
        return self.servers[place]

    def close(self):
        for server in reversed(self.servers):
            if server.stop()[0] is None:
                server.kill()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def shows_at_the_end(verdict, chain, versions):
    """Saves of the file, seen at the end by asking, by waiting and by a stream."""
    times, waited, streamed = [], [], []
    with EventStream(chain.end.port) as stream, Connection(chain.end.port) as connection:
        for version in versions:
            tag = get(chain.end.port, "/levels/")["etag"]
            connection.send("/levels/", headers={"If-None-Match": tag, "Prefer": "wait=20"})
            save(chain.path, versioned(version))
            saved = time.monotonic()
            took = wait_until(lambda: served(chain.end) == str(version), 5)
            verdict.expect(
                took is not None and took <= 1, f"version {version} shows at the end within a second; it takes {took}")
            times.append(5 if took is None else took)
            answer = connection.receive()
            verdict.expect(
                answer.status == 200 and version_of(answer) == str(version),
                f"who waits at the end gets version {version}: {answer.status}")
            waited.append(answer.done - saved)
            event = stream.next(5)
            verdict.expect(
                event is not None and event.name == "change" and "/levels/" in event.data,
                f"a stream at the end tells version {version}: {event}")
            if event:
                streamed.append(event.came - saved)
    verdict.figure("from a save to the end of the chain", spread(times))
    verdict.figure("to who waits there", spread(waited))
    verdict.figure("to a stream there", spread(streamed))
    verdict.expect(max(waited) <= 1, f"who waits at the end knows within a second; {milliseconds(max(waited))}")


TARGETS = [
    ("/levels/", {}), ("/levels/Deep/Deeper", {}), ("/levels/Deep?fields=*", {}), ("/detail/Deep/Deeper/Deepest", {}),
    ("/detail/Types", {}), ("/levels/Divided", {}), ("/document", {}), ("/document", {"Accept": "application/json"}),
    ("/document?format=binary", {}), ("/document/Deep", {}),
]


def typed(number):
    """A document with all there is: types, sections, a key, a deep level."""
    return {"Title": "Top", "Rows": [
        {"Title": "Types", "Price": 1.5, "Count": 2 ** 63 - 1, "Blob": b"\x00\x01", "Flag": True, "List": [1, "two"]},
        {"Title": "Deep", "Children": [
            {"Title": "Deeper", "Children": [{"Title": "Deepest", "Text": f"ä {number}"}]}]},
        {"Title": "Divided", "Sections": [
            {"Title": "A", "Rows": ["x"]}, {"Title": "B", "Footer": "f", "Rows": ["y"]}]},
        {"Title": "Named", "Key": "k", "Children": ["same", "same"]}, "leaf"]}


def tags(server):
    with Connection(server.port) as connection:
        answers = [connection.get(target, **headers) for target, headers in TARGETS]
        return [answer["etag"] if answer.status == 200 else answer.status for answer in answers]


def same_everywhere(verdict, chain):
    """Tags and bodies are equal on all three, after each of many edits."""
    for number in range(3):
        save(chain.path, plistlib.dumps(typed(number), sort_keys=False))
        text = f"ä {number}"
        took = wait_until(
            lambda: get(chain.end.port, "/detail/Deep/Deeper/Deepest").json().get("fields", {}).get("Text") == text, 5)
        verdict.expect(took is not None, f"document {number} comes to the end within 5 s")
        found = [tags(server) for server in chain.servers]
        verdict.expect(
            found[0] == found[1] == found[2] and all(isinstance(tag, str) for tag in found[0]),
            f"the tags are the same on all three: {[sorted(set(column)) for column in zip(*found)]}")
    tree = EditedTree(7, items=50)
    for _ in range(10):
        tree.edit()
        tree.save(chain.path)
    with Connection(chain.servers[0].port) as first, Connection(chain.end.port) as last:
        wait_until(lambda: not differences(crawl(first), crawl(last)), 5, every=0.1)
        wrong = differences(crawl(first), crawl(last))
        verdict.expect(not wrong, f"all levels and details are the same at both ends: {sorted(wrong)[:5]}")


def middle_is_killed(verdict, chain, first):
    """The middle one dies while the file is saved twenty times; the end catches up by itself."""
    before = served(chain.end)
    chain.servers[1].signal(signal.SIGKILL)
    chain.servers[1].process.wait()
    for version in range(first, first + 20):
        save(chain.path, versioned(version))
        last = str(version)
        wait_until(lambda: served(chain.servers[0]) == last, 2)
        verdict.expect(served(chain.end) == before, f"the end serves on without its origin: {served(chain.end)}")
    verdict.expect(
        wait_until(lambda: is_stale(chain.end), 10) is not None, f"the end says that it is stale: {ready(chain.end)}")
    middle = chain.start(1)
    verdict.expect(
        wait_until(lambda: served(middle) == last, RECOVERY) is not None,
        f"the middle one has version {last} after its restart; it has {served(middle)}")
    took = wait_until(lambda: served(chain.end) == last and is_ok(chain.end), RECOVERY)
    verdict.expect(took is not None, f"the end catches up by itself; it has {served(chain.end)}: {ready(chain.end)}")
    if took is not None:
        verdict.figure("until the end caught up after the middle was killed and started again", f"{took:.2f} s")


def origin_is_away(verdict, chain, first):
    """The first one is stopped for some seconds."""
    before = served(chain.end)
    verdict.expect(chain.servers[0].stop()[0] == 0, "the first one stops though it is followed")
    stale = wait_until(lambda: is_stale(chain.servers[1]), 10)
    verdict.expect(
        stale is not None, f"who follows one that is away says stale, in a sentence: {ready(chain.servers[1])}")
    sentence = ready(chain.servers[1]).get("lastError", "")
    verdict.expect(
        f"127.0.0.1:{chain.ports[0]}" in sentence, f"the sentence names the origin: {sentence}")
    verdict.expect(
        all(served(server) == before for server in chain.servers[1:]), "both followers serve on")
    verdict.expect(is_ok(chain.end), f"who follows a stale one that answers is not stale: {ready(chain.end)}")
    save(chain.path, versioned(first))
    # The time away is what is tested: longer than a pause or two.
    wait_until(lambda: False, 3)
    chain.start(0)
    took = wait_until(lambda: served(chain.end) == str(first) and all(map(is_ok, chain.servers)), RECOVERY)
    verdict.expect(
        took is not None, f"all recover by themselves: {[(served(server), ready(server)) for server in chain.servers]}")
    if took is not None:
        verdict.figure("until the end recovered after its origin's origin was away", f"{took:.2f} s")


def killed_at_any_moment(verdict, chain, first, kills):
    """The middle one is killed while copies are written; it must start from whatever it left."""
    version = first
    for kill in range(kills):
        middle = chain.servers[1]
        for _ in range(1 + kill % 4):
            version += 1
            save(chain.path, versioned(version, rows=12))
            wait_until(lambda: served(middle) == str(version), 5, every=0.001)
        wait_until(lambda: False, 0.003 * kill)
        middle.signal(signal.SIGKILL)
        middle.process.wait()
        middle = chain.start(1)
        took = wait_until(lambda: served(middle) == str(version), RECOVERY)
        verdict.expect(took is not None, f"killed after version {version}: it comes to it; it serves {served(middle)}")
        warnings = [line for line in middle.log if "error" in line]
        verdict.expect(not warnings, f"what a killed one leaves is no error to the next: {warnings}")
    verdict.expect(
        wait_until(lambda: served(chain.end) == str(version), RECOVERY) is not None, "the end has it as well")
    return version


def starts_without_network(verdict, program, folder):
    """A follower whose origin is away serves its copy, and says that it may be old."""
    path = os.path.join(folder, "Alone.plist")
    copy = os.path.join(folder, "alone-copy.plist")
    tree = EditedTree(3, items=50)
    tree.save(path)
    with Server(program, path) as origin:
        source = document_of(origin.port)
        port = origin.port
        with Server(program, source, "--cache", copy, "--refresh", "1") as follower:
            before = get(follower.port, "/changes").json()["revision"]
            tree.edit()
            tree.save(path)
            wait_until(lambda: get(follower.port, "/changes").json()["revision"] != before, 5)
            with Connection(follower.port) as connection:
                bodies = crawl(connection)
            # The copy is written after it is served, and the label is the last of it.
            tag = get(origin.port, "/document")["ETag"]
            wait_until(lambda: tag in open(copy + ".origin").read(), 5)
            follower.signal(signal.SIGKILL)
            follower.process.wait()
    with (Server(program, source, "--cache", copy, "--refresh", "1") as follower,
          Connection(follower.port) as connection):
        wrong = differences(bodies, crawl(connection))
        verdict.expect(not wrong, f"the copy has all that was served: {sorted(wrong)[:5]}")
        verdict.expect(
            wait_until(lambda: is_stale(follower), 10) is not None, f"it says that it may be old: {ready(follower)}")
        tree.edit()
        tree.save(path)
        with Server(program, path, port=port):
            took = wait_until(lambda: is_ok(follower), RECOVERY)
            verdict.expect(took is not None, f"it finds its origin again: {ready(follower)}")
            with Connection(port) as first:
                wrong = differences(crawl(connection), crawl(first))
            verdict.expect(not wrong, f"and has what that has: {sorted(wrong)[:5]}")
    nowhere = os.path.join(folder, "no-copy.plist")
    try:
        with Server(program, source, "--cache", nowhere, start_within=60):
            verdict.expect(False, "without origin and copy there is nothing to serve")
    except RuntimeError as error:
        verdict.expect(
            f"127.0.0.1:{port}" in str(error), f"without origin and copy it says what is missing: {error}")


class Origin:
    """A server of raw bytes on a port, whose manner of answering can be changed at any time."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.lock = threading.Lock()
        self.body, self.manner = b"", "good"
        self.requests = 0
        self.over = False
        threading.Thread(target=self._accept, daemon=True).start()

    def serve(self, body, manner="good"):
        with self.lock:
            self.body, self.manner = body, manner

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            connection.settimeout(60)
            try:
                received = b""
                while b"\r\n\r\n" not in received:
                    piece = connection.recv(1 << 16)
                    if not piece:
                        return
                    received += piece
                with self.lock:
                    body, manner = self.body, self.manner
                    self.requests += 1
                getattr(self, manner)(connection, body, received.decode("latin-1"), manner)
            except OSError:
                pass

    def close(self):
        self.over = True
        self.listener.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _is(self, manner):
        return self.manner == manner and not self.over

    @staticmethod
    def _head(status="200 OK", *lines):
        return "\r\n".join([f"HTTP/1.1 {status}", "Connection: close", *lines, "", ""]).encode()

    def good(self, connection, body, received, _):
        tag = f'"{hash(body):x}"'
        if f"If-None-Match: {tag}" in received:
            connection.sendall(self._head("304 Not Modified", f"ETag: {tag}"))
        else:
            connection.sendall(self._head("200 OK", f"ETag: {tag}", f"Content-Length: {len(body)}") + body)

    # Manners that are slow, and right in the end

    def drips(self, connection, body, received, manner):
        connection.sendall(self._head("200 OK", f"Content-Length: {len(body)}"))
        for start in range(0, len(body), len(body) // 20):
            connection.sendall(body[start:start + len(body) // 20])
            select.select([], [], [], 0.05)

    def leads_here(self, connection, body, received, manner):
        if received.startswith("GET /there "):
            self.good(connection, body, received, manner)
        else:
            connection.sendall(self._head("302 Found", "Location: /there", "Content-Length: 0"))

    def in_chunks(self, connection, body, received, manner):
        connection.sendall(self._head("200 OK", "Transfer-Encoding: chunked"))
        for start in range(0, len(body), 100):
            piece = body[start:start + 100]
            connection.sendall(f"{len(piece):x};x=y\r\n".encode() + piece + b"\r\n")
        connection.sendall(b"0\r\nX: y\r\n\r\n")

    # Manners that are wrong

    def says_nothing(self, connection, body, received, manner):
        while self._is(manner) and not select.select([connection], [], [], 0.1)[0]:
            pass

    def hangs_up(self, connection, body, received, manner):
        pass

    def is_no_http(self, connection, body, received, manner):
        connection.sendall(b"\x00\xffSSH-2.0-OpenSSH_9.2\r\n" * 10)

    def is_garbage(self, connection, body, received, manner):
        connection.sendall(self._head("200 OK", "Content-Length: 5000") + os.urandom(5000))

    def is_empty(self, connection, body, received, manner):
        connection.sendall(self._head("200 OK", "Content-Length: 0"))

    def is_short(self, connection, body, received, manner):
        connection.sendall(self._head("200 OK", f"Content-Length: {len(body) + 1}") + body)

    def breaks_a_chunk(self, connection, body, received, manner):
        connection.sendall(self._head("200 OK", "Transfer-Encoding: chunked") + b"10\r\n<plist>\r\nzz\r\n")

    def turns_in_circles(self, connection, body, received, manner):
        connection.sendall(self._head("302 Found", "Location: /document", "Content-Length: 0"))

    def never_ends(self, connection, body, received, manner):
        connection.sendall(self._head() + body)
        while self._is(manner):
            connection.sendall(b" " * (1 << 16))

    def never_ends_its_head(self, connection, body, received, manner):
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while self._is(manner):
            connection.sendall(b"X-Filler: " + b"z" * 1000 + b"\r\n")

    def creeps(self, connection, body, received, manner):
        connection.sendall(self._head())
        while self._is(manner):
            connection.sendall(b" ")
            select.select([], [], [], 0.2)

    def fails(self, connection, body, received, manner):
        connection.sendall(self._head("500 Internal Server Error", "Content-Length: 100000") + b"x" * 100000)

    def is_full(self, connection, body, received, manner):
        connection.sendall(self._head("503 Service Unavailable", "Retry-After: 1", "Content-Length: 0"))

    def confirms_nothing(self, connection, body, received, manner):
        # A document whose rows lack their titles: it is a property list, and no tree.
        wrong = plistlib.dumps({"Rows": [{"Name": "x"}]})
        connection.sendall(self._head("200 OK", f"Content-Length: {len(wrong)}") + wrong)


SLOW = ("drips", "leads_here", "in_chunks")
WRONG = (
    "says_nothing", "hangs_up", "is_no_http", "is_garbage", "is_empty", "is_short", "breaks_a_chunk",
    "turns_in_circles", "never_ends", "never_ends_its_head", "creeps", "fails", "is_full", "confirms_nothing")


def origins_misbehave(verdict, program, arguments):
    """Each wrong manner leaves the last good tree and a line of the log; each is forgotten once it is over."""
    with Origin() as origin:
        origin.serve(versioned(0))
        settings = ("--refresh", "1", "--fetch-timeout", "2", "--max-document-bytes", "2000000")
        with Server(program, document_of(origin.port), *settings) as follower:
            version = 0
            for manner in SLOW:
                version += 1
                origin.serve(versioned(version), manner)
                took = wait_until(lambda: served(follower) == str(version) and is_ok(follower), 10)
                verdict.expect(
                    took is not None,
                    f"an origin that {manner} is followed; it is {served(follower)}: {ready(follower)}")
            memory = follower.resident_bytes()
            recoveries = []
            for manner in WRONG:
                before = served(follower)
                lines = len(follower.log)
                origin.serve(versioned("wrong"), manner)
                stale = wait_until(lambda: is_stale(follower), arguments.stale)
                verdict.expect(
                    stale is not None, f"with an origin that {manner} the follower says stale: {ready(follower)}")
                verdict.expect(served(follower) == before, f"an origin that {manner} leaves the last good tree")
                # A few attempts more: neither they nor their lines may pile up.
                seen = origin.requests
                wait_until(lambda: origin.requests >= seen + 2, 10)
                said = [line for line in follower.log[lines:] if f"127.0.0.1:{origin.port}" in line]
                verdict.expect(
                    1 <= len(said) <= 3, f"an origin that {manner} is told in a line that names it: {said}")
                verdict.expect(served(follower) == before, f"an origin that {manner} leaves it for good")
                version += 1
                origin.serve(versioned(version))
                took = wait_until(lambda: served(follower) == str(version) and is_ok(follower), RECOVERY)
                verdict.expect(
                    took is not None, f"after an origin that {manner} the follower recovers: {ready(follower)}")
                recoveries.append(RECOVERY if took is None else took)
            grown = follower.peak_bytes() - memory
            verdict.figure("recovery from an origin that misbehaves", spread(recoveries))
            verdict.figure("memory grown at most meanwhile", megabytes(grown))
            verdict.expect(
                grown <= arguments.memory * 1e6, f"no origin takes more than {arguments.memory} MB: {megabytes(grown)}")
            status, took = follower.stop()
            verdict.expect(status == 0 and took <= 2, f"the follower stops at last: {status} after {took:.2f} s")


def main():
    arguments = options(__doc__, saves=20, kills=8, stale=8.0, memory=16)
    with Verdict("followers") as verdict, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "Data.plist")
        save(path, versioned(0))
        with Chain(arguments.server, path, folder) as chain:
            shows_at_the_end(verdict, chain, range(1, arguments.saves + 1))
            middle_is_killed(verdict, chain, arguments.saves + 1)
            origin_is_away(verdict, chain, arguments.saves + 30)
            killed_at_any_moment(verdict, chain, arguments.saves + 40, arguments.kills)
            same_everywhere(verdict, chain)
        starts_without_network(verdict, arguments.server, folder)
        origins_misbehave(verdict, arguments.server, arguments)


if __name__ == "__main__":
    main()
