#!/usr/bin/env python3
"""Followers of an origin that misbehaves in all ways that raw bytes allow: slow, cut, silent, endless, wrong.

A wrong answer makes a line of the log, and the last good tree is served on; the follower recovers by itself once its
origin does.
"""

import concurrent.futures
import os
import plistlib
import select
import signal
import socket
import threading

from harness.client import wait_until
from harness.documents import versioned
from harness.readiness import document_of, is_ok, is_stale, ready, served
from harness.server import Server
from harness.verdict import Verdict, megabytes, options


class Origin:
    """A server of raw bytes on a port, whose manner of answering can be changed at any time."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.lock = threading.Lock()
        self.body, self.manner = b"", "good"
        self.requests = 0
        self.over = False
        threading.Thread(target=self._accept, daemon=True).start()

    def serve(self, body, manner="good"):
        with self.lock:
            self.body, self.manner = body, manner

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            connection.settimeout(60)
            try:
                received = b""
                while b"\r\n\r\n" not in received:
                    piece = connection.recv(1 << 16)
                    if not piece:
                        return
                    received += piece
                with self.lock:
                    body, manner = self.body, self.manner
                    self.requests += 1
                getattr(self, manner)(connection, body, received.decode("latin-1"), manner)
            except OSError:
                pass

    def close(self):
        self.over = True
        self.listener.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _is(self, manner):
        return self.manner == manner and not self.over

    @staticmethod
    def _head(status="200 OK", *lines):
        return "\r\n".join([f"HTTP/1.1 {status}", "Connection: close", *lines, "", ""]).encode()

    def good(self, connection, body, received, _):
        tag = f'"{hash(body):x}"'
        if f"If-None-Match: {tag}" in received:
            connection.sendall(self._head("304 Not Modified", f"ETag: {tag}"))
        else:
            connection.sendall(self._head("200 OK", f"ETag: {tag}", f"Content-Length: {len(body)}") + body)

    # Manners that are slow, and right in the end

    def drips(self, connection, body, received, manner):
        connection.sendall(self._head("200 OK", f"Content-Length: {len(body)}"))
        for start in range(0, len(body), len(body) // 20):
            connection.sendall(body[start:start + len(body) // 20])
            select.select([], [], [], 0.05)

    def leads_here(self, connection, body, received, manner):
        if received.startswith("GET /there "):
            self.good(connection, body, received, manner)
        else:
            connection.sendall(self._head("302 Found", "Location: /there", "Content-Length: 0"))

    def in_chunks(self, connection, body, received, manner):
        connection.sendall(self._head("200 OK", "Transfer-Encoding: chunked"))
        for start in range(0, len(body), 100):
            piece = body[start:start + 100]
            connection.sendall(f"{len(piece):x};x=y\r\n".encode() + piece + b"\r\n")
        connection.sendall(b"0\r\nX: y\r\n\r\n")

    # Manners that are wrong

    def says_nothing(self, connection, body, received, manner):
        while self._is(manner) and not select.select([connection], [], [], 0.1)[0]:
            pass

    def hangs_up(self, connection, body, received, manner):
        pass

    def is_no_http(self, connection, body, received, manner):
        connection.sendall(b"\x00\xffSSH-2.0-OpenSSH_9.2\r\n" * 10)

    def is_garbage(self, connection, body, received, manner):
        connection.sendall(self._head("200 OK", "Content-Length: 5000") + os.urandom(5000))

    def is_empty(self, connection, body, received, manner):
        connection.sendall(self._head("200 OK", "Content-Length: 0"))

    def is_short(self, connection, body, received, manner):
        connection.sendall(self._head("200 OK", f"Content-Length: {len(body) + 1}") + body)

    def breaks_a_chunk(self, connection, body, received, manner):
        connection.sendall(self._head("200 OK", "Transfer-Encoding: chunked") + b"10\r\n<plist>\r\nzz\r\n")

    def turns_in_circles(self, connection, body, received, manner):
        connection.sendall(self._head("302 Found", "Location: /document", "Content-Length: 0"))

    def never_ends(self, connection, body, received, manner):
        connection.sendall(self._head() + body)
        while self._is(manner):
            connection.sendall(b" " * (1 << 16))

    def never_ends_its_head(self, connection, body, received, manner):
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while self._is(manner):
            connection.sendall(b"X-Filler: " + b"z" * 1000 + b"\r\n")

    def creeps(self, connection, body, received, manner):
        connection.sendall(self._head())
        while self._is(manner):
            connection.sendall(b" ")
            select.select([], [], [], 0.2)

    def fails(self, connection, body, received, manner):
        connection.sendall(self._head("500 Internal Server Error", "Content-Length: 100000") + b"x" * 100000)

    def is_full(self, connection, body, received, manner):
        connection.sendall(self._head("503 Service Unavailable", "Retry-After: 1", "Content-Length: 0"))

    def confirms_nothing(self, connection, body, received, manner):
        # A document whose rows lack their titles: it is a property list, and no tree.
        wrong = plistlib.dumps({"Rows": [{"Name": "x"}]})
        connection.sendall(self._head("200 OK", f"Content-Length: {len(wrong)}") + wrong)


SLOW = ("drips", "leads_here", "in_chunks")
WRONG = (
    "says_nothing", "hangs_up", "is_no_http", "is_garbage", "is_empty", "is_short", "breaks_a_chunk",
    "turns_in_circles", "never_ends", "never_ends_its_head", "creeps", "fails", "is_full", "confirms_nothing")


def is_slow(verdict, program):
    """Each slow manner is followed all the same."""
    with Origin() as origin:
        origin.serve(versioned(0))
        with Server(program, document_of(origin.port), "--refresh", "1") as follower:
            for version, manner in enumerate(SLOW, 1):
                origin.serve(versioned(version), manner)
                took = wait_until(lambda: served(follower) == str(version) and is_ok(follower))
                verdict.expect(
                    took is not None,
                    f"an origin that {manner} is followed; the follower serves {served(follower)}: {ready(follower)}")


def misbehaves(verdict, program, manners, most):
    """A wrong manner is logged in a line and does not replace the last good tree; it is forgotten once it is over."""
    with Origin() as origin:
        origin.serve(versioned(0))
        settings = ("--refresh", "1", "--fetch-timeout", "2", "--max-document-bytes", "2000000")
        with Server(program, document_of(origin.port), *settings) as follower:
            version = 0
            memory = follower.resident_bytes()
            for manner in manners:
                before = served(follower)
                lines = len(follower.log)
                origin.serve(versioned("wrong"), manner)
                if manner == "says_nothing":
                    # Else the silence may be the wait that was asked for, for almost a minute.
                    follower.signal(signal.SIGHUP)
                stale = wait_until(lambda: is_stale(follower))
                verdict.expect(
                    stale is not None, f"with an origin that {manner} the follower is stale: {ready(follower)}")
                verdict.expect(
                    served(follower) == before, f"an origin that {manner} does not replace the last good tree")
                # A few attempts more: neither they nor their lines may pile up.
                seen = origin.requests
                wait_until(lambda: origin.requests >= seen + 2)
                said = [line for line in follower.log[lines:] if f"127.0.0.1:{origin.port}" in line]
                verdict.expect(
                    1 <= len(said) <= 3, f"an origin that {manner} is logged in a line that names it: {said}")
                verdict.expect(
                    served(follower) == before,
                    f"an origin that {manner} does not replace it after more attempts either")
                version += 1
                origin.serve(versioned(version))
                took = wait_until(lambda: served(follower) == str(version) and is_ok(follower))
                verdict.expect(
                    took is not None, f"after an origin that {manner} the follower recovers: {ready(follower)}")
            grown = follower.peak_bytes() - memory
            verdict.figure("most memory added meanwhile", megabytes(grown))
            verdict.expect(
                grown <= most, f"no origin costs more memory than {megabytes(most)}: {megabytes(grown)}")
            status, _ = follower.stop()
            verdict.expect(status == 0, f"the follower stops with status 0; it stops with {status}")


def main():
    arguments = options(__doc__, memory=16, followers=5)
    with Verdict("misbehaving_origins") as verdict:
        # Most of the time is pauses between attempts, so some followers share the manners.
        with concurrent.futures.ThreadPoolExecutor() as pool:
            parts = [pool.submit(is_slow, verdict, arguments.server)]
            parts += [
                pool.submit(misbehaves, verdict, arguments.server, WRONG[first::arguments.followers],
                            arguments.memory * 1_000_000)
                for first in range(arguments.followers)]
            for part in parts:
                part.result()


if __name__ == "__main__":
    main()
