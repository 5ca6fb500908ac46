#!/usr/bin/env python3
"""A client that edits at one server of a database and at once at another.

The second server has not heard of the first edit yet. It must judge the second edit on the tree that has the first one:
the item is there, its tag is the answered one, and a value that another server has changed is not taken for the new one.
"""

import contextlib
import json
import os
import subprocess
import tempfile

from harness.client import Connection
from harness.databases import PostgresTree, SQLiteTree
from harness.editors import TOKEN, token_file
from harness.postgres import Postgres
from harness.server import Server
from harness.verdict import Verdict, options

AUTHOR = "author"
EDIT = {"Authorization": f"Bearer {TOKEN.format(AUTHOR)}", "Content-Type": "application/json"}
FIRST = {"Title": "Elsewhere", "Rows": [{"Title": "Rows", "Children": [{"Title": "kept", "N": 0}]}]}
ROWS, KEPT = "/levels/Rows", "/detail/Rows/kept"


class Pair:
    """Connections to two servers of a tree."""

    def __init__(self, connections, names_revision):
        self.connections = connections
        self.names_revision = names_revision
        self.revision = None

    def edit(self, place, method, target, value=None, **headers):
        names = EDIT | {name.replace("_", "-"): text for name, text in headers.items()}
        if self.names_revision and self.revision:
            names["Drilldown-Revision"] = self.revision
        body = b"" if value is None else json.dumps(value).encode()
        answer = self.connections[place].request(target, method, names, body)
        self.revision = answer["drilldown-revision"] or self.revision
        return answer


def statuses(pair, rounds, step):
    """How often each pair of statuses was answered."""
    counts = {}
    for number in range(rounds):
        seen = step(pair, number % 2, 1 - number % 2, number)
        counts[seen] = counts.get(seen, 0) + 1
    return counts


def find(pair, here, there, number):
    added = pair.edit(here, "POST", ROWS, {"Title": f"row {number}"})
    changed = pair.edit(there, "PATCH", f"/detail/Rows/row%20{number}", {"N": number})
    return added.status, changed.status


def match(pair, here, there, number):
    changed = pair.edit(here, "PATCH", KEPT, {"N": number + 1})
    again = pair.edit(there, "PATCH", KEPT, {"Text": str(number)}, If_Match=changed["etag"])
    return changed.status, again.status


def take_back(pair, here, there, number):
    """The second value is the one that the second server still shows."""
    pair.edit(here, "PATCH", KEPT, {"Flag": "old"})
    pair.edit(there, "PATCH", KEPT, {"Flag": "old", "Round": number})
    changed = pair.edit(here, "PATCH", KEPT, {"Flag": "new"})
    pair.edit(there, "PATCH", KEPT, {"Flag": "old"})
    shown = pair.edit(here, "PATCH", KEPT, {})
    return changed.json()["fields"]["Flag"], shown.json()["fields"]["Flag"]


def remove(pair, here, there, number):
    """The title is free again, and the removed item is gone."""
    pair.edit(here, "POST", ROWS, {"Title": "once", "Key": "once"})
    removed = pair.edit(there, "DELETE", "/detail/Rows/once")
    added = pair.edit(here, "POST", ROWS, {"Title": "twice", "Key": "once"})
    gone = pair.edit(there, "DELETE", "/detail/Rows/once")
    missing = pair.edit(here, "DELETE", "/detail/Rows/once")
    return removed.status, added.status, gone.status, missing.status


STEPS = [(find, (201, 200)), (match, (200, 200)), (take_back, ("new", "old")), (remove, (204, 201, 204, 404))]


def ask_for_revisions(verdict, what, pair):
    """An edit is made on the revision that it names, or not at all."""
    epoch, number = pair.edit(0, "PATCH", KEPT, {"Asked": True})["drilldown-revision"].rsplit("-", 1)
    for revision, status, kind in ((f"{epoch}-{int(number) + 9}", 503, "revision-not-here"),
                                   ("other1-1", 410, "revision-gone")):
        for target, names in ((KEPT, {"Drilldown-Revision": revision}), (f"{KEPT}?revision={revision}", {})):
            answer = pair.connections[1].request(target, "PATCH", EDIT | names, b'{"Asked": false}')
            seen = answer.status, answer.json().get("type")
            verdict.expect(seen == (status, f"/problems/{kind}"), f"{what}: {target} with {names}: {seen}")
    kept = pair.edit(1, "PATCH", KEPT, {})
    verdict.expect(kept.json()["fields"]["Asked"] is True, f"{what}: none of these is made")


def edit_elsewhere(verdict, arguments, what, tree, folder):
    path = os.path.join(folder, "First.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(FIRST, file)
    for names_revision in (False, True):
        subprocess.run([arguments.server, "import", path, tree.source, *(["--replace"] if names_revision else [])],
                       check=True, capture_output=True)
        tokens = token_file(os.path.join(folder, "tokens"), [AUTHOR])
        with contextlib.ExitStack() as stack:
            servers = [stack.enter_context(Server(arguments.server, tree.source, "--edit-token-file", tokens))
                       for _ in range(2)]
            pair = Pair([stack.enter_context(Connection(server.port)) for server in servers], names_revision)
            for step, expected in STEPS:
                counts = statuses(pair, arguments.rounds, step)
                named = " with its revision" if names_revision else ""
                verdict.expect(counts == {expected: arguments.rounds}, f"{what}: {step.__name__}{named}: {counts}")
            ask_for_revisions(verdict, what, pair)


def main():
    arguments = options(__doc__, rounds=60)
    with Verdict("edits elsewhere") as verdict, contextlib.ExitStack() as stack:
        folders = [stack.enter_context(tempfile.TemporaryDirectory()) for _ in range(2)]
        edit_elsewhere(verdict, arguments, "SQLite", SQLiteTree(os.path.join(folders[0], "T.db")), folders[0])
        database = stack.enter_context(Postgres())
        edit_elsewhere(verdict, arguments, "PostgreSQL", PostgresTree(database, "elsewhere"), folders[1])


if __name__ == "__main__":
    main()
