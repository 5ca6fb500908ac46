#!/usr/bin/env python3
"""An app with the Swift client library through a day: a table in five orders during edits, a start without a network, and
edits that outlive kills of the app and of the service.

TestClient has the calls that the manual shows, and checks each difference as a table view with sections applies it.
"""

# Covers: DrilldownClient

import json
import os
import random
import tempfile
import time

from harness.client import Connection, get, wait_until
from harness.observing_client import ObservingClient, digest, fresh_rows
from harness.server import Server
from harness.verdict import Verdict, options, spread

TOKEN = "6fe0c4a19b7d42e8"
ENVIRONMENT = {"DRILLDOWN_EDIT_TOKEN": TOKEN}
# The arguments of TestClient, and the level that it shows with them.
ORDERS = {
    "sections": ((), "/levels/Sections"), "flat": ((), "/levels/Flat"), "sorted": (("sort=Subtitle",), "/levels/Flat?sort=Subtitle"),
    "grouped": (("group=Group",), "/levels/Flat?group=Group"), "page": (("limit=10",), "/levels/Sections?limit=10")}


def write(path, items):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(items, file)


def row(number, dice):
    return {"Title": f"Row {number}", "Key": f"r{number}", "Subtitle": f"edition {dice.randrange(50)}", "Group": dice.choice("ABC")}


def send(connection, method, target, body=None):
    answer = connection.request(
        target, method, [("Authorization", f"Bearer {TOKEN}"), ("Content-Type", "application/json")],
        json.dumps(body).encode() if body is not None else b"")
    if answer.status >= 300:
        raise RuntimeError(f"{method} {target}: {answer.status} {answer.body}")


class Author:
    """Edits both levels at random, one edit a request: rows come, go, move between sections, and change their fields."""

    def __init__(self, port):
        self.dice = random.Random(7)
        self.connection = Connection(port)
        self.keys = {"Flat": [f"r{number}" for number in range(20)], "Sections": [f"r{number}" for number in range(100, 120)]}
        self.made = 1000

    def edit(self):
        dice = self.dice
        level = dice.choice(("Flat", "Sections"))
        keys = self.keys[level]
        section = f"&section={dice.randrange(3)}" if level == "Sections" else ""
        kind = dice.randrange(5)
        if kind == 0 and len(keys) < 30:
            self.made += 1
            send(self.connection, "POST", f"/levels/{level}?at=first{section}", row(self.made, dice))
            keys.append(f"r{self.made}")
        elif kind == 1 and len(keys) > 12:
            send(self.connection, "DELETE", f"/detail/{level}/{keys.pop(dice.randrange(len(keys)))}")
        elif kind == 2:
            move = {"from": f"/detail/{level}/{dice.choice(keys)}", "to": f"/levels/{level}", "at": dice.choice(("first", "last"))}
            send(self.connection, "POST", "/moves", move | ({"section": dice.randrange(3)} if section else {}))
        else:
            self.made += 1
            change = {"Subtitle": f"edition {dice.randrange(50)}", "Group": dice.choice("ABC"), "Number": self.made}
            send(self.connection, "PATCH", f"/detail/{level}/{dice.choice(keys)}", change)


def table(verdict, programs, folder, edits):
    print("a table in five orders during edits", flush=True)
    path, dice = os.path.join(folder, "table.json"), random.Random(1)
    write(path, [
        {"Title": "Flat", "Children": [row(number, dice) for number in range(20)]},
        {"Title": "Sections", "Sections": [
            {"Title": title, "Rows": [row(number, dice) for number in numbers]}
            for title, numbers in (("One", range(100, 105)), ("Two", range(105, 112)), ("Three", range(112, 120)))]}])
    clients = {}
    with Server(programs.server, path, environment=ENVIRONMENT) as server:
        try:
            for name, (arguments, target) in ORDERS.items():
                level = target[len("/levels/"):].partition("?")[0]
                clients[name] = ObservingClient(programs.client, server.port, f"levels={level}", *arguments)
            author = Author(server.port)
            begun = time.monotonic()
            for number in range(edits):
                author.edit()
                # At times the apps catch up, so that differences of one edit are seen as well as those of many.
                if number % 40 == 0:
                    agree(verdict, clients, server.port, f"after edit {number}")
            agree(verdict, clients, server.port, f"after all {edits} edits")
            counts = {name: sum(map(len, client.updates.values())) for name, client in clients.items()}
            verdict.figure(f"{edits} edits in {time.monotonic() - begun:.0f} s, updates", counts)
        finally:
            for client in clients.values():
                client.__exit__()


def agree(verdict, clients, port, name):
    """Waits until each app shows what the service has, and checks that no difference was wrong."""
    for order, client in clients.items():
        target = ORDERS[order][1]
        level = "/" + target[len("/levels/"):].partition("?")[0]
        rows = get(port, target).json()["rows"] if order == "page" else fresh_rows(port, target)
        shown = client.shows(digest(rows), level)
        verdict.expect(shown and not client.faults(), f"{order} {name}: {client.updates[level][-1:]} {client.faults()}")


def offline(verdict, programs, folder):
    print("a start without a network", flush=True)
    path, cache = os.path.join(folder, "offline.json"), f"cache={os.path.join(folder, 'cache')}"
    rows = [{"Title": f"Row {number}", "Key": f"r{number}", "Text": "long " * 100} for number in range(50)]
    write(path, rows)
    with Server(programs.server, path) as server:
        port = server.port
        with ObservingClient(programs.client, port, cache, "show") as client:
            wanted = digest(fresh_rows(port, "/levels/?fields=*"))
            verdict.expect(client.shows(wanted), "the app shows the level")
    for number in (0, 49):
        with ObservingClient(programs.client, port, cache, "show", f"detail=r{number}") as client:
            shown = client.wait(lambda client: client.updates["/"] and any(note.startswith("detail") for note in client.notes))
            update = client.updates["/"][0]
            verdict.expect(shown and (update.digest, update.origin) == (wanted, "cache"), f"the level opens offline: {update}")
            kind, origin, fields = client.notes[0].split(" ", 2)
            verdict.expect((kind, origin, json.loads(fields)) == ("detail", "cache", rows[number]),
                           f"a detail that was never opened opens offline: {client.notes[:1]}")


GONE = "gone"


class Outcome:
    """The edits that the outbox has taken, and the items that must be there in the end."""

    def __init__(self):
        self.certain = {}
        # Commands without a `queued`, because the app was killed before: each may have arrived or not.
        self.doubtful = {}

    def take(self, commands, notes):
        queued = {note[len("queued "):] for note in notes if note.startswith("queued ")}
        for command in commands:
            kind, key, *value = command.split(" ")
            if command not in queued:
                self.doubtful.setdefault(key, []).append((kind, value[0] if value else None))
            elif kind == "delete":
                self.certain[key] = GONE
            else:
                self.certain[key] = value[0] if value else self.certain.get(key)
        return len(queued)


def outbox(verdict, programs, folder, kills):
    print("edits that outlive kills of the app and of the service", flush=True)
    path, file = os.path.join(folder, "outbox.json"), os.path.join(folder, "app", "edits.json")
    write(path, ["first"])
    dice, outcome, taken, times = random.Random(3), Outcome(), 0, []
    server = Server(programs.server, path, environment=ENVIRONMENT)
    port = server.port
    arguments = (f"token={TOKEN}", f"outbox={file}")
    for number in range(kills):
        commands = []
        for item in range(5):
            key = f"k{number}-{item}"
            # Without a condition, only an item whose insertion still waits can be deleted.
            deletion = [f"delete {key}"] if item == 0 and number % 3 == 1 else []
            commands += [f"insert {key}", f"patch {key} {dice.randrange(1000)}", *deletion]
        # Some apps start and edit without the service; some lose it in the middle of sending.
        if number % 3 == 1:
            server.kill()
        client = ObservingClient(programs.client, port, *arguments)
        for command in commands:
            client.send(command)
        enough = dice.randrange(len(commands) + 1)
        client.wait(lambda client: sum(note.startswith("queued") for note in client.notes) >= enough)
        if number % 3 == 2:
            server.kill()
        client.process.kill()
        client.process.wait()
        client.reader.join()
        verdict.expect(not client.faults(), f"no fault before kill {number}: {client.faults()}")
        taken += outcome.take(commands, client.notes)
        if not server.is_running():
            server = Server(programs.server, path, environment=ENVIRONMENT, port=port)
    with ObservingClient(programs.client, port, *arguments) as client:
        begun = time.monotonic()
        verdict.expect(client.wait(lambda client: "waiting 0" in client.notes or client.faults(), within=120) and not client.faults(),
                       f"the last app sends all edits: {client.notes[-3:]}")
        times.append(time.monotonic() - begun)
    items = fresh_rows(port, "/levels/?fields=*")
    found = {item["key"]: item["fields"].get("Value") for item in items}
    verdict.expect(len(found) == len(items) == len({item["title"] for item in items}), "no item is there twice")
    for key, value in outcome.certain.items():
        doubtful = dict(outcome.doubtful.get(key, []))
        if value == GONE or key not in found:
            verdict.expect(key not in found and (value == GONE or "delete" in doubtful), f"{key}: {value} {found.get(key)} {doubtful}")
        else:
            allowed = {value, doubtful.get("patch", value)}
            verdict.expect(found[key] in allowed, f"{key} has the value {found[key]}, expected {allowed}")
    unknown = set(found) - set(outcome.certain) - set(outcome.doubtful) - {"first"}
    verdict.expect(not unknown, f"nothing else is there: {unknown}")
    verdict.figure(f"{kills} kills of the app, {2 * kills // 3} of the service",
                   f"{taken} edits queued, {len(found) - 1} items in the end, the last app sent within {spread(times)}")
    server.stop()


def main():
    wishes = options(__doc__, client="", edits=200, kills=12, only="")
    wishes.client = wishes.client or os.path.join(os.path.dirname(wishes.server), "TestClient")
    with Verdict("swift_app") as verdict, tempfile.TemporaryDirectory(prefix="drilldown-app-") as folder:
        parts = {
            "table": lambda: table(verdict, wishes, folder, wishes.edits),
            "offline": lambda: offline(verdict, wishes, folder),
            "outbox": lambda: outbox(verdict, wishes, folder, wishes.kills),
        }
        for name, part in parts.items():
            if not wishes.only or name in wishes.only.split(","):
                part()


main()
