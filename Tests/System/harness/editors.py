"""Clients that edit at random: each reads a level, then edits what it has seen there, on a condition or without.

Every edit carries a number that no other edit has, so that each of them changes the document.
"""

import json
import random
import threading
import time
import urllib.parse

from harness.items import answered_detail, answered_level, link_of, parsed, path_of

TITLES = ("Alpha", "Beta", "Gamma", "A/B", "50 %", "Zoë", "Zoe\u0308", "Pins & <Needles>", "Alpha~2", "..", "", "日本")
TOKEN = "torture-token-of-{}"


class Request:
    """What a client asked and was told, and when: either a read, or an edit of some steps."""

    __slots__ = ("author", "sent", "answered", "target", "steps", "status", "told", "condition", "seen", "known",
                 "revision")

    def __init__(self, author, target, steps=None, condition=None):
        self.author = author
        self.target = target
        self.steps = steps
        # The read whose entity tag the edit names in If-Match.
        self.condition = condition
        self.status = None
        self.told = None
        # What a read has shown of the document's content.
        self.seen = None
        # The newest revision that the client knew before, and the one that the answer names.
        self.known = None
        self.revision = None

    @property
    def is_done(self):
        return self.status is not None and 200 <= self.status < 300

    def __repr__(self):
        what = json.dumps(self.steps, ensure_ascii=False) if self.steps else "read"
        return f"{self.author} {self.target} {what}: {self.status} {str(self.told)[:300]}"


class Editor:
    """One client with a token of its own, one request after the other.

    It leaves alone what is below the `kept` items of the first level, which others edit.
    """

    def __init__(self, name, connection, seed, kept=(), root=()):
        self.name = name
        self.connection = connection
        self.dice = random.Random(f"{name} {seed}")
        self.kept = kept
        self.root = tuple(root)
        self.number = 0
        self.requests = []
        self.tags = {}

    def close(self):
        self.connection.close()

    def number_text(self):
        """A text that no other edit has."""
        self.number += 1
        return f"{self.name} {self.number}"

    # Reading

    def read(self, target, shown):
        """Reads something, and keeps what `shown` makes of it."""
        request = self.requested(target)
        answer = self.connection.get(target)
        request.answered = time.monotonic_ns()
        request.status = answer.status
        if answer.status == 200:
            request.told = answer["etag"]
            request.seen = shown(answer)
        return request

    def requested(self, target, steps=None, condition=None):
        """A request that is sent now."""
        request = Request(self.name, target, steps, condition)
        self.requests.append(request)
        request.sent = time.monotonic_ns()
        return request

    def read_level(self, path):
        return self.read(link_of("levels", path) + "?fields=*", lambda answer: answered_level(answer.json()))

    def wander(self):
        """The path of some item with rows, and the read of its level."""
        path = self.root
        read = self.read_level(path)
        while read.seen:
            branches = [key for key, _, count, _ in read.seen["rows"] if count and not self.is_kept(path, key)]
            if not branches or self.dice.random() < 0.35:
                break
            below = (*path, self.dice.choice(branches))
            deeper = self.read_level(below)
            if deeper.seen is None:
                break
            path, read = below, deeper
        return path, read

    def is_kept(self, path, key):
        return not path and key in self.kept

    # Editing

    def edit(self):
        """Makes one edit of what it sees; gives the request, or None if it sees nothing to edit."""
        path, read = self.wander()
        if read.seen is None:
            return None
        rows = [key for key, *_ in read.seen["rows"] if not self.is_kept(path, key)]
        kinds = ["insert"] * (5 if len(rows) < 8 else 1) + ["new"]
        if rows:
            kinds += ["patch"] * 4 + ["put"] * 2 + ["batch"] * 2 + ["move"] * 2 + ["below"] * (len(path) < 3)
            kinds += ["delete"] * (1 if len(rows) < 8 else 6)
        return getattr(self, self.dice.choice(kinds))(path, read, rows)

    def insert(self, path, read, rows):
        steps = [self.insertion(path, read)]
        condition = self.read_for_condition("levels", path, 0.4)
        return self.ask("POST", link_of("levels", path) + query(steps[0]), steps[0]["insert"], steps, condition)

    def below(self, path, read, rows):
        """A leaf becomes a branch."""
        path = (*path, self.dice.choice(rows))
        steps = [{"insert": self.new_item(), "to": link_of("levels", path)}]
        return self.ask("POST", link_of("levels", path), steps[0]["insert"], steps)

    def new(self, path, read, rows):
        """PUT of an item that may be there or not."""
        title = f"New {self.dice.randint(0, 5)}"
        link = link_of("detail", (*path, title))
        fields = {"Title": self.dice.choice([title, title, "Beta"]), "Text": self.number_text()}
        return self.ask("PUT", link, fields, [{"put": fields, "of": link}])

    def put(self, path, read, rows):
        path = (*path, self.dice.choice(rows))
        fields = {"Title": self.dice.choice(TITLES), "Text": self.number_text()}
        link = link_of("detail", path)
        return self.ask("PUT", link, fields, [{"put": fields, "of": link}], self.read_for_condition("detail", path))

    def patch(self, path, read, rows):
        path = (*path, self.dice.choice(rows))
        changes = self.changes()
        link = link_of("detail", path)
        return self.ask("PATCH", link, changes, [{"patch": changes, "of": link}], self.read_for_condition("detail", path))

    def delete(self, path, read, rows):
        path = (*path, self.dice.choice(rows))
        link = link_of("detail", path)
        return self.ask("DELETE", link, None, [{"delete": link}], self.read_for_condition("detail", path))

    def move(self, path, read, rows):
        """To another level, since a move to the same place would change nothing."""
        target, other = self.wander()
        if target == path or other.seen is None:
            return self.batch(path, read, rows)
        path = (*path, self.dice.choice(rows))
        step = {"move": link_of("detail", path), "to": link_of("levels", target)} | self.position(other)
        body = {"from" if name == "move" else name: part for name, part in step.items()}
        return self.ask("POST", "/moves", body, [step], self.read_for_condition("detail", path))

    def batch(self, path, read, rows):
        """Some steps that belong together: two rows get the same text, and others come, go or change places."""
        text = self.number_text()
        steps = [
            {"patch": {"Pair": text}, "of": link_of("detail", (*path, key))}
            for key in self.dice.sample(rows, min(2, len(rows)))]
        for _ in range(self.dice.randint(0, 2)):
            link = link_of("detail", (*path, self.dice.choice(rows)))
            steps.append(self.dice.choice([
                self.insertion(path, read), {"delete": link},
                {"move": link, "to": link_of("levels", path)} | self.position(read)]))
        condition = self.read_for_condition("detail", path_of(steps[0]["of"]))
        body = list(steps)
        if condition is not None:
            body[0] = steps[0] | {"ifMatch": condition.told}
        return self.ask("POST", "/edits", {"edits": body}, steps, condition, in_header=False)

    # The parts of an edit

    def insertion(self, path, read):
        return {"insert": self.new_item(), "to": link_of("levels", path)} | self.position(read)

    def new_item(self):
        text = self.number_text()
        kind = self.dice.random()
        if kind < 0.15:
            return f"Text {text}"
        fields = {"Title": self.dice.choice(TITLES), "Text": text, "Tags": [1, {"deep": [text, True]}]}
        if kind > 0.7:
            fields["Children"] = [f"Row {text}", {"Title": "Beta", "Price": self.number}]
        elif kind > 0.6:
            fields["Sections"] = [{"Title": "One", "Rows": [f"Row {text}"]}, {"Title": "Two", "Rows": []}]
        return fields

    def changes(self):
        text = self.number_text()
        return {"Text": text} | self.dice.choice([
            {}, {}, {"Title": self.dice.choice(TITLES)}, {"Tags": None}, {"Price": self.number},
            {"Meta": {"by": self.name, "list": [text, True]}}, {"Meta": {"by": None, "at": self.number}}])

    def position(self, read):
        """`at`, and sometimes `section`."""
        rows, sections = read.seen["rows"], read.seen["sections"]
        choices = [{}, {}, {"at": "first"}, {"at": "last"}]
        if rows:
            choices += [{"at": f"{self.dice.choice(['before', 'after'])}:{self.dice.choice(rows)[0]}"}]
            number = self.dice.randrange(len(sections))
            choices += [{"at": self.dice.randint(0, sections[number][2]), "section": number}]
        return self.dice.choice(choices)

    def read_for_condition(self, kind, path, chance=0.4):
        """Sometimes a read of what an edit will name, else None."""
        if self.dice.random() > chance:
            return None
        shown = {"levels": answered_level, "detail": answered_detail}[kind]
        read = self.read(link_of(kind, path), lambda answer: shown(answer.json()))
        return read if read.seen is not None else None

    def ask(self, method, target, body, steps, condition=None, in_header=True):
        headers = {"Authorization": f"Bearer {TOKEN.format(self.name)}"}
        if condition is not None and in_header:
            headers["If-Match"] = condition.told
        data = b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
        if data:
            headers["Content-Type"] = "application/merge-patch+json" if method == "PATCH" else "application/json"
        request = self.requested(f"{method} {target}", steps, condition)
        answer = self.connection.request(target, method, headers, data)
        request.answered = time.monotonic_ns()
        request.status = answer.status
        request.told = answer.json() if answer.body else None
        self.asked(request, answer)
        return request

    def asked(self, request, answer):
        """Called after the answer to each edit."""


def query(step):
    parts = {name: step[name] for name in ("at", "section") if name in step}
    return "?" + urllib.parse.urlencode(parts, quote_via=urllib.parse.quote) if parts else ""


def token_file(path, names):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{name} {TOKEN.format(name)}\n" for name in names)
    return path


class Crowd:
    """Editors and readers, each on a thread of its own, until enough edits were sent."""

    def __init__(self, editors, readers, edits):
        self.editors = editors
        self.readers = readers
        self.left = edits
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.faults = []
        self.threads = [threading.Thread(target=self.run, args=(self.edit, editor)) for editor in editors]
        self.threads += [threading.Thread(target=self.run, args=(self.wander, reader)) for reader in readers]

    def run(self, work, client):
        try:
            work(client)
        except Exception as error:
            self.faults.append(f"{client.name} failed after {client.requests[-1:]}: {error!r}")

    def edit(self, editor):
        while self.may_go_on():
            editor.edit()

    def may_go_on(self):
        with self.lock:
            self.left -= 1
            return self.left >= 0

    def wander(self, reader):
        while not self.stopping.is_set():
            if reader.dice.random() < 0.3:
                reader.read("/document?format=json", lambda answer: parsed(answer.body).digest)
            else:
                reader.wander()

    def work(self):
        for thread in self.threads:
            thread.start()
        for thread in self.threads[:len(self.editors)]:
            thread.join()

    def end(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        for client in (*self.editors, *self.readers):
            client.close()

    @property
    def requests(self):
        return [request for client in (*self.editors, *self.readers) for request in client.requests]
