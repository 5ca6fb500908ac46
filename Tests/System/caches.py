#!/usr/bin/env python3
"""nginx and Varnish with the configurations of this project, in front of clients that follow a level.

Fifty clients follow one level through each cache, while it is saved and the service is started again. All end with the
level of the service, which gets some requests for each change. Without a cache it gets one of each client, so the count
would notice. Also covered: first answers, which are kept only if the service's Cache-Control allows it; long polls and
streams, which pass; tokens; and a service that refuses requests that wait.
"""

# Covers: LevelsAPI HTTPServer drilldown

import contextlib
import functools
import os
import random
import re
import tempfile
import threading
import time

from harness.caches import CachingNginx, NoCache, Varnish, varnish_rules
from harness.client import DEADLINE, Closed, Connection, Cut, get, wait_until
from harness.events import EventStream
from harness.mirror import applied
from harness.server import Server, unused_port
from harness.verdict import Verdict, options

from deployment import request, write

CLIENTS = 50
TOKEN = "6fe0a1b2c3d4e5f60718"
LEVEL = "/levels/"
FOLLOWS = re.compile(r" GET /levels/\?since=\S+ (\d+) ")
# The lines that keep a 503 for a second.
RULE = re.compile(r"^sub vcl_backend_response \{\n.*?^\}\n", re.MULTILINE | re.DOTALL)


class Follower(threading.Thread):
    """A client as thin as the manual says: gets the level, shows it, gets its `follow`, applies the answer, and so on."""

    def __init__(self, port, barrier):
        super().__init__(daemon=True)
        self.port = port
        self.barrier = barrier
        self.copy = None
        self.requests = 0
        self.links = set()
        self.repeated = 0
        # How often it asked again after a refusal or an end.
        self.returns = 0
        self.last = None
        self.fault = None

    @property
    def titles(self):
        return [row["title"] for row in self.copy["rows"]] if self.copy else None

    def run(self):
        try:
            self.barrier.wait(DEADLINE)
            while self.last is None or self.titles != self.last:
                self._follow()
        except Exception as error:
            self.fault = f"a client fails after {self.requests} requests: {error!r}"

    def _follow(self):
        """Follows on one connection until that breaks or there is nothing more to wait for."""
        with contextlib.suppress(Closed, Cut, ConnectionError), Connection(self.port) as connection:
            while self.last is None or self.titles != self.last:
                link = self.copy["follow"] if self.copy else LEVEL
                answer = connection.get(link)
                if answer.status == 200:
                    self.requests += 1
                    self.repeated += link in self.links
                    self.links.add(link)
                    self.copy = applied(answer.json(), self.copy)
                elif answer.status in (404, 410):
                    self.copy = None
                else:
                    break
        # After a refusal, or an end, the same link again, each client at a time of its own.
        if self.last is None or self.titles != self.last:
            time.sleep(random.uniform(1, 3))
            self.returns += 1


def follow_requests(server):
    """The statuses of the requests at the service with the link of an answer."""
    return [int(found[1]) for line in server.log if (found := FOLLOWS.search(line))]


def follow_through(verdict, program, cache, folder, name):
    """Clients that follow: each change reaches all, and the service is asked some times for each change."""
    document = os.path.join(folder, "Followed.json")
    port, saves = unused_port(), 0
    titles = ["A"]

    def save(clients, *, waits=True):
        nonlocal saves
        saves += 1
        titles.append(f"Row {saves}")
        if saves % 3 == 0:
            del titles[0]
        write(document, titles)
        if waits:
            took = wait_until(lambda: all(client.titles == titles for client in clients))
            late = [client.fault or client.titles for client in clients if client.titles != titles]
            verdict.expect(took is not None, f"{name}: save {saves} reaches all; {len(late)} show {late[:2]}")

    write(document, titles)
    barrier = threading.Barrier(CLIENTS)
    with contextlib.ExitStack() as running:
        server = running.enter_context(Server(program, document, "--access-log", port=port))
        front = running.enter_context(cache(folder, port))
        clients = [Follower(front.port, barrier) for _ in range(CLIENTS)]
        for client in clients:
            client.start()
        wait_until(lambda: all(client.copy for client in clients))
        for _ in range(4):
            save(clients)
        for last in (False, False, True):
            save(clients, waits=last)
        before = follow_requests(server)
        server.stop()
        changes, saves = saves, 0
        server = running.enter_context(Server(program, document, "--access-log", port=port))
        # Some come back to a link that the stop refused; the others wait in the cache for its next answer.
        back = wait_until(lambda: any(client.returns for client in clients))
        verdict.expect(back is not None, f"{name}: clients come back after the restart")
        save(clients)
        for client in clients:
            client.last = titles + ["The end"]
        titles.append("The end")
        write(document, titles)
        for client in clients:
            client.join(DEADLINE)
        faults = [client.fault or client.titles for client in clients if client.fault or client.titles != titles]
        verdict.expect(not faults, f"{name}: all clients end with the last save; {len(faults)} do not: {faults[:2]}")
        own = get(port, LEVEL).json()
        wrong = [client.copy for client in clients if client.copy != own | {"follow": client.copy["follow"]}]
        verdict.expect(not wrong, f"{name}: and with the service's own answer; {len(wrong)} do not: {wrong[:1]}")
        verdict.expect(
            sum(client.repeated for client in clients) == 0, f"{name}: no client is answered twice on one link")
        after = follow_requests(server)
    refusals = max(client.returns for client in clients)
    verdict.expect(refusals <= 3, f"{name}: no client is refused again and again after the restart: {refusals} times")
    counts = [before.count(200), after.count(200)]
    asked = sum(client.requests for client in clients)
    verdict.figure(f"{name}: requests at the service", f"{counts[0]} for {changes} changes, {counts[1]} for 2 after a"
                   f" restart; {CLIENTS} clients sent {asked}")
    if cache is NoCache:
        verdict.expect(
            counts[0] >= 4 * CLIENTS, f"{name}: each client asks the service itself: {counts[0]} requests")
        return
    # Those that come to the same thing get one link in each second in which they come; on a busy machine these are some.
    most = [2 * changes + 4, 2 * 2 + 4]
    verdict.expect(
        counts[0] <= most[0] and counts[1] <= most[1],
        f"{name}: at most {most} requests reach the service for {changes} changes and 2: {counts}")


def first_answers(verdict, program, cache, folder, name):
    """First answers are kept if the service allows it, and then bring a client that follows up to date at once."""
    document = os.path.join(folder, "First.json")
    write(document, ["A", "B"])
    with Server(program, document) as server, cache(folder, server.port) as front:
        answers = [get(front.port, LEVEL) for _ in range(3)]
        verdict.expect(
            not any(map(front.is_hit, answers)) and answers[0]["Cache-Control"] == "no-cache",
            f"{name}: what says no-cache is not kept: {[answer.headers for answer in answers]}")
        waits(verdict, server, front, document, name)
    shared = "public, s-maxage=300"
    with Server(program, document, "--cache-control", shared) as server, cache(folder, server.port) as front:
        first, second = get(front.port, LEVEL), get(front.port, LEVEL)
        verdict.expect(
            not front.is_hit(first) and front.is_hit(second) and second.body == first.body
            and second["Cache-Control"] == shared,
            f"{name}: what says s-maxage comes from the cache: {second.headers}")
        write(document, ["A", "B", "F"])
        wait_until(lambda: b'"title":"F"' in get(server.port, LEVEL).body)
        old = get(front.port, LEVEL)
        began = time.monotonic()
        delta = get(front.port, old.json()["follow"])
        verdict.expect(
            front.is_hit(old) and b'"title":"F"' not in old.body
            and [change["row"]["title"] for change in delta.json()["inserted"]] == ["F"],
            f"{name}: an old first answer is followed by the change: {old.body} {delta.status} {delta.body}")
        verdict.figure(f"{name}: from an old first answer to the change", f"{time.monotonic() - began:.2f} s")
        server.stop()
        verdict.expect(get(front.port, LEVEL).status == 200, f"{name}: and is there while the service is down")


def waits(verdict, server, front, document, name):
    """A long poll with a condition, a wait that ends, and a stream pass by the cache."""
    tag = get(server.port, LEVEL)["ETag"]
    with Connection(front.port) as poll, EventStream(front.port) as stream:
        poll.send(LEVEL + "?wait=60", headers={"If-None-Match": tag})
        verdict.expect(not poll.is_answered(within=1), f"{name}: a long poll waits behind the cache")
        write(document, ["A", "B", "C"])
        answer = poll.receive()
        verdict.expect(
            answer.status == 200 and b'"title":"C"' in answer.body, f"{name}: and is answered by the change: {answer.status}")
        event = stream.next()
        while event is not None and event.name != "change":
            event = stream.next()
        verdict.expect(event is not None, f"{name}: a stream's event passes at once: {event}")
        tag = get(server.port, LEVEL)["ETag"]
        answer = poll.request(LEVEL, headers={"If-None-Match": tag, "Prefer": "wait=1"})
        verdict.expect(answer.status == 304, f"{name}: a wait with a condition that ends is 304: {answer.status}")
        link = get(front.port, LEVEL).json()["follow"].replace("wait=20", "wait=2")
        answer = poll.get(link)
        verdict.expect(
            answer.status == 200 and answer.json()["updated"] == [] and "turn=" in answer.json()["follow"],
            f"{name}: a link that ends without a change is 200, with a turn: {answer.status} {answer.body[-200:]}")


def tokens(verdict, program, cache, folder, name):
    """An answer to a client with a token never reaches one without."""
    document = os.path.join(folder, "Secret.json")
    write(document, ["A", "B"])
    with Server(program, document, environment={"DRILLDOWN_READ_TOKEN": TOKEN}) as server, cache(
            folder, server.port) as front:
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        link = request(front.port, LEVEL, **bearer).json()["follow"].replace("wait=20", "wait=1")
        found = [request(front.port, target, **lines).status for target in (LEVEL, link) for lines in (bearer, {}) * 2]
        verdict.expect(found == [200, 401] * 4, f"{name}: each request with a token is 200, each without 401: {found}")


def refusals(verdict, program, cache, folder, name):
    """A service that lets nothing wait: a crowd is refused, and costs the service a request a second."""
    document = os.path.join(folder, "Refused.json")
    write(document, ["A", "B"])
    with Server(program, document, "--waiters", "0", "--access-log") as server, cache(
            folder, server.port) as front:
        link = get(server.port, LEVEL).json()["follow"]
        began = time.monotonic()
        connections = [Connection(front.port) for _ in range(CLIENTS)]
        for connection in connections:
            connection.send(link)
        answers = [connection.receive() for connection in connections]
        for connection in connections:
            connection.close()
        took = time.monotonic() - began
        verdict.expect(
            all(answer.status == 503 and answer["Retry-After"] for answer in answers),
            f"{name}: all are told when to come again: {[(answer.status, answer['Retry-After']) for answer in answers][:3]}")
        # A request counts at its end.
        wait_until(lambda: 503 in follow_requests(server))
        return follow_requests(server).count(503), 2 + int(took)


def main():
    arguments = options(__doc__)
    rules = varnish_rules()
    without_rule = functools.partial(Varnish, rules=RULE.sub("", rules))
    with Verdict("caches") as verdict, tempfile.TemporaryDirectory() as folder:
        verdict.expect(RULE.search(rules) is not None, "the configuration of Varnish has the rule for a 503")

        def place(name):
            path = os.path.join(folder, name)
            os.mkdir(path)
            return path

        for name, cache in (("Varnish", Varnish), ("nginx", CachingNginx)):
            for part in (first_answers, tokens):
                part(verdict, arguments.server, cache, place(f"{name}-{part.__name__}"), name)
            count, most = refusals(verdict, arguments.server, cache, place(f"{name}-refusals"), name)
            verdict.expect(count <= most, f"{name}: {CLIENTS} clients that are refused are {count} requests, at most {most}")
            follow_through(verdict, arguments.server, cache, place(f"{name}-follow"), name)
        count, most = refusals(verdict, arguments.server, without_rule, place("without"), "Varnish without the rule")
        verdict.expect(count > most, f"without the rule, the refusals are more: {count}, not more than {most}")
        follow_through(verdict, arguments.server, NoCache, place("direct"), "no cache")


if __name__ == "__main__":
    main()
