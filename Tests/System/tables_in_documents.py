#!/usr/bin/env python3
"""Tables of a database below an item of a document: commits of other programs are seen at once.

A request that waits below the item is answered, with the changes if it names its version, and /changes has an entry by
`database`; requests that wait for other levels of the document go on waiting. The same for a database at the root.
"""

import json
import os
import sqlite3
import tempfile

from harness.client import Connection, get
from harness.edits import save
from harness.server import Server
from harness.verdict import Verdict, options

PATIENCE = 60


class Shop:
    """A database file that a program writes to."""

    def __init__(self, path, journal):
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.executescript(f"""
            PRAGMA journal_mode = {journal};
            CREATE TABLE Tool (Id INTEGER PRIMARY KEY, Name TEXT, Price REAL);
            INSERT INTO Tool VALUES (1, 'Axe', 30), (2, 'Drill', 90);
        """)

    def write(self, statement, *values):
        self.connection.execute(statement, values)


def waiting(server, target):
    """A connection that waits until a level differs from what it is now."""
    version = get(server.port, target).json()["version"]
    connection = Connection(server.port)
    connection.send(f"{target}{'&' if '?' in target else '?'}since={version}&wait={PATIENCE}")
    return connection


def titles(rows):
    return [row["title"] for row in rows]


def observe(verdict, server, shop, level):
    """Waits below the item, elsewhere, and for entries of /changes, while another program commits."""
    revision = get(server.port, "/readyz").json()["revision"]
    rows = waiting(server, level)
    other = waiting(server, f"{level}?where=Price>50")
    follower = Connection(server.port)
    follower.send(f"/changes?since={revision}&wait={PATIENCE}")
    shop.write("INSERT INTO Tool VALUES (3, 'Hammer', 12.5)")
    answer = rows.receive()
    inserted = [entry["row"]["title"] for entry in answer.json().get("inserted", [])]
    verdict.expect(
        answer.status == 200 and inserted == ["Hammer"], f"{level} gets what was added: {answer.body[:300]}")
    entry = follower.receive().json()["changes"][0]
    verdict.expect(
        entry["by"] == "database" and entry["levels"] == ["/levels/"] and entry.get("truncated") is True,
        f"/changes has an entry: {entry}")
    verdict.expect(not other.is_answered(within=0.3), f"{level} with a condition that the record misses waits on")
    shop.write("UPDATE Tool SET Price = 60 WHERE Id = 1")
    answer = other.receive()
    inserted = [entry["row"]["title"] for entry in answer.json().get("inserted", [])]
    verdict.expect(inserted == ["Axe"], f"{level} with a condition gets a record that meets it now: {answer.body[:300]}")
    shop.write("DELETE FROM Tool WHERE Id = 3; ")
    shop.write("UPDATE Tool SET Price = 30 WHERE Id = 1")


def below_item(verdict, program, folder, journal):
    shop = Shop(os.path.join(folder, f"{journal}.sqlite"), journal)
    path = os.path.join(folder, f"{journal}.json")
    document = [{"Title": "Shop", "Database": f"sqlite:{journal}.sqlite"}, {"Title": "Plain", "Children": ["One"]}]
    with open(path, "w") as file:
        json.dump(document, file)
    with Server(program, path) as server:
        plain = waiting(server, "/levels/Plain")
        observe(verdict, server, shop, "/levels/Shop/Tool")
        verdict.expect(not plain.is_answered(within=0.3), "a level of the document itself waits on")
        document[1]["Children"].append("Two")
        save(path, json.dumps(document).encode())
        verdict.expect(
            [entry["row"]["title"] for entry in plain.receive().json().get("inserted", [])] == ["Two"],
            "the document is followed as before")
        observe(verdict, server, shop, "/levels/Shop/Tool")


def at_root(verdict, program, folder):
    shop = Shop(os.path.join(folder, "Root.sqlite"), "WAL")
    path = os.path.join(folder, "Root.json")
    with open(path, "w") as file:
        json.dump({"Title": "Tools", "Note": "own", "Database": "sqlite:Root.sqlite", "Table": "Tool"}, file)
    with Server(program, path) as server:
        level = get(server.port, "/levels/").json()
        verdict.expect(
            (level["title"], titles(level["rows"])) == ("Tools", ["Axe", "Drill"]), f"the root has the records: {level}")
        detail = get(server.port, "/detail/").json()
        verdict.expect(
            detail["fields"] == {"Title": "Tools", "Note": "own"} and detail["count"] == 2,
            f"the root has fields of its own: {detail}")
        record = get(server.port, "/detail/2").json()
        verdict.expect(
            record["fields"].get("Price") == 90 and record["canonical"] == "/detail/2", f"a record: {record}")
        observe(verdict, server, shop, "/levels/")


def main():
    arguments = options(__doc__)
    with Verdict("tables_in_documents") as verdict, tempfile.TemporaryDirectory() as folder:
        for journal in ("WAL", "DELETE"):
            below_item(verdict, arguments.server, folder, journal)
        at_root(verdict, arguments.server, folder)


if __name__ == "__main__":
    main()
