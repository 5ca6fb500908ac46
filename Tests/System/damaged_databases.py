#!/usr/bin/env python3
"""SQLite files with random damage: each is refused or served as far as it can be read, and none is written to.

The damage is in the header of the file, its pages and their headers, the schema, the index of overflow pages and the
free list, or the file is cut. The short form has some files; the long one: --files 1000
"""

import hashlib
import json
import os
import random
import sqlite3
import subprocess
import tempfile

from harness.client import DEADLINE, Closed, Connection, Cut
from harness.server import Server, clean_environment
from harness.verdict import Verdict, options

PAGE = 1024
CRASH_WORDS = ("Fatal error", "Crash", "Stack dump", "Backtrace", "Traceback", "Thread 0")
TARGETS = (
    "/levels/", "/levels/Person?fields=*", "/levels/Person?sort=-Town&limit=3", "/levels/Person/3",
    "/levels/Person/3/Note", "/detail/Person/3", "/levels/Person?group=initial", "/levels/Person?q=n2&limit=5",
    "/levels/Person?where=Town>4", "/levels/Person?start=150&limit=5", "/levels/Pair", "/detail/Pair/a,1",
    "/levels/Note?sort=Text", "/detail/Note/2", "/levels/Names?limit=20", "/levels/Words", "/levels/nope")


def make_database(path):
    """Tables of every kind of page: rowids, keys without rowid, indexes, overflow pages, free pages, and a view."""
    source = random.Random(7)
    database = sqlite3.connect(path)
    database.executescript(f"""
        PRAGMA page_size = {PAGE};
        CREATE TABLE Person (Id INTEGER PRIMARY KEY, Name TEXT, Town INTEGER, Photo BLOB);
        CREATE TABLE Note (Id INTEGER PRIMARY KEY, Text TEXT, Person INTEGER REFERENCES Person);
        CREATE TABLE Pair (A TEXT, B INTEGER, Size REAL, PRIMARY KEY (A, B)) WITHOUT ROWID;
        CREATE INDEX Person_Town ON Person (Town, Id);
        CREATE INDEX Note_Person ON Note (Person);
        CREATE VIEW Names AS SELECT Name, Text FROM Person JOIN Note ON Note.Person = Person.Id;
        CREATE VIRTUAL TABLE Words USING fts5 (Word);
        CREATE TABLE Gone (Text);
    """)
    database.executemany(
        "INSERT INTO Person VALUES (?, ?, ?, ?)",
        [(n, f"n{n}" * (n % 4), n % 9 or None, source.randbytes(n * 20)) for n in range(200)])
    database.executemany(
        "INSERT INTO Note VALUES (?, ?, ?)", [(n, "word " * (n % 300), n % 50) for n in range(300)])
    database.executemany("INSERT INTO Pair VALUES (?, ?, ?)", [("abc"[n % 3], n, n / 3) for n in range(300)])
    database.executemany("INSERT INTO Words VALUES (?)", [(f"word{n}",) for n in range(100)])
    database.executemany("INSERT INTO Gone VALUES (?)", [("x" * 900,) for _ in range(30)])
    database.execute("DELETE FROM Gone")
    database.commit()
    database.close()
    with open(path, "rb") as file:
        return file.read()


def damaged(whole, source):
    """The bytes with some of them replaced, exchanged or missing."""
    data = bytearray(whole)
    pages = len(data) // PAGE
    kind = source.randrange(7)
    if kind == 0:
        return bytes(data[:source.randrange(100, len(data))])
    if kind == 1:
        one, other = source.randrange(pages) * PAGE, source.randrange(1, pages) * PAGE
        data[one:one + PAGE], data[other:other + PAGE] = data[other:other + PAGE], data[one:one + PAGE]
        return bytes(data)
    for _ in range(source.choice([1, 4, 40])):
        page = source.randrange(1, pages) * PAGE
        place = {2: source.randrange(16, 100), 3: source.randrange(100, PAGE), 4: page + source.randrange(12),
                 5: page + source.randrange(PAGE), 6: source.randrange(16, len(data))}[kind]
        data[place] = source.choice([0, 1, 2, 13, 127, 255, source.randrange(256)])
    return bytes(data)


def expect_explanation(verdict, name, ended):
    said = ended.stdout + ended.stderr
    verdict.expect(ended.returncode in (0, 1), f"check of {name} exits {ended.returncode}: {said[-300:]}")
    verdict.expect(
        not any(word in said for word in CRASH_WORDS), f"check of {name} shows no crash: {said[-300:]}")
    verdict.expect(ended.returncode == 0 or len(said.split()) > 4, f"check of {name} gives a reason: {said}")


def ask(verdict, name, server, folder):
    with Connection(server.port) as connection:
        for target in TARGETS:
            try:
                answer = connection.get(target)
            except (Closed, Cut) as end:
                verdict.expect(False, f"{name}: {target} ends with {end!r}: {server.log[-3:]}")
                return
            # Fewer records than the position of a page may be left: 400.
            fine = answer.status in (200, 400, 404, 422, 500, 503)
            members = json.loads(answer.body)
            if answer.status != 200:
                fine = fine and isinstance(members.get("detail"), str)
                fine = fine and "SELECT" not in answer.body.decode() and folder not in answer.body.decode()
            verdict.expect(fine, f"{name}: {target} is {answer.status} {answer.body[:300]}")


def main():
    arguments = options(__doc__, files=25, seed=1, first=0)
    with Verdict("damaged_databases") as verdict, tempfile.TemporaryDirectory() as folder:
        whole = make_database(os.path.join(folder, "Whole.sqlite"))
        path = os.path.join(folder, "Damaged.sqlite")
        served = 0
        for number in range(arguments.first, arguments.first + arguments.files):
            name = f"file {number} of seed {arguments.seed}"
            data = damaged(whole, random.Random(f"{arguments.seed} {number}"))
            with open(path, "wb") as file:
                file.write(data)
            ended = subprocess.run(
                [arguments.server, "check", f"sqlite:{path}", "--shape", "tables"], stdin=subprocess.DEVNULL,
                capture_output=True, text=True, errors="replace", timeout=DEADLINE, env=clean_environment())
            expect_explanation(verdict, name, ended)
            if ended.returncode == 0:
                served += 1
                with Server(arguments.server, f"sqlite:{path}", "--shape", "tables") as server:
                    ask(verdict, name, server, folder)
                    status, _ = server.stop()
                    verdict.expect(status == 0, f"{name}: the service ends with {status}: {server.log[-3:]}")
            with open(path, "rb") as file:
                verdict.expect(
                    hashlib.sha256(file.read()).digest() == hashlib.sha256(data).digest(), f"{name} was written to")
            # SQLite makes the other two beside a file whose header names a log.
            others = set(os.listdir(folder)) - {"Damaged.sqlite", "Whole.sqlite"}
            verdict.expect(
                others <= {"Damaged.sqlite-wal", "Damaged.sqlite-shm"}, f"{name}: the folder also has {others}")
            for other in others:
                os.remove(os.path.join(folder, other))
        verdict.figure("served", f"{served} of {arguments.files}")


if __name__ == "__main__":
    main()
