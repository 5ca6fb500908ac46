#!/usr/bin/env python3
"""Trees in databases while servers and databases are killed, and while a proxy cuts, delays and doubles the bytes
between them, round after round.

After each round every acknowledged edit must be in the database, and every other one as a whole or not at all. Servers
whose database comes back show it and take edits again by themselves; meanwhile all reads are answered.
"""

# Covers: DatabaseTrees TreeStore

import contextlib
import os
import random
import subprocess
import tempfile
import threading

from edit_crashes import INBOX
from edit_crashes import Author as CrashAuthor
from harness.byte_proxy import DIRECTIONS, HARMS, ByteProxy
from harness.client import Closed, Connection, Cut, get, wait_until
from harness.databases import PostgresTree, SQLiteTree
from harness.editors import token_file
from harness.items import Item, document, parsed
from harness.postgres import Postgres
from harness.server import Server
from harness.verdict import Verdict, options

# Seconds until a server has noticed that a database that answers nothing is lost, and has found out the outcome of its
# commit.
PATIENCE = 150


class Author(CrashAuthor):
    """A client that edits a part of its own, and goes on when there is no database for the moment."""

    def __init__(self, name, seed):
        super().__init__(name, seed)
        self.stopping = threading.Event()
        self.turned_away = 0

    def edit(self):
        if self.stopping.is_set():
            # As if the server were gone.
            raise Closed()
        return super().edit()

    def settle(self, request):
        if request.status == 503:
            self.turned_away += 1
            self.stopping.wait(0.02)
        elif request.status == 500:
            # It is not known whether it was done.
            request.status = None
            raise Cut("the outcome of an edit is not known")
        else:
            super().settle(request)


class Reader(threading.Thread):
    """Reads all the time; each read must be answered."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port = port
        self.reads = 0
        self.fault = None
        self.stopping = threading.Event()

    def run(self):
        try:
            with Connection(self.port, timeout=10) as connection:
                while self.fault is None and not self.stopping.wait(0.01):
                    answer = connection.get("/levels/")
                    self.reads += 1
                    if answer.status != 200:
                        self.fault = f"a read is answered {answer.status}: {answer.body[:200]}"
        except Exception as error:
            self.fault = f"a read fails: {error!r}"


class Rounds:
    """One tree through many rounds."""

    def __init__(self, verdict, arguments, what, tree, folder, source=None):
        self.verdict = verdict
        self.program = arguments.server
        self.milliseconds = arguments.milliseconds
        self.what = what
        self.tree = tree
        self.source = source or tree.source
        self.dice = random.Random(f"{what} {arguments.seed}")
        names = [f"author{number}" for number in range(arguments.clients)]
        self.authors = [Author(name, arguments.seed) for name in names]
        self.tokens = token_file(os.path.join(folder, "tokens"), names)
        rows = (*(author.first() for author in self.authors), Item({"Title": INBOX}))
        first = Item({"Title": "Failures"}, [(None, rows)])
        path = os.path.join(folder, "First.json")
        with open(path, "wb") as file:
            file.write(document(first, "json"))
        subprocess.run([self.program, "import", path, tree.source], check=True, capture_output=True)
        for author in self.authors:
            author.state = author.found(first)
        self.reads = 0
        self.threads = []

    def serve(self):
        return Server(self.program, self.source, "--edit-token-file", self.tokens)

    @property
    def acknowledged(self):
        return [author.acknowledged for author in self.authors]

    def begin(self, servers):
        """Has every client edit."""
        self.before = self.acknowledged
        self.threads = [threading.Thread(target=author.run) for author in self.authors]
        for number, author in enumerate(self.authors):
            author.stopping.clear()
            author.connection = Connection(servers[number % len(servers)].port, timeout=PATIENCE)
        for thread in self.threads:
            thread.start()
        wait_until(lambda: sum(self.acknowledged) > sum(self.before), every=0.001)
        self.pause(self.milliseconds)

    def pause(self, milliseconds):
        # Nothing to wait for: any moment will do.
        threading.Event().wait(self.dice.random() * milliseconds / 1000)

    def go_on(self, round):
        """Waits until some clients have edited again."""
        seen = sum(self.acknowledged)
        arrives = wait_until(
            lambda: sum(self.acknowledged) > seen + 1 or not any(thread.is_alive() for thread in self.threads),
            within=PATIENCE)
        self.verdict.expect(arrives is not None, f"{self.what}, round {round}: edits go on")

    def end(self):
        for author in self.authors:
            author.stopping.set()
        for author, thread in zip(self.authors, self.threads):
            thread.join()
            author.connection.close()

    def judge(self, round, servers):
        """Holds the database against what the clients know, and the servers against the database."""
        what = f"{self.what}, round {round}"
        exported = subprocess.run(
            [self.program, "export", self.tree.source, "--format", "json"], capture_output=True, check=True)
        root = parsed(exported.stdout)
        for author in self.authors:
            author.judge(root)
        faults = [fault for author in self.authors for fault in author.faults]
        self.verdict.expect(not faults, f"{what}: each edit is there as it must be: {faults[:3]}")
        for author in self.authors:
            author.faults.clear()
        for number, server in enumerate(servers):
            arrives = wait_until(lambda: is_ready(server) and shown(server) == root.digest, every=0.02)
            self.verdict.expect(arrives is not None, f"{what}: server {number} shows what is in the database")

    @contextlib.contextmanager
    def reading(self, round, servers):
        readers = [Reader(server.port) for server in servers]
        for reader in readers:
            reader.start()
        yield
        for reader in readers:
            reader.stopping.set()
            reader.join()
            self.reads += reader.reads
        faults = [reader.fault for reader in readers if reader.fault]
        self.verdict.expect(not faults, f"{self.what}, round {round}: every read is answered: {faults}")

    def figure(self):
        turned_away = sum(author.turned_away for author in self.authors)
        self.verdict.figure(self.what, f"{sum(self.acknowledged)} edits acknowledged, {turned_away} turned away, "
                            f"{self.reads} reads meanwhile")


def is_ready(server):
    return get(server.port, "/readyz").json()["status"] == "ok"


def shown(server):
    return parsed(get(server.port, "/document?format=json").body).digest


def kill_servers(rounds, count):
    for round in range(count):
        with rounds.serve() as server:
            rounds.judge(f"{round}, at the start", [server])
            rounds.begin([server])
            server.kill()
            rounds.end()
    with rounds.serve() as server:
        rounds.judge("the last", [server])
    rounds.figure()


def kill_database(rounds, count, database):
    with rounds.serve() as one, rounds.serve() as other:
        servers = [one, other]
        for round in range(count):
            with rounds.reading(round, servers):
                rounds.begin(servers)
                database.kill()
                for number, server in enumerate(servers):
                    arrives = wait_until(lambda: not is_ready(server))
                    rounds.verdict.expect(arrives is not None, f"{rounds.what}, round {round}: server {number} says so")
                rounds.pause(5 * rounds.milliseconds)
                database.start()
                rounds.go_on(round)
            rounds.end()
            rounds.judge(round, servers)
    rounds.figure()


def harm_bytes(rounds, count, proxy):
    with rounds.serve() as server:
        for round in range(count):
            harm = rounds.dice.choice(HARMS)
            with rounds.reading(round, [server]):
                rounds.begin([server])
                after, bytes = rounds.dice.randrange(20_000), rounds.dice.randint(1, 200)
                proxy.arm(harm, rounds.dice.choice(DIRECTIONS), after, bytes, rounds.dice.random() / 4)
                rounds.verdict.expect(proxy.has_harmed.wait(PATIENCE), f"{rounds.what}, round {round}: it does harm")
                rounds.go_on(f"{round} ({harm})")
            rounds.end()
            rounds.judge(f"{round} ({harm})", [server])
    rounds.figure()


def main():
    arguments = options(
        __doc__, rounds=4, clients=8, milliseconds=100, seed=1, only="servers,database,bytes", folder="")
    with Verdict("database failures") as verdict:
        def rounds(what, tree, source=None):
            folder = stack.enter_context(tempfile.TemporaryDirectory(dir=arguments.folder or None))
            return Rounds(verdict, arguments, what, tree(folder), folder, source)

        with contextlib.ExitStack() as stack:
            database = stack.enter_context(Postgres())
            if "servers" in arguments.only:
                sqlite = rounds("servers of SQLite killed", lambda folder: SQLiteTree(os.path.join(folder, "T.db")))
                kill_servers(sqlite, arguments.rounds)
                kill_servers(rounds("servers of PostgreSQL killed", lambda _: PostgresTree(database, "servers")),
                             arguments.rounds)
            if "database" in arguments.only:
                kill_database(rounds("the database killed", lambda _: PostgresTree(database, "database")),
                              arguments.rounds, database)
            if "bytes" in arguments.only:
                proxy = ByteProxy(database.port)
                stack.callback(proxy.close)
                harm_bytes(rounds("bytes harmed", lambda _: PostgresTree(database, "bytes"),
                                  database.source("bytes", proxy.port)), arguments.rounds, proxy)


if __name__ == "__main__":
    main()
