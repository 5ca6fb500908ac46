#!/usr/bin/env python3
"""Two builds of the program answer alike, byte for byte: for a change that is to change nothing.

    same_answers.py --server NEW --other OLD [--edits N] [FILE OR FOLDER]...

Each document is served by both from a copy of its own, and by both asked the same: every level, every detail, pages, orders,
searches, documents, wrong requests, then random edits, each followed by the levels, `/changes` and the file itself. Without
a file the documents are random ones alone. Status, header fields and body are compared; what is of the process or the
moment is left out: times, request ids, and the first part of a revision.
"""

import argparse
import glob
import json
import os
import random
import re
import shutil
import sys
import tempfile
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from harness.client import Closed, Connection, Cut, Malformed
from harness.edits import TITLES, EditedTree
from harness.editors import TOKEN, token_file
from harness.server import Server
from harness.verdict import Verdict

OF_THE_MOMENT = {"date", "drilldown-request", "drilldown-duration"}
REVISION = re.compile(rb"\b[a-z0-9]{6}-(\d+)\b")
INSTANT = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
IDENTIFIER = re.compile(rb"\b[0-9a-f]{32}\b")
LEVEL_OPTIONS = [
    "", "limit=3", "limit=3&start=2", "start=last", "sort=Title", "sort=-Title&limit=4", "sort=Subtitle,-Title", "q=a", "q=an&depth=3",
    "where=Title~a", "where=Title>=M&sort=Title", "where=Text!=x", "in=Title", "group=Title", "group=Subtitle&sort=Title",
    "depth=2", "depth=all&limit=20", "expand=1", "fields=Text", "fields=Title,Subtitle", "fields=", "fields=*", "pretty=true", "format=plist",
    "format=json", "format=binary", "since=AAAAAAAAAAAAAAAAAAAAAA", "wait=0", "limit=0", "limit=99999", "limit=x", "start=-1", "sort=", "where=",
    "where=Title", "nonsense=1", "sort=Title&sort=Text", "q=", "depth=0", "after=zzz",
]
DETAIL_OPTIONS = ["", "pretty=true", "format=plist", "fields=Title", "nonsense=1", "wait=0", "format=xml"]
PATHS = [
    "/", "/openapi.json", "/healthz", "/readyz", "/changes", "/changes?since=x", "/changes?wait=0", "/document", "/document?format=json",
    "/document?format=binary", "/document?inline=false", "/document?pretty=true&format=json", "/nothing", "/levels", "/levels/%zz",
    "/levels/none", "/detail/none", "/detail/", "/assets/x", "/browse/", "/client/app.js", "/metrics/x", "/levels//", "/robots.txt",
]
CODINGS = [None, None, None, "gzip", "br"]


class Pair:
    """The same document served by two programs; `ask` compares."""

    def __init__(self, verdict, name, programs, documents, options):
        self.verdict, self.name, self.asked = verdict, name, 0
        self.documents = documents
        self.servers = [Server(program, document, *options) for program, document in zip(programs, documents)]
        self.connections = [Connection(server.port) for server in self.servers]
        self.firsts = [REVISION.search(connection.get("/").body)[0].split(b"-")[0] for connection in self.connections]
        self.edits_done = 0

    def ask(self, target, method="GET", headers=None, body=None):
        """The answer of the older program, if there is one. A revision in the target is `REVISION-` and its number."""
        answers = []
        for place, server in enumerate(self.servers):
            try:
                its_own = target.replace("REVISION", self.firsts[place].decode())
                answers.append(self.connections[place].request(its_own, method, headers or {}, body or b""))
            except (Closed, Cut, Malformed, OSError) as error:
                answers.append(type(error).__name__)
                self.connections[place].close()
                self.connections[place] = Connection(server.port)
        new, old = (self.plain(*its_own) for its_own in zip(answers, self.servers, self.documents))
        self.asked += 1
        self.verdict.expect(new == old, f"{self.name}: {method} {target} {headers or ''} {(body or b'')[:200]}\n"
                            f"    new {str(new)[:600]}\n    old {str(old)[:600]}")
        return answers[1] if not isinstance(answers[1], str) else None

    @staticmethod
    def plain(answer, server, document):
        """What of an answer is to be equal."""
        if isinstance(answer, str):
            return answer
        def stripped(text):
            text = text.replace(os.path.dirname(document).encode(), b"FOLDER")
            text = text.replace(b":%d" % server.port, b":PORT")
            return IDENTIFIER.sub(b"ID", INSTANT.sub(b"TIME", REVISION.sub(rb"REVISION-\1", text)))
        headers = {name: stripped(value.encode()) for name, value in answer.headers.items() if name not in OF_THE_MOMENT}
        body = answer.body
        if REVISION.search(body):
            headers.pop("etag", None)
            # A time ends with its last digit that is not 0.
            headers.pop("content-length", None)
        if headers.get("content-encoding"):
            headers.pop("content-length", None)
            return answer.status, sorted(headers.items()), len(body)
        return answer.status, sorted(headers.items()), stripped(body)

    def files_are_equal(self):
        new, old = (open(document, "rb").read() if os.path.isfile(document) else None for document in self.documents)
        self.verdict.expect(new == old, f"{self.name}: the files differ after the edits")

    def close(self):
        for server in self.servers:
            server.stop()


def crawl(pair, dice, most):
    """Asks for every level and detail, each with some options; gives the links found."""
    waiting, levels, details = ["/levels/"], [], []
    seen = set(waiting)
    while waiting and len(levels) < most:
        link = waiting.pop(0)
        levels.append(link)
        join = "&" if "?" in link else "?"
        answer = pair.ask(link, headers={"Accept-Encoding": coding} if (coding := dice.choice(CODINGS)) else {})
        for option in dice.sample(LEVEL_OPTIONS, 4):
            answer_with = pair.ask(f"{link}{join}{option}")
            if answer_with and answer_with.status == 200 and answer_with["etag"]:
                pair.ask(f"{link}{join}{option}", headers={"If-None-Match": answer_with["etag"]})
        if not answer or answer.status != 200:
            continue
        try:
            level = json.loads(pair.ask(link).body)
        except ValueError:
            continue
        if level.get("next"):
            pair.ask(level["next"])
        for row in level.get("rows", []):
            for target in (row.get("href"), row.get("detail")):
                if target and target.startswith("/") and target not in seen:
                    seen.add(target)
                    (waiting if target.startswith("/levels/") else details).append(target)
        if (target := level.get("detail")) and target not in seen:
            seen.add(target)
            details.append(target)
    for link in details[:most]:
        answer = pair.ask(link)
        join = "&" if "?" in link else "?"
        pair.ask(f"{link}{join}{dice.choice(DETAIL_OPTIONS)}")
        if answer and answer["etag"]:
            pair.ask(link, headers={"If-None-Match": answer["etag"]})
    return levels, details


def random_edit(dice, levels, details, number):
    """A request that edits, right or wrong."""
    level, detail, other = dice.choice(levels), dice.choice(details), dice.choice(details)
    item = {"Title": dice.choice(TITLES) + dice.choice(["", f" {number}"]), "Text": f"text {number}"}
    if dice.random() < 0.2:
        item["Children"] = [{"Title": "Below"}, "a string"]
    at = dice.choice(["first", "last", 0, 1, 99, "before:Alpha", "after:Beta", "nonsense"])
    fields = {dice.choice(["Text", "Subtitle", "Price", "Key", "Title", "Children"]): dice.choice([number, f"value {number}", None, [1, "x"], {"a": 1}])}
    step = dice.choice([
        {"insert": item, "to": level, "at": at}, {"put": item, "of": detail}, {"patch": fields, "of": detail},
        {"move": detail, "to": level, "at": at}, {"delete": detail}])
    match dice.randrange(8):
        case 0: return "POST", f"{level}?at={urllib.parse.quote(str(at))}", item
        case 1: return "PUT", detail, item
        case 2 | 3: return "PATCH", detail, fields
        case 4: return "DELETE", detail, None
        case 5: return "POST", "/moves", {"from": detail, "to": level, "at": at}
        case 6: return "POST", "/edits", {"edits": [step, {"patch": {"Text": f"batch {number}"}, "of": other}]}
        case _: return "POST", "/edits", {"edits": [step]}


def edit(pair, dice, levels, details, count):
    headers = {"Authorization": "Bearer " + TOKEN.format("author"), "Content-Type": "application/json"}
    for number in range(count):
        method, target, body = random_edit(dice, levels, details, number)
        encoded = None if body is None else json.dumps(body).encode()
        conditions = {}
        if dice.random() < 0.2 and (answer := pair.ask(target)) and answer["etag"]:
            conditions["If-Match"] = answer["etag"]
        answer = pair.ask(target, method, headers | conditions, encoded)
        pair.edits_done += answer is not None and 200 <= answer.status < 300
        pair.ask(dice.choice(levels))
        pair.ask(dice.choice(details))
        if number % 10 == 9:
            pair.ask(f"/changes?since=REVISION-{max(1, pair.edits_done - 5)}")
            pair.ask(f"{dice.choice(levels)}?since=REVISION-1")
            pair.ask("/document?format=json")
            pair.files_are_equal()
    pair.ask("/levels/?depth=all&limit=500")


def documents_in(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
            continue
        # A settings bundle is a document as a whole, too.
        yield from sorted(os.path.dirname(name) for name in glob.glob(os.path.join(path, "**/Root.plist"), recursive=True))
        found = [name for pattern in ("**/*.plist", "**/*.bplist", "**/*.json", "**/*.csv", "**/*.strings")
                 for name in glob.glob(os.path.join(path, pattern), recursive=True)]
        yield from sorted(found)


def compare(verdict, programs, source, dice, arguments, options=()):
    with tempfile.TemporaryDirectory() as folder:
        places = []
        for name in ("new", "old"):
            # The answers tell the path of the document: it has to be as long, and the same below its folder.
            place = os.path.join(folder, name)
            if os.path.isdir(source):
                shutil.copytree(source, os.path.join(place, os.path.basename(source)))
            else:
                shutil.copytree(os.path.dirname(source), place, ignore=lambda _, names: [
                    other for other in names if os.path.isdir(os.path.join(os.path.dirname(source), other))])
            places.append(os.path.join(place, os.path.basename(source)))
        tokens = token_file(os.path.join(folder, "tokens"), ["author"])
        try:
            pair = Pair(verdict, os.path.basename(source), programs, places, ["--edit-token-file", tokens, *options])
        except RuntimeError as error:
            # Both refuse it, or the test says so.
            verdict.expect(all(not starts(program, place) for program, place in zip(programs, places)),
                           f"{source}: one of the two does not start: {error}")
            return 0, 0
        try:
            for path in PATHS:
                pair.ask(path)
            levels, details = crawl(pair, dice, arguments.most)
            if details:
                edit(pair, dice, levels, details, arguments.edits)
                pair.files_are_equal()
        finally:
            pair.close()
        return pair.asked, pair.edits_done


def starts(program, place):
    try:
        with Server(program, place):
            return True
    except RuntimeError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True, type=os.path.abspath)
    parser.add_argument("--other", required=True, type=os.path.abspath, help="the program to compare with")
    parser.add_argument("--edits", type=int, default=60, help="of each document")
    parser.add_argument("--most", type=int, default=400, help="levels, and details, of one document")
    parser.add_argument("--random", type=int, default=10, help="documents made at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("paths", nargs="*")
    arguments = parser.parse_args()
    programs = (arguments.server, arguments.other)
    with Verdict("same answers") as verdict, tempfile.TemporaryDirectory() as folder:
        sums = [0, 0]
        for source in documents_in(arguments.paths):
            dice = random.Random(f"{arguments.seed} {os.path.basename(source)}")
            sums = [sum(pair) for pair in zip(sums, compare(verdict, programs, os.path.abspath(source), dice, arguments))]
        for number in range(arguments.random):
            tree = EditedTree(f"{arguments.seed} {number}", items=80)
            for _ in range(20):
                tree.edit()
            place = os.path.join(folder, f"random-{number}")
            os.mkdir(place)
            path = os.path.join(place, "Tree.plist")
            tree.save(path)
            sums = [sum(pair) for pair in zip(sums, compare(verdict, programs, path, random.Random(number), arguments))]
        verdict.figure("requests", f"{sums[0]}, of which {sums[1]} edited the document")


if __name__ == "__main__":
    main()
