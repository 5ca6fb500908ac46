#!/usr/bin/env python3
"""What happens to a database once in its life: another program holds its lock, a backup is put back, the log of a
SQLite file is removed, a standby is promoted, a server may not write, or no longer, an import is killed, and the disk is
full (as root).

Nothing acknowledged is lost except by the backup. Reads go on meanwhile, and edits go on when the reason is over.
"""

# Covers: DatabaseTrees TreeStore

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
from harness.postgres import DATABASE, ROLE, Postgres, Refused
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


def add(server, item, target=LEVEL, **headers):
    with Connection(server.port) as connection:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return connection.request(target, "POST", EDIT | names, json.dumps(item).encode())


def titles(server):
    answer = get(server.port, LEVEL)
    return [row["title"] for row in answer.json()["rows"]] if answer.status == 200 else answer.status


def remove(paths):
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


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
        remove(path + ending for ending in ("-wal", "-shm"))

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


def remove_log(verdict, recovery, endings):
    """The log of a SQLite file is removed beneath the server, which is killed later: every acknowledged edit is there."""
    what = f"a SQLite file without its {' and '.join(endings)}"
    server = recovery.serve()
    acknowledged, refused = [], set()
    for number in range(60):
        if number in (10, 30):
            remove(recovery.tree.path + ending for ending in endings)
        title = f"row {number}"
        added = wait_until(lambda title=title: note(refused, add(server, title)) == 201, every=0.05)
        verdict.expect(added is not None, f"{what}: {title} is added")
        acknowledged.append(title)
    server.kill()
    with recovery.serve() as server:
        verdict.expect(titles(server) == ["first", *acknowledged], f"{what}: all are there: {titles(server)}")
    verdict.expect(refused <= {503}, f"{what}: edits meanwhile are answered {refused}")


def note(refused, answer):
    if answer.status != 201:
        refused.add(answer.status)
    return answer.status


def replace_database(verdict, recovery):
    """A backup takes the place of a SQLite file, while edits arrive: in the order of the manual, slowly, or at once."""
    what = "a SQLite file that is replaced"
    path = recovery.tree.path
    with recovery.serve() as server:
        for round in range(9):
            copy = f"{path}.{round}"
            with contextlib.closing(sqlite3.connect(path)) as old, contextlib.closing(sqlite3.connect(copy)) as new:
                old.backup(new)
            remove(copy + ending for ending in ("-wal", "-shm"))
            kept = titles(server)
            verdict.expect(is_added(server, f"lost {round}"), f"{what}: an edit is done")
            answers = []
            if round % 3 < 2:
                remove(path + ending for ending in ("-wal", "-shm"))
                answers = [add(server, f"between {round}").status for _ in range(3)]
            if round % 3 == 1:
                verdict.expect(is_added(server, "lost in between"), f"{what}: it is opened again")
            os.replace(copy, path)
            after = [f"after {round} {number}" for number in range(3)]
            for title in after:
                verdict.expect(is_added(server, title), f"{what}: {title} is added")
            verdict.expect(set(answers) <= {503}, f"{what}: edits meanwhile are answered {answers}")
            verdict.expect(titles(server) == [*kept, *after], f"{what}: {titles(server)}")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        sound = connection.execute("PRAGMA integrity_check").fetchall()
        verdict.expect(sound == [("ok",)], f"{what}: it is sound: {sound}")


def change_rights(verdict, recovery, database):
    """Edits are refused while the role may not write, and done when it may again, without a reload."""
    what = "a role that may not write"
    schema = recovery.tree.name
    with recovery.serve() as server:
        for _ in range(2):
            verdict.expect(add(server, "before").status == 201, f"{what}: an edit is done")
            database.execute(f"REVOKE UPDATE ON {schema}.head FROM {ROLE}")
            refusals = [add(server, "x").status for _ in range(2)]
            verdict.expect(refusals == [409, 409], f"{what}: edits are answered {refusals}")
            database.execute(f"GRANT UPDATE ON {schema}.head TO {ROLE}")
            verdict.expect(add(server, "after").status == 201, f"{what}: an edit is done again")
        verdict.expect(titles(server) == ["first", *["before", "after"] * 2], f"{what}: {titles(server)}")


def edit_beside_standby(verdict, arguments, folder):
    """A server reads on a standby and edits on the primary server, and after a promotion on the new one."""
    what = "a server that reads a standby"
    with Postgres() as primary, Postgres(primary) as standby:
        tree = PostgresTree(primary, "beside")
        address = f"postgres://{ROLE}@127.0.0.1:{primary.port},127.0.0.1:{standby.port}/{DATABASE}?tree=beside&read=standby"
        recovery = Recovery(arguments, tree, folder, address)
        wait_until(lambda: standby.execute("SELECT to_regclass('beside.items') IS NOT NULL").strip() == "t")
        with recovery.serve() as server:
            for number in range(20):
                added = add(server, f"row {number}").status
                found = add(server, {"Title": "child"}, target=f"{LEVEL}/row%20{number}").status
                verdict.expect((added, found) == (201, 201), f"{what}: edits are answered {added}, {found}")
            primary.kill()
            standby.promote()
            verdict.expect(is_added(server, "promoted"), f"{what}: edits go on after a promotion")


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
            for ending in ("", "-wal", "-shm"):
                os.chmod(path + ending, 0o666)
            os.chmod(folder, 0o777)
            verdict.expect(add(server, "written").status == 201, f"{what}: once it may, an edit is done")
            recovery.tree.rows("DELETE FROM items WHERE title = 'written'")
            for ending in ("", "-wal", "-shm"):
                os.chmod(path + ending, 0o644)
        with recovery.serve() as server:
            names = [revision(server)]
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


def import_again(verdict, arguments, folder):
    """The remains of a killed import are gone after the next one, and no second import writes the same file."""
    what = "an import"
    with open(os.path.join(folder, "Large.json"), "w", encoding="utf-8") as file:
        json.dump([{"Title": f"row {number}", "Text": "x" * 200} for number in range(10_000)], file)

    def start(target):
        return subprocess.Popen([arguments.server, "import", "Large.json", target], cwd=folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    for target, name in (("sqlite:x.db", "x.db"), ("sqlite:file:y.db", "file:y.db")):
        killed = start(target)
        begun = wait_until(lambda: any(".importing" in name for name in os.listdir(folder)), every=0.005)
        killed.kill()
        killed.communicate()
        verdict.expect(begun is not None and name not in os.listdir(folder), f"{what} to {target} is killed")
        imports = [start(target) for _ in range(2)]
        told = [process.communicate() for process in imports]
        done = [process.returncode for process in imports]
        verdict.expect(sorted(done) == [0, 1], f"{what} to {target}: of two at a time one is done: {done} {told}")
        left = [name for name in os.listdir(folder) if "importing" in name]
        verdict.expect(not left, f"{what} to {target} leaves {left}")
        with contextlib.closing(sqlite3.connect(os.path.join(folder, name))) as connection:
            rows = connection.execute("SELECT count(*) FROM items").fetchone()
            verdict.expect(rows == (10_001,), f"{what} to {target} is whole: {rows}")


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
    arguments = options(__doc__, seconds=6, full_disk=False, only="lock,backup,log,rights,standby,reader,import")
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
        if "log" in arguments.only:
            remove_log(verdict, sqlite(), ("-wal", "-shm"))
            remove_log(verdict, sqlite(), ("-wal",))
            remove_log(verdict, sqlite(), ("-shm",))
            replace_database(verdict, sqlite())
        if "rights" in arguments.only:
            change_rights(verdict, Recovery(arguments, PostgresTree(database, "rights"), folder()), database)
        if "standby" in arguments.only:
            promote(verdict, arguments, folder())
            edit_beside_standby(verdict, arguments, folder())
        if "reader" in arguments.only:
            path = folder()
            recovery = Recovery(arguments, SQLiteTree(os.path.join(path, "T.db")), path)
            follow_without_writing(verdict, recovery, path)
        if "import" in arguments.only:
            import_again(verdict, arguments, folder())
        if arguments.full_disk:
            fill_sqlite(verdict, arguments, folder())
            fill_postgres(verdict, arguments, folder())


if __name__ == "__main__":
    main()
