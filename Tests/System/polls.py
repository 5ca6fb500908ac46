#!/usr/bin/env python3
"""Long polls: which requests wait, how long, what ends the wait, and the answers.

Levels, details and documents in every syntax and choice of fields are waited for with every way to say so; a client
that follows a level by `since=` and `wait` alone keeps the list that others fetch.
"""

import os
import plistlib
import select
import signal
import tempfile
import threading
import time

from harness.client import DEADLINE, Connection, get, wait_until
from harness.edits import EditedTree, save
from harness.mirror import applied
from harness.server import Server
from harness.verdict import Verdict, options

ROWS = 20
# The wait of a poll that a change must end: it is over only after the deadline of that event.
WAIT = 2 * int(DEADLINE)


class Document:
    """Two levels of twenty rows, a deep one, and an item that comes and goes."""

    def __init__(self, path):
        self.path = path
        self.busy = [{"Title": f"Row {row}", "Subtitle": "edition 0", "Price": row} for row in range(ROWS)]
        self.extra = []
        self.edition = 0
        self.save()

    def data(self):
        return plistlib.dumps({"Title": "Polls", "Rows": [
            {"Title": "Busy", "Children": self.busy},
            {"Title": "Quiet", "Children": [{"Title": f"Row {row}"} for row in range(ROWS)]},
            {"Title": "Deep", "Children": [{"Title": "Deeper", "Children": ["Deepest"]}]},
            *self.extra]}, sort_keys=False)

    def save(self):
        save(self.path, self.data())

    def change(self, row=5, field="Subtitle"):
        """Changes a field of one row of the level Busy; gives the field's new value."""
        self.edition += 1
        self.busy[row][field] = 1000 + self.edition if field == "Price" else f"edition {self.edition}"
        self.save()
        return self.busy[row][field]


class Poll:
    """A request that may wait, on a connection of its own."""

    def __init__(self, port, target, tag=None, prefer=None, method="GET", **headers):
        self.connection = Connection(port)
        pairs = [(name.replace("_", "-"), value) for name, value in headers.items()]
        if tag is not None:
            pairs.append(("If-None-Match", tag))
        pairs += [("Prefer", line) for line in ([prefer] if isinstance(prefer, str) else prefer or [])]
        self.target = target
        self.asked = time.monotonic()
        self.connection.send(target, method, pairs)
        # When the first of the answer came; None before.
        self.came = None

    @property
    def took(self):
        return self.came - self.asked

    def answer(self, within=DEADLINE):
        """The answer; None if there is none in time. Closes the connection."""
        with self.connection:
            if self.came is None:
                gather([self], within)
            return None if self.came is None else self.connection.receive()

    def is_answered(self):
        return self.came is not None or self.connection.is_answered()


def gather(polls, within=DEADLINE):
    """Notes of each poll when its answer comes, until all have come or the time is over."""
    waiting = {poll.connection.fileno(): poll for poll in polls if poll.came is None}
    watch = select.poll()
    for descriptor in waiting:
        watch.register(descriptor, select.POLLIN)
    deadline = time.monotonic() + within
    while waiting and (left := deadline - time.monotonic()) > 0:
        for descriptor, _ in watch.poll(left * 1000):
            waiting.pop(descriptor).came = time.monotonic()
            watch.unregister(descriptor)


def tag(port, target, **headers):
    return get(port, target, **headers)["etag"]


def revision(port):
    """The revision of the document that is served, once the list of changes has it too."""
    wait_until(lambda: get(port, "/changes").json()["revision"] == get(port, "/readyz").json()["revision"])
    return get(port, "/changes").json()["revision"]


def waits(verdict, poll, seconds, what, status=304):
    """Judges a poll that must be answered when its time is over."""
    answer = poll.answer()
    if not verdict.expect(answer is not None, f"{what} is answered"):
        return None
    verdict.expect(answer.status == status, f"{what} gets {status} after its time, not {answer.status}")
    verdict.expect(
        poll.took >= seconds, f"{what} is not answered early; it was answered after {poll.took:.3f} of {seconds} s")
    return answer


def at_once(verdict, poll, what, *statuses):
    answer = poll.answer()
    if not verdict.expect(answer is not None, f"{what} is answered"):
        return None
    verdict.expect(
        answer.status in statuses, f"{what} gets one of {statuses}, not {answer.status}: {answer.body[:200]}")
    verdict.expect(poll.took < WAIT, f"{what} does not wait; it takes {poll.took:.2f} s")
    return answer


REPRESENTATIONS = [
    ("/levels/Busy", {}), ("/levels/Busy?fields=Subtitle", {}), ("/levels/Busy?fields=*", {}),
    ("/levels/Busy?limit=10", {}), ("/levels/Busy?format=plist", {}),
    ("/levels/Busy", {"Accept": "application/x-plist"}), ("/levels/Busy", {"Accept_Encoding": "gzip"}),
    ("/detail/Busy/Row%205", {}),
    ("/detail/Busy/Row%205?format=plist", {}), ("/document", {}), ("/document", {"Accept": "application/json"}),
    ("/document?format=binary", {}), ("/document/Busy", {}), ("/document/Busy?format=json", {}),
]
UNTOUCHED = [
    ("/levels/", {}), ("/levels/Quiet", {}), ("/levels/Busy/Row%206", {}), ("/levels/Busy?fields=Price", {}),
    ("/levels/Busy?limit=3", {}), ("/levels/Busy?fields=", {}), ("/detail/Busy", {}), ("/detail/Busy/Row%206", {}),
    ("/detail/Quiet/Row%205", {}), ("/document/Quiet", {}), ("/document/Quiet?format=json", {}),
    ("/levels/Deep/Deeper", {}), ("/detail/Deep/Deeper/Deepest", {}),
]


def ways_to_ask(verdict, port):
    """Each way to ask for a second, and each that asks for none."""
    target = "/levels/Quiet"
    known = tag(port, target)
    waiting = [
        ("Prefer: wait=1", "1", Poll(port, target, known, "wait=1")),
        ("?wait=1", None, Poll(port, target + "?wait=1", known)),
        ("wait among others", "1", Poll(port, target, known, "wait=1, respond-async")),
        ("wait behind others", "1", Poll(port, target, known, "respond-async; x=\"a,b\", wait=1")),
        ("wait on the second line", "1", Poll(port, target, known, ["respond-async", "wait=1"])),
        ("wait on the first line", "1", Poll(port, target, known, ["wait=1", "respond-async"])),
        ("wait twice, of which the first counts", "1", Poll(port, target, known, "wait=1, wait=200")),
        ("a name in another case", "1", Poll(port, target, known, "Wait=1")),
        ("a quoted number", "1", Poll(port, target, known, 'wait="1"')),
        ("a list of tags", "1", Poll(port, target, f'"x", W/{known}, "y"', "wait=1")),
        ("a weak tag", "1", Poll(port, target, f"W/{known}", "wait=1")),
        ("HEAD", "1", Poll(port, target, known, "wait=1", method="HEAD")),
    ]
    changes = Poll(port, f"/changes?since={revision(port)}&wait=1")
    gather([poll for *_, poll in waiting] + [changes])
    for what, applied_wait, poll in waiting:
        answer = waits(verdict, poll, 1, what)
        if answer is None:
            continue
        verdict.expect(answer["etag"] == known, f"{what}: a 304 has the tag; it has {answer['etag']}")
        verdict.expect(
            answer["cache-control"] and answer["vary"], f"{what}: a 304 has the header of a 200: {answer.headers}")
        if applied_wait:
            verdict.expect(
                answer["preference-applied"] == f"wait={applied_wait}",
                f"{what}: Preference-Applied names the wait: {answer['preference-applied']}")
    answer = waits(verdict, changes, 1, "a poll of the changes", status=200)
    if answer:
        verdict.expect(answer.json()["changes"] == [], f"the answer lists no changes: {answer.body[:200]}")
    pipelined(verdict, port, target, known)
    hasty = [
        ("no tag", (200,), Poll(port, target, prefer=f"wait={WAIT}")),
        ("no tag, ?wait=", (200,), Poll(port, f"{target}?wait={WAIT}")),
        ("an old tag", (200,), Poll(port, target, '"old"', f"wait={WAIT}")),
        ("no wait", (304,), Poll(port, target, known)),
        ("Prefer: wait=0", (304,), Poll(port, target, known, "wait=0")),
        ("Prefer: wait=x", (304,), Poll(port, target, known, "wait=x")),
        ("Prefer: wait=-1", (304,), Poll(port, target, known, "wait=-1")),
        ("Prefer: waiting=", (304,), Poll(port, target, known, f"waiting={WAIT}")),
        ("Prefer: x=\"wait=\"", (304,), Poll(port, target, known, f'x="a, wait={WAIT}"')),
        ("an unknown item", (404,), Poll(port, "/levels/Nobody", known, f"wait={WAIT}")),
        ("an unknown item's detail", (404,), Poll(port, "/detail/Quiet/Nobody", known, f"wait={WAIT}")),
        ("an unknown item's document", (404,), Poll(port, "/document/Nobody", known, f"wait={WAIT}")),
        ("an unknown item, ?wait=", (404,), Poll(port, f"/levels/Nobody?wait={WAIT}", known)),
        ("POST", (403,), Poll(port, target, known, f"wait={WAIT}", method="POST")),
    ]
    gather([poll for *_, poll in hasty])
    for what, statuses, poll in hasty:
        answer = at_once(verdict, poll, what, *statuses)
        if answer is not None:
            verdict.expect(
                answer["preference-applied"] is None or answer.status == 200,
                f"{what}: there is no Preference-Applied without a wait: {answer['preference-applied']}")
    for value in ("0", "301", "x", "", "-1", "1.5", "1e1", "99999999999999999999", "+1", "%31x"):
        for route in (target, "/detail/Quiet", "/document", "/changes"):
            answer = at_once(verdict, Poll(port, f"{route}?wait={value}", known), f"{route}?wait={value}", 400)
            if answer is not None and answer.status == 400:
                verdict.expect(
                    answer.json().get("parameter") == "wait" and "wait" in answer.body.decode(),
                    f"{route}?wait={value} names the parameter: {answer.body[:200]}")
    for route in ("/healthz", "/readyz"):
        at_once(verdict, Poll(port, f"{route}?wait={WAIT}", known), f"{route}?wait={WAIT}", 400)


def pipelined(verdict, port, target, known):
    """Requests sent after a poll on the same connection are answered after it."""
    with Connection(port) as connection:
        begun = time.monotonic()
        connection.send(target, headers={"If-None-Match": known, "Prefer": "wait=1"})
        connection.send("/healthz")
        connection.send(target, headers={"If-None-Match": known, "Prefer": "wait=1"})
        connection.send("/levels/")
        answers = [connection.receive() for _ in range(4)]
        statuses = [answer.status for answer in answers]
        verdict.expect(statuses == [304, 200, 304, 200], f"pipelined polls are answered in order: {statuses}")
        verdict.expect(
            answers[0].done - begun >= 1 and answers[3].done - begun >= 2, "each pipelined poll waits for its own time")


def wakes(verdict, server, document, rounds):
    """A change answers the polls whose representation changes, and no others."""
    port = server.port
    for _ in range(rounds):
        before = revision(port)
        asked = []
        for target, headers in REPRESENTATIONS:
            known = tag(port, target, **headers)
            asked.append(Poll(port, target, known, f"wait={WAIT}", **headers))
            asked.append(Poll(port, target + ("&" if "?" in target else "?") + f"wait={WAIT}", known, **headers))
        heads = [Poll(port, "/levels/Busy", tag(port, "/levels/Busy"), f"wait={WAIT}", method="HEAD")]
        changes = Poll(port, f"/changes?since={before}&wait={WAIT}")
        others = [
            Poll(port, target, tag(port, target, **headers), f"wait={WAIT}", **headers)
            for target, headers in UNTOUCHED]
        mistaken = [poll.target for poll in [*asked, *heads, *others, changes] if poll.is_answered()]
        verdict.expect(not mistaken, f"no poll is answered before the change: {mistaken}")
        value = document.change()
        gather([*asked, *heads, changes])
        for poll in asked:
            answer = poll.answer(within=0)
            if not verdict.expect(answer is not None, f"{poll.target} is answered when it changes"):
                continue
            verdict.expect(answer.status == 200, f"{poll.target} gets 200 when it changes, not {answer.status}")
            if "binary" not in poll.target and "gzip" not in (answer["content-encoding"] or ""):
                verdict.expect(
                    value.encode() in answer.body, f"{poll.target} contains '{value}': {answer.body[:100]}")
            if "wait" not in poll.target:
                verdict.expect(
                    answer["preference-applied"] == f"wait={WAIT}",
                    f"{poll.target} when it changes: Preference-Applied names the wait: {answer['preference-applied']}")
        for poll in heads:
            answer = poll.answer()
            verdict.expect(
                answer is not None and answer.status == 200 and answer["etag"] == tag(port, poll.target),
                f"a HEAD that waits gets 200 with the new tag: {answer and answer.status}")
        answer = changes.answer()
        if verdict.expect(answer is not None and answer.status == 200, "a poll of the changes is answered"):
            body = answer.json()
            verdict.expect(
                [entry["levels"] for entry in body["changes"]] == [["/levels/Busy"]],
                f"the changes name the level: {answer.body[:300]}")
            verdict.expect(
                body["revision"] == revision(port), f"the changes end with the current revision: {body['revision']}")
        # Nor does the same document again wake anybody.
        lines = len(server.log)
        document.save()
        server.signal(signal.SIGHUP)
        unchanged = wait_until(lambda: any("it is unchanged" in line for line in server.log[lines:]))
        verdict.expect(unchanged is not None, f"the same document is read again: {server.log[lines:]}")
        for poll in others:
            verdict.expect(not poll.is_answered(), f"{poll.target}, which did not change, still waits")
            poll.connection.close()


def same_as_asked_again(verdict, server, document):
    """A poll gets what a request gets: body, tag, type, link."""
    port = server.port
    for target, headers in REPRESENTATIONS:
        poll = Poll(port, target, tag(port, target, **headers), f"wait={WAIT}", **headers)
        document.change()
        answer = poll.answer()
        again = get(port, target, **headers)
        if verdict.expect(answer is not None, f"{target} is answered when it changes"):
            verdict.expect(answer.body == again.body, f"{target}: a poll gets the body that a request gets")
            for name in ("etag", "content-type", "vary", "cache-control", "link", "content-encoding"):
                verdict.expect(
                    answer[name] == again[name],
                    f"{target}: a poll gets the {name} that a request gets: {answer[name]} and {again[name]}")


def choices_wake(verdict, server, document):
    """A choice of fields or rows changes when one of them does."""
    port = server.port
    price = Poll(port, "/levels/Busy?fields=Price", tag(port, "/levels/Busy?fields=Price"), f"wait={WAIT}")
    page = Poll(port, "/levels/Busy?limit=3", tag(port, "/levels/Busy?limit=3"), f"wait={WAIT}")
    document.change(row=5, field="Subtitle")
    document.change(row=9, field="Subtitle")
    settled(port, document)
    verdict.expect(not price.is_answered(), "a list of prices does not change with a subtitle")
    verdict.expect(not page.is_answered(), "the first three rows do not change with the tenth")
    document.change(row=1, field="Price")
    answer = price.answer()
    verdict.expect(answer is not None and answer.status == 200, "a list of prices changes with a price")
    verdict.expect(not page.is_answered(), "the cells of a page do not show a price")
    document.change(row=1, field="Subtitle")
    answer = page.answer()
    verdict.expect(answer is not None and answer.status == 200, "a page changes with one of its rows")


def settled(port, document):
    """Waits until the newest subtitles are served."""
    wanted = [row["Subtitle"] for row in document.busy]
    wait_until(lambda: [row["fields"]["Subtitle"] for row in get(port, "/levels/Busy").json()["rows"]] == wanted)


def comes_and_goes(verdict, server, document):
    """Polls of an item that is deleted get 404; an item that does not exist cannot be waited for."""
    port = server.port
    document.extra = [{"Title": "Guest", "Children": [{"Title": "Child", "Children": ["Leaf"]}]}]
    document.save()
    wait_until(lambda: get(port, "/levels/Guest").status == 200)
    targets = [
        "/levels/Guest", "/levels/Guest/Child", "/detail/Guest/Child/Leaf", "/document/Guest", "/levels/Guest?limit=1"]
    polls = [Poll(port, target, tag(port, target), f"wait={WAIT}") for target in targets]
    head = Poll(port, "/levels/Guest", tag(port, "/levels/Guest"), f"wait={WAIT}", method="HEAD")
    document.extra = []
    document.save()
    for poll in polls:
        answer = poll.answer()
        if verdict.expect(answer is not None, f"{poll.target} is answered when it is deleted"):
            verdict.expect(
                answer.status == 404 and answer["content-type"] == "application/problem+json"
                and answer.json()["type"] == "/problems/no-such-item" and answer.json()["nearest"] == "/levels/"
                and answer.json()["instance"] == poll.target,
                f"{poll.target} gets a problem when it is deleted: {answer.status} {answer.body[:300]}")
    answer = head.answer()
    verdict.expect(
        answer is not None and answer.status == 404,
        f"a HEAD gets 404 when its level is deleted: {answer and answer.status}")
    at_once(verdict, Poll(port, "/levels/Guest", '"x"', f"wait={WAIT}"), "an item that is not there yet", 404)
    # An item that goes and comes again as it was is the same.
    document.extra = [{"Title": "Guest"}]
    document.save()
    wait_until(lambda: get(port, "/levels/Guest").status == 200)
    leaf = Poll(port, "/levels/Guest", tag(port, "/levels/Guest"), f"wait={WAIT}")
    document.extra = [{"Title": "Guest", "Children": ["First"]}]
    document.save()
    answer = leaf.answer()
    verdict.expect(
        answer is not None and answer.status == 200 and not answer.json()["leaf"],
        f"a leaf that gets a row wakes the polls of it: {answer and answer.body[:200]}")


def broken_save(verdict, server, document):
    """A save that cannot be read ends no poll; the next change does."""
    port = server.port
    polls = [
        Poll(port, target, tag(port, target), f"wait={WAIT}") for target in ("/levels/Busy", "/levels/", "/document")]
    changes = Poll(port, f"/changes?since={revision(port)}&wait={WAIT}")
    whole = document.data()
    save(document.path, whole[:len(whole) // 2])
    stale = wait_until(lambda: get(port, "/readyz").json()["status"] == "stale")
    verdict.expect(stale is not None, "/readyz says stale after a save that cannot be read")

    def answered():
        return [poll.target for poll in [*polls, changes] if poll.is_answered()]

    verdict.expect(not answered(), f"a save that cannot be read wakes no poll: {answered()}")
    document.save()
    fine = wait_until(lambda: get(port, "/readyz").json()["status"] == "ok")
    verdict.expect(fine is not None, "/readyz says ok after the old document is saved again")
    verdict.expect(not answered(), f"the old document, saved again, wakes no poll: {answered()}")
    document.change()
    for poll in [polls[0], polls[2], changes]:
        answer = poll.answer()
        verdict.expect(
            answer is not None and answer.status == 200,
            f"{poll.target}: a change after a broken save answers it: {answer and answer.status}")
    verdict.expect(not polls[1].is_answered(), "a change wakes no poll of an unchanged level")
    polls[1].connection.close()


def outlives_deadlines(verdict, program, path):
    """Neither the time for a request nor that of an idle connection is counted while a client waits."""
    with Server(program, path, "--request-deadline", "2", "--idle-timeout", "2") as server:
        known = tag(server.port, "/levels/Quiet")
        first = Poll(server.port, "/levels/Quiet", known, "wait=5")
        later = Poll(server.port, "/healthz")
        later.connection.receive()
        later.asked = time.monotonic()
        later.connection.send("/levels/Quiet", headers={"If-None-Match": known, "Prefer": "wait=5"})
        gather([first, later])
        waits(verdict, first, 5, "a poll beyond the deadline of requests")
        verdict.expect(
            later.took >= 5, f"a later request of a connection waits as long as asked; it waited {later.took:.2f} s")
        answer = later.connection.receive()
        verdict.expect(answer.status == 304, f"a later request that waits gets 304, not {answer.status}")
        verdict.expect(later.connection.get("/healthz").status == 200, "the connection can be used after the wait")
        # From now on it is idle as any other.
        ended = later.connection.is_answered(within=DEADLINE)
        verdict.expect(ended, "an idle connection is closed after it waited")
        later.connection.close()


class Listener(threading.Thread):
    """Follows a level by `since=` and `wait` alone, and compares its list with a fetched one."""

    def __init__(self, port, target):
        super().__init__(daemon=True)
        self.port = port
        self.target = target
        self.deltas = self.wholes = self.compared = 0
        self.faults = []
        self.level = None
        self.final = None

    def run(self):
        try:
            with Connection(self.port) as connection, Connection(self.port) as other:
                self.level = connection.get(self.target).json()
                while self.level["version"] != self.final:
                    self._next(connection, other)
        except Exception as error:
            self.faults.append(f"{self.target}: a listener fails after {self.deltas} deltas: {error!r}")

    def _next(self, connection, other):
        version = self.level["version"]
        mark = "&" if "?" in self.target else "?"
        answer = connection.get(
            f"{self.target}{mark}since={version}&wait=1", If_None_Match=f'"{version}"')
        if answer.status == 304:
            return
        if answer.status != 200:
            raise RuntimeError(f"since={version} is answered {answer.status}: {answer.body[:300]}")
        delta = answer.json()
        if answer["etag"] != f'"{delta["version"]}"':
            self.faults.append(f"{self.target}: the tag {answer['etag']} is not that of version {delta['version']}")
        self.wholes += "rows" in delta
        self.deltas += "rows" not in delta
        self.level = applied(delta, self.level)
        fetched = other.get(self.target).json()
        if fetched["version"] == self.level["version"]:
            self.compared += 1
            if fetched != self.level:
                self.faults.append(f"{self.target}: applied {delta} and got {self.level}, not {fetched}")


def listens(verdict, arguments, folder):
    """Random edits of a tree, followed level by level."""
    path = os.path.join(folder, "Tree.plist")
    kept = ("One", "Two")
    tree = EditedTree(arguments.seed, items=40, kept=kept)
    tree.save(path)
    with Server(arguments.server, path) as server:
        targets = [
            "/levels/", "/levels/?limit=5", "/levels/?fields=*", *(f"/levels/{title}" for title in kept),
            "/levels/One?fields=Text,Price"]
        listeners = [Listener(server.port, target) for target in targets]
        for listener in listeners:
            listener.start()
        verdict.expect(
            wait_until(lambda: all(listener.level or listener.faults for listener in listeners)) is not None,
            "all listeners get their first level")
        for number in range(arguments.edits):
            before = revision(server.port)
            kind = tree.edit()
            tree.save(path)
            verdict.expect(
                wait_until(lambda: revision(server.port) != before, every=0.001) is not None,
                f"edit {number}, {kind}, makes a revision")
        for listener in listeners:
            listener.final = get(server.port, listener.target).json()["version"]
        for listener in listeners:
            listener.join(DEADLINE)
            verdict.expect(
                not listener.is_alive(), f"{listener.target} reaches the last version")
            for fault in listener.faults[:3]:
                verdict.expect(False, fault)
            fetched = get(server.port, listener.target).json()
            verdict.expect(
                listener.level == fetched, f"{listener.target}: the listener ends with the level that others fetch")
            verdict.figure(
                f"deltas of {listener.target}",
                f"{listener.deltas}, and {listener.wholes} times the whole; {listener.compared} compared meanwhile")
        verdict.expect(
            sum(listener.compared for listener in listeners) > 0,
            "listeners compare their lists while the tree changes")
        # The root's rows are few and change often: most answers have to be deltas.
        verdict.expect(
            listeners[0].wholes == 0,
            f"the history contains every version that is asked for; {listeners[0].wholes} were missing")


def main():
    arguments = options(__doc__, rounds=2, edits=100, seed=1)
    with Verdict("polls") as verdict, tempfile.TemporaryDirectory() as folder:
        document = Document(os.path.join(folder, "Data.plist"))
        with Server(arguments.server, document.path) as server:
            ways_to_ask(verdict, server.port)
            wakes(verdict, server, document, arguments.rounds)
            same_as_asked_again(verdict, server, document)
            choices_wake(verdict, server, document)
            comes_and_goes(verdict, server, document)
            broken_save(verdict, server, document)
        outlives_deadlines(verdict, arguments.server, document.path)
        listens(verdict, arguments, folder)


if __name__ == "__main__":
    main()
