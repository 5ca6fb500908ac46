#!/usr/bin/env python3
"""Tables of a PostgreSQL database: what a role may select is served, values keep their types, and nothing is written.

Commits of other programs end waits and appear in /changes, for a database of its own and for one that an item of a
document names. Statements end with their time and with their client, and the service answers again after the database
was away.
"""

import json
import os
import subprocess
import tempfile

from harness.client import Connection, get, wait_until
from harness.postgres import ROLE, Postgres
from harness.server import Server, clean_environment
from harness.verdict import Verdict, options
from tables_in_documents import observe

TABLES = f"""
    CREATE TABLE tool ("Id" int PRIMARY KEY, "Name" text, "Price" real);
    INSERT INTO tool VALUES (1, 'Axe', 30), (2, 'Drill', 90);
    CREATE TABLE kinds (id bigint PRIMARY KEY, tool int REFERENCES tool, sure boolean, exact numeric, whole numeric,
      long numeric, bytes bytea, day date, moment timestamptz, notes jsonb, list int[], length interval, nothing text);
    INSERT INTO kinds VALUES (9007199254740993, 1, true, 2.50, 7.00, 0.1234567890123456789, '\\x00ff', '2001-03-12',
      '2001-03-12 10:00:00.5+02', '{{"a": null, "b": [1, "x"], "n": 1}}', '{{1,2}}', '1 day', NULL);
    CREATE TABLE secret (id int PRIMARY KEY);
    GRANT SELECT ON tool, kinds TO {ROLE};
"""
FIELDS = {
    "id": 9007199254740993, "tool": 1, "sure": True, "exact": 2.5, "whole": 7, "long": "0.1234567890123456789",
    "bytes": "AP8=", "day": "2001-03-12T00:00:00Z", "moment": "2001-03-12T08:00:00.5Z", "notes": {"b": [1, "x"], "n": 1},
    "list": [1, 2], "length": "1 day",
}


class Shop:
    """Another program that writes to the database."""

    def __init__(self, database):
        self.database = database

    def write(self, statement):
        self.database.execute(statement.replace("Tool", "tool").replace("Price", '"Price"').replace("Id", '"Id"'))


def reads(verdict, server):
    root = get(server.port, "/levels/").json()
    names = [(row["title"], row["count"]) for row in root["rows"]]
    verdict.expect(
        root["title"] == "home" and names == [("kinds", 1), ("tool", 2)],
        f"the tables that the role may select are there: {root['title']} {names}")
    detail = get(server.port, "/detail/kinds/9007199254740993").json()
    verdict.expect(detail["fields"] == FIELDS, f"values have their types: {detail['fields']}")
    verdict.expect(
        detail["links"] == {"tool": {"title": "Axe", "href": "/detail/tool/1"}}, f"a link leads up: {detail['links']}")
    below = get(server.port, "/levels/tool/1/kinds").json()
    verdict.expect([row["key"] for row in below["rows"]] == ["9007199254740993"], f"records are below: {below['rows']}")
    for path in ("/detail/tool/x", "/detail/tool/01", "/levels/secret", "/detail/tool/1%00"):
        verdict.expect(get(server.port, path).status == 404, f"{path} is 404")
    tag = get(server.port, "/levels/tool")["ETag"]
    verdict.expect(get(server.port, "/levels/tool", **{"If-None-Match": tag}).status == 304, "a page that is the same: 304")


def active(database):
    """The statements of the service that run now."""
    found = database.execute(
        f"SELECT count(*) FROM pg_stat_activity WHERE usename = '{ROLE}' AND state = 'active' AND query ~ 'slow'")
    return int(found)


def ends_statements(verdict, server, database):
    database.execute("CREATE VIEW slow AS SELECT pg_sleep(60)::text AS t", f"GRANT SELECT ON slow TO {ROLE}")
    answer = get(server.port, "/levels/slow?fields=*")
    verdict.expect(
        answer.status == 503 and answer.json()["type"] == "/problems/query-timeout", f"a long statement: {answer.body}")
    verdict.expect(
        wait_until(lambda: active(database) == 0) is not None, "no statement is left when its time is over")
    connection = Connection(server.port)
    connection.send("/levels/slow?fields=t")
    verdict.expect(wait_until(lambda: active(database) > 0) is not None, "a statement runs for a client")
    connection.close()
    verdict.expect(wait_until(lambda: active(database) == 0) is not None, "it ends when the client leaves")
    database.execute("DROP VIEW slow")


def comes_back(verdict, server, database):
    database.execute(
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{ROLE}'")
    verdict.expect(get(server.port, "/levels/tool").status == 200, "an answer after the connections were ended")
    database.stop()
    verdict.expect(get(server.port, "/levels/tool").status == 503, "503 while the database is away")
    database.start()
    verdict.expect(
        wait_until(lambda: get(server.port, "/levels/tool").status == 200) is not None, "it answers again")


def in_document(verdict, program, folder, database, shop):
    address = database.connection(ROLE)
    path = os.path.join(folder, "Main.json")
    document = [{"Title": "Shop", "Database": address}, {"Title": "Tools", "Database": address, "Query":
                "SELECT \"Id\", \"Name\" FROM tool WHERE \"Name\" <> '?';", "Key": ["Id"]}]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
    with Server(program, path, "--databases", "127.0.0.1") as server:
        observe(verdict, server, shop, "/levels/Shop/tool")
        rows = get(server.port, "/levels/Tools").json()["rows"]
        verdict.expect([row["title"] for row in rows] == ["Axe", "Drill"], f"the rows of a query: {rows}")
    with Server(program, path) as server:
        error = get(server.port, "/levels/Shop").json()["error"]
        verdict.expect("'127.0.0.1' is not one that --databases names" in error, f"a host that is not named: {error}")


def checks(verdict, program, database):
    address = database.connection(ROLE)
    told = subprocess.run(
        [program, "check", address], capture_output=True, text=True, env=clean_environment(None), check=False)
    verdict.expect(
        told.returncode == 0 and 'CREATE INDEX "kinds_tool" ON "public"."kinds" ("tool")' in told.stdout + told.stderr,
        f"check names the index that is missing: {told}")


def main():
    arguments = options(__doc__)
    with Verdict("tables_in_postgres") as verdict, tempfile.TemporaryDirectory() as folder, Postgres() as database:
        database.execute(*[part for part in TABLES.split(";") if part.strip()])
        shop = Shop(database)
        checks(verdict, arguments.server, database)
        with Server(arguments.server, database.connection(ROLE), "--query-timeout", "1") as server:
            reads(verdict, server)
            observe(verdict, server, shop, "/levels/tool")
            ends_statements(verdict, server, database)
            comes_back(verdict, server, database)
        in_document(verdict, arguments.server, folder, database, shop)


if __name__ == "__main__":
    main()
