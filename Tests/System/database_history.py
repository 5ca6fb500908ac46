#!/usr/bin/env python3
"""A recorded history of a tree in a database: many clients edit it through several servers while other programs write
by SQL and others read.

Afterwards the history is put together from /changes, the clients' answers and the log of the database: the document
must be exactly the acknowledged edits and the committed transactions in the order of their revisions. Each read must be
the state of the revision that its answer names, and every server must bring the same entries, without a gap.
"""

import bisect
import contextlib
import json
import os
import random
import subprocess
import tempfile
import threading
import time

from harness.change_followers import LevelKeeper, PollFollower, StreamFollower
from harness.client import Connection, get, wait_until
from harness.databases import PostgresTree, SQLiteTree, literal
from harness.editors import TITLES, Crowd, Editor, token_file
from harness.history import OUTSIDE, History, holds
from harness.item_edits import done
from harness.items import Item, document, link_of, parsed
from harness.postgres import Postgres
from harness.server import Server
from harness.verdict import Verdict, options

HISTORY_BYTES = 4_000_000_000
# Levels of the document below which other programs insert rows, too.
SHARED = 3
SPACE = 1 << 32


def first_state(dice, writers):
    """Some levels, one of them with sections, and the items that only other programs change."""
    def row(number):
        return Item({"Title": dice.choice(TITLES), "Text": f"first {number}", "Price": number})

    own = [Item(fields) for k in range(writers) for fields in (counter(k, 0), {"Title": f"Writer {k}"})]
    rows = [Item({"Title": f"Level {number}"}, [(None, tuple(row(n) for n in range(4)))]) for number in range(5)]
    divided = Item({"Title": "Divided"}, [(name, tuple(row(n) for n in range(3))) for name in ("First", "Second")])
    return Item({"Title": "History"}, [(None, (*rows, divided, Item({"Title": OUTSIDE}, [(None, tuple(own))])))])


def counter(writer, number):
    """The fields of the item that says which transactions of a writer are in a state."""
    return {"Title": f"Counter {writer}", "Writer": writer, "Transaction": number}


def number_of(revision):
    return int(revision.rpartition("-")[2])


class Transaction:
    """What another program wrote in one transaction, as steps of an edit, and when."""

    def __init__(self, steps):
        self.steps = steps
        self.sent = time.monotonic_ns()
        # Never, until it is known.
        self.answered = 1 << 63


class SQLWriter(threading.Thread):
    """Another program that writes by SQL: each transaction counts an item of its own up, and changes some rows."""

    def __init__(self, tree, number, seed, pause):
        super().__init__(daemon=True)
        self.name = f"sql{number}"
        self.number = number
        self.session = tree.session(self.name)
        self.dice = random.Random(f"{self.name} {seed}")
        self.pause = pause
        self.committed = []
        # The titles of the rows below its own item.
        self.rows = []
        self.faults = []
        self.stopping = threading.Event()

    def run(self):
        try:
            while not self.stopping.wait(self.dice.expovariate(1 / self.pause)):
                self.write()
        except Exception as error:
            self.faults.append(f"{self.name} failed: {error!r}")
        finally:
            self.session.close()

    def write(self):
        number, rows = len(self.committed) + 1, list(self.rows)
        fields = counter(self.number, number)
        transaction = Transaction([{"put": fields, "of": self.link(f"Counter {self.number}")}])
        for statement in self.session.begin:
            self.session.rows(statement)
        self.change(self.id_of(OUTSIDE, f"Counter {self.number}"), fields)
        for _ in range(self.dice.randint(0, 2)):
            kinds = [self.insert, self.share] + [self.put, self.delete, self.move] * bool(rows)
            step = self.dice.choice(kinds)(number, rows)
            if step:
                transaction.steps.append(step)
        if self.dice.random() < 0.1:
            self.session.rows("ROLLBACK")
            return
        # Before, because a server may show it as soon as the database has it.
        self.committed.append(transaction)
        self.session.rows("COMMIT")
        transaction.answered = time.monotonic_ns()
        self.rows = rows

    # Each makes a change, and gives the same as a step of an edit.

    def insert(self, number, rows):
        title = f"{self.name} {number} {len(rows)}"
        rows.append(title)
        self.add(self.id_of(OUTSIDE, f"Writer {self.number}"), title)
        return {"insert": {"Title": title, "Text": "new"}, "to": self.link(f"Writer {self.number}", "levels")}

    def share(self, number, rows):
        """Below an item that clients edit, if it is there."""
        level = f"Level {self.dice.randrange(SHARED)}"
        id, title = self.id_of(level), f"{self.name} {number} shared {self.dice.random()}"
        if id is None:
            return None
        self.add(id, title)
        return {"insert": {"Title": title, "Text": "new"}, "to": link_of("levels", (level,))}

    def put(self, number, rows):
        title = self.dice.choice(rows)
        fields = {"Title": title, "Text": f"changed by {number} {self.dice.random()}"}
        self.change(self.id_of(OUTSIDE, f"Writer {self.number}", title), fields)
        return {"put": fields, "of": self.link(f"Writer {self.number}", title)}

    def delete(self, number, rows):
        title = self.dice.choice(rows)
        rows.remove(title)
        self.session.rows(f"DELETE FROM items WHERE id = {self.id_of(OUTSIDE, f'Writer {self.number}', title)}")
        return {"delete": self.link(f"Writer {self.number}", title)}

    def move(self, number, rows):
        """To the end of its level."""
        title = self.dice.choice(rows)
        id = self.id_of(OUTSIDE, f"Writer {self.number}", title)
        self.session.rows(f"UPDATE items SET position = {self.end(f'i.id = {id}')} WHERE id = {id}")
        owner = self.link(f"Writer {self.number}", "levels")
        return {"move": self.link(f"Writer {self.number}", title), "to": owner, "at": "last"}

    @staticmethod
    def link(*path):
        kind = "detail"
        if path[-1] == "levels":
            path, kind = path[:-1], "levels"
        return link_of(kind, (OUTSIDE, *path))

    def id_of(self, *titles):
        id = "0"
        for title in titles:
            found = self.session.rows(
                f"SELECT id FROM items WHERE parent = {id} AND fields ->> 'Title' = {literal(title)}")
            if not found:
                return None
            id = found[0][0]
        return id

    def change(self, id, fields):
        self.session.rows(f"UPDATE items SET fields = {literal(json.dumps(fields))} WHERE id = {id}")

    def add(self, id, title):
        fields = literal(json.dumps({"Title": title, "Text": "new"}))
        self.session.rows(
            f"INSERT INTO items (parent, position, fields) SELECT {id}, coalesce(max(position), 0) + {SPACE}, {fields} "
            f"FROM items WHERE parent = {id}")

    @staticmethod
    def end(condition):
        """The position after the last row of the level of an item."""
        return (f"(SELECT max(j.position) + {SPACE} FROM items j JOIN items i ON i.parent = j.parent "
                f"WHERE {condition})")


class ManyServersEditor(Editor):
    """A client of one server that reads from the others, too: never a state older than one that it has seen."""

    def __init__(self, name, ports, own, revision, seed, kept=()):
        self.connections = [Connection(port) for port in ports]
        self.own = own
        super().__init__(name, self.connections[own or 0], seed, kept)
        self.revision = revision

    def read(self, target, shown):
        if self.own is None:
            self.connection = self.dice.choice(self.connections)
        request = self.requested(target)
        answer = self.connection.get(target, Drilldown_Revision=self.revision)
        request.answered = time.monotonic_ns()
        request.status = answer.status
        if answer.status == 200:
            request.told = answer["etag"]
            request.seen = shown(answer)
        self.note(request, answer)
        return request

    def requested(self, target, steps=None, condition=None):
        request = super().requested(target, steps, condition)
        request.known = self.revision
        return request

    def note(self, request, answer):
        request.revision = answer["drilldown-revision"]
        if request.revision and number_of(request.revision) > number_of(self.revision):
            self.revision = request.revision

    def asked(self, request, answer):
        """An edit was answered: another server must show it."""
        self.note(request, answer)
        if self.own is None or self.dice.random() > 0.2:
            return
        self.connection = self.connections[(self.own + 1) % len(self.connections)]
        self.read_level(self.root)
        self.connection = self.connections[self.own]

    def close(self):
        for connection in self.connections:
            connection.close()


class DatabaseHistory(History):
    """States by revision: an entry that is not an edit is the transactions that the log of the database has for it."""

    def __init__(self, first, entries, requests, writers, log):
        self.writers = writers
        self.log = log
        self.taken = [0] * len(writers)
        self.first = number_of(entries[0]["revision"]) - 1 if entries else 0
        super().__init__(first, entries, requests, ())

    def reloaded(self, entry):
        merged, state = Transaction([]), self.states[-1]
        for writer, number in self.log.get(number_of(entry["revision"]), ()):
            self.taken[writer] += 1
            if number != self.taken[writer]:
                self.fault(f"{entry['revision']} has the transaction {number} of sql{writer}, not {self.taken[writer]}")
                return None, None
            transaction = self.writers[writer].committed[number - 1]
            state = done(state, transaction.steps)
            merged.sent = min(merged.sent, transaction.sent)
            merged.answered = max(transaction.answered, 0 if merged.answered == 1 << 63 else merged.answered)
        if state is self.states[-1]:
            self.fault(f"no transaction is behind {entry}")
            return None, None
        return merged, state

    def skip(self, count):
        for writer, taken in zip(self.writers, self.taken):
            if taken != len(writer.committed):
                self.fault(f"{writer.name} committed {len(writer.committed)} transactions, /changes has {taken}")

    def check_edit(self, entry, request, state):
        super().check_edit(entry, request, state)
        if request.revision != entry["revision"]:
            self.fault(f"answered was {request.revision}, but its entry is {entry['revision']}: {request}")

    def index(self, revision):
        return number_of(revision) - self.first

    def span(self, request):
        """The numbers of the states in which a server may have refused a request."""
        unknown = bisect.bisect_right(self._sent, request.answered)
        last = self._oldest[unknown] - 1 if unknown < len(self._oldest) else len(self.states) - 1
        return range(self.index(request.known), last + 1)

    def check_read(self, request, last):
        if request.revision is None:
            if not any(holds(request, self.states[number]) for number in self.span(request)):
                self.fault(f"{request.author} read {request.target} as no state was: {request.status}")
            return
        number = self.index(request.revision)
        if number < self.index(request.known):
            self.fault(f"{request.author} knew {request.known} and read {request.target} of {request.revision}")
        elif number >= len(self.states) or not holds(request, self.states[number]):
            self.fault(f"{request.author} read {request.target} of {request.revision} otherwise than it was: "
                       f"{str(request.seen)[:600]}")

    def check_refusal(self, request):
        span = self.span(request)
        if request.status == 412:
            is_right = request.condition is not None and len(span) > 1
        else:
            is_right = any(self.refuses(number, request) for number in span)
        if not is_right:
            self.fault(f"refused, but it could be done in each state of {span}: {request}")


def names(arguments):
    return [f"client{number:02d}" for number in range(arguments.clients)]


def exercise(verdict, arguments, kind, tree, servers, folder):
    first = first_state(random.Random(arguments.seed), arguments.writers)
    path = os.path.join(folder, "First.json")
    with open(path, "wb") as file:
        file.write(document(first, "json"))
    subprocess.run([arguments.server, "import", path, tree.source], check=True, capture_output=True)
    settings = ("--edit-token-file", token_file(os.path.join(folder, "tokens"), names(arguments)),
                "--history-bytes", str(HISTORY_BYTES))
    if kind == "postgres":
        for number in range(arguments.writers):
            tree.allow(f"sql{number}")
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(Server(arguments.server, tree.source, *settings)) for _ in range(servers)]
        ports = [server.port for server in running]
        revision = get(ports[0], "/changes").json()["revision"]
        followers = [[kind(port, revision) for kind in (StreamFollower, PollFollower)] for port in ports]
        keeper = LevelKeeper(ports[-1], revision)
        writers = [SQLWriter(tree, number, arguments.seed, arguments.pause) for number in range(arguments.writers)]
        crowd = Crowd(
            [ManyServersEditor(name, ports, number % servers, revision, arguments.seed, kept=(OUTSIDE,))
             for number, name in enumerate(names(arguments))],
            [ManyServersEditor(f"reader{number}", ports, None, revision, arguments.seed)
             for number in range(arguments.readers)],
            arguments.edits)
        every = [follower for pair in followers for follower in pair] + [keeper]
        for thread in (*every, *writers):
            thread.start()
        begun = time.monotonic()
        crowd.work()
        took = time.monotonic() - begun
        for writer in writers:
            writer.stopping.set()
        for writer in writers:
            writer.join()
        crowd.end()
        last = newest(tree)
        for port in ports:
            arrives = wait_until(lambda: get(port, "/readyz").json()["revision"] == last)
            verdict.expect(arrives is not None, f"{kind}: every server comes to {last}")
        for follower in every:
            follower.end(last)
        history = DatabaseHistory(first, followers[0][0].entries, crowd.requests, writers, log_of(tree))
        judge(verdict, kind, arguments, tree, ports, history, followers, keeper, crowd.faults + [
            fault for writer in writers for fault in writer.faults])
        pace = f"{arguments.edits / took:.0f}, with {sum(history.taken) / took:.0f} transactions of others"
        verdict.figure(f"{kind}: edits a second", pace)
    judge_restart(verdict, kind, arguments, tree, settings, history)


def newest(tree):
    """The newest revision: a server gives one to what others have written to a SQLite file."""
    unnumbered = "SELECT 1 FROM changes WHERE revision IS NULL LIMIT 1"
    wait_until(lambda: not tree.rows(unnumbered))
    epoch, number = tree.rows("SELECT epoch, revision FROM head")[0]
    return f"{epoch}-{number}"


def log_of(tree):
    """The transactions of other programs by revision, as the counters in the log tell them."""
    log = {}
    for revision, writer, number in tree.rows(
            "SELECT revision, fields ->> 'Writer', fields ->> 'Transaction' FROM changes "
            "WHERE fields ->> 'Transaction' IS NOT NULL ORDER BY revision, seq"):
        log.setdefault(int(revision), []).append((int(writer), int(number)))
    return log


def judge(verdict, kind, arguments, tree, ports, history, followers, keeper, faults):
    entries = history.entries
    numbers = [number_of(entry["revision"]) for entry in entries]
    verdict.expect(numbers == list(range(history.first + 1, history.first + 1 + len(numbers))),
                   f"{kind}: the revisions in /changes follow each other")
    for number, (stream, poll) in enumerate(followers):
        verdict.expect(stream.entries == entries, f"{kind}: server {number} streams the same entries as the first")
        verdict.expect(poll.entries == entries, f"{kind}: server {number} answers the same entries as the first")
    faults += [follower.fault for pair in followers for follower in pair if follower.fault]
    faults += [keeper.fault] if keeper.fault else []
    if verdict.expect(len(history.states) == len(entries) + 1, f"{kind}: each entry is an edit or a transaction"):
        counts = history.check_requests()
        verdict.figure(f"{kind}: judged", dict(sorted(counts.items())))
        verdict.expect(counts["edits"] > 0 and sum(history.taken) > 0, f"{kind}: some edits and transactions are done")
        final = history.states[-1].digest
        for number, port in enumerate(ports):
            verdict.expect(served(port).digest == final, f"{kind}: server {number} shows what they make of the first")
        exported = subprocess.run([arguments.server, "export", tree.source, "--format", "json"], capture_output=True)
        verdict.expect(parsed(exported.stdout).digest == final, f"{kind}: the database has what they make of the first")
    faults += history.faults + keeper.differences()
    for fault in faults[:20]:
        verdict.expect(False, f"{kind}: {fault}")
    verdict.expect(not faults, f"{kind}: no request and no entry contradicts the history ({len(faults)} do)")


def judge_restart(verdict, kind, arguments, tree, settings, history):
    """A server that starts now has the same revisions."""
    kept = history.entries[-min(len(history.entries), 10_000):]
    with Server(arguments.server, tree.source, *settings) as server:
        told = get(server.port, f"/changes?since={kept[0]['revision']}").json()
        entries = [(entry["revision"], entry["at"], entry["by"]) for entry in told["changes"]]
        verdict.expect(entries == [(entry["revision"], entry["at"], entry["by"]) for entry in kept[1:]],
                       f"{kind}: after a start /changes has the same revisions")
        verdict.expect(served(server.port).digest == history.states[-1].digest, f"{kind}: a start shows the same")


def served(port):
    return parsed(get(port, "/document?format=json").body)


def main():
    arguments = options(
        __doc__, edits=300, clients=16, readers=2, servers=3, writers=2, pause=0.05, seed=1, kinds="sqlite,postgres")
    with Verdict("database history") as verdict, tempfile.TemporaryDirectory() as folder:
        if "sqlite" in arguments.kinds:
            exercise(verdict, arguments, "sqlite", SQLiteTree(os.path.join(folder, "Tree.db")), 1, folder)
        if "postgres" in arguments.kinds:
            with Postgres() as server:
                exercise(verdict, arguments, "postgres", PostgresTree(server, "history"), arguments.servers, folder)


if __name__ == "__main__":
    main()
