#!/usr/bin/env python3
"""The Swift client library against the service: levels that are observed through changes, crashes and lost networks.

TestClient observes with the library, and checks each difference: old rows and difference give the new rows, as a
CollectionDifference and as a table view applies it. Here the rows it shows are compared with those read anew.
"""

# Covers: DrilldownClient

import json
import os
import random
import re
import shutil
import tempfile
import time

from harness.client import get, wait_until
from harness.edits import save
from harness.observing_client import ObservingClient, Proxy, digest, fresh_rows
from harness.server import Server
from harness.verdict import Verdict, megabytes, options, spread

# Seconds that a cancelled task may take.
CANCELLATION = 1.0


class RandomDocument:
    """A level that changes at random: rows come, go, move and show something else, in sections."""

    def __init__(self, path, rows=40, seed=1):
        self.path = path
        self.random = random.Random(seed)
        self.made = 0
        self.rows = [self.row() for _ in range(rows)]
        self.save()

    def row(self):
        self.made += 1
        return {"Title": f"Row {self.made}", "Subtitle": f"edition {self.made}", "Group": self.random.choice("ABC")}

    def change(self):
        """At least one row differs afterwards: the one that always shows something else."""
        rows = self.rows
        for _ in range(self.random.choice([0, 1, 1, 1, 2, 5])):
            kind = self.random.randrange(6)
            if kind == 0 and len(rows) > 5:
                rows.pop(self.random.randrange(len(rows)))
            elif kind == 1:
                rows.insert(self.random.randint(0, len(rows)), self.row())
            elif kind == 2:
                rows.insert(self.random.randint(0, len(rows)), rows.pop(self.random.randrange(len(rows))))
            elif kind == 3 and self.random.random() < 0.1:
                self.random.shuffle(rows)
            elif kind == 4 and len(rows) > 60:
                del rows[self.random.randrange(40):][:20]
        self.made += 1
        self.random.choice(rows)["Subtitle"] = f"edition {self.made}"
        self.save()

    def save(self):
        parts = [rows for rows in (self.rows[:7], self.rows[7:20], self.rows[20:]) if rows]
        save(self.path, json.dumps({"Sections": [{"Title": f"Part {number}", "Rows": rows}
                                                 for number, rows in enumerate(parts)]}).encode())


def waiting(port):
    return int(re.search(rb"^drilldown_waiting_requests (\d+)$", get(port, "/metrics").body, re.M)[1])


def connections(port):
    """The open connections but the one that asks."""
    return int(re.search(rb"^drilldown_http_connections (\d+)$", get(port, "/metrics").body, re.M)[1]) - 1


def change_and_compare(verdict, client, document, port, name, level="/", target="/levels/"):
    """Changes the document, and waits until the client shows what the server has; gives the seconds."""
    before = get(port, "/").json()["revision"]
    document.change()
    wait_until(lambda: get(port, "/").json()["revision"] != before)
    return compare(verdict, client, port, name, level, target)


def compare(verdict, client, port, name, level="/", target="/levels/"):
    begun = time.monotonic()
    wanted = digest(fresh_rows(port, target))
    shown = client.shows(wanted, level)
    if not shown or client.faults():
        last = client.updates[level][-1:] or None
        verdict.expect(False, f"{name}: shows {last} in place of {wanted} {client.faults()} {client.process.poll()}")
    return time.monotonic() - begun


def random_versions(verdict, programs, folder, count):
    print("random versions of a level", flush=True)
    document = RandomDocument(os.path.join(folder, "versions.json"))
    queries = [((), "/levels/"), (("search=Row",), "/levels/?q=Row"), (("outline",), "/levels/?depth=all"),
               (("sort=Subtitle",), "/levels/?sort=Subtitle"), (("slowness=20",), "/levels/")]
    with Server(programs.server, document.path) as server:
        for arguments, target in queries:
            rounds = count if not arguments else max(5, count // 10)
            with ObservingClient(programs.client, server.port, *arguments) as client:
                compare(verdict, client, server.port, f"the first state {arguments}", target=target)
                times = [change_and_compare(verdict, client, document, server.port, f"version {number} {arguments}",
                                            target=target) for number in range(rounds)]
                verdict.expect(not client.faults(), f"no fault {arguments}: {client.faults()}")
                verdict.figure(f"{rounds} versions {' '.join(arguments)}",
                               f"{len(client.updates['/'])} updates, until shown: {spread(times)}")


def long_level(verdict, programs, folder, count, rows):
    print(f"a level of {rows:,} rows", flush=True)
    document = RandomDocument(os.path.join(folder, "long.json"), rows=rows, seed=2)
    with Server(programs.server, document.path) as server:
        with ObservingClient(programs.client, server.port) as client:
            compare(verdict, client, server.port, "the first state")
            for number in range(count):
                change_and_compare(verdict, client, document, server.port, f"version {number} of a long level")
            document.rows = document.rows[:10_001]
            change_and_compare(verdict, client, document, server.port, "10,001 rows")
            document.rows = document.rows[:10]
            change_and_compare(verdict, client, document, server.port, "few rows")
            document.rows = [document.row() for _ in range(rows)]
            change_and_compare(verdict, client, document, server.port, "other rows")
            verdict.expect(not client.faults(), f"no fault: {client.faults()}")
            verdict.figure("updates", len(client.updates["/"]))


def restarts(verdict, programs, folder, count):
    print("kills and restarts", flush=True)
    document = RandomDocument(os.path.join(folder, "restarts.json"), seed=3)
    server = Server(programs.server, document.path)
    port = server.port
    times = []
    with ObservingClient(programs.client, port) as client:
        for number in range(count):
            compare(verdict, client, port, f"before kill {number}")
            if number % 3:
                document.change()
            server.kill()
            if number % 3 != 1:
                document.change()
            server = Server(programs.server, document.path, port=port)
            times.append(compare(verdict, client, port, f"after kill {number}"))
        verdict.expect(not client.faults(), f"no fault: {client.faults()}")
        verdict.figure(f"{count} kills", f"until shown: {spread(times)}")
    server.stop()


def cuts(verdict, programs, folder, count):
    print("connections that are cut in mid-answer", flush=True)
    document = RandomDocument(os.path.join(folder, "cuts.json"), seed=4)
    with Server(programs.server, document.path) as server, Proxy(server.port) as proxy:
        with ObservingClient(programs.client, proxy.port) as client:
            compare(verdict, client, server.port, "before the cuts")
            for number in range(count):
                proxy.cuts = 1
                change_and_compare(verdict, client, document, server.port, f"cut {number}")
            verdict.expect(proxy.cuts_done >= count, f"{proxy.cuts_done} answers of {count} were cut")
            verdict.expect(not client.faults(), f"no fault: {client.faults()}")
            verdict.figure("answers cut in the middle", proxy.cuts_done)


def no_network(verdict, programs, folder, seconds):
    print("a time without network", flush=True)
    document = RandomDocument(os.path.join(folder, "network.json"), seed=5)
    with Server(programs.server, document.path) as server, Proxy(server.port) as proxy:
        with ObservingClient(programs.client, proxy.port, "timeout=2") as client:
            compare(verdict, client, server.port, "with network")
            proxy.refuse()
            for _ in range(5):
                document.change()
            interrupted = client.wait(lambda client: client.updates["/"][-1].connection == "unreachable")
            verdict.expect(interrupted, f"an interruption is shown: {client.updates['/'][-1]}")
            wait_until(lambda: False, within=seconds)
            proxy.accept()
            verdict.figure("after a refusing port, until shown",
                           spread([compare(verdict, client, server.port, "after a refusing port")]))
            proxy.mode = "hole"
            for _ in range(5):
                document.change()
            interrupted = client.wait(lambda client: client.updates["/"][-1].connection == "unreachable")
            verdict.expect(interrupted, f"an interruption is shown: {client.updates['/'][-1]}")
            wait_until(lambda: False, within=seconds)
            proxy.mode = "open"
            verdict.figure("after a silent network, until shown",
                           spread([compare(verdict, client, server.port, "after a silent network")]))
            verdict.expect(not client.faults(), f"no fault: {client.faults()}")


def many_observers(verdict, programs, folder, count):
    print("many observers of ten levels", flush=True)
    path = os.path.join(folder, "observers.json")
    levels = [f"/Level%20{number}" for number in range(10)]

    def write(edition):
        save(path, json.dumps([{"Title": f"Level {number}", "Children": [
            {"Title": f"Row {row}", "Subtitle": f"edition {edition}"} for row in range(10)]}
            for number in range(10)]).encode())

    write(0)
    with Server(programs.server, path) as server:
        arguments = ["levels=" + ",".join(f"Level {number}" for number in range(10)), f"observers={count // 10}"]
        with ObservingClient(programs.client, server.port, *arguments) as client:
            greatest = 0
            for edition in range(8):
                write(edition)
                wait_until(lambda: f"edition {edition}" in get(server.port, "/levels/Level%200").body.decode())
                for level in levels:
                    wanted = digest(fresh_rows(server.port, "/levels" + level))
                    reached = client.wait(lambda client: client.reached.get(level) == wanted)
                    verdict.expect(reached, f"all observers of {level} have seen edition {edition}")
                wait_until(lambda: waiting(server.port) >= 1, within=5)
                greatest = max(greatest, waiting(server.port))
            verdict.expect(waiting(server.port) == 1, f"{waiting(server.port)} requests wait, one for all levels")
            verdict.expect(greatest == 1, f"at most one request waits at a time, not {greatest}")
            threads, sockets = client.threads(), client.sockets()
            taken = client.cancel()
            verdict.expect(taken < CANCELLATION * 1000, f"{count} observers are cancelled within {taken:.0f} ms")
            left = wait_until(lambda: waiting(server.port) == 0 and connections(server.port) == 0)
            verdict.expect(left is not None, f"no request and no connection is left: {connections(server.port)}")
            # Ending 200 tasks may start a worker, which the system ends when it has been idle for some seconds.
            verdict.expect(wait_until(lambda: client.threads() <= threads) is not None,
                           f"{client.threads()} threads after {threads}")
            verdict.expect(wait_until(lambda: client.sockets() < sockets) is not None,
                           f"{client.sockets()} sockets after {sockets}")
            verdict.figure(f"{count} observers", f"{greatest} requests at a time, {sockets} sockets, cancelled in {taken:.0f} ms, "
                           f"connections closed {left or -1:.2f} s later")


class ManyLevels:
    """Two hundred levels, half of which change from one edition to the next."""

    def __init__(self, path, count=200):
        self.path = path
        self.names = [f"Level {number}" for number in range(count)]
        self.editions = [0] * count
        self.save()

    def change(self):
        for number in random.sample(range(len(self.editions)), len(self.editions) // 2):
            self.editions[number] += 1
        self.save()

    def save(self):
        save(self.path, json.dumps([{"Title": name, "Children": [
            {"Title": f"Row {row}", "Subtitle": f"edition {edition}"} for row in range(5)]}
            for name, edition in zip(self.names, self.editions)]).encode())

    def digests(self, port):
        """The digest of each level, as TestClient names it, from a server that has the newest document."""
        wait_until(lambda: all(f"edition {self.editions[number]}" in get(port, f"/levels/Level%20{number}").body.decode()
                               for number in range(len(self.names))))
        return {f"/Level%20{number}": digest(fresh_rows(port, f"/levels/Level%20{number}"))
                for number in range(len(self.names))}


def shared_connection(verdict, programs, folder, kills, outage, limit):
    print("two hundred levels over one connection", flush=True)
    document = ManyLevels(os.path.join(folder, "many.json"))
    most = 0

    def until_right(client, wanted, name):
        """The seconds until every level is right and current."""
        nonlocal most
        begun = time.monotonic()
        right = client.wait(lambda client: all(
            client.updates[level] and client.updates[level][-1].digest == digest
            and client.updates[level][-1].connection == "connected" for level, digest in wanted.items()))
        taken = time.monotonic() - begun
        wrong = [(level, client.updates[level][-1:]) for level, digest in wanted.items()
                 if not client.updates[level] or client.updates[level][-1].digest != digest]
        verdict.expect(right and not client.faults(), f"{name}: {len(wrong)} levels are wrong: {wrong[:2]} {client.faults()}")
        most = max(most, connections(port))
        return taken

    server = Server(programs.server, document.path)
    port = server.port
    # The other server says what the levels are while the first one is away.
    with Server(programs.server, document.path) as other:
        with ObservingClient(programs.client, port, "levels=" + ",".join(document.names)) as client:
            until_right(client, document.digests(other.port), "the first state")
            changes, returns = [], []
            for number in range(kills):
                document.change()
                changes.append(until_right(client, document.digests(other.port), f"change {number}"))
                verdict.expect(wait_until(lambda: waiting(port) == 1), f"{waiting(port)} requests wait, one for all levels")
                server.kill()
                document.change()
                wanted = document.digests(other.port)
                server = Server(programs.server, document.path, port=port)
                returns.append(until_right(client, wanted, f"kill {number}"))
            server.kill()
            document.change()
            wanted = document.digests(other.port)
            lost = client.wait(lambda client: all(
                client.updates[level][-1].connection == "unreachable" for level in wanted))
            verdict.expect(lost, "every level says that the server cannot be reached")
            wait_until(lambda: False, within=outage)
            server = Server(programs.server, document.path, port=port)
            returns.append(until_right(client, wanted, "the outage"))
            verdict.expect(max(returns) < limit, f"every level is right within {limit} s of the return: {returns}")
            verdict.expect(most <= 3, f"at most three connections, not {most}")
            verdict.figure(f"200 levels, {kills} kills, an outage of {outage} s",
                           f"right {spread(returns)} after the return, {returns[-1]:.2f} s after the outage; "
                           f"changes {spread(changes)}; at most {most} connections")
    server.stop()


def cancellation(verdict, programs, folder):
    print("cancellation in every state", flush=True)
    document = RandomDocument(os.path.join(folder, "cancel.json"), seed=6)
    with Server(programs.server, document.path) as server, Proxy(server.port) as proxy:
        def cancelled(name, prepare, *arguments):
            with ObservingClient(programs.client, proxy.port, *arguments) as client:
                prepare(client)
                taken = client.cancel()
                closed = wait_until(lambda: proxy.open_connections() == 0 and waiting(server.port) == 0)
                verdict.expect(taken < CANCELLATION * 1000, f"cancelled {name} within {taken:.0f} ms")
                verdict.expect(closed is not None, f"cancelled {name}: {proxy.open_connections()} connections left")
                verdict.figure(f"cancelled {name}", f"{taken:.1f} ms, connections closed {closed or -1:.2f} s later")

        cancelled("during a wait", lambda client: wait_until(lambda: waiting(server.port) == 1))

        def stall(client):
            client.wait(lambda client: client.updates["/"])
            proxy.stalled = True
            document.change()
            wait_until(lambda: False, within=0.5)

        cancelled("in mid-answer", stall)
        proxy.stalled = False
        proxy.mode = "hole"
        cancelled("before an answer", lambda client: wait_until(lambda: proxy.open_connections() == 1))
        proxy.mode = "open"
        proxy.refuse()
        cancelled("between attempts", lambda client: wait_until(lambda: False, within=3))
        proxy.accept()


def memory(verdict, programs, folder, count):
    print("memory over many changes", flush=True)
    document = RandomDocument(os.path.join(folder, "memory.json"), seed=8)
    sizes = []
    with Server(programs.server, document.path) as server:
        with ObservingClient(programs.client, server.port, "slowness=0") as client:
            client.wait(lambda client: client.updates["/"])
            for number in range(count):
                seen = len(client.updates["/"])
                document.change()
                # Two saves within the server's rest are one change.
                client.wait(lambda client: len(client.updates["/"]) > seen, within=5)
                if number % max(1, count // 20) == 0:
                    sizes.append(client.resident_bytes())
            compare(verdict, client, server.port, "after many changes")
            sizes.append(client.resident_bytes())
            early = max(sizes[: len(sizes) // 4])
            verdict.expect(sizes[-1] <= early * 1.1 + 2_000_000,
                           f"memory grows from {megabytes(early)} to {megabytes(sizes[-1])}")
            verdict.expect(not client.faults(), f"no fault: {client.faults()}")
            verdict.figure(f"{count} changes, {len(client.updates['/'])} updates",
                           f"memory {megabytes(early)} in the first quarter, {megabytes(sizes[-1])} at the end")


def main():
    wishes = options(__doc__, client="", versions=20, long=3, rows=11_000, kills=4, cuts=4, seconds=1, observers=200, changes=50,
                     returns=3, outage=3, within=8, only="")
    wishes.client = wishes.client or os.path.join(os.path.dirname(wishes.server), "TestClient")
    folder = tempfile.mkdtemp(prefix="drilldown-client-")
    parts = {
        "versions": lambda verdict: random_versions(verdict, wishes, folder, wishes.versions),
        "long": lambda verdict: long_level(verdict, wishes, folder, wishes.long, wishes.rows),
        "restarts": lambda verdict: restarts(verdict, wishes, folder, wishes.kills),
        "cuts": lambda verdict: cuts(verdict, wishes, folder, wishes.cuts),
        "network": lambda verdict: no_network(verdict, wishes, folder, wishes.seconds),
        "observers": lambda verdict: many_observers(verdict, wishes, folder, wishes.observers),
        "shared": lambda verdict: shared_connection(verdict, wishes, folder, wishes.returns, wishes.outage, wishes.within),
        "cancellation": lambda verdict: cancellation(verdict, wishes, folder),
        "memory": lambda verdict: memory(verdict, wishes, folder, wishes.changes),
    }
    try:
        with Verdict("swift_client") as verdict:
            for name, part in parts.items():
                if not wishes.only or name in wishes.only.split(","):
                    part(verdict)
    finally:
        shutil.rmtree(folder)


main()
