#!/usr/bin/env python3
"""A recorded history: many clients edit one document at random while someone else saves its file and others read.

Afterwards the history is put together from /changes and the clients' answers (harness/history.py): the document must be
exactly the acknowledged edits and the outside saves in the order of their revisions. Nothing acknowledged may be
missing, nothing refused present, and each read must be a state between two edits.
"""

import ctypes
import os
import random
import tempfile
import threading
import time

from harness.change_followers import LevelKeeper, PollFollower, StreamFollower
from harness.client import DEADLINE, Connection, get, wait_until
from harness.editors import TITLES, Crowd, Editor, token_file
from harness.history import OUTSIDE, SLOTS, History, Save, slot
from harness.items import Item, document, parsed
from harness.server import Server
from harness.verdict import Verdict, options

# As <stdio.h> and <fcntl.h> have them.
AT_FDCWD = -100
RENAME_EXCHANGE = 2
HISTORY_BYTES = 4_000_000_000


def first_state(dice):
    """Some levels, one of them with sections, and the items that only the outside saves change."""
    def row(number):
        return Item({"Title": dice.choice(TITLES), "Text": f"first {number}", "Price": number})

    slots = tuple(Item({"Title": slot(number), "Save": -1}) for number in range(SLOTS))
    rows = [Item({"Title": f"Level {number}"}, [(None, tuple(row(n) for n in range(4)))]) for number in range(5)]
    divided = Item({"Title": "Divided"}, [(name, tuple(row(n) for n in range(3))) for name in ("First", "Second")])
    return Item({"Title": "History"}, [(None, (*rows, divided, Item({"Title": OUTSIDE}, [(None, slots)])))])


class OutsideEditor(threading.Thread):
    """Saves the file as other programs do, each time with a number in a field; the server must notice each of them.

    It writes what it has read with its own change, so that it takes back edits made in between: the state that it has
    saved is what it says.
    """

    def __init__(self, path, syntax, port, seed, pause):
        super().__init__(daemon=True)
        self.path = path
        self.syntax = syntax
        self.port = port
        self.dice = random.Random(f"outside {seed}")
        self.pause = pause
        self.saves = []
        self.taken = []
        self.faults = []
        self.stopping = threading.Event()

    def run(self):
        try:
            while not self.stopping.wait(self.dice.expovariate(1 / self.pause)):
                self.save()
        except Exception as error:
            self.faults.append(f"the outside editor failed: {error!r}")

    def save(self):
        number = len(self.saves)
        with open(self.path, "rb") as file:
            old = parsed(file.read())
        path = (OUTSIDE, slot(number))
        new = old.replacing(old.numbers(path), [Item(old.at(path).fields | {"Save": number})])
        save = Save(number, new)
        self.saves.append(save)
        self.dice.choice([self.rename, self.exchange, self.in_place])(document(new, self.syntax), save)
        if save.is_certain:
            if wait_until(lambda: self.is_served(number)) is None:
                self.faults.append(f"the outside save {number} is not served")
            save.answered = time.monotonic_ns()

    def is_served(self, number):
        answer = get(self.port, f"/detail/{OUTSIDE}/Slot%20{number % SLOTS}")
        return answer.status == 200 and answer.json()["fields"]["Save"] == number

    def rename(self, data, save):
        self.write_aside(data)
        os.replace(self.aside, self.path)

    def exchange(self, data, save):
        """The file that was there is looked at: it must be a whole state too."""
        self.write_aside(data)
        names = os.fsencode(self.aside), os.fsencode(self.path)
        if ctypes.CDLL(None, use_errno=True).renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE):
            os.replace(self.aside, self.path)
            return
        with open(self.aside, "rb") as file:
            self.taken.append(file.read())
        os.unlink(self.aside)

    def in_place(self, data, save):
        """Into the file itself. One that was replaced meanwhile may have been looked at in time, or not."""
        with open(self.path, "wb", buffering=0) as file:
            file.write(data)
            save.is_certain = os.path.samestat(os.fstat(file.fileno()), os.stat(self.path))

    @property
    def aside(self):
        # In a folder of its own: what is beside the document is the server's.
        return os.path.join(os.path.dirname(os.path.dirname(self.path)), "outside")

    def write_aside(self, data):
        with open(self.aside, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


def exercise(verdict, arguments, syntax, folder):
    os.mkdir(os.path.join(folder, "document"))
    path = os.path.join(folder, "document", f"Tree.{syntax}")
    first = first_state(random.Random(arguments.seed))
    with open(path, "wb") as file:
        file.write(document(first, syntax))
    names = [f"client{number:02d}" for number in range(arguments.clients)]
    tokens = token_file(os.path.join(folder, "tokens"), names)
    settings = ("--edit-token-file", tokens, "--history-bytes", str(HISTORY_BYTES))
    with Server(arguments.server, path, *settings) as server:
        revision = get(server.port, "/changes").json()["revision"]
        followers = [kind(server.port, revision) for kind in (StreamFollower, PollFollower, LevelKeeper)]
        outside = OutsideEditor(path, syntax, server.port, arguments.seed, arguments.pause)
        crowd = Crowd(
            [Editor(name, Connection(server.port), arguments.seed, kept=(OUTSIDE,)) for name in names],
            [Editor(f"reader{number}", Connection(server.port), arguments.seed) for number in range(arguments.readers)],
            arguments.edits)
        for thread in (*followers, outside):
            thread.start()
        begun = time.monotonic()
        crowd.work()
        took = time.monotonic() - begun
        outside.stopping.set()
        outside.join(2 * DEADLINE)
        crowd.end()
        last = get(server.port, "/readyz").json()["revision"]
        for follower in followers:
            follower.end(last)
        judge(verdict, syntax, server, path, History(first, followers[0].entries, crowd.requests, outside.saves),
              crowd, outside, followers)
        pace = f"{arguments.edits / took:.0f}, with {len(outside.saves)} outside saves"
        verdict.figure(f"{syntax}: edits a second", pace)
    with Server(arguments.server, path, *settings) as server:
        with open(path, "rb") as file:
            same = served(server).digest == parsed(file.read()).digest
        verdict.expect(same, f"{syntax}: what is served after a start is what is in the file")


def served(server):
    return parsed(get(server.port, "/document?format=json").body)


def judge(verdict, syntax, server, path, history, crowd, outside, followers):
    stream, poll, keeper = followers
    faults = [*crowd.faults, *outside.faults, *(follower.fault for follower in followers if follower.fault)]
    verdict.expect(
        stream.entries == poll.entries, f"{syntax}: the stream and the polls bring the same entries")
    revisions = [entry["revision"] for entry in stream.entries]
    verdict.expect(len(set(revisions)) == len(revisions), f"{syntax}: no entry comes twice")
    is_whole = len(history.states) == len(stream.entries) + 1
    if verdict.expect(is_whole, f"{syntax}: each entry is an edit or an outside save that can be told"):
        counts = history.check_requests()
        verdict.figure(f"{syntax}: judged", dict(sorted(counts.items())))
        with open(path, "rb") as file:
            in_file = parsed(file.read())
        final = history.states[-1].digest
        verdict.expect(in_file.digest == final, f"{syntax}: the file is what the acknowledged edits make of the first")
        verdict.expect(served(server).digest == final, f"{syntax}: what is served is what they make of it")
        known = {state.digest for state in history.states}
        for data in outside.taken:
            verdict.expect(parsed(data).digest in known, f"{syntax}: a file that was exchanged away is a state of the history")
        verdict.expect(counts["edits"] > 0, f"{syntax}: some edits are done")
    faults += history.faults + keeper.differences()
    for fault in faults[:20]:
        verdict.expect(False, f"{syntax}: {fault}")
    verdict.expect(not faults, f"{syntax}: no request and no entry contradicts the history ({len(faults)} do)")
    verdict.figure(f"{syntax}: levels kept", f"{keeper.deltas} deltas, {keeper.wholes} whole levels, {keeper.resets} resets")
    beside = sorted(set(os.listdir(os.path.dirname(path))) - {os.path.basename(path)})
    verdict.expect(not beside, f"{syntax}: no file is left beside the document: {beside}")


def main():
    arguments = options(
        __doc__, edits=400, clients=16, readers=2, pause=0.1, seed=1, syntaxes="xml,json,binary", folder="")
    with Verdict("edit history") as verdict:
        for syntax in arguments.syntaxes.split(","):
            with tempfile.TemporaryDirectory(dir=arguments.folder or None) as folder:
                exercise(verdict, arguments, syntax, folder)


if __name__ == "__main__":
    main()
