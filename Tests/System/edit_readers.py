#!/usr/bin/env python3
"""Edits of large documents, seen by those who read meanwhile: in a large tree, and in one very wide level.

Readers get whole answers of one state while an edit is saved. Of an edit in a wide level, clients that wait, streams and
deltas tell as after a reload, also at a server that follows. With `--limits`, on a machine with nothing else to do, the
times and the memory are judged too: --items 1100000 --rows 1000000 --limits
"""

import json
import os
import random
import statistics
import tempfile
import threading
import time

from harness.author import AUTHOR, Author, copy_seconds, memory_of, processor_of
from harness.client import Connection, get, wait_until
from harness.documents import Shape, write_xml
from harness.editors import token_file
from harness.events import EventStream
from harness.readiness import document_of
from harness.server import Server
from harness.verdict import Verdict, megabytes, milliseconds, options, spread

# What a limit allows, on a machine with nothing else to do.
TIMES_A_COPY = 3
SLOWEST_ANSWER = 0.05
MEMORY = 64 << 20


class Readers(threading.Thread):
    """Asks for levels at random, one after the other, and notes how long each answer takes."""

    def __init__(self, port, shape, edited, seed):
        super().__init__(daemon=True)
        self.port = port
        self.shape = shape
        self.edited = edited
        self.dice = random.Random(seed)
        self.times = []
        self.faults = []
        self.stopping = threading.Event()

    def run(self):
        try:
            newest = -1
            with Connection(self.port) as connection:
                while not self.stopping.wait(0.001):
                    is_edited = self.dice.random() < 0.3
                    place = self.edited if is_edited else (
                        self.dice.randrange(self.shape.groups), self.dice.randrange(self.shape.shelves))
                    begun = time.monotonic()
                    answer = connection.get("/levels" + self.shape.path(*place))
                    self.times.append(time.monotonic() - begun)
                    rows = answer.json()["rows"]
                    if len(rows) != self.shape.leaves:
                        self.faults.append(f"a level has {len(rows)} rows, not {self.shape.leaves}")
                    if is_edited:
                        edition = int(rows[0]["fields"]["Subtitle"].removeprefix("edition "))
                        if edition < newest:
                            self.faults.append(f"edition {edition} is read after {newest}")
                        newest = edition
        except Exception as error:
            self.faults.append(f"a reader fails: {error!r}")


def large(verdict, arguments, folder):
    """One edit after the other in a large tree, alone and beside readers."""
    path = os.path.join(folder, "Large.plist")
    shape = Shape(arguments.items)
    write_xml(path, shape)
    edited = (shape.groups // 2, shape.shelves // 2)
    link = f"/detail{shape.path(*edited)}/{shape.leaf(*edited, 0).replace(' ', '%20')}"
    tokens = token_file(os.path.join(folder, "tokens"), [AUTHOR])
    with Server(arguments.server, path, "--edit-token-file", tokens, start_within=300) as server:
        author = Author(server.port)
        author.patch(link, Subtitle=f"edition {0:08d}", Text="the first edit")
        copies, edits = [], []
        for number in range(arguments.edits):
            copies.append(copy_seconds(path))
            edits.append(author.patch(link, Subtitle=f"edition {number:08d}", Text=f"alone {number}"))
        verdict.figure(f"an edit in {shape.items:,} items, {megabytes(os.path.getsize(path))}", spread(edits))
        verdict.figure("a copy of the file with fsync", spread(copies))
        ratio = statistics.median(edits) / statistics.median(copies)
        verdict.figure("an edit beside a copy", f"{ratio:.2f}")
        rise = memory_of(server, lambda: author.patch(link, Text="measured"))
        verdict.figure("memory rises by", megabytes(rise))
        if arguments.limits:
            verdict.expect(ratio <= TIMES_A_COPY, f"an edit takes at most {TIMES_A_COPY} copies, not {ratio:.2f}")
            verdict.expect(rise <= MEMORY, f"memory rises by at most {megabytes(MEMORY)}, not {megabytes(rise)}")
        beside_readers(verdict, arguments, server, shape, edited, author, link)
        verdict.expect(os.listdir(folder).count("Large.plist") == 1 and len(os.listdir(folder)) == 2,
                       f"no file is left beside the document: {os.listdir(folder)}")


def beside_readers(verdict, arguments, server, shape, edited, author, link):
    readers = [Readers(server.port, shape, edited, seed) for seed in range(2)]
    for reader in readers:
        reader.start()
    wait_until(lambda: all(len(reader.times) > 20 for reader in readers))
    before = [len(reader.times) for reader in readers]
    edits = [author.patch(link, Subtitle=f"edition {arguments.edits + number:08d}") for number in range(arguments.edits)]
    during = [time for reader, start in zip(readers, before) for time in reader.times[start:]]
    for reader in readers:
        reader.stopping.set()
        reader.join()
        for fault in reader.faults[:5]:
            verdict.expect(False, fault)
    verdict.expect(len(during) > arguments.edits, f"answers come while edits are saved: {len(during)}")
    verdict.figure("an edit beside readers", spread(edits))
    verdict.figure(f"{len(during)} answers while edits are saved", spread(during))
    if arguments.limits:
        verdict.expect(max(during) < SLOWEST_ANSWER,
                       f"the slowest answer takes less than {milliseconds(SLOWEST_ANSWER)}, not {milliseconds(max(during))}")


# One very wide level


def row_link(number):
    return f"/detail/Row%20{number:07d}"


class WideDocument:
    """A level of many rows, each with a field that shows."""

    def __init__(self, folder, rows):
        self.path = os.path.join(folder, "Wide.json")
        self.rows = rows
        with open(self.path, "w", buffering=1 << 20, encoding="utf-8") as file:
            file.write('{"Title":"Wide","Rows":[\n')
            for row in range(rows):
                end = "," if row + 1 < rows else ""
                file.write(f'{{"Title":"Row {row:07d}","Subtitle":"as first {row:07d}"}}{end}\n')
            file.write("]}\n")

    def save_outside(self, number, text):
        """As another program saves it: a text of the same length in one row."""
        with open(self.path, "rb") as old:
            data = old.read()
        with open(self.path + ".new", "wb") as new:
            new.write(data.replace(b"as first %07d" % number, text.encode()))
        os.replace(self.path + ".new", self.path)


class Watcher:
    """All ways to be told of a change of one page of the level, at one server."""

    def __init__(self, port, page):
        self.port = port
        self.page = page
        self.stream = EventStream(port)
        self.waiter = Connection(port)

    def begin(self):
        answer = get(self.port, self.page)
        self.version = answer.json()["version"]
        self.waiter.send(self.page, headers={"If-None-Match": answer["etag"], "Prefer": "wait=120"})

    def told(self):
        """The entry, the page that a waiter got, and the delta of the page."""
        event = self.stream.next()
        delta = get(self.port, f"{self.page}&since={self.version}").json()
        return json.loads(event.data), self.waiter.receive().json(), delta


def wide(verdict, arguments, folder):
    document = WideDocument(folder, arguments.rows)
    tokens = token_file(os.path.join(folder, "tokens"), [AUTHOR])
    with Server(arguments.server, document.path, "--edit-token-file", tokens, start_within=120) as origin:
        source = document_of(origin.port)
        with Server(arguments.server, source, "--refresh", "1", start_within=120) as follower:
            number = arguments.rows // 2
            page = f"/levels/?start={number - 10}&limit=20"
            watchers = [Watcher(server.port, page) for server in (origin, follower)]
            author = Author(origin.port)
            ways = {
                "an edit": lambda row: author.patch(row_link(row), Subtitle=f"replaced {row:07d}"),
                "a reload": lambda row: document.save_outside(row, f"replaced {row:07d}")}
            entries = {}
            for row, (what, change) in enumerate(ways.items(), number):
                for watcher in watchers:
                    watcher.begin()
                change(row)
                entries[what] = [
                    judge_told(verdict, f"{what} at the {where}", watcher, row)
                    for where, watcher in zip(("origin", "follower"), watchers)]
            verdict.expect(
                entries["an edit"] == entries["a reload"], f"an edit is told as a reload is: {entries}")
        times = [author.patch(row_link(number), Subtitle=f"edition {edition}") for edition in range(arguments.edits)]
        processor = processor_of(origin, lambda: author.patch(row_link(number), Subtitle="measured"))
        verdict.figure(f"a patch in a level of {arguments.rows:,} rows", spread(times))
        verdict.figure("of it, processor time with reading and writing the file", milliseconds(processor))


def judge_told(verdict, what, watcher, row):
    """What an entry names, without the row's number."""
    entry, page, delta = watcher.told()
    text = f"replaced {row:07d}"
    shown = {shown["title"]: shown["fields"]["Subtitle"] for shown in page["rows"]}
    verdict.expect(shown.get(f"Row {row:07d}") == text, f"{what}: a client that waits gets the page with {text}")
    verdict.expect(
        [change["row"]["fields"]["Subtitle"] for change in delta.get("updated", ())] == [text]
        and not (delta["removed"] or delta["inserted"] or delta["moved"]),
        f"{what}: the delta has the row alone: {str(delta)[:300]}")
    verdict.expect(row_link(row) in entry["details"], f"{what}: the entry names the row: {str(entry)[:300]}")
    number = f"{row:07d}"
    return sorted(link.replace(number, "N") for link in entry["levels"] + entry["details"])


def main():
    arguments = options(__doc__, items=20_000, rows=20_000, edits=5, limits=False, folder="")
    with Verdict("edit readers") as verdict:
        for part in (large, wide):
            with tempfile.TemporaryDirectory(dir=arguments.folder or None) as folder:
                part(verdict, arguments, folder)


if __name__ == "__main__":
    main()
