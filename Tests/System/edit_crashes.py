#!/usr/bin/env python3
"""The server is killed at random moments while clients edit one document, and is started again, round after round.

After each kill the file must parse, hold every acknowledged edit, and every other one as a whole or not at all. The
next start must serve what is in the file, and leave no file beside it.
"""

# Covers: TreeSources TreeStore Files

import os
import random
import tempfile
import threading

from harness.client import Closed, Connection, Cut, get, wait_until
from harness.editors import TITLES, Editor, token_file
from harness.item_edits import Refused, are_alike, check_condition, done
from harness.items import Item, document, link_of, parsed
from harness.server import Server
from harness.verdict import Verdict, options

INBOX = "Inbox"


class Author(Editor):
    """A client that edits a part of the document that is its own, so that it knows how it must be; and the inbox of all.

    What it puts into the inbox comes with a mark on its own part, in one request.
    """

    def __init__(self, name, seed):
        super().__init__(name, None, seed, root=(name,))
        # A tree that has nothing but its part, and its rows in the inbox.
        self.state = None
        self.pending = None
        self.acknowledged = 0
        self.faults = []

    def first(self):
        rows = tuple(Item({"Title": title, "Text": f"first of {self.name}"}) for title in TITLES[:4])
        return Item({"Title": self.name, "Mark": 0}, [(None, rows)])

    def found(self, root):
        """What of a document is this client's."""
        own = Item({"Title": "Own"}, [(None, tuple(row for row in root.rows if row.title == self.name))])
        return own, tuple(row.title for row in root.row(INBOX).rows if row.title.startswith(self.name + " "))

    def edit(self):
        return self.edit_inbox() if self.dice.random() < 0.2 else super().edit()

    def edit_inbox(self):
        """Puts a row at the end of the inbox, or takes the oldest one of its own out."""
        text = self.number_text()
        steps = [{"patch": {"Mark": text}, "of": link_of("detail", self.root)}]
        if len(self.state[1]) < 5:
            steps.append({"insert": text, "to": f"/levels/{INBOX}"})
        else:
            steps.append({"delete": link_of("detail", (INBOX, self.state[1][0]))})
        self.dice.shuffle(steps)
        return self.ask("POST", "/edits", {"edits": steps}, steps)

    def after(self, request):
        """The state after an edit."""
        own, inbox = self.state
        for number, step in enumerate(request.steps):
            match step:
                case {"insert": str(text), "to": to} if to == f"/levels/{INBOX}": inbox += (text,)
                case {"delete": link} if link.startswith(f"/detail/{INBOX}/"): inbox = inbox[1:]
                case _:
                    if number or request.condition is None:
                        check_condition(self.state[0], own, step)
                    own = done(own, [step])
        return own, inbox

    def run(self):
        """Edits until the server is gone."""
        try:
            while True:
                request = self.edit()
                if request is not None:
                    self.settle(request)
        except (Closed, Cut, ConnectionError):
            # The last request, if it is an edit, may have been done.
            self.pending = self.requests[-1] if self.requests and self.requests[-1].steps else None
        except Exception as error:
            self.faults.append(f"{self.name} failed after {self.requests[-1:]}: {error!r}")

    def settle(self, request):
        """Nobody else edits its part: it knows what each answer must be."""
        try:
            state, status = self.after(request), None
        except Refused as refused:
            state, status = None, refused.status
        if request.is_done and state:
            self.state = state
            self.acknowledged += 1
        elif request.is_done or state or not are_alike(status, request.status):
            self.faults.append(f"the answer should be {status or 'that it is done'}: {request}")

    def judge(self, root):
        """Whether its part is as it must be after a kill; from then on it is as it is."""
        found = identity(self.found(root))
        allowed = [self.state]
        if self.pending is not None and self.pending.status is None:
            try:
                allowed.append(self.after(self.pending))
            except Refused:
                pass
        if found not in map(identity, allowed):
            self.faults.append(f"{self.name} is neither as acknowledged nor with the pending {self.pending}: {found}")
        self.state = self.found(root)
        self.pending = None
        self.requests.clear()


def identity(state):
    return state[0].digest, state[1]


class Rounds:
    """One document through many kills."""

    def __init__(self, verdict, arguments, syntax, folder):
        self.verdict = verdict
        self.arguments = arguments
        self.syntax = syntax
        self.folder = os.path.join(folder, "document")
        os.mkdir(self.folder)
        self.path = os.path.join(self.folder, f"Tree.{syntax}")
        names = [f"author{number}" for number in range(arguments.clients)]
        self.authors = [Author(name, arguments.seed) for name in names]
        self.tokens = token_file(os.path.join(folder, "tokens"), names)
        rows = (*(author.first() for author in self.authors), Item({"Title": INBOX}))
        first = Item({"Title": "Crashes"}, [(None, rows)])
        with open(self.path, "wb") as file:
            file.write(document(first, syntax))
        for author in self.authors:
            author.state = author.found(first)
        self.leftovers = 0

    def play(self, number, dice):
        what = f"{self.syntax}, round {number}"
        with Server(self.arguments.server, self.path, "--edit-token-file", self.tokens) as server:
            self.begin(what, server)
            edited = sum(author.acknowledged for author in self.authors)
            threads = [threading.Thread(target=author.run) for author in self.authors]
            for author in self.authors:
                author.connection = Connection(server.port)
            for thread in threads:
                thread.start()
            wait_until(lambda: sum(author.acknowledged for author in self.authors) > edited, every=0.001)
            # Nothing to wait for: any moment will do.
            threading.Event().wait(dice.random() * self.arguments.milliseconds / 1000)
            server.kill()
            for author, thread in zip(self.authors, threads):
                thread.join()
                author.connection.close()
        self.judge(what)

    def begin(self, what, server):
        """A start clears away what was left, and serves the file."""
        strangers = self.strangers()
        self.verdict.expect(not strangers, f"{what}: nothing is beside the file after a start: {strangers}")
        with open(self.path, "rb") as file:
            in_file = parsed(file.read())
        served = parsed(get(server.port, "/document?format=json").body)
        self.verdict.expect(served.digest == in_file.digest, f"{what}: what is in the file is served")

    def judge(self, what):
        self.leftovers += bool(self.strangers())
        with open(self.path, "rb") as file:
            data = file.read()
        try:
            root = parsed(data)
        except Exception as error:
            self.verdict.expect(False, f"{what}: the file parses: {error!r}, {len(data)} bytes")
            raise
        for author in self.authors:
            author.judge(root)
        faults = [fault for author in self.authors for fault in author.faults]
        self.verdict.expect(not faults, f"{what}: each edit is there as it must be: {faults[:3]}")
        for author in self.authors:
            author.faults.clear()

    def strangers(self):
        return sorted(set(os.listdir(self.folder)) - {os.path.basename(self.path)})


def main():
    arguments = options(__doc__, rounds=21, clients=8, milliseconds=100, seed=1, folder="")
    syntaxes = ("xml", "json", "binary")
    with Verdict("edit crashes") as verdict:
        dice = random.Random(arguments.seed)
        for syntax in syntaxes:
            with tempfile.TemporaryDirectory(dir=arguments.folder or None) as folder:
                rounds = Rounds(verdict, arguments, syntax, folder)
                for number in range(max(1, arguments.rounds // len(syntaxes))):
                    rounds.play(number, dice)
                edits = sum(author.acknowledged for author in rounds.authors)
                verdict.figure(f"{syntax}: edits acknowledged", edits)
                verdict.figure(f"{syntax}: kills that left a file beside the document", rounds.leftovers)


if __name__ == "__main__":
    main()
