#!/usr/bin/env python3
"""HTTPS: versions, certificates that are replaced under load, pairs that do not fit, waits, slow clients and a stop over TLS.

A private authority signs the certificates; all of them are made by this test.
"""

import contextlib
import os
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import warnings

from harness.certificates import Authority
from harness.client import DEADLINE, Closed, Connection, Cut, wait_until
from harness.documents import Shape, versioned, write_xml
from harness.events import EventStream
from harness.server import Server, clean_environment
from harness.verdict import Verdict, options


class Files:
    """A certificate and its key in a folder that is replaced as a whole, as Kubernetes does it: by a symbolic link."""

    def __init__(self, folder):
        self.folder = folder
        self.count = 0
        self.certificate = os.path.join(folder, "current", "tls.crt")
        self.key = os.path.join(folder, "current", "tls.key")

    def replace(self, certificate, key):
        self.count += 1
        made = os.path.join(self.folder, f"version-{self.count}")
        os.mkdir(made)
        for source, name in ((certificate, "tls.crt"), (key, "tls.key")):
            with open(source, "rb") as file:
                content = file.read()
            with open(os.path.join(made, name), "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(content)
        link = os.path.join(self.folder, "next")
        os.symlink(os.path.basename(made), link)
        os.rename(link, os.path.join(self.folder, "current"))

    @property
    def options(self):
        return ["--tls-certificate", self.certificate, "--tls-key", self.key]


def subject(connection):
    return dict(part[0] for part in connection.socket.getpeercert()["subject"])["commonName"]


def versions(verdict, server, authority):
    warnings.simplefilter("ignore", DeprecationWarning)
    verdict.expect(any(f" at https://127.0.0.1:{server.port}/" in line for line in server.log),
                   f"the log names the https address: {server.log}")
    shown = subprocess.run(
        ["curl", "--silent", "--cacert", authority.path, "--write-out", "%{http_code} %{http_version}", "--output",
         "/dev/null", f"https://127.0.0.1:{server.port}/levels/"], capture_output=True, text=True)
    verdict.expect(shown.stdout == "200 1.1", f"curl gets the level: {shown.stdout} {shown.stderr}")
    for version, spoken in ((ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")):
        context = authority.context(newest=version)
        context.set_alpn_protocols(["h2", "http/1.1"])
        with Connection(server.port, tls=context) as connection:
            answer = connection.get("/levels/")
            cipher, _, bits = connection.socket.cipher()
            verdict.expect(
                answer.status == 200 and connection.socket.version() == spoken and bits == 128 and "GCM" in cipher
                and connection.socket.selected_alpn_protocol() == "http/1.1",
                f"{spoken}: {answer.status} {connection.socket.version()} {cipher}")
    for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
        try:
            with Connection(server.port, tls=authority.context(newest=version)) as connection:
                verdict.expect(False, f"{version.name} is spoken: {connection.socket.version()}")
        except (ssl.SSLError, ConnectionError):
            verdict.expect(True, "")
    with Connection(server.port) as connection:
        connection.socket.sendall(b"GET /levels/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        got = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := connection.socket.recv(1 << 16):
                got += piece
        verdict.expect(got == b"", f"a plain request gets nothing; it got {got[:60]}")


def refused_starts(verdict, program, document, authority, good):
    expired = authority.issue("expired", days=-1)
    for options, status, words in (
            (["--tls-certificate", expired[0], "--tls-key", expired[1]], 1, "the certificate of CN=expired expired at "),
            (["--tls-certificate", good[0]], 2, "name the file of the private key with --tls-key.")):
        ended = subprocess.run(
            [program, "serve", document, "--listen", "127.0.0.1:0", *options], stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=DEADLINE, env=clean_environment())
        verdict.expect(
            ended.returncode == status and words in ended.stderr and len(ended.stderr.splitlines()) <= 2,
            f"'{words}' with status {status}: {ended.returncode} {ended.stderr}")


class Visitor(threading.Thread):
    """Asks without a pause, on a new connection each time or on one that it keeps."""

    def __init__(self, port, context, keeps):
        super().__init__(daemon=True)
        self.port, self.context, self.keeps = port, context, keeps
        self.answers = 0
        self.subjects = set()
        self.fault = None
        self.ending = threading.Event()

    def run(self):
        try:
            while not self.ending.is_set():
                with Connection(self.port, tls=self.context) as connection:
                    self.subjects.add(subject(connection))
                    while not self.ending.is_set():
                        answer = connection.get("/levels/")
                        if answer.status != 200 or len(answer.json()["rows"]) != 12:
                            raise RuntimeError(f"{answer.status} {answer.body[:100]}")
                        self.answers += 1
                        if not self.keeps:
                            break
        except Exception as error:
            self.fault = f"a request failed after {self.answers} answers: {error!r}"


def replaced(server, words):
    return sum(words in line for line in server.log)


def swaps(verdict, server, authority, files, pairs, count):
    visitors = [Visitor(server.port, authority.context(), keeps) for keeps in (False, True, False)]
    for visitor in visitors:
        visitor.start()
    begun = time.monotonic()
    for number in range(count):
        files.replace(*pairs[number % 2])
        before = replaced(server, "was read again")
        server.signal(signal.SIGHUP)
        if wait_until(lambda: replaced(server, "was read again") > before) is None:
            verdict.expect(False, f"swap {number} is not read: {server.log[-3:]}")
            break
    for visitor in visitors:
        visitor.ending.set()
    for visitor in visitors:
        visitor.join(DEADLINE)
        verdict.expect(not visitor.is_alive() and visitor.fault is None, visitor.fault or "a client hangs")
    verdict.expect(visitors[0].subjects == {"first", "second"}, f"both are shown: {visitors[0].subjects}")
    verdict.expect(len(visitors[1].subjects) == 1, "a connection that is kept is not ended by a swap")
    verdict.expect(
        not any("error" in line for line in server.log), f"no swap is refused: {[l for l in server.log if 'error' in l]}")
    verdict.figure("swaps", f"{count} in {time.monotonic() - begun:.1f} s, beside "
                            f"{sum(visitor.answers for visitor in visitors)} answers")


def bad_swaps(verdict, server, authority, files, pairs):
    def shown():
        with Connection(server.port, tls=authority.context()) as connection:
            return subject(connection)

    before = shown()
    last = next(pair for pair in pairs if f"{before}.pem" in pair[0])
    next_one = next(pair for pair in pairs if pair is not last)
    expired = authority.issue("late", days=-1)
    for pair, words in (((next_one[0], last[1]), "the key does not belong to the certificate of"),
                        (expired, "the certificate of CN=late expired at")):
        files.replace(*pair)
        server.signal(signal.SIGHUP)
        verdict.expect(server.logs(words), f"'{words}' is logged: {server.log[-3:]}")
        verdict.expect(shown() == before, f"the old certificate stays: {shown()}")
    # The key follows its certificate, and nobody tells the service.
    files.replace(next_one[0], last[1])
    files.replace(*next_one)
    verdict.expect(wait_until(lambda: shown() != before), "a pair is used that became whole without a signal")
    os.chmod(files.key, 0o644)
    verdict.expect(server.logs("can be read or changed by other users (mode 644)"), "a key that all can read is told of")
    os.chmod(files.key, 0o600)


def answers(verdict, server, authority, document):
    context = authority.context()
    with Connection(server.port, tls=context) as connection:
        level = connection.get("/levels/")
        # Both in one record: the second one waits in the library's buffers while the first one sleeps.
        connection.send("/levels/?wait=30", headers={"If-None-Match": level["etag"]})
        connection.socket.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        connection.methods.append("GET")
        with EventStream(server.port, tls=context) as stream:
            with open(document, "wb") as file:
                file.write(versioned("second"))
            changed = connection.receive()
            verdict.expect(changed.status == 200 and b"version second" in changed.body, f"a poll: {changed.status}")
            verdict.expect(connection.receive().status == 200, "the request behind a poll is answered")
            event = stream.next()
            verdict.expect(event is not None and event.name == "change", f"a stream: {event}")


def client_hello(context):
    """The first bytes of a handshake."""
    outgoing = ssl.MemoryBIO()
    client = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="127.0.0.1")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


def slow_clients(verdict, program, document, authority, pair):
    deadlines = ["--request-deadline", "2", "--idle-timeout", "1", "--tls-certificate", pair[0], "--tls-key", pair[1]]
    hello = client_hello(authority.context())
    with Server(program, document, *deadlines) as server:
        sockets = [socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE) for _ in range(4)]
        # Nothing, a part of a handshake, all that a client says first, and a byte now and then.
        sockets[1].sendall(hello[:50])
        sockets[2].sendall(hello)
        before = server.cpu_seconds()
        begun = time.monotonic()
        trickle = iter(hello)
        ended = set()
        while len(ended) < len(sockets) and time.monotonic() - begun < DEADLINE:
            for number, one in enumerate(sockets):
                one.settimeout(0.05)
                try:
                    if number == 3 and number not in ended:
                        one.send(bytes([next(trickle)]))
                    while one.recv(1 << 16):
                        pass
                    ended.add(number)
                except TimeoutError:
                    pass
                except OSError:
                    ended.add(number)
        spent = server.cpu_seconds() - before
        verdict.expect(len(ended) == len(sockets), f"each is cut: {ended}")
        verdict.expect(spent < 0.15, f"a slow handshake costs no processor time: {spent:.2f} s")
        verdict.figure("slow handshakes", f"all cut within {time.monotonic() - begun:.1f} s, {spent:.2f} s of processor time")
        with Connection(server.port, tls=authority.context()) as connection:
            connection.get("/healthz")
            try:
                verdict.expect(connection.socket.recv(1) == b"", "an idle connection ends")
            except ssl.SSLError as error:
                verdict.expect(False, f"an idle connection ends with a farewell: {error!r}")


class Reader(threading.Thread):
    """Reads large answers until the service ends; an answer may not come in part."""

    def __init__(self, port, context, target, counted):
        super().__init__(daemon=True)
        self.port, self.context, self.target, self.counted = port, context, target, counted
        self.fault = None

    def run(self):
        try:
            while True:
                with Connection(self.port, tls=self.context) as connection:
                    while True:
                        answer = connection.get(self.target)
                        if answer.status != 200:
                            self.fault = f"{self.target} was answered {answer.status}"
                            return
                        self.counted.release()
                        if answer["connection"] == "close":
                            break
        except Cut as error:
            self.fault = f"an answer of {self.target} was cut {error}"
        except (Closed, OSError):
            pass


def stop(verdict, program, folder, authority, pair):
    shape = Shape(2000)
    document = os.path.join(folder, "Large.plist")
    write_xml(document, shape)
    with Server(program, document, "--tls-certificate", pair[0], "--tls-key", pair[1]) as server:
        context = authority.context()
        counted = threading.Semaphore(0)
        readers = [Reader(server.port, context, target, counted)
                   for target in ("/levels/", "/levels" + shape.path(0, 1), "/document", "/detail" + shape.path(1, 0))]
        stream = EventStream(server.port, tls=context)
        poll = Connection(server.port, tls=context)
        tag = poll.get("/levels/")["etag"]
        poll.send("/levels/?wait=60", headers={"If-None-Match": tag})
        half = socket.create_connection(("127.0.0.1", server.port))
        half.sendall(client_hello(context))
        for reader in readers:
            reader.start()
        verdict.expect(all(counted.acquire(timeout=DEADLINE) for _ in range(100)), "answers come before the stop")
        status, took = server.stop()
        verdict.expect(status == 0, f"the service exits 0; it exits {status}: {server.log[-3:]}")
        for reader in readers:
            reader.join(DEADLINE)
            verdict.expect(not reader.is_alive() and reader.fault is None, reader.fault or "a reader hangs")
        verdict.expect(poll.receive().status == 304, "a poll is answered")
        while stream.read_piece():
            pass
        verdict.expect(stream.cleanly, "a stream ends between two events, with a farewell")
        for end in (stream, poll, half):
            end.close()
        verdict.figure("stop", f"within {took:.1f} s")


def main():
    arguments = options(__doc__, swaps=100)
    with Verdict("tls") as verdict, tempfile.TemporaryDirectory() as folder:
        authority = Authority(folder)
        pairs = [authority.issue("first"), authority.issue("second")]
        document = os.path.join(folder, "Document.plist")
        with open(document, "wb") as file:
            file.write(versioned("first"))
        files = Files(folder)
        files.replace(*pairs[1])
        program = arguments.server
        with Server(program, document, *files.options) as server:
            versions(verdict, server, authority)
            swaps(verdict, server, authority, files, pairs, arguments.swaps)
            bad_swaps(verdict, server, authority, files, pairs)
            answers(verdict, server, authority, document)
        refused_starts(verdict, program, document, authority, pairs[0])
        slow_clients(verdict, program, document, authority, pairs[0])
        stop(verdict, program, folder, authority, pairs[0])


if __name__ == "__main__":
    main()
