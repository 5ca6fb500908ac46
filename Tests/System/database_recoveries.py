#!/usr/bin/env python3
"""What happens to a database once in its life: another program holds its lock, a backup is put back, a standby is
promoted, a server may not write, and the disk is full (as root).

Nothing acknowledged is lost except by the backup. Reads go on meanwhile, and edits go on when the reason is over.
"""

import contextlib
import json
import os
import sqlite3
import subprocess
import tempfile
import threading
import time

from harness.client import Connection, get, wait_until
from harness.databases import PostgresTree, SQLiteTree
from harness.editors import TOKEN, token_file
from harness.postgres import DATABASE, Postgres, Refused
from harness.server import Server
from harness.verdict import Verdict, options
from recoveries import unprivileged

AUTHOR = "author"
EDIT = {"Authorization": f"Bearer {TOKEN.format(AUTHOR)}", "Content-Type": "application/json"}
LEVEL = "/levels/Rows"
FIRST = {"Title": "Recoveries", "Rows": [{"Title": "Rows", "Children": ["first"]}]}


class Recovery:
    """A tree with a level to which rows are added."""

    def __init__(self, arguments, tree, folder, source=None):
        self.program = self.writer = arguments.server
        self.tree = tree
        self.source = source or tree.source
        self.tokens = token_file(os.path.join(folder, "tokens"), [AUTHOR])
        path = os.path.join(folder, "First.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(FIRST, file)
        subprocess.run([self.program, "import", path, tree.source], check=True, capture_output=True)

    def serve(self):
        return Server(self.program, self.source, "--edit-token-file", self.tokens)


def add(server, item, **headers):
    with Connection(server.port) as connection:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return connection.request(LEVEL, "POST", EDIT | names, json.dumps(item).encode())


def titles(server):
    answer = get(server.port, LEVEL)
    return [row["title"] for row in answer.json()["rows"]] if answer.status == 200 else answer.status


def is_added(server, item):
    return wait_until(lambda: add(server, item).status == 201, every=0.05) is not None


def hold_lock(verdict, what, recovery, seconds):
    with recovery.serve() as server:
        session = recovery.tree.session()
        for statement in session.begin:
            session.rows(statement)
        session.rows("UPDATE items SET position = position + 1 WHERE id = 1")
        end = time.monotonic() + seconds
        answers = []
        thread = threading.Thread(target=lambda: answers.append(add(server, "while locked")))
        thread.start()
        reads = []
        while time.monotonic() < end or thread.is_alive():
            reads.append(titles(server))
            threading.Event().wait(0.05)
        verdict.expect(set(map(tuple, reads)) == {("first",)}, f"{what}: reads go on while the lock is held")
        refusal = answers[0]
        is_busy = refusal.status == 503 and refusal["retry-after"] == "1"
        verdict.expect(is_busy, f"{what}: an edit meanwhile is answered {refusal.status}")
        verdict.expect(refusal.json()["type"] == "/problems/too-many-edits", f"{what}: it says why: {refusal.body}")
        session.rows("COMMIT")
        session.close()
        verdict.expect(is_added(server, "after"), f"{what}: an edit is done when the lock is free")
        verdict.expect(titles(server) == ["first", "after"], f"{what}: just that one: {titles(server)}")


def put_back(verdict, what, recovery, keep, put):
    """A backup is put in the place of a database that has been edited since."""
    with recovery.serve() as server:
        verdict.expect(is_added(server, "kept"), f"{what}: an edit is done")
        keep(server)
        verdict.expect(is_added(server, "lost 1") and is_added(server, "lost 2"), f"{what}: edits after the backup")
        lost, tag = get(server.port, "/readyz").json()["revision"], get(server.port, LEVEL)["etag"]
        put(server)
        arrives = wait_until(lambda: titles(server) == ["first", "kept"])
        verdict.expect(arrives is not None, f"{what}: the backup is shown: {titles(server)}")
        verdict.expect(add(server, "x", If_Match=tag).status == 412, f"{what}: an edit of a lost version is refused")
        verdict.expect(is_added(server, "after"), f"{what}: an edit is done")
        # Past the number of the lost revision.
        verdict.expect(is_added(server, "after 2") and is_added(server, "after 3"), f"{what}: and more")
        for target, headers in ((f"/changes?since={lost}", {}), (LEVEL, {"Drilldown_Revision": lost})):
            answer = get(server.port, target, **headers)
            verdict.expect(answer.status == 410, f"{what}: {target} with a lost revision is answered {answer.status}")
        verdict.expect(titles(server) == ["first", "kept", "after", "after 2", "after 3"], f"{what}: {titles(server)}")
        epoch = recovery.tree.rows("SELECT epoch FROM head")[0][0]
        verdict.expect(not lost.startswith(epoch), f"{what}: the tree has another epoch")


def put_back_sqlite(verdict, recovery):
    path = recovery.tree.path
    copy = path + ".copy"

    def keep(_):
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(f"VACUUM INTO '{copy}'")

    def put(_):
        os.replace(copy, path)
        for end in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path + end)

    put_back(verdict, "a backup of SQLite", recovery, keep, put)


def put_back_postgres(verdict, recovery, database):
    def keep(_):
        database.stop()
        database.copy()
        database.start()

    def put(_):
        database.stop()
        database.put_back()
        database.start()

    put_back(verdict, "a backup of PostgreSQL", recovery, keep, put)


def promote(verdict, arguments, folder):
    """The primary server is killed, and its standby takes its place: it has every acknowledged edit."""
    what = "a promoted standby"
    with Postgres() as primary, Postgres(primary) as standby:
        tree = PostgresTree(primary, "promoted")
        address = f"postgres://drilldown@127.0.0.1:{primary.port},127.0.0.1:{standby.port}/{DATABASE}?tree=promoted"
        recovery = Recovery(arguments, tree, folder, address)
        primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
        wait_until(lambda: primary.execute("SELECT sync_state FROM pg_stat_replication").strip() == "sync")
        with recovery.serve() as server:
            acknowledged, stopping = [], threading.Event()

            def edit():
                number = 0
                while not stopping.is_set():
                    number += 1
                    if add(server, f"row {number}").status == 201:
                        acknowledged.append(f"row {number}")

            thread = threading.Thread(target=edit)
            thread.start()
            wait_until(lambda: len(acknowledged) > 20)
            before = get(server.port, "/readyz").json()["revision"]
            primary.kill()
            verdict.expect("first" in titles(server), f"{what}: reads go on without a database")
            standby.execute("SELECT pg_promote()")
            standby.execute("ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()")
            seen = len(acknowledged)
            arrives = wait_until(lambda: len(acknowledged) > seen + 5)
            verdict.expect(arrives is not None, f"{what}: edits go on with it")
            stopping.set()
            thread.join()
            rows = titles(server)
            lost = [title for title in acknowledged if rows.count(title) != 1]
            verdict.expect(not lost, f"{what}: of {len(acknowledged)} edits each is there once: {lost[:5]}")
            epoch, _ = get(server.port, "/readyz").json()["revision"].split("-")
            verdict.expect(before.startswith(epoch + "-"), f"{what}: the history goes on")
            verdict.figure(what, f"{len(acknowledged)} edits acknowledged, {seen} of them before")
            there = PostgresTree(standby, "promoted").rows("SELECT count(*) FROM items")
            verdict.expect(int(there[0][0]) == len(rows) + 2, f"{what}: the database has the rows that are shown")


def follow_without_writing(verdict, recovery, folder):
    """A server that may not write to a SQLite file shows what other programs write, under names of its own."""
    what = "a server that may not write"
    os.chmod(folder, 0o755)
    path = recovery.tree.path
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        # The files beside the database exist as long as this connection is open.
        other.execute("SELECT * FROM head").fetchall()
        for ending in ("", "-wal", "-shm"):
            os.chmod(path + ending, 0o644)
        recovery.program = unprivileged(recovery.program, folder)
        with recovery.serve() as server:
            revision = lambda of: get(of.port, "/readyz").json()["revision"]
            names = [revision(server)]
            verdict.expect(add(server, "x").status == 409, f"{what}: it refuses an edit")
            for title in ("second", "third"):
                other.execute("INSERT INTO items (parent, position, fields) VALUES (1, 1 << 40, json_quote(?))", (title,))
                shown = wait_until(lambda title=title: titles(server)[-1] == title)
                verdict.expect(shown is not None, f"{what}: it shows the row of another program: {titles(server)}")
                names.append(revision(server))
            with recovery.serve() as second:
                verdict.expect(titles(second) == titles(server), f"{what}: so does one that starts later: {titles(second)}")
                names.append(revision(second))
            verdict.expect(len(set(names)) == 4, f"{what}: different trees have different revisions: {names}")
            # A server that may write gives the rows a revision, which has one name on both.
            recovery.program = recovery.writer
            with recovery.serve() as writer:
                named = wait_until(lambda: revision(server) == revision(writer))
                verdict.expect(named is not None, f"{what}: it takes the name of a numbered revision: {revision(server)}")
                verdict.expect(is_added(writer, "fourth"), f"{what}: another server edits")
                shown = wait_until(lambda: titles(server) == titles(writer))
                verdict.expect(shown is not None, f"{what}: it shows the edit of another server: {titles(server)}")


def fill(verdict, what, recovery, make_room, revive=lambda: None):
    """Rows are added until the disk is full."""
    with recovery.serve() as server:
        acknowledged, refusal = [], None
        while refusal is None:
            title = f"row {len(acknowledged)}"
            # Random, because PostgreSQL compresses what is not.
            answer = add(server, {"Title": title, "Text": os.urandom(100_000).hex()})
            if answer.status == 201:
                acknowledged.append(title)
            else:
                refusal = answer
        verdict.expect(refusal.status in (503, 507), f"{what}: an edit is answered {refusal.status} after {len(acknowledged)}")
        verdict.expect(titles(server) == ["first", *acknowledged], f"{what}: reads go on")
        make_room()
        revive()
        verdict.expect(is_added(server, "with room"), f"{what}: with room again, an edit is done")
        rows = titles(server)
        kept = [row for row in rows if row in acknowledged]
        verdict.expect(kept == acknowledged, f"{what}: no acknowledged row is lost")
        verdict.figure(what, f"{len(acknowledged)} edits before the disk was full, then {refusal.status}")
    with recovery.serve() as server:
        verdict.expect(titles(server) == rows, f"{what}: a start shows the same")


def fill_sqlite(verdict, arguments, folder):
    disk = os.path.join(folder, "disk")
    os.mkdir(disk)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], check=True)
    try:
        recovery = Recovery(arguments, SQLiteTree(os.path.join(disk, "T.db")), folder)
        fill(verdict, "a full disk under SQLite", recovery,
             lambda: subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True))
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def fill_postgres(verdict, arguments, folder):
    with Postgres(size=64) as database:
        def revive():
            # Without room for its log the database ends.
            with contextlib.suppress(Refused):
                database.execute("SELECT 1")
                return
            database.kill()
            database.start()

        recovery = Recovery(arguments, PostgresTree(database, "full"), folder)
        fill(verdict, "a full disk under PostgreSQL", recovery,
             lambda: subprocess.run(["mount", "-o", "remount,size=400m", database.folder], check=True), revive)


def main():
    arguments = options(__doc__, seconds=6, full_disk=False, only="lock,backup,standby,reader")
    with Verdict("database recoveries") as verdict, contextlib.ExitStack() as stack:
        def folder():
            return stack.enter_context(tempfile.TemporaryDirectory())

        def sqlite():
            path = folder()
            return Recovery(arguments, SQLiteTree(os.path.join(path, "T.db")), path)

        database = stack.enter_context(Postgres())
        if "lock" in arguments.only:
            hold_lock(verdict, "a lock in SQLite", sqlite(), arguments.seconds)
            locked = Recovery(arguments, PostgresTree(database, "locked"), folder())
            hold_lock(verdict, "a lock in PostgreSQL", locked, arguments.seconds)
        if "backup" in arguments.only:
            put_back_sqlite(verdict, sqlite())
            put_back_postgres(verdict, Recovery(arguments, PostgresTree(database, "restored"), folder()), database)
        if "standby" in arguments.only:
            promote(verdict, arguments, folder())
        if "reader" in arguments.only:
            path = folder()
            recovery = Recovery(arguments, SQLiteTree(os.path.join(path, "T.db")), path)
            follow_without_writing(verdict, recovery, path)
        if arguments.full_disk:
            fill_sqlite(verdict, arguments, folder())
            fill_postgres(verdict, arguments, folder())


if __name__ == "__main__":
    main()
