"""What a durable edit costs: edits a second beside the disk itself, etcd and SQLite, and reads while edits are made."""

import base64
import contextlib
import json
import os
import shutil
import socket
import statistics
import subprocess
import tempfile
import threading

import programs
from documents_part import SYNTAXES
from harness.author import AUTHOR, Author, copy_seconds, memory_of
from harness.client import Connection, wait_until
from harness.documents import Shape, write_xml
from harness.editors import TOKEN, token_file
from measure import SERVER_CORE, cpu_nanoseconds, load_with_wrk, say
from requests_part import server

CLIENTS = 32
# Edits a second while the cost of reads is measured.
PACE = 50


class Etcd(programs.Peer):
    """One member of etcd, which is asked through its own gateway from HTTP and JSON, on connections that are kept."""

    def __init__(self, folder):
        self.port, peer_port = free_ports(2)
        own, peer = (f"http://127.0.0.1:{port}" for port in (self.port, peer_port))
        self.process = subprocess.Popen(
            ["taskset", "-c", str(SERVER_CORE), "etcd", "--name", "only", "--data-dir", os.path.join(folder, "etcd"),
             "--listen-client-urls", own, "--advertise-client-urls", own, "--listen-peer-urls", peer,
             "--initial-advertise-peer-urls", peer, "--initial-cluster", f"only={peer}", "--log-level", "error"],
            env=os.environ | {"GOMAXPROCS": "1"}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if wait_until(self._answers, 30, every=0.1) is None:
            self.process.kill()
            raise RuntimeError("etcd does not start")

    def _answers(self):
        with contextlib.suppress(OSError), Connection(self.port, timeout=5) as connection:
            return connection.get("/health").status == 200
        return False


def free_ports(count):
    with contextlib.ExitStack() as probes:
        sockets = [probes.enter_context(socket.socket()) for _ in range(count)]
        for probe in sockets:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in sockets]


def edits_with_wrk(port, seconds, connections, method, targets, body, *headers):
    """Edits a second that wrk gets acknowledged; an answer that is no success is an error."""
    answers = load_with_wrk(port, "/", seconds, connections, script="edits.lua",
                            arguments=[method, targets, body, *headers])
    return answers / seconds


class Edited:
    """A document of some twenty kilobytes on the measured disk, and who may edit it."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "Edited.plist")
        shape = Shape(1)
        shape.groups, shape.shelves, shape.leaves = 1, 4, 20
        write_xml(self.path, shape)
        self.size = os.path.getsize(self.path)
        self.tokens = token_file(os.path.join(folder, "tokens"), [AUTHOR])
        # Each save is logged: who reads that is not measured.
        self.log_file = os.path.join(folder, "log")
        self.targets = os.path.join(folder, "targets")
        with open(self.targets, "w", encoding="utf-8") as file:
            file.writelines(f"/detail{shape.path(0, s)}/{shape.leaf(0, s, n).replace(' ', '%20')}\n"
                            for s in range(1, shape.shelves) for n in range(shape.leaves))
        # None of the edits changes this level.
        self.level = "/levels" + shape.path(0, 0)

    @property
    def options(self):
        return ("--edit-token-file", self.tokens)

    def edits(self, port, seconds, connections):
        return edits_with_wrk(
            port, seconds, connections, "PATCH", self.targets, '{"Subtitle":"edition %s"}',
            f"Authorization: Bearer {TOKEN.format(AUTHOR)}", "Content-Type: application/merge-patch+json")


def durable_edits(bench):
    peers = programs.build(bench.folder)
    # The peers' files must be on the disk on which the document is.
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        edited = Edited(folder)
        etcd_targets, etcd_body = etcd_puts(folder)
        with server(bench, edited.path, *edited.options, log_file=edited.log_file) as own, Etcd(folder) as etcd:
            seconds = bench.arguments.seconds
            ways = {
                "loop": lambda: printed(peers["durable_write"], edited.path, seconds),
                "one client": lambda: edited.edits(own.port, seconds, 1),
                "clients": lambda: edited.edits(own.port, seconds, CLIENTS),
                "etcd": lambda: edits_with_wrk(etcd.port, seconds, CLIENTS, "POST", etcd_targets, etcd_body,
                                               "Content-Type: application/json"),
                "sqlite wal": lambda: sqlite(peers, folder, "wal", seconds),
                "sqlite delete": lambda: sqlite(peers, folder, "delete", seconds),
            }
            found = in_turns(ways, bench.arguments.rounds)
        disk = "a C program with write, fsync, rename and fsync of the folder, for the same bytes"
        row(bench, f"durable edits per second in a document of {edited.size / 1000:.0f} KB, one client",
            found["one client"], disk, found["loop"])
        what = f"the same, {CLIENTS} clients"
        row(bench, what, found["clients"], disk, found["loop"])
        row(bench, what, found["clients"], f"etcd, one member, {CLIENTS} clients over HTTP", found["etcd"])
        row(bench, what, found["clients"], f"SQLite, synchronous=FULL, WAL, {CLIENTS} writers", found["sqlite wal"])
        row(bench, what, found["clients"], f"SQLite, synchronous=FULL, rollback journal, {CLIENTS} writers",
            found["sqlite delete"])


def slower_disk(bench):
    """Durable edits where a sync takes a millisecond longer, for the service and for the loop alike."""
    peers = programs.build(bench.folder)
    slower = programs.build_slower_sync(bench.folder)
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        edited = Edited(folder)
        with server(bench, edited.path, *edited.options, environment=slower, log_file=edited.log_file) as own:
            seconds = bench.arguments.seconds
            found = in_turns({
                "loop": lambda: printed(peers["durable_write"], edited.path, seconds, environment=slower),
                "one client": lambda: edited.edits(own.port, seconds, 1),
                "clients": lambda: edited.edits(own.port, seconds, CLIENTS),
            }, bench.arguments.rounds)
    disk = "the same C program, each fsync 1 ms longer"
    row(bench, "durable edits per second, each fsync 1 ms longer, one client", found["one client"], disk, found["loop"])
    row(bench, f"the same, {CLIENTS} clients", found["clients"], disk, found["loop"])


def row(bench, what, own, beside, other):
    """Rates: a ratio above 1 is good."""
    bench.row(what, f"{own:.0f}", beside, f"{other:.0f}", own / other)


def in_turns(ways, rounds):
    """The median of each way's figures; one turn after the other, so that a slow moment of the disk hits all."""
    found = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            found[name].append(way())
            say(f"{name}: {found[name][-1]:.0f} a second")
    return {name: statistics.median(figures) for name, figures in found.items()}


def etcd_puts(folder):
    path = os.path.join(folder, "etcd-targets")
    with open(path, "w", encoding="utf-8") as file:
        file.write("/v3/kv/put\n")
    # One key of the size of a path; the number itself is base64, too.
    key = base64.b64encode(b"Group 00000/Shelf 001/Leaf 00000-001-001").decode()
    return path, json.dumps({"key": key, "value": "%s"})


def sqlite(peers, folder, journal, seconds):
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = os.path.join(place, "items.db")
        return printed(peers["sqlite_commits"], path, journal, str(CLIENTS), seconds)


def printed(program, *arguments, environment=None):
    command = ["taskset", "-c", str(SERVER_CORE), program, *map(str, arguments)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True,
                                env=os.environ | (environment or {})).stdout)


def large_edits(bench):
    """An edit of one item of the large document, in turns with a copy of its file."""
    shape = Shape(bench.arguments.items)
    link = f"/detail{shape.path(0, 0)}/{shape.leaf(0, 0, 0).replace(' ', '%20')}"
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        for syntax, name in SYNTAXES.items():
            path = os.path.join(folder, os.path.basename(bench.large(syntax)))
            shutil.copyfile(bench.large(syntax), path)
            tokens = token_file(os.path.join(folder, "tokens"), [AUTHOR])
            with server(bench, path, "--edit-token-file", tokens) as own:
                author = Author(own.port)
                author.patch(link, Text="the first edit")
                pairs = []
                for turn in range(bench.arguments.load_rounds):
                    pairs.append((author.patch(link, Text=f"edit {turn}"), copy_seconds(path)))
                rise = memory_of(own, lambda: author.patch(link, Text="measured"))
            edit, copy = (statistics.median(part) for part in zip(*pairs))
            bench.row(f"edit in a document of {shape.items:,} items as {name}, {os.path.getsize(path) / 1e6:.0f} MB",
                      f"{edit:.2f} s", "a copy of the file with fsync", f"{copy:.2f} s", edit / copy)
            bench.row("peak of additional memory during this edit", f"{rise / 1e6:.0f} MB")
            os.unlink(path)


class PacedEditor(threading.Thread):
    """Edits at an even pace, until told to stop."""

    def __init__(self, port, edited):
        super().__init__(daemon=True)
        self.connection = Connection(port)
        self.headers = {"Authorization": f"Bearer {TOKEN.format(AUTHOR)}", "Content-Type": "application/json"}
        with open(edited.targets, encoding="utf-8") as file:
            self.targets = file.read().split("\n")[:-1]
        self.edits = 0
        self.stopping = threading.Event()

    def run(self):
        while not self.stopping.wait(1 / PACE):
            self.edits += 1
            body = json.dumps({"Subtitle": f"edition {self.edits:08d}"}).encode()
            answer = self.connection.request(
                self.targets[self.edits % len(self.targets)], "PATCH", self.headers, body)
            if answer.status != 200:
                raise RuntimeError(f"an edit is answered {answer.status}: {answer.body[:300]}")

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.join()
        self.connection.close()


def reads_beside_edits(bench):
    """CPU of a cached request while edits are made: what the edits take by themselves is taken off."""
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        edited = Edited(folder)
        with server(bench, edited.path, *edited.options) as own:
            seconds = bench.arguments.seconds
            costs = []
            for turn in range(bench.arguments.rounds + 1):
                quiet = request_cost(own, edited.level, seconds)
                with PacedEditor(own.port, edited) as editor:
                    alone = edit_cost(own, editor, seconds)
                    edits = editor.edits
                    began = cpu_nanoseconds(own.pid)
                    requests = load_with_wrk(own.port, edited.level, seconds)
                    spent = cpu_nanoseconds(own.pid) - began - alone * (editor.edits - edits)
                if turn:
                    costs.append((quiet, spent / requests / 1000))
    before, during = (statistics.median(part) for part in zip(*costs))
    bench.row(f"cached level during {PACE} edits per second: CPU per request", f"{during:.1f} µs",
              "without edits", f"{before:.1f} µs", statistics.median(two / one for one, two in costs))


def request_cost(own, target, seconds):
    began = cpu_nanoseconds(own.pid)
    requests = load_with_wrk(own.port, target, seconds)
    return (cpu_nanoseconds(own.pid) - began) / requests / 1000


def edit_cost(own, editor, seconds):
    """Nanoseconds of an edit, when nothing else is asked."""
    edits, began = editor.edits, cpu_nanoseconds(own.pid)
    threading.Event().wait(seconds)
    return (cpu_nanoseconds(own.pid) - began) / max(1, editor.edits - edits)
