#!/usr/bin/env python3
"""/metrics after a counted load: every number is what was done, and promtool accepts the text."""

import json
import os
import plistlib
import re
import socket
import struct
import subprocess
import tempfile

from harness.client import Connection, get, wait_until
from harness.server import Server
from harness.verdict import Verdict, options

TOKEN = "alice-0123456789abcdef"
SAMPLE = re.compile(r'^([a-z_]+)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')


def metrics(port):
    """All samples: a dictionary from the name, and its labels in order, to the value."""
    answer = get(port, "/metrics")
    samples = {}
    for line in answer.body.decode().splitlines():
        if line.startswith("#"):
            continue
        name, labels, value = SAMPLE.match(line).groups()
        samples[(name, *(pair[1] for pair in LABEL.findall(labels or "")))] = float(value)
    return samples


class Tally:
    """What was done so far, by the names of the metrics."""

    def __init__(self, port):
        self.before = metrics(port)
        self.port = port
        self.counts = {}

    def add(self, *key, count=1):
        self.counts[key] = self.counts.get(key, 0) + count

    def note(self, answer, route, method="GET"):
        """Counts an answer with its body."""
        self.add("drilldown_http_requests_total", route, method, str(answer.status))
        if answer.body:
            self.add("drilldown_http_response_body_bytes_total", route, count=len(answer.body))
        return answer

    def differences(self):
        """What the service counts otherwise than it was done."""
        now = metrics(self.port)
        wrong = []
        prefixes = ("drilldown_http_requests", "drilldown_http_response", "drilldown_edit", "drilldown_saves",
                    "drilldown_loads")
        keys = {key for key in now if key[0].startswith(prefixes)} | set(self.counts)
        for key in sorted(keys):
            # The scrapes count as well, each at its end.
            if "/metrics" in key:
                continue
            counted = now.get(key, 0) - self.before.get(key, 0)
            if counted != self.counts.get(key, 0):
                wrong.append(f"{key} is {counted:g}, done was {self.counts.get(key, 0)}")
        return wrong

    def agrees(self, verdict, what):
        # A request counts at its end, which may be an instant after its last byte has come.
        wait_until(lambda: not self.differences(), every=0.05)
        wrong = self.differences()
        verdict.expect(not wrong, f"{what}: {wrong}")


def text(verdict, server):
    answer = get(server.port, "/metrics")
    verdict.expect(answer.status == 200, "metrics are served")
    verdict.expect(
        answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8", f"their type: {answer['Content-Type']}")
    checked = subprocess.run(["promtool", "check", "metrics"], input=answer.body, capture_output=True)
    told = (checked.stdout + checked.stderr).decode()
    verdict.expect(checked.returncode == 0 and not told, f"promtool accepts them without a warning: {told}")
    names = {line.split()[2] for line in answer.body.decode().splitlines() if line.startswith("# TYPE")}
    helps = {line.split()[2] for line in answer.body.decode().splitlines() if line.startswith("# HELP")}
    verdict.expect(names == helps, "each metric has a type and a help")
    verdict.expect(get(server.port, "/metrics?x=1").status == 400, "an unknown parameter is refused")


def reads(verdict, tally):
    """Every kind of answer to a read, each a known number of times."""
    with Connection(tally.port) as connection:
        for _ in range(50):
            level = tally.note(connection.get("/levels/"), "/levels")
        for _ in range(20):
            tally.note(connection.get("/levels/", If_None_Match=level["ETag"]), "/levels")
        for _ in range(7):
            tally.note(connection.request("/detail/One", "HEAD"), "/detail", "HEAD")
        for number in range(5):
            tally.note(connection.get(f"/levels/Nothing{number}"), "/levels")
            tally.note(connection.get(f"/nowhere/{number}"), "other")
        tally.note(connection.get("/levels/?colour=red"), "/levels")
        tally.note(connection.request("/levels/", "OPTIONS"), "/levels", "OPTIONS")
        tally.note(connection.request("/levels/", "BREW"), "/levels", "other")
        tally.note(connection.get("/document"), "/document")
        tally.note(connection.get("/assets/long"), "/assets")
        tally.note(connection.get("/assets/long", Range="bytes=5-9"), "/assets")
        tally.note(connection.get("/assets/long", Range="bytes=9999999-"), "/assets")
        tally.note(connection.get("/healthz"), "/healthz")
        tally.note(connection.get("/readyz"), "/readyz")
        tally.note(connection.get("/"), "/")
        tally.note(connection.get("/problems/conflict"), "/problems")
        tally.note(connection.get("/changes"), "/changes")
    tally.agrees(verdict, "reads are counted")


def refusals(verdict, tally):
    """What the HTTP layer refuses before anything is looked up."""
    for lines, route, method in (
            ("GET /levels/ HTTP/1.1\r\nHost: a b\r\n", "/levels", "GET"),
            ("GET /levels/ HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n", "/levels", "GET"),
            ("GET nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\n", "other", "GET"),
            ("GET /levels/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + "x" * 9000 + "\r\n", "/levels", "GET"),
            ("POST /levels/ HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip\r\n", "/levels", "POST")):
        with Connection(tally.port) as connection:
            connection.methods.append(method)
            connection.socket.sendall(lines.encode() + b"\r\n")
            answer = tally.note(connection.receive(), route, method)
            verdict.expect(answer.status >= 400, f"refused: {answer.status}")
            if method == "POST":
                tally.add("drilldown_edits_total", "failed" if answer.status >= 500 else "refused")
    tally.agrees(verdict, "refusals of the HTTP layer are counted")


def edits(verdict, tally):
    fields = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
    with Connection(tally.port) as connection:
        for number in range(10):
            body = json.dumps(f"new {number}").encode()
            tally.note(connection.request("/levels/", "POST", fields, body), "/levels", "POST")
            tally.add("drilldown_edits_total", "done")
            tally.add("drilldown_edit_steps_total")
            tally.add("drilldown_saves_total", "done")
        steps = [{"insert": "a", "to": "/levels/"}, {"insert": "b", "to": "/levels/"}, {"delete": "/detail/new%200"}]
        tally.note(connection.request("/edits", "POST", fields, json.dumps({"edits": steps}).encode()), "/edits", "POST")
        tally.add("drilldown_edits_total", "done")
        tally.add("drilldown_edit_steps_total", count=3)
        tally.add("drilldown_saves_total", "done")
        # Nothing is changed by this one.
        tally.note(connection.request("/detail/a", "PATCH", fields, b"{}"), "/detail", "PATCH")
        for target, method, body in (
                ("/detail/Nothing", "DELETE", b""), ("/levels/", "POST", b"{"), ("/moves", "POST", b'{"from":"/"}')):
            answer = tally.note(connection.request(target, method, fields, body), "/" + target.split("/")[1], method)
            verdict.expect(400 <= answer.status < 500, f"{method} {target} is refused: {answer.status}")
            tally.add("drilldown_edits_total", "refused")
    for fields, status in (({}, 401), ({"Authorization": "Bearer wrong-0123456789abcdef"}, 403)):
        with Connection(tally.port) as connection:
            answer = tally.note(connection.request("/levels/", "POST", fields, b'"x"'), "/levels", "POST")
            verdict.expect(answer.status == status, f"a wrong token: {answer.status}")
            tally.add("drilldown_edits_total", "refused")
    tally.agrees(verdict, "edits are counted")


def waits(verdict, tally, site):
    """Long polls and streams: shown while they wait, counted at their end."""
    with Connection(tally.port) as stream, Connection(tally.port) as poll, Connection(tally.port) as leaver:
        stream.socket.sendall(b"GET /changes HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n")
        tag = tally.note(poll.get("/levels/"), "/levels")["ETag"]
        poll.send("/levels/", headers={"If-None-Match": tag, "Prefer": "wait=60"})
        leaver.send("/levels/", headers={"If-None-Match": tag, "Prefer": "wait=60"})
        shown = wait_until(lambda: metrics(tally.port)[("drilldown_waiting_requests",)] == 2)
        verdict.expect(shown is not None, "two requests wait")
        verdict.expect(metrics(tally.port)[("drilldown_event_streams",)] == 1, "one stream is open")
        leaver.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        leaver.close()
        tally.add("drilldown_http_requests_unanswered_total")
        gone = wait_until(lambda: metrics(tally.port)[("drilldown_waiting_requests",)] == 1)
        verdict.expect(gone is not None, "one has left")
        site.write(["Changed"])
        tally.note(poll.receive(), "/levels")
        tally.add("drilldown_loads_total", "published")
        told = b""
        while b"event: change" not in told or not told.endswith(b"\r\n"):
            told += stream.socket.recv(1 << 16)
        # The bodies of its chunks.
        size, rest = 0, told.partition(b"\r\n\r\n")[2]
        while rest:
            length = int(rest.partition(b"\r\n")[0], 16)
            size += length
            rest = rest[rest.index(b"\r\n") + 2 + length + 2:]
    tally.add("drilldown_http_requests_total", "/changes", "GET", "200")
    tally.add("drilldown_http_response_body_bytes_total", "/changes", count=size)
    tally.add("drilldown_http_responses_incomplete_total")
    # The file may be read once more after its burst of events, and be found unchanged.
    wait_until(lambda: metrics(tally.port)[("drilldown_event_streams",)] == 0)
    unchanged = ("drilldown_loads_total", "unchanged")
    tally.counts.pop(unchanged, None)
    tally.add(*unchanged, count=int(metrics(tally.port)[unchanged] - tally.before.get(unchanged, 0)))
    tally.agrees(verdict, "waits are counted")
    now = metrics(tally.port)
    verdict.expect(now[("drilldown_http_wait_duration_seconds_count", "/changes")] == 1, "the stream's time is a wait")
    verdict.expect(now[("drilldown_http_wait_duration_seconds_count", "/levels")] == 1, "the long poll's is one too")


def aborts(verdict, tally):
    """Clients that leave while they send, and while they are answered."""
    for _ in range(5):
        with Connection(tally.port) as connection:
            fields = f"Authorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n"
            connection.socket.sendall(f"POST /levels/ HTTP/1.1\r\nHost: 127.0.0.1\r\n{fields}\r\n".encode() + b'"abc')
        tally.add("drilldown_http_requests_unanswered_total")
    for _ in range(3):
        connection = Connection(tally.port, receive_buffer=4096)
        connection.socket.sendall(b"GET /assets/huge HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        connection.socket.recv(1000)
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        tally.add("drilldown_http_requests_total", "/assets", "GET", "200")
        tally.add("drilldown_http_responses_incomplete_total")
    bytes_key = ("drilldown_http_response_body_bytes_total", "/assets")
    tally.counts[bytes_key] = tally.counts.get(bytes_key, 0)
    # An end that arrives together with a part of a request is noticed at the deadline.
    wait_until(lambda: len(tally.differences()) <= 1, every=0.05)
    # How much of a stream was taken before its client left, only the service knows.
    tally.counts[bytes_key] = int(metrics(tally.port)[bytes_key] - tally.before.get(bytes_key, 0))
    tally.agrees(verdict, "clients that leave are counted")
    verdict.expect(get(tally.port, "/healthz").status == 200, "and the service goes on")
    tally.add("drilldown_http_requests_total", "/healthz", "GET", "200")


def loads(verdict, site):
    def value(*key):
        return metrics(site.server.port)[key]

    before = value("drilldown_revision_number")
    with open(site.path, "wb") as file:
        file.write(b"<plist><dict>")
    seen = wait_until(lambda: value("drilldown_loads_total", "refused") >= 1)
    verdict.expect(seen is not None, "a refusal is counted")
    verdict.expect(value("drilldown_stale") == 1, "what is served is stale")
    verdict.expect(value("drilldown_last_refusal_timestamp_seconds") > 1.6e9, "with its time")
    site.write(["Again", "And again"])
    seen = wait_until(lambda: value("drilldown_items") == 2)
    verdict.expect(seen is not None, "the items are those of the new document")
    verdict.expect(value("drilldown_stale") == 0, "it is not stale any more")
    verdict.expect(value("drilldown_revision_number") > before, "the revision's number has risen")
    verdict.expect(value("drilldown_load_duration_seconds_sum", "published") > 0, "loads take time")


def process(verdict, server):
    now = metrics(server.port)
    verdict.expect(
        abs(now[("process_resident_memory_bytes",)] - server.resident_bytes()) < 8 << 20, "resident memory")
    verdict.expect(now[("process_open_fds",)] >= server.descriptors() - 2, "open descriptors")
    verdict.expect(0 < now[("process_cpu_seconds_total",)] <= server.cpu_seconds() + 1, "processor time")
    started = os.stat(f"/proc/{server.pid}").st_ctime
    verdict.expect(abs(now[("process_start_time_seconds",)] - started) < 30, "start time")
    verdict.expect(
        now[("drilldown_http_connections",)] <= now[("drilldown_http_connections_accepted_total",)], "connections")


class Site:
    def __init__(self, program, folder):
        self.path = os.path.join(folder, "Data.plist")
        tokens = os.path.join(folder, "tokens")
        with open(tokens, "w", encoding="utf-8") as file:
            file.write(f"alice {TOKEN}\n")
        os.chmod(tokens, 0o600)
        os.mkdir(os.path.join(folder, "assets"))
        for name, size in (("long", 100_000), ("huge", 64 << 20)):
            with open(os.path.join(folder, "assets", name), "wb") as file:
                file.write(b"x" * size)
        self.write(["One", {"Title": "Branch", "Children": ["Only"]}])
        self.server = Server(program, self.path, "--edit-token-file", tokens)

    def write(self, rows):
        with open(self.path + ".new", "wb") as file:
            plistlib.dump({"Rows": rows}, file, sort_keys=False)
        os.rename(self.path + ".new", self.path)


def main():
    given = options(__doc__)
    with Verdict("metrics") as verdict, tempfile.TemporaryDirectory() as folder:
        site = Site(given.server, folder)
        with site.server as server:
            text(verdict, server)
            tally = Tally(server.port)
            # Those of the checks above may end after the first scrape.
            wait_until(lambda: ("drilldown_http_requests_total", "/metrics", "GET", "400") in metrics(server.port))
            tally = Tally(server.port)
            reads(verdict, tally)
            refusals(verdict, tally)
            edits(verdict, tally)
            waits(verdict, tally, site)
            aborts(verdict, tally)
            loads(verdict, site)
            process(verdict, server)
            text(verdict, server)


if __name__ == "__main__":
    main()
