#!/usr/bin/env python3
"""Clients that leave while a database looks for their answers: their statements end, and others are answered.

The queries would take years, and may take five minutes. As many clients ask them as long answers are read at once; the
answers about tables that take little time do not wait for them.
"""

import json
import os
import sqlite3
import tempfile

from harness.client import DEADLINE, Connection, wait_until
from harness.server import Server
from harness.verdict import Verdict, milliseconds, options

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS k FROM n"
CONNECTIONS = 4


def make_document(folder):
    """A document with a table, and with a query of the same file."""
    database = sqlite3.connect(os.path.join(folder, "Shop.sqlite"))
    database.executescript("CREATE TABLE Tool (Id INTEGER PRIMARY KEY, Name TEXT); INSERT INTO Tool VALUES (1, 'Axe');")
    database.close()
    path = os.path.join(folder, "Shop.json")
    with open(path, "w") as file:
        json.dump([{"Title": "Tools", "Database": "sqlite:Shop.sqlite", "Table": "Tool"},
                   {"Title": "Count", "Database": "sqlite:Shop.sqlite", "Query": ENDLESS, "Key": ["k"]},
                   {"Title": "Plain", "Children": ["One"]}], file)
    return path


def abandon(verdict, server, clients):
    """Asks the queries, asks for a table while they run, and leaves."""
    for client in clients:
        client.send("/levels/Count")
    with Connection(server.port) as bystander:
        verdict.expect(wait_until(server.is_runnable, DEADLINE) is not None, "the queries run")
        verdict.expect(bystander.get("/levels/Plain").status == 200, "a level of the document is answered meanwhile")
        answer = bystander.get("/levels/Tools")
        verdict.expect(
            answer.status == 200 and [row["title"] for row in answer.json()["rows"]] == ["Axe"],
            f"a table is answered meanwhile: {answer.status} {answer.body[:200]}")
        with Connection(server.port) as next_one:
            next_one.send("/levels/Count")
            verdict.expect(not next_one.is_answered(within=0.1), "one more query waits for its turn")
        for client in clients:
            client.close()
        idle = wait_until(lambda: not any(server.is_runnable() for _ in range(20)))
        verdict.expect(idle is not None, "no statement runs on")
        return idle


def main():
    arguments = options(__doc__, rounds=3)
    with Verdict("abandoned_queries") as verdict, tempfile.TemporaryDirectory() as folder:
        with Server(arguments.server, make_document(folder), "--query-timeout", "300") as server:
            times = []
            for _ in range(arguments.rounds):
                idle = abandon(verdict, server, [Connection(server.port) for _ in range(CONNECTIONS)])
                times.append(idle or DEADLINE)
            verdict.figure("idle again after", milliseconds(max(times)))
            verdict.expect(server.is_running(), "the service runs")


if __name__ == "__main__":
    main()
