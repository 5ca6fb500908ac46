#!/usr/bin/env python3
"""Servers that follow each other: a file, a follower of it, and a follower of that one.

A save must show at the far end, with the same entity tags everywhere. Links of the chain are killed, stopped and
started again: the last good tree is served meanwhile, and all recover by themselves.
"""

import os
import plistlib
import signal
import tempfile

from harness.client import Connection, get, wait_until
from harness.documents import versioned
from harness.edits import EditedTree, save
from harness.events import EventStream
from harness.mirror import crawl, differences
from harness.readiness import document_of, is_ok, is_stale, ready, served
from harness.server import Server, unused_port
from harness.verdict import Verdict, options


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
    """Saves of the file, seen at the end by asking, by a stream, and by the link that the first server's answer names."""
    with EventStream(chain.end.port) as stream, Connection(chain.end.port) as connection:
        for version in versions:
            first = get(chain.servers[0].port, "/levels/").json()["follow"]
            last = get(chain.end.port, "/levels/").json()["follow"]
            verdict.expect(first == last, f"both ends name the same link to follow: {first}, {last}")
            connection.send(first)
            save(chain.path, versioned(version))
            took = wait_until(lambda: served(chain.end) == str(version))
            verdict.expect(took is not None, f"version {version} is served at the end; {served(chain.end)} is")
            answer = connection.receive()
            verdict.expect(
                answer.status == 200 and answer.json()["version"] == get(chain.end.port, "/levels/").json()["version"],
                f"a client that follows at the end gets version {version}: {answer.status} {answer.body[:200]}")
            event = stream.next()
            verdict.expect(
                event is not None and event.name == "change" and "/levels/" in event.data,
                f"a stream at the end reports version {version}: {event}")


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
            lambda: get(chain.end.port, "/detail/Deep/Deeper/Deepest").json().get("fields", {}).get("Text") == text)
        verdict.expect(took is not None, f"document {number} reaches the last server")
        found = [tags(server) for server in chain.servers]
        verdict.expect(
            found[0] == found[1] == found[2] and all(isinstance(tag, str) for tag in found[0]),
            f"all three servers send the same tags: {[sorted(set(column)) for column in zip(*found)]}")
    tree = EditedTree(7, items=50)
    for _ in range(10):
        tree.edit()
        tree.save(chain.path)
    with Connection(chain.servers[0].port) as first, Connection(chain.end.port) as last:
        # Both may agree on an earlier state while the first has not loaded the last save yet.
        saved = plistlib.loads(tree.document())
        for connection in (first, last):
            took = wait_until(lambda: plistlib.loads(connection.get("/document").body) == saved, every=0.1)
            verdict.expect(took is not None, "the last save reaches both ends")
        wrong = differences(crawl(first), crawl(last))
        verdict.expect(not wrong, f"all levels and details are the same at both ends: {sorted(wrong)[:5]}")


def middle_is_killed(verdict, chain, first):
    """The middle one dies while the file is saved five times; the end catches up by itself."""
    before = served(chain.end)
    chain.servers[1].signal(signal.SIGKILL)
    chain.servers[1].process.wait()
    for version in range(first, first + 5):
        save(chain.path, versioned(version))
        last = str(version)
        wait_until(lambda: served(chain.servers[0]) == last)
        verdict.expect(
            served(chain.end) == before, f"the last server keeps serving without its origin: {served(chain.end)}")
    verdict.expect(
        wait_until(lambda: is_stale(chain.end)) is not None,
        f"the last server says that it is stale: {ready(chain.end)}")
    middle = chain.start(1)
    verdict.expect(
        wait_until(lambda: served(middle) == last) is not None,
        f"the middle server serves version {last} after its restart; it serves {served(middle)}")
    took = wait_until(lambda: served(chain.end) == last and is_ok(chain.end))
    verdict.expect(
        took is not None, f"the last server catches up by itself; it serves {served(chain.end)}: {ready(chain.end)}")


def origin_is_away(verdict, chain, first):
    """The first one is stopped for some seconds."""
    before = served(chain.end)
    verdict.expect(chain.servers[0].stop()[0] == 0, "the first server stops although it is followed")
    stale = wait_until(lambda: is_stale(chain.servers[1]))
    verdict.expect(
        stale is not None, f"the follower of an origin that is away is stale, in a sentence: {ready(chain.servers[1])}")
    sentence = ready(chain.servers[1]).get("lastError", "")
    verdict.expect(
        f"127.0.0.1:{chain.ports[0]}" in sentence, f"the sentence names the origin: {sentence}")
    verdict.expect(
        all(served(server) == before for server in chain.servers[1:]), "both followers keep serving")
    verdict.expect(is_ok(chain.end), f"the follower of a stale server that answers is not stale: {ready(chain.end)}")
    save(chain.path, versioned(first))
    # The time away is what is tested: longer than a pause or two.
    wait_until(lambda: False, 3)
    chain.start(0)
    took = wait_until(lambda: served(chain.end) == str(first) and all(map(is_ok, chain.servers)))
    verdict.expect(
        took is not None,
        f"all servers recover by themselves: {[(served(server), ready(server)) for server in chain.servers]}")


def killed_at_any_moment(verdict, chain, first, kills):
    """The middle one is killed while copies are written; it must start from whatever it left."""
    version = first
    for kill in range(kills):
        middle = chain.servers[1]
        for _ in range(1 + kill % 4):
            version += 1
            save(chain.path, versioned(version, rows=12))
            wait_until(lambda: served(middle) == str(version), every=0.001)
        wait_until(lambda: False, 0.003 * kill)
        middle.signal(signal.SIGKILL)
        middle.process.wait()
        middle = chain.start(1)
        took = wait_until(lambda: served(middle) == str(version))
        verdict.expect(took is not None, f"killed after version {version}: it is served again; {served(middle)} is")
        warnings = [line for line in middle.log if "error" in line]
        verdict.expect(not warnings, f"what a killed server leaves behind is not an error to the next: {warnings}")
    verdict.expect(
        wait_until(lambda: served(chain.end) == str(version)) is not None, "the last server serves it as well")
    return version


def label_of(copy):
    """What the follower keeps beside its copy; None before it is written."""
    try:
        with open(copy + ".origin", encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


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
            wait_until(lambda: label_of(copy))
            label = label_of(copy)
            tree.edit()
            tree.save(path)
            wait_until(lambda: get(follower.port, "/changes").json()["revision"] != before)
            with Connection(follower.port) as connection:
                bodies = crawl(connection)
            # The copy is written after it is served, and the label is the last of it.
            verdict.expect(
                wait_until(lambda: label_of(copy) != label) is not None,
                "the copy is written when the document changes")
            follower.signal(signal.SIGKILL)
            follower.process.wait()
    with (Server(program, source, "--cache", copy, "--refresh", "1") as follower,
          Connection(follower.port) as connection):
        wrong = differences(bodies, crawl(connection))
        verdict.expect(not wrong, f"the copy serves everything that was served: {sorted(wrong)[:5]}")
        verdict.expect(
            wait_until(lambda: is_stale(follower)) is not None, f"it says that the copy may be old: {ready(follower)}")
        tree.edit()
        tree.save(path)
        with Server(program, path, port=port):
            took = wait_until(lambda: is_ok(follower))
            verdict.expect(took is not None, f"it finds its origin again: {ready(follower)}")
            with Connection(port) as first:
                wrong = differences(crawl(connection), crawl(first))
            verdict.expect(not wrong, f"it serves the same as its origin: {sorted(wrong)[:5]}")
    nowhere = os.path.join(folder, "no-copy.plist")
    try:
        with Server(program, source, "--cache", nowhere):
            verdict.expect(False, "a follower without origin and copy does not start")
    except RuntimeError as error:
        verdict.expect(
            f"127.0.0.1:{port}" in str(error), f"a follower without origin and copy says what is missing: {error}")


def main():
    arguments = options(__doc__, saves=8, kills=8)
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


if __name__ == "__main__":
    main()
