#!/usr/bin/env python3
"""Extreme requests to every source of rows and of trees: none ends the server, and each has a right answer or a clear refusal.

The options, header fields and bodies come from the description of the API, the cursors from answers. First come the ends
of numbers and texts, one at a time; then random requests. The short form takes a part of the first; the long one:
--requests 200000 --whole. The same seed makes the same requests; --only names some of the sources.
"""

import collections
import itertools
import json
import os
import plistlib
import random
import re
import tempfile
import time

from harness.client import Closed, Connection, Cut, Malformed, get
from harness.described_requests import Maker, Request, operations_of, short
from harness.extremes import NUMBERS
from harness.row_sources import TOKEN, all_sources
from harness.server import Server
from harness.verdict import Verdict, megabytes, options

# Seconds within which each request is answered, also on a machine that has other work to do.
PROMPT = 60
MOST_MEMORY = 1_200_000_000
MOST_FAULTS = 40
# Requests of each kind of extremes in the short form.
PART = 8
EDGES = ("9223372036854775807", "9223372036854765807")
ENDS = (2**63 - 1,)
CRASHED = re.compile(r"Fatal error|at /.*[.]swift:|Illegal instruction|crashed")


class Site:
    """A server of one source, and what its answers say about it."""

    def __init__(self, verdict, program, source):
        self.verdict = verdict
        self.program = program
        self.source = source
        self.statuses = collections.Counter()
        self.slowest = (0, "")
        self.faults = 0
        self.start()
        description = get(self.server.port, "/openapi.json").json()
        self.kinds = set(description["components"]["schemas"]["ProblemKind"]["properties"]["type"].get("enum", []))
        self.operations = operations_of(description)
        self.statuses_of = [
            (re.compile(re.sub(r"\{[^}]+\}", "[^/?]+", operation.template) + r"(\?.*)?"), operation) for operation in
            self.operations]
        self.maker = Maker(source, self.operations, TOKEN)

    def start(self):
        # A short backtrace, because the server may end often.
        self.server = Server(self.program, self.source.source, *self.source.options, "--log-format", "json",
                             environment={"SWIFT_BACKTRACE": "threads=crashed,images=none,registers=none,limit=16"})
        self.connection = Connection(self.server.port, timeout=PROMPT)

    def close(self):
        self.connection.close()
        self.server.__exit__()

    @property
    def is_hopeless(self):
        return self.faults >= MOST_FAULTS

    def ask(self, request, is_again=False):
        """Asks, and holds the answer against the description; the answer is None if there is none."""
        begun = time.monotonic()
        try:
            answer = self.connection.request(request.target, request.method, request.headers, request.body)
        except (Closed, Cut, Malformed, TimeoutError, UnicodeEncodeError) as end:
            if isinstance(end, Closed) and not is_again and self.is_up():
                # The server may have closed an idle connection at this moment (RFC 9112, section 9.5).
                self.reconnect()
                return self.ask(request, is_again=True)
            self.fail(f"{request} ends with {end!r} after {time.monotonic() - begun:.1f} s")
            return None
        seconds = time.monotonic() - begun
        self.slowest = max(self.slowest, (seconds, str(request)))
        self.statuses[answer.status] += 1
        faults = self.faults_of(request, answer)
        if self.verdict.expect(not faults, f"{self.source.name}: {request} is {answer.status}: {'; '.join(faults)}"):
            self.learn(request, answer)
        else:
            self.faults += 1
        if "close" in (answer["connection"] or ""):
            self.reconnect()
        return answer

    def reconnect(self):
        self.connection.close()
        self.connection = Connection(self.server.port, timeout=PROMPT)

    def is_up(self):
        # A server that has crashed writes its backtrace for a moment.
        time.sleep(0.2)
        return self.server.is_running() and not any(CRASHED.search(line) for line in self.server.log)

    def fail(self, sentence):
        self.faults += 1
        self.connection.close()
        if self.is_up():
            self.verdict.expect(False, f"{self.source.name}: {sentence}")
        else:
            self.server.process.wait()
            said = [line.rpartition(" at ")[2] for line in self.server.log if CRASHED.search(line)]
            crashed = next((place for place, line in enumerate(said) if line.startswith("Thread")), -1)
            self.verdict.expect(False, f"{self.source.name}: the server ends: {sentence}: {' | '.join(said[crashed + 1:][:7])}")
            self.server.kill()
            self.start()
        self.reconnect()

    # MARK: Answers

    def faults_of(self, request, answer):
        operation = next((o for pattern, o in self.statuses_of
                          if o.method == request.method and pattern.fullmatch(request.target)), None)
        if operation and answer.status not in operation.statuses:
            return ["the status is not described"]
        if answer.status in (204, 304):
            return ["there is a body"] if answer.body else []
        if answer.status >= 400:
            return self.problem_faults(answer)
        kind = (answer["content-type"] or "").partition(";")[0]
        if answer["content-encoding"]:
            return []
        try:
            if kind == "application/json":
                content = json.loads(answer.body, parse_constant=refuse)
            elif "plist" in kind:
                content = plistlib.loads(answer.body)
            else:
                return []
        except (ValueError, plistlib.InvalidFileException, RecursionError) as error:
            return [f"the body is malformed: {error}"]
        if request.target.startswith("/levels/") and request.method == "GET":
            return level_faults(content, request.target)
        return []

    def problem_faults(self, answer):
        if answer.status >= 500 and (answer.status not in (503, 507) or not answer["retry-after"]):
            return [f"the server failed: {answer.body[:500]}"]
        if not (answer["content-type"] or "").startswith("application/problem+json"):
            return [f"it is no problem: {answer['content-type']} {answer.body[:200]}"]
        try:
            problem = json.loads(answer.body, parse_constant=refuse)
        except ValueError as error:
            return [f"the problem is malformed: {error}"]
        detail = problem.get("detail")
        if not isinstance(detail, str) or len(detail.split()) < 3 or not detail.endswith((".", "?", ")")):
            return [f"its 'detail' is no sentence: {detail!r}"]
        if problem.get("status") != answer.status or not str(problem.get("type")).startswith("/problems/"):
            return [f"it says another status or type: {answer.body[:200]}"]
        if self.kinds and problem["type"] not in self.kinds:
            return [f"it has an unknown type: {problem['type']}"]
        return []

    # MARK: Learning

    def learn(self, request, answer):
        """Takes fields, cursors, links and versions from an answer."""
        if answer["location"] and answer.status == 201:
            self.maker.made = self.maker.made[-200:] + [answer["location"]]
        if answer.status != 200 or not request.target.startswith("/levels/") or request.method != "GET":
            return
        if not (answer["content-type"] or "").startswith("application/json") or answer["content-encoding"]:
            return
        level = answer.json()
        self.maker.versions = self.maker.versions[-50:] + [level["version"]]
        if "limit=100&fields=*" in request.target:
            path = request.target[8:].partition("?")[0]
            names = itertools.chain.from_iterable(row["fields"] for row in level.get("rows", []))
            self.maker.fields[path] = [*dict.fromkeys(["Title", "Key", *names])][:16]
        link = level.get("next")
        cursor = re.search("[?&]after=([^&]+)", link or "")
        if cursor and len(link) < 6_000:
            target = link.replace(cursor[0], "", 1)
            target = target if "?" in target else target.replace("&", "?", 1) if "&" in target else f"{target}?"
            self.maker.nexts = self.maker.nexts[-600:] + [(target, cursor[1])]


def refuse(name):
    raise ValueError(f"{name} is no JSON")


def level_faults(level, target):
    """What is not consistent in the numbers of a level."""
    count, start, rows = level["count"], level.get("start", 0), level.get("rows")
    is_exact = "counted" not in level
    faults = []
    if count < 0 or start < 0:
        faults.append(f"a negative number: {count} rows from {start}")
    if is_exact and start > count:
        faults.append(f"a page begins at {start} of {count} rows")
    if rows is not None:
        limit = re.search(r"[?&]limit=0*([0-9]+)", target)
        end = start + len(rows)
        if len(rows) > int(limit[1] if limit else 10_000 if level.get("next") else 10**9):
            faults.append(f"{len(rows)} rows are more than the limit")
        # The position in an altered cursor may be wrong, and the values right.
        is_placed = is_exact and "after=" not in target
        if is_placed and rows and end > count:
            faults.append(f"{len(rows)} rows from {start} are more than {count}")
        if is_placed and level.get("next") and end >= count:
            faults.append(f"a page follows {end} of {count} rows")
        if is_placed and not level.get("next") and end < count and rows:
            faults.append(f"no page follows {end} of {count} rows")
        if level.get("next") and not rows:
            faults.append("a page without rows is followed by another")
        if any(row["count"] < 0 for row in rows):
            faults.append("a row has a negative number of rows")
    sections = level["sections"]
    if any(section["start"] < 0 or section["count"] < 0 for section in sections):
        faults.append(f"a section has a negative number: {short(str(sections))}")
    ends = [section["start"] + section["count"] for section in sections]
    if is_exact and ends and max(ends) > count:
        faults.append(f"a section ends at {max(ends)} of {count} rows")
    if any(section["start"] != end for section, end in zip(sections[1:], ends)):
        faults.append("a section does not begin at the end of the one before")
    return faults


# MARK: Kinds of requests


def extremes(site, source, is_whole):
    """Each extreme by itself."""
    maker = site.maker
    # The first answers say which fields there are, and with these there are more cursors.
    for _ in range(2):
        for request in list(maker.first_pages()):
            site.ask(request)
    # The ends of 64 bits are never left out.
    kinds = (lambda: maker.edge_pages(EDGES, ("10000",)), lambda: maker.cursors(ENDS))
    if is_whole:
        kinds = (maker.edge_pages, maker.cursors)
    for request in itertools.chain.from_iterable(kind() for kind in kinds):
        if site.is_hopeless:
            return
        site.ask(request)
    for kind in (maker.edge_pages, maker.cursors, maker.options, maker.paths, maker.headers, maker.edits)[2 * is_whole:]:
        requests = list(kind())
        if not is_whole:
            requests = source.sample(requests, min(PART, len(requests)))
        for request in requests:
            if site.is_hopeless:
                return
            site.ask(request)


def announced_lengths(site):
    """Bodies of extreme announced lengths: a refusal, or a wait until the client ends."""
    for length in NUMBERS:
        with Connection(site.server.port, timeout=PROMPT) as connection:
            headers = site.maker.authorized(**{"Content-Length": length.encode().decode("latin-1")})
            connection.send("/levels/", "POST", headers)
            connection.socket.sendall(b'"x"')
            if not connection.is_answered(within=0.5):
                continue
            try:
                # What follows the body of a shorter length is another request, which is malformed.
                fine = connection.receive().status in (201, 400, 401, 403, 409, 411, 413, 415, 422, 503)
                site.verdict.expect(fine, f"{site.source.name}: Content-Length {short(length)} is a refusal")
            except (Closed, Cut):
                site.verdict.expect(
                    site.server.is_running(), f"{site.source.name}: Content-Length {short(length)} ends the server")


def waiting(site):
    """Waits and revisions that are extreme: they are refused, or wait until the client leaves."""
    level = site.connection.get("/levels/").json()
    revision = site.connection.get("/readyz").json()["revision"]
    with_number = [revision.rpartition("-")[0] + "-" + number for number in NUMBERS]
    requests = [Request("/levels/", headers={"If-None-Match": f'"{level["version"]}"', "Prefer": f"wait={number}"})
                for number in NUMBERS if number.isascii()]
    requests += [Request(f"/levels/?since={level['version']}&wait={number}") for number in NUMBERS if number.isdigit()]
    for text in with_number:
        if text.isascii() and len(text) < 200:
            requests.append(Request("/levels/?wait=1", headers={"Drilldown-Revision": text}))
            requests += [Request(f"{target}={text}&wait=1") for target in ("/levels/?revision", "/changes?since")]
            requests.append(Request("/changes", headers={"Last-Event-ID": text, "Accept": "text/event-stream"}))
    connections = []
    for request in requests:
        connections.append(Connection(site.server.port, timeout=PROMPT))
        connections[-1].send(request.target.replace("+", "%2B").encode("ascii", "ignore").decode(), headers=request.headers)
    time.sleep(1.5)
    for request, connection in zip(requests, connections):
        if connection.is_answered() and "text/event-stream" not in str(request.headers):
            answer = connection.receive()
            faults = site.faults_of(request, answer)
            site.verdict.expect(not faults, f"{site.source.name}: {request} is {answer.status}: {'; '.join(faults)}")
        connection.close()


def spoiled(site, source):
    """Another program writes rows with extreme numbers into the tables of a tree: reads go on, edits are made or refused."""
    site.source.spoil()
    for request in (Request("/levels/"), Request("/detail/"), Request("/document?format=json")):
        site.ask(request)
    for at in ("first", "last", "0", "1", "5", "before:most", "after:zero", str(2**63 - 1)):
        for path in ("", "Deep", "zero", "least"):
            site.ask(Request(f"/levels/{path}?at={at}", "POST", site.maker.authorized(), b'"after"'))
    site.ask(Request("/moves", "POST", site.maker.authorized(), b'{"from": "/detail/zero", "to": "/levels/Deep", "at": 0}'))
    site.ask(Request("/detail/zero", "DELETE", site.maker.authorized()))
    for _ in range(200):
        if not site.is_hopeless:
            site.ask(site.maker.random(source))


def try_source(verdict, program, source, seed, count, is_whole):
    begun = time.monotonic()
    site = Site(verdict, program, source)
    numbers = random.Random(f"{seed} {source.name}")
    try:
        extremes(site, numbers, is_whole)
        announced_lengths(site)
        waiting(site)
        asked = sum(site.statuses.values())
        for _ in range(count):
            if site.is_hopeless:
                break
            site.ask(site.maker.random(numbers))
        randomly = sum(site.statuses.values()) - asked
        if source.spoil:
            spoiled(site, numbers)
        verdict.expect(site.slowest[0] < PROMPT, f"{source.name}: {site.slowest[1]} takes {site.slowest[0]:.1f} s")
        peak = site.server.peak_bytes()
        verdict.expect(peak < MOST_MEMORY, f"{source.name}: the server takes {megabytes(peak)}")
        errors = [line for line in site.server.log if '"level":"error"' in line.replace(" ", "")]
        verdict.expect(not errors, f"{source.name}: the log has {len(errors)} errors: {short(' | '.join(errors[:3]))}")
        told = ", ".join(f"{status}: {number}" for status, number in sorted(site.statuses.items()))
        verdict.figure(source.name, f"{asked} extremes, {randomly} random, {megabytes(peak)}, slowest "
                       f"{site.slowest[0]:.2f} s, {time.monotonic() - begun:.0f} s ({told})")
        status, _ = site.server.stop()
        verdict.expect(status == 0, f"{source.name}: the server ends with {status}")
    finally:
        site.close()


def main():
    arguments = options(__doc__, requests=2_700, seed=1, whole=False, only="")
    with Verdict("extreme_requests") as verdict, tempfile.TemporaryDirectory() as folder:
        # PostgreSQL and the server of the URL may be other users.
        os.chmod(folder, 0o755)
        with all_sources(arguments.server, folder) as sources:
            names = arguments.only.split(",") if arguments.only else list(sources)
            for name in names:
                try_source(verdict, arguments.server, sources[name], arguments.seed, arguments.requests // len(names),
                           arguments.whole)


if __name__ == "__main__":
    main()
