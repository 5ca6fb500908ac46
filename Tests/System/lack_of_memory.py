#!/usr/bin/env python3
"""Takes addresses away from the running service, and asks for everything that takes memory: it must not end.

The limit is the size of the process plus some headroom (prlimit --as), from none to 600 MB. Under it a large document is
loaded and saved by others, sorted, searched, paged, edited and compressed by several clients at once. Each answer is as
usual, or 503 with Retry-After; a load that is refused keeps the last good tree, and /readyz says so. Once the limit is
lifted, the service answers as usual.
For the full weight: --runs 200
"""

# Covers: Heap HTTPServer LevelsAPI ContentCodings

import json
import os
import random
import resource
import tempfile
import threading
import time

from harness.client import DEADLINE, Closed, Connection, Cut, wait_until
from harness.server import Server
from harness.verdict import Verdict, options

HEADROOMS = [0, 1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 320, 448, 600]
TOKEN = "0123456789abcdefghijklmnopqrstuvwxyzABCDEF"


def written(path, groups, rows, edition):
    """A document of some levels of equally many rows, and one in which all of them are."""
    leaves = [{"Title": f"row {number} of the level", "Text": f"words about {number} in edition {edition}",
               "Price": number * 7919 % 10007} for number in range(rows)]
    text = json.dumps(leaves)
    with open(path + ".new", "w") as file:
        file.write('[')
        for group in range(groups):
            file.write(f'{{"Title": "group {group}", "Rows": {text}}}, ')
        flat = ", ".join(text[1:-1].replace("row ", f"row {group}.") for group in range(groups // 4))
        file.write(f'{{"Title": "flat", "Rows": [{flat}]}}, {{"Title": "edition {edition}"}}]')
    os.rename(path + ".new", path)


class Client:
    """Asks at random until it is stopped."""

    def __init__(self, port, groups, seed, path, arguments):
        self.port, self.groups, self.path, self.arguments = port, groups, path, arguments
        self.dice = random.Random(seed)
        self.statuses = {}
        self.faults = []
        self.stopping = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        connection = None
        while not self.stopping:
            method, target, headers, body = self._request()
            try:
                connection = connection or Connection(self.port)
                connection.send(target, method=method, headers=headers, body=body)
                self._check(connection.receive(), f"{method} {target}")
            except (Closed, Cut, OSError) as error:
                # A connection may be cut when there is no memory for the rest of a stream.
                self.statuses[type(error).__name__] = self.statuses.get(type(error).__name__, 0) + 1
                if connection:
                    connection.close()
                connection = None
                time.sleep(0.01)

    def _check(self, answer, request):
        self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
        if answer.status == 503:
            if not answer["Retry-After"]:
                self.faults.append(f"{request}: 503 without Retry-After: {answer.body[:200]}")
        elif answer.status not in (200, 201, 204, 409):
            self.faults.append(f"{request}: {answer.status} {answer.body[:200]}")

    def _request(self):
        group = f"/levels/group%20{self.dice.randrange(self.groups)}"
        coding = [("Accept-Encoding", self.dice.choice(["gzip", "br", "identity"]))]
        kind = self.dice.randrange(10)
        if kind < 3:
            return "GET", f"{group}?limit={self.dice.choice([10, 1000, 10000])}&start={self.dice.randrange(9)}", coding, b""
        if kind == 3:
            return "GET", f"/levels/flat?limit=10000&sort={self.dice.choice(['Price', '-Price', 'Text', '-Text'])}", coding, b""
        if kind == 4:
            return "GET", f"/levels/flat?q={self.dice.choice(['level', str(self.dice.randrange(99))])}&limit=10000", coding, b""
        if kind == 5:
            return "GET", f"/levels/?q={self.dice.randrange(999)}", coding, b""
        if kind == 6:
            return "GET", f"/document/group%20{self.dice.randrange(self.groups)}", coding, b""
        if kind == 7:
            return "GET", f"{group}?pretty=true&limit=10000", coding, b""
        headers = [("Authorization", f"Bearer {TOKEN}"), ("Content-Type", "application/json")]
        level = self.dice.choice([group, "/levels/flat", "/levels/"])
        body = json.dumps({"Title": f"new {self.dice.random()}", "Text": "x" * self.dice.choice([10, 1000, 500000])})
        return "POST", f"{level}?at=first", headers, body.encode()

    def stop(self):
        self.stopping = True
        self.thread.join(DEADLINE)


def limit(server, headroom):
    """Sets the limit of addresses above what the process has now; lifts it for None."""
    _, most = resource.prlimit(server.pid, resource.RLIMIT_AS)
    size = most
    if headroom is not None:
        with open(f"/proc/{server.pid}/statm") as file:
            size = int(file.read().split()[0]) * resource.getpagesize() + (headroom << 20)
    resource.prlimit(server.pid, resource.RLIMIT_AS, (size, most))


def readiness(server):
    """What /readyz says; None if nothing answers."""
    try:
        with Connection(server.port) as connection:
            return connection.get("/readyz").json()
    except (Closed, Cut, OSError):
        wait_until(lambda: not server.is_running(), 2)
        return None


def one_run(verdict, server, document, arguments, headroom, number, sums):
    limit(server, headroom)
    clients = [Client(server.port, arguments.groups, 1000 * number + seed, document, arguments)
               for seed in range(arguments.clients)]
    until = time.monotonic() + arguments.seconds
    edition = 0
    while time.monotonic() < until and server.is_running():
        edition += 1
        written(document, arguments.groups, arguments.rows * (1 + edition % 2), f"{number}.{edition}")
        time.sleep(arguments.seconds / 3)
    for client in clients:
        client.stop()
        for name, count in client.statuses.items():
            sums[name] = sums.get(name, 0) + count
        verdict.expect(not client.faults, f"with {headroom} MB: {client.faults[:3]}")
    state = readiness(server)
    if not verdict.expect(state and server.is_running(), f"with {headroom} MB the service goes on (run {number}): "
                          f"{server.process.poll()}, {server.log[-3:]}"):
        return False
    sums[state["status"]] = sums.get(state["status"], 0) + 1
    limit(server, None)
    # As usual: the latest edition is loaded, and its longest page is sent.
    last = f"last of {number}"
    written(document, arguments.groups, arguments.rows, last)

    def is_served():
        with Connection(server.port) as connection:
            return f'"edition {last}"'.encode() in connection.get("/levels/").body

    try:
        took = wait_until(is_served)
        verdict.expect(took, f"without the limit the document is loaded again (run {number}): {server.log[-3:]}")
        with Connection(server.port) as connection:
            for target in ["/levels/flat?limit=10000&sort=-Text", "/levels/group%200?limit=10000", "/document/group%200"]:
                answer = connection.get(target)
                verdict.expect(answer.status == 200, f"without the limit {target} is {answer.status} (run {number})")
    except (Closed, Cut, OSError) as error:
        return verdict.expect(False, f"without the limit the service ends (run {number}): {error!r}, {server.log[-3:]}")
    return True


def main():
    arguments = options(__doc__, runs=16, seconds=1.0, clients=4, groups=40, rows=2000)
    with Verdict("lack of memory") as verdict, tempfile.TemporaryDirectory() as folder:
        document = os.path.join(folder, "Document.json")
        tokens = os.path.join(folder, "tokens")
        with open(tokens, "w") as file:
            file.write(TOKEN + "\n")
        os.chmod(tokens, 0o600)
        written(document, arguments.groups, arguments.rows, "first")
        verdict.figure("document", f"{os.path.getsize(document) / 1e6:.0f} MB")
        sums, ended = {}, 0
        server = None
        try:
            for number in range(arguments.runs):
                if server is None or number % len(HEADROOMS) == 0:
                    if server:
                        server.stop()
                    written(document, arguments.groups, arguments.rows, "first")
                    server = Server(arguments.server, document, "--edit-token-file", tokens)
                    wait_until(lambda: (readiness(server) or {}).get("status") == "ok")
                if not one_run(verdict, server, document, arguments, HEADROOMS[number % len(HEADROOMS)], number, sums):
                    ended += 1
                    server = None
        finally:
            if server:
                server.stop()
        verdict.figure("runs", f"{arguments.runs}, of which {ended} ended the service")
        verdict.figure("answers", ", ".join(f"{count} x {name}" for name, count in sorted(sums.items(), key=str)))
        verdict.expect(sums.get(503, 0) > 0 or arguments.runs < len(HEADROOMS), "some requests were refused")
        verdict.expect(sums.get(200, 0) > 0, "some requests were answered")


main()
