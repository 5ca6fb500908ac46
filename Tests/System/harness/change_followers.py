"""Clients that follow /changes from the first entry on, by a stream and by asking, and one that keeps all levels."""

import json
import threading
import urllib.parse

from harness.client import DEADLINE, Connection
from harness.events import EventStream
from harness.mirror import applied


class Follower(threading.Thread):
    """Collects entries of /changes until the one of a revision has come; a fault ends it."""

    def __init__(self, port, revision):
        super().__init__(daemon=True)
        self.port = port
        self.revision = revision
        self.entries = []
        self.fault = None
        self.last = threading.Event()
        self.last_revision = None

    def end(self, revision):
        """Waits until the entry of the last revision has come."""
        self.last_revision = revision
        self.last.set()
        self.join(DEADLINE)
        if self.is_alive():
            self.fault = f"{type(self).__name__} has not got {revision} within {DEADLINE} s, only {self.revision}"

    @property
    def is_done(self):
        return self.last.is_set() and self.revision == self.last_revision

    def run(self):
        try:
            self.follow()
        except Exception as error:
            self.fault = f"{type(self).__name__}: {error!r}"


class StreamFollower(Follower):
    def follow(self):
        with EventStream(self.port, last_id=self.revision) as stream:
            while not self.is_done:
                event = stream.next(0.2)
                if event is None and not stream.ended:
                    continue
                if event is None or event.name != "change":
                    self.fault = f"the stream of changes brings {event} after {self.revision}"
                    return
                self.entries.append(json.loads(event.data))
                self.revision = event.id


class PollFollower(Follower):
    def follow(self):
        with Connection(self.port) as connection:
            while not self.is_done:
                since = urllib.parse.quote(self.revision, safe="")
                answer = connection.get(f"/changes?since={since}&wait=1")
                if answer.status == 304:
                    continue
                told = answer.json()
                if answer.status != 200 or told["reset"] or told["since"] != self.revision:
                    self.fault = f"/changes since {self.revision} answers {answer.status}: {answer.body[:300]}"
                    return
                if told["changes"] and told["changes"][-1]["revision"] != told["revision"]:
                    self.fault = f"the last entry since {self.revision} is not that of {told['revision']}"
                    return
                self.entries += told["changes"]
                self.revision = told["revision"]


class LevelKeeper(Follower):
    """Keeps every level by applying what changed since its copy, whenever an entry names it."""

    def __init__(self, port, revision):
        super().__init__(port, revision)
        self.copies = {}
        self.deltas = 0
        self.wholes = 0
        self.resets = 0

    def follow(self):
        with EventStream(self.port, last_id=self.revision) as stream, Connection(self.port) as connection:
            self.keep(connection, "/levels/")
            while not self.is_done:
                event = stream.next(0.2)
                if event is None and not stream.ended:
                    continue
                # All that has come by now is one round: a level that several entries name is asked for once.
                events = [event, *stream.take()]
                if any(event.name == "reset" for event in events):
                    # It was too slow for the stream: everything is fetched anew.
                    self.resets += 1
                    self.copies.clear()
                    self.keep(connection, "/levels/")
                    self.revision = events[-1].id
                    continue
                named = [json.loads(event.data) for event in events]
                if any(entry.get("truncated") for entry in named):
                    raise RuntimeError("an entry of a small document is truncated")
                for link in sorted({link for entry in named for link in entry["levels"]}, key=len):
                    self.keep(connection, link)
                self.revision = events[-1].id

    def keep(self, connection, link):
        """Renews a level, and fetches those below it that are not known yet."""
        waiting = [link]
        while waiting:
            link = waiting.pop()
            copy = self.copies.get(link)
            answer = connection.get(f"{link}?since={copy['version']}" if copy else link)
            if answer.status == 404:
                self.copies.pop(link, None)
                continue
            told = answer.json()
            if answer.status != 200:
                raise RuntimeError(f"{link} is answered {answer.status}: {answer.body[:200]}")
            self.wholes += "rows" in told
            self.deltas += "rows" not in told
            self.copies[link] = applied(told, copy)
            waiting += [row["href"] for row in self.copies[link]["rows"]
                        if not row["leaf"] and row["href"] not in self.copies]

    def differences(self):
        """The links of levels that are not as a fresh read has them."""
        wrong, known = [], set()
        with Connection(self.port) as connection:
            waiting = ["/levels/"]
            while waiting:
                link = waiting.pop()
                known.add(link)
                level = connection.get(link).json()
                if self.copies.get(link) != level:
                    wrong.append(f"{link}: kept {json.dumps(self.copies.get(link))[:300]}, it is {json.dumps(level)[:300]}")
                waiting += [row["href"] for row in level["rows"] if not row["leaf"]]
        return wrong
