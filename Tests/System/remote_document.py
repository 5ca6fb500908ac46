#!/usr/bin/env python3
"""A document behind a URL: followed, kept through the failures of its origin, and found again after each.

The origin is a web server of this script that does as it is told: it serves, holds its answers back, fails, leads in
circles, never ends, goes away and comes back. The follower must serve its last good tree all the time, say `stale` and
why, and be `ok` by itself after the origin is. Its copy on disk is part of followers.py.
"""

import concurrent.futures
import gzip
import os
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from harness.client import DEADLINE, get, wait_until
from harness.documents import version_of, versioned
from harness.readiness import ready, served
from harness.server import Server, clean_environment
from harness.verdict import Verdict, megabytes, options

SECRET = "sesame"


class Origin:
    """A web server on 127.0.0.1 whose document and manners can be changed while it runs."""

    def __init__(self, port=0, waits=False, context=None):
        self.changed = threading.Condition()
        self.body, self.tag, self.number = b"", "", 0
        self.manner = "serves"
        self.waits = waits
        self.requests = []
        self.over = False
        self.serve(versioned(0))
        origin = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                try:
                    origin.answer(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, *_):
                pass

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, *_):
                # A client that gives up is what is tested.
                pass

        self.server = Quiet(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.scheme = "https" if context else "http"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def url(self, host="127.0.0.1", user=""):
        return f"{self.scheme}://{user}{host}:{self.port}/Data.plist"

    def serve(self, body):
        """Has a new document from now on."""
        with self.changed:
            self.number += 1
            self.body, self.tag = body, f'"{self.number}-{zlib.crc32(body):x}"'
            self.changed.notify_all()

    def behave(self, manner):
        with self.changed:
            self.manner = manner
            self.changed.notify_all()

    def close(self):
        with self.changed:
            self.over = True
            self.changed.notify_all()
        self.server.shutdown()
        self.server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def answer(self, request):
        with self.changed:
            self.requests.append((time.monotonic(), dict(request.headers)))
        condition = request.headers.get("If-None-Match")
        wait = None
        if self.waits and condition and "wait=" in request.headers.get("Prefer", ""):
            wait = int(request.headers["Prefer"].split("wait=")[1])
            with self.changed:
                self.changed.wait_for(
                    lambda: self.over or self.manner != "serves" or self.tag != condition, timeout=wait)
        if self.over:
            request.close_connection = True
            return
        if self.manner != "serves":
            getattr(self, self.manner)(request)
            return
        with self.changed:
            body, tag = self.body, self.tag
        fields = {"ETag": tag} | ({"Preference-Applied": f"wait={wait}"} if wait else {})
        if tag == condition:
            self.send(request, 304, fields)
        else:
            self.send(request, 200, fields, body)

    @staticmethod
    def send(request, status, fields, body=b""):
        request.send_response(status)
        for name, value in fields.items():
            request.send_header(name, value)
        if status != 304:
            request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    # Manners

    def is_silent(self, request):
        with self.changed:
            self.changed.wait_for(lambda: self.over or self.manner != "is_silent", timeout=60)
        request.close_connection = True

    def is_garbage(self, request):
        self.send(request, 200, {"ETag": '"garbage"'}, b"The quick brown fox\n")

    def is_half(self, request):
        self.send(request, 200, {"ETag": '"half"'}, self.body[:len(self.body) // 2])

    def is_cut(self, request):
        request.send_response(200)
        request.send_header("Content-Length", str(len(self.body)))
        request.end_headers()
        request.wfile.write(self.body[:len(self.body) // 2])
        request.close_connection = True

    def leads_in_circles(self, request):
        self.send(request, 302, {"Location": f"/Data.plist?{len(self.requests)}"})

    def leads_to_a_file(self, request):
        self.send(request, 302, {"Location": "file:///etc/passwd"})

    def never_ends(self, request):
        request.send_response(200)
        request.end_headers()
        request.close_connection = True
        while not self.over and self.manner == "never_ends":
            request.wfile.write(b" " * (1 << 16))

    def is_a_bomb(self, request):
        packer = zlib.compressobj(9, wbits=31)
        body = packer.compress(versioned(0)) + b"".join(packer.compress(bytes(1 << 20)) for _ in range(256))
        self.send(request, 200, {"Content-Encoding": "gzip"}, body + packer.flush())

    def is_packed(self, request):
        fields = {"Content-Encoding": "gzip", "ETag": f'"packed-{self.number}"'}
        self.send(request, 200, fields, gzip.compress(self.body))

    def is_missing(self, request):
        self.send(request, 404, {}, b"<html>")

    def fails(self, request):
        self.send(request, 500, {}, b"<html>" * 1000)


def follow(verdict, program):
    """An origin that holds its answers back is followed, and asked no more often than necessary."""
    with Origin(waits=True) as origin, Server(program, origin.url(), "--refresh", "3600") as server:
        for version in range(1, 6):
            # From a request that is held: two changes that come closer together share the spacing of two requests.
            wait_until(lambda: len(origin.requests) > version)
            origin.serve(versioned(version))
            took = wait_until(lambda: served(server) == str(version))
            verdict.expect(took is not None, f"version {version} of the origin is served")
        count = len(origin.requests)
        # Longer than the second that is left between two requests.
        wait_until(lambda: len(origin.requests) > count + 1, within=1.5)
        verdict.expect(len(origin.requests) <= count + 1, "no other request follows while one is held")
        verdict.expect(
            all(headers.get("Prefer") == "wait=50" for _, headers in origin.requests[1:]),
            "every request after the first asks to wait")
        log = len(server.log)
        verdict.expect(server.stop()[0] == 0, "the follower stops while a request is held")
        verdict.expect(len(server.log) <= log + 1, f"stopping is not logged as a failure: {server.log[log:]}")


FAILURES = {
    "is_silent": "did not respond within",
    "is_garbage": "it is not a property list",
    "is_half": "the document ends before the property list does",
    "is_cut": "the response ended before it was complete",
    "leads_in_circles": "it redirects more than 5 times",
    "leads_to_a_file": "neither http nor https",
    "never_ends": "the document is larger than 1000000 bytes",
    "is_a_bomb": "the document is larger than 1000000 bytes",
    "is_missing": "status 404",
    "fails": "status 500",
}


def fail(verdict, program, waits):
    """Each failure is told, outlived and forgotten; the last of all is that the origin is gone.

    The failures of an origin that holds its answers back are others than those of one that is polled.
    """
    kind = "held" if waits else "polled"
    settings = ("--refresh", "1", "--fetch-timeout", "2", "--max-document-bytes", "1000000")
    with Origin(waits=waits) as origin, Server(program, origin.url(), *settings) as server:
        for number, (manner, words) in enumerate(list(FAILURES.items())[waits::2], 1):
            before = served(server)
            mark = len(server.log)
            origin.behave(manner)
            if manner == "is_silent":
                # Else the silence may be the wait that was asked for, for a minute.
                server.signal(signal.SIGHUP)
            stale = wait_until(lambda: words in ready(server).get("lastError", ""))
            verdict.expect(stale is not None, f"{kind}: {manner} is reported as '{words}': {ready(server)}")
            verdict.expect(served(server) == before, f"{kind}: {manner} does not replace the last good tree")
            seen = len(origin.requests)
            wait_until(lambda: len(origin.requests) > seen)
            errors = [line for line in server.log[mark:] if "error:" in line]
            verdict.expect(len(errors) <= 2, f"{kind}: {manner} is logged once, not at each attempt: {errors}")
            if number % 2:
                origin.serve(versioned(number))
                before = str(number)
            origin.behave("serves")
            took = wait_until(lambda: ready(server)["status"] == "ok" and served(server) == before)
            verdict.expect(took is not None, f"{kind}: the follower recovers from {manner}: {ready(server)}")
        verdict.figure(f"{kind}: peak memory", megabytes(server.peak_bytes()))
        verdict.expect(server.peak_bytes() < 100 << 20, f"{kind}: no whole answer is kept in memory")
        origin.serve(versioned(99))
        origin.behave("is_packed")
        verdict.expect(wait_until(lambda: served(server) == "99") is not None, f"{kind}: gzip is unpacked")
        port = origin.port
        origin.close()
        told = wait_until(lambda: ready(server)["status"] == "stale")
        verdict.expect(told is not None, f"{kind}: an origin that is gone makes the tree stale")
        wait_until(lambda: "Connection refused" in ready(server)["lastError"])
        with Origin(port=port, waits=waits) as again:
            again.serve(versioned(100))
            # The pauses may be long by now; a reload does not wait for their end.
            server.signal(signal.SIGHUP)
            took = wait_until(lambda: served(server) == "100")
            verdict.expect(took is not None, f"{kind}: SIGHUP fetches at once from an origin that is back")


def refuse(verdict, program):
    """An error at the start is one sentence; user and password are never shown."""
    with Origin() as origin:
        user = f"me:{SECRET}@"
        origin.behave("is_missing")
        told_in_a_sentence(verdict, [program, "serve", origin.url(user=user), "--listen", "127.0.0.1:0"], "status 404")
        origin.behave("serves")
        told_in_a_sentence(verdict, [program, "check", f"http://{user}nowhere.invalid/"], "cannot be resolved")
        told_in_a_sentence(verdict, [program, "check", f"http://{user}127.0.0.1:99999/"], "not a valid URL", status=2)
        with Server(program, origin.url(user=user)) as server:
            verdict.expect(ready(server)["source"] == origin.url(), "/readyz shows the URL without its user")
            verdict.expect(SECRET not in "".join(server.log), "the log shows no password")
            verdict.expect(
                all("Authorization" in headers for _, headers in origin.requests[-1:]),
                "the origin receives user and password")


def told_in_a_sentence(verdict, command, words, status=1, environment=None):
    outcome = subprocess.run(
        command, capture_output=True, text=True, timeout=DEADLINE, env=clean_environment(environment))
    shown = outcome.stderr.strip()
    verdict.expect(outcome.returncode == status, f"'{words}' ends with status {status}: {outcome.returncode}, {shown}")
    verdict.expect(words in shown and shown.count("\n") == 0, f"'{words}' is one sentence: {shown}")
    verdict.expect(SECRET not in shown, f"no password is shown: {shown}")


def secure(verdict, program, folder):
    """A self-signed certificate is refused, and accepted if its authority is named."""
    key, certificate = os.path.join(folder, "key.pem"), os.path.join(folder, "certificate.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", certificate,
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    trusted = {"SSL_CERT_FILE": certificate}
    with Origin(context=context) as origin:
        told_in_a_sentence(
            verdict, [program, "check", origin.url("localhost")],
            "the server's identity cannot be verified (SSL certificate problem: self-signed certificate)")
        told_in_a_sentence(
            verdict, [program, "check", origin.url("127.0.0.1")], "the server's identity cannot be verified",
            environment=trusted)
        outcome = subprocess.run(
            [program, "check", origin.url("localhost")], capture_output=True, text=True, env=clean_environment(trusted))
        verdict.expect(outcome.returncode == 0, f"an authority that is named is trusted: {outcome.stderr}")


def fill(verdict, program, folder):
    """A copy in a file system that is full."""
    small = os.path.join(folder, "small")
    os.mkdir(small)
    if os.geteuid() != 0 or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small], capture_output=True).returncode:
        print("  (no file system of 1 MB can be made here: a device that is always full stands in)")
        copy, words = "/dev/full/copy", "Not a directory"
    else:
        copy, words = os.path.join(small, "copy.plist"), "No space left on device"
    try:
        with Origin() as origin, Server(program, origin.url(), "--cache", copy, "--refresh", "1") as server:
            for version in (1, 2):
                origin.serve(versioned(version, rows=20_000))
                taken = wait_until(
                    lambda: version_of(get(server.port, "/levels/?limit=10000"), rows=10_000) == str(version) or
                    f"version {version}".encode() in get(server.port, "/levels/?limit=1").body)
                verdict.expect(
                    taken is not None, f"version {version} is served although the disk has no room for its copy")
            wait_until(lambda: any("warning:" in line for line in server.log))
            warnings = [line for line in server.log if "warning:" in line]
            verdict.expect(len(warnings) == 1 and words in warnings[0], f"a full disk is logged once: {warnings}")
            verdict.expect(ready(server)["status"] == "ok", "a full disk does not make the document stale")
            if os.path.ismount(small):
                verdict.expect(
                    open(copy, "rb").read() == versioned(0), "the last copy that fit on the disk is still whole")
                # The second save may be at its end: what was published is saved afterwards.
                whole = ["copy.plist", "copy.plist.origin"]
                verdict.expect(
                    wait_until(lambda: sorted(os.listdir(small)) == whole) is not None,
                    f"no temporary file is left: {os.listdir(small)}")
    finally:
        if os.path.ismount(small):
            subprocess.run(["umount", small], check=True)


def main():
    arguments = options(__doc__, only="")
    with Verdict("remote_document") as verdict, tempfile.TemporaryDirectory() as folder:
        parts = {
            "follow": lambda: follow(verdict, arguments.server),
            "polled": lambda: fail(verdict, arguments.server, waits=False),
            "held": lambda: fail(verdict, arguments.server, waits=True),
            "refuse": lambda: refuse(verdict, arguments.server),
            "secure": lambda: secure(verdict, arguments.server, folder),
            "fill": lambda: fill(verdict, arguments.server, folder),
        }
        # Most of the time is pauses between requests, so the parts run together.
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for part in [pool.submit(part) for name, part in parts.items() if arguments.only in name]:
                part.result()


if __name__ == "__main__":
    main()
