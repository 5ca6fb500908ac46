#!/usr/bin/env python3
"""Clients that ask for the longest answer and read none of it, or little by little.

They hold one body together, all bodies stay within --response-bytes, and each client is ended after the request deadline
without progress, however long its answer is; one that goes on reading gets all of it. Ordinary clients are answered
meanwhile. The short form has hundreds of connections, and time for other tests beside it. The long one:
--connections 16384 --prompt 20
"""

import concurrent.futures
import json
import multiprocessing
import os
import random
import re
import socket
import tempfile
import time

from harness.certificates import Authority
from harness.client import Connection, get, wait_until
from harness.crowd import IP_BIND_ADDRESS_NO_PORT, PER_ADDRESS
from harness.server import Server, allow_descriptors
from harness.service import Service
from harness.verdict import Verdict, megabytes, milliseconds, options, spread

# What a connection may take besides the bodies.
EACH = 25 << 10


def write_document(path, rows):
    """One level whose page of 10,000 rows of short values has 7.2 MB as JSON; no coding makes it much shorter."""
    source = random.Random(23)
    with open(path, "w") as file:
        json.dump({"Title": "Long", "Rows": [{"Title": f"Row {row:06d}"}
                                             | {name: source.randbytes(93).hex() for name in ("Subtitle", "Text", "Note")}
                                             for row in range(rows)]
                   + [{"Title": "Short", "Children": [{"Title": "One"}]}]}, file)


def ask(number, port, target, headers=(), tls=None):
    """Sends a request from one of many addresses; nothing of its answer is read."""
    client = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
    client.settimeout(30)
    client.bind((f"127.0.0.{2 + number // PER_ADDRESS}", 0))
    client.connect(("127.0.0.1", port))
    if tls:
        client = tls.wrap_socket(client, server_hostname="127.0.0.1")
    lines = [f"GET {target} HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""]
    client.sendall("\r\n".join(lines).encode())
    return client


def metric(port, name, **options):
    """A value of /metrics."""
    with Connection(port, **options) as connection:
        found = re.search(rf"^{name} (\S+)$", connection.get("/metrics").body.decode(), re.MULTILINE)
    return int(float(found[1]))


class Bystander:
    """An ordinary client in a process of its own, so that no other client keeps it waiting: how long its answers took."""

    def __init__(self, port):
        # It is asked for the times until now, and told to end.
        self.pipe, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=self._run, args=(port, theirs), daemon=True)

    @staticmethod
    def _run(port, pipe):
        times, fault = [], None
        try:
            with Connection(port) as connection:
                while True:
                    if pipe.poll(0.02):
                        if pipe.recv() is None:
                            return
                        pipe.send((times, fault))
                    begun = time.perf_counter()
                    answer = connection.get("/levels/Short")
                    times.append(time.perf_counter() - begun)
                    if answer.status != 200:
                        fault = f"an ordinary client is answered {answer.status}"
        except Exception as error:
            while pipe.recv() is not None:
                pipe.send((times, f"an ordinary client fails: {error!r}"))

    def report(self):
        """The times of the answers until now, and what went wrong, if anything."""
        self.pipe.send("report")
        return self.pipe.recv()

    def __enter__(self):
        self.process.start()
        return self

    def __exit__(self, *_):
        self.pipe.send(None)
        self.process.join()


def hold(verdict, program, document, name, count, requests, deadline, prompt, budget=64 << 20):
    """Many clients send requests and read nothing; checks memory, other clients, and that all are ended.

    `prompt` is what an ordinary request may take meanwhile, in milliseconds.
    """
    with Server(program, document, "--request-deadline", str(deadline), "--response-bytes", str(budget)) as server:
        # What is made once for all requests is no part of the sum.
        for target, headers in requests[:1]:
            get(server.port, target, **dict(line.split(": ") for line in headers))
        quiet, sockets = server.resident_bytes(), server.open_sockets()
        clients = []
        with Bystander(server.port) as bystander:
            for number in range(count):
                clients.append(ask(number, server.port, *requests[number % len(requests)]))
            begun = time.monotonic()
            asked = len(bystander.report()[0])
            # Every request was answered, or has been refused, once the first answer to a later one has come.
            wait_until(lambda: len(bystander.report()[0]) > asked + 20)
            on_their_way = metric(server.port, "drilldown_response_bytes")
            held = server.resident_bytes()
            refused = metric(server.port, "drilldown_responses_refused_total")
            while time.monotonic() < begun + deadline * 0.8:
                time.sleep(0.05)
            peak = max(held, server.resident_bytes())
            ended = wait_until(lambda: server.open_sockets() <= sockets + 2, within=deadline * 3 + 30, every=0.1)
            times, fault = bystander.report()
        verdict.expect(not fault, f"{name}: {fault}")
        # A process that the system leaves out for a moment says nothing of the service: one answer of a hundred is left out.
        slow = sorted(times)[int(len(times) * 0.99)]
        verdict.figure(
            f"{name}, {count} connections",
            f"{megabytes(peak - quiet)} more than before ({(peak - quiet - on_their_way) / count / 1024:.1f} KiB each "
            f"beside {megabytes(on_their_way)} of bodies), {refused} refused; ordinary requests {spread(times)}, 99 % {milliseconds(slow)}; "
            f"all ended {time.monotonic() - begun:.1f} s after the last request")
        verdict.expect(on_their_way <= budget, f"{name}: {on_their_way} bytes are on their way, above {budget}")
        # The heap keeps a few megabytes for what comes next.
        verdict.expect(
            peak - quiet <= on_their_way + count * EACH + (16 << 20),
            f"{name}: memory grew by {megabytes(peak - quiet)} with {megabytes(on_their_way)} of bodies")
        verdict.expect(ended is not None, f"{name}: {server.open_sockets() - sockets} sockets outlive the deadline")
        verdict.expect(slow < prompt / 1000, f"{name}: one of 100 ordinary requests takes {milliseconds(slow)} and more")
        verdict.expect(
            wait_until(lambda: metric(server.port, "drilldown_response_bytes") == 0) is not None,
            f"{name}: the bytes of ended answers are given back")
        for client in clients:
            client.close()
        return on_their_way, refused


def check_sharing(verdict, arguments, document):
    """Everyone who asks for the same answer gets the same body, and an indented or a long one in pieces of their own."""
    with Server(arguments.server, document) as server:
        size = len(get(server.port, "/levels/?limit=10000").body)
    on_their_way, refused = hold(
        verdict, arguments.server, document, "json", arguments.clients, [("/levels/?limit=10000", ())], arguments.deadline,
        arguments.prompt)
    verdict.expect(
        on_their_way == size and refused == 0,
        f"{on_their_way} bytes are on their way, and {refused} answers refused; one body has {size}")
    on_their_way, _ = hold(
        verdict, arguments.server, document, "pretty", arguments.clients, [("/levels/?limit=10000&pretty=true", ())],
        arguments.deadline, arguments.prompt)
    buffers = (on_their_way - size) / arguments.clients
    verdict.expect(0 < buffers < 1 << 20, f"pretty: a client takes {buffers / 1024:.0f} KiB beside the one body")
    hold(verdict, arguments.server, document, "document", arguments.clients, [("/document", ())], arguments.deadline,
         arguments.prompt)


def check_progress(verdict, arguments, document, folder):
    """A client that goes on reading is not ended, one that stops is: plain, with TLS, and on a Unix domain socket."""
    authority = Authority(folder)
    certificate, key = authority.issue("server")
    settings = ("--request-deadline", str(arguments.deadline))
    path = os.path.join(folder, "socket")

    def connected(target):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        client.settimeout(60)
        client.connect(path)
        client.sendall(f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        return client

    with (Server(arguments.server, document, *settings) as plain,
          Server(arguments.server, document, *settings, "--tls-certificate", certificate, "--tls-key", key) as secure,
          Service(arguments.server, document, "--listen", f"unix:{path}", *settings) as local,
          # Most of the time is pauses of the clients.
          concurrent.futures.ThreadPoolExecutor() as pool):
        local.logs(" at unix:")
        kinds = {
            "plain": lambda target: ask(0, plain.port, target),
            "TLS": lambda target: ask(0, secure.port, target, tls=authority.context()), "unix": connected}
        for read in [pool.submit(read_on, verdict, arguments, f"{name} {target}", connect, target)
                     for name, connect in kinds.items() for target in ("/levels/?limit=10000", "/document")]:
            read.result()


def read_on(verdict, arguments, name, connect, target):
    reader, idle = connect(target), connect(target)
    received = len(reader.recv(4096))
    begun = time.monotonic()
    # Several deadlines pass while it takes a piece ten times in each.
    while time.monotonic() < begun + 3 * arguments.deadline:
        time.sleep(arguments.deadline / 10)
        taken = 0
        while taken < 60_000 and (piece := reader.recv(60_000 - taken)):
            taken += len(piece)
        received += taken
    while piece := reader.recv(1 << 20):
        received += len(piece)
        if received >= arguments.rows * 550 and piece.endswith((b"0\r\n\r\n", b"}\n", b"</plist>\n")):
            break
    verdict.expect(
        received > arguments.rows * 550, f"{name}: a client that goes on reading gets all; it got {received} bytes")
    got = 0
    try:
        while piece := idle.recv(1 << 20):
            got += len(piece)
    except OSError:
        pass
    verdict.expect(0 < got < received, f"{name}: one that reads nothing is ended; it got {got} bytes")
    reader.close()
    idle.close()


def main():
    arguments = options(__doc__, clients=40, connections=400, rows=10_000, deadline=4, prompt=500, only="")
    allow_descriptors(arguments.connections + 1_000)
    with Verdict("unread_answers") as verdict, tempfile.TemporaryDirectory() as folder:
        document = os.path.join(folder, "Long.json")
        write_document(document, arguments.rows)
        if arguments.only in ("", "sharing"):
            check_sharing(verdict, arguments, document)
        if arguments.only in ("", "progress"):
            check_progress(verdict, arguments, document, folder)
        if arguments.only in ("", "crowd"):
            hold(verdict, arguments.server, document, "the longest answer", arguments.connections, [("/levels/?limit=10000", ())],
                 max(arguments.deadline, arguments.connections // 500), arguments.prompt)
            hold(verdict, arguments.server, document, "long answers of all kinds", arguments.connections,
                 [(f"/levels/?limit=9900&start={start}", ()) for start in range(50)],
                 max(arguments.deadline, arguments.connections // 500), arguments.prompt)


if __name__ == "__main__":
    main()
