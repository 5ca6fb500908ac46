#!/usr/bin/env python3
"""Long polls of a real document: requests that wait for their time, and those that a save of the file answers, and no others.

The links that answers name as `follow` are asked beside those with a condition. Levels, details and documents in several syntaxes and choices of fields are waited for. What else ends a wait, and which
requests wait at all, is asserted by the unit tests.
"""

import os
import plistlib
import select
import signal
import tempfile
import time

from harness.client import DEADLINE, Connection, get, wait_until
from harness.edits import save
from harness.server import Server
from harness.verdict import Verdict, options

ROWS = 20
# The wait of a poll that a change must end: it is over only after the deadline of that event.
WAIT = 2 * int(DEADLINE)


class Document:
    """Two levels of twenty rows, and a deep one."""

    def __init__(self, path):
        self.path = path
        self.edition = 0
        self.save()

    def save(self):
        busy = [{"Title": f"Row {row}", "Subtitle": f"edition {self.edition if row == 5 else 0}", "Price": row}
                for row in range(ROWS)]
        save(self.path, plistlib.dumps({"Title": "Polls", "Rows": [
            {"Title": "Busy", "Children": busy},
            {"Title": "Quiet", "Children": [{"Title": f"Row {row}"} for row in range(ROWS)]},
            {"Title": "Deep", "Children": [{"Title": "Deeper", "Children": ["Deepest"]}]}]}, sort_keys=False))

    def change(self):
        """Changes a field of one row of the level Busy; gives the field's new value."""
        self.edition += 1
        self.save()
        return f"edition {self.edition}"


class Poll:
    """A request that may wait, on a connection of its own."""

    def __init__(self, port, target, tag=None, prefer=None, method="GET", **headers):
        self.connection = Connection(port)
        pairs = [(name.replace("_", "-"), value) for name, value in headers.items()]
        if tag is not None:
            pairs.append(("If-None-Match", tag))
        if prefer is not None:
            pairs.append(("Prefer", prefer))
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


REPRESENTATIONS = [
    ("/levels/Busy", {}), ("/levels/Busy?fields=*", {}), ("/levels/Busy?limit=10", {}),
    ("/levels/Busy", {"Accept": "application/x-plist"}), ("/levels/Busy", {"Accept_Encoding": "gzip"}),
    ("/detail/Busy/Row%205", {}), ("/document", {}), ("/document/Busy?format=json", {}),
]
UNTOUCHED = [
    ("/levels/", {}), ("/levels/Quiet", {}), ("/levels/Busy?fields=Price", {}), ("/levels/Busy?limit=3", {}),
    ("/detail/Busy/Row%206", {}), ("/document/Quiet", {}), ("/detail/Deep/Deeper/Deepest", {}),
]


def follow(port, target):
    """The link that the answer names; a change, and not its time, must end its wait."""
    return get(port, target).json()["follow"].replace("wait=20", f"wait={WAIT}")


FOLLOWED = ["/levels/Busy", "/levels/Busy?fields=*&limit=10", "/detail/Busy/Row%205", "/changes"]
NOT_FOLLOWED = ["/levels/Quiet", "/levels/Busy?fields=Price", "/detail/Busy/Row%206"]


def wait_for_their_time(verdict, port):
    """Each way to ask for a second gives a 304, or no changes, after it."""
    target = "/levels/Quiet"
    known = tag(port, target)
    asked = [
        ("Prefer: wait=1", 304, Poll(port, target, known, "wait=1")),
        ("?wait=1", 304, Poll(port, target + "?wait=1", known)),
        ("HEAD", 304, Poll(port, target, known, "wait=1", method="HEAD")),
        ("a poll of the changes", 200, Poll(port, f"/changes?since={revision(port)}&wait=1")),
    ]
    gather([poll for *_, poll in asked])
    for what, status, poll in asked:
        answer = poll.answer()
        verdict.expect(
            answer is not None and answer.status == status, f"{what} gets {status} after its time: {answer and answer.status}")
        verdict.expect(
            poll.came is not None and poll.took >= 1, f"{what} is not answered early; it was after {poll.took:.3f} s")


def wakes(verdict, server, document):
    """A change answers the polls whose representation changes, and no others, with what a request gets then."""
    port = server.port
    before = revision(port)
    asked = [
        Poll(port, target, tag(port, target, **headers), f"wait={WAIT}", **headers) for target, headers in REPRESENTATIONS]
    head = Poll(port, "/levels/Busy", tag(port, "/levels/Busy"), f"wait={WAIT}", method="HEAD")
    changes = Poll(port, f"/changes?since={before}&wait={WAIT}")
    others = [Poll(port, target, tag(port, target, **headers), f"wait={WAIT}", **headers) for target, headers in UNTOUCHED]
    others += [Poll(port, follow(port, target)) for target in NOT_FOLLOWED]
    followed = [Poll(port, follow(port, target)) for target in FOLLOWED]
    mistaken = [poll.target for poll in [*asked, head, *others, changes, *followed] if poll.is_answered()]
    verdict.expect(not mistaken, f"no poll is answered before the change: {mistaken}")
    value = document.change()
    gather([*asked, head, changes, *followed])
    for poll, (target, headers) in zip(asked, REPRESENTATIONS):
        answer, again = poll.answer(within=0), get(port, target, **headers)
        if verdict.expect(answer is not None, f"{target} is answered when it changes"):
            verdict.expect(
                answer.status == 200 and answer.body == again.body and answer["etag"] == again["etag"],
                f"{target} {headers}: a poll gets what a request gets: {answer.status}")
    answer = head.answer()
    verdict.expect(
        answer is not None and answer.status == 200 and answer["etag"] == tag(port, "/levels/Busy"),
        f"a HEAD that waits gets 200 with the new tag: {answer and answer.status}")
    verdict.expect(
        value in get(port, "/levels/Busy").body.decode(), f"the level contains '{value}'")
    answer = changes.answer()
    if verdict.expect(answer is not None and answer.status == 200, "a poll of the changes is answered"):
        body = answer.json()
        verdict.expect(
            [entry["levels"] for entry in body["changes"]] == [["/levels/Busy"]] and body["revision"] == revision(port),
            f"the changes name the level, and end with the current revision: {answer.body[:300]}")
    for poll, target in zip(followed, FOLLOWED):
        answer = poll.answer(within=0)
        if verdict.expect(answer is not None and answer.status == 200, f"{poll.target} is answered by the change"):
            told, now = answer.json(), get(port, target).json()
            verdict.expect(
                [told.get(name) for name in ("version", "revision")] == [now.get(name) for name in ("version", "revision")]
                and (target == "/changes" or value in answer.body.decode()) and "&turn=" in told["follow"], f"{poll.target} gets the change and its turn: {answer.body[:300]}")
    # Nor does the same document again wake anybody.
    lines = len(server.log)
    document.save()
    server.signal(signal.SIGHUP)
    unchanged = wait_until(lambda: any("it is unchanged" in line for line in server.log[lines:]))
    verdict.expect(unchanged is not None, f"the same document is read again: {server.log[lines:]}")
    for poll in others:
        verdict.expect(not poll.is_answered(), f"{poll.target}, which did not change, still waits")
        poll.connection.close()


def main():
    arguments = options(__doc__)
    with Verdict("polls") as verdict, tempfile.TemporaryDirectory() as folder:
        document = Document(os.path.join(folder, "Data.plist"))
        with Server(arguments.server, document.path) as server:
            wait_for_their_time(verdict, server.port)
            wakes(verdict, server, document)


if __name__ == "__main__":
    main()
