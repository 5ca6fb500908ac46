#!/usr/bin/env python3
"""A document that could not be read for a while is read again without being saved once more.

A file that comes without permission to read and is given it; a folder that is closed for a while; descriptors that are
all in use. While connections take all there are, a load finds some. And a large file that is touched again and again,
and not changed, is not read again and again.
"""

# Covers: TreeSources TreeStore Files

import contextlib
import os
import resource
import shlex
import socket
import tempfile

from harness.client import Connection, wait_until
from harness.documents import HEAD, TAIL, version_of, versioned
from harness.server import Server
from harness.verdict import Verdict, options

NOBODY = 65534


def wrapped(program, folder, name, words):
    """A script that runs the program in its own place, after or within some words of the shell."""
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(f'#!/bin/sh\n{words} {shlex.quote(program)} "$@"\n')
    os.chmod(path, 0o755)
    return path


def unprivileged(program, folder):
    """Permissions do not bind the superuser."""
    if os.getuid() != 0:
        return program
    words = f"exec setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups"
    return wrapped(program, folder, "unprivileged", words)


class Document:
    """A versioned document in a folder of its own, and what a server says about it."""

    def __init__(self, folder, connection=None):
        self.folder = folder
        self.path = os.path.join(folder, "Data.plist")
        self.connection = connection

    def save(self, version, mode=0o644):
        with open(self.path + ".new", "wb") as file:
            file.write(versioned(version))
        os.chmod(self.path + ".new", mode)
        os.replace(self.path + ".new", self.path)

    def readiness(self):
        return self.connection.get("/readyz").json()

    def turns_stale(self, words):
        return wait_until(lambda: words in self.readiness().get("lastError", "")) is not None

    def serves(self, version):
        return wait_until(lambda: version_of(self.connection.get("/levels/")) == version) is not None

    def turns_ok(self):
        return wait_until(lambda: self.readiness()["status"] == "ok") is not None


def permission(verdict, document, server):
    document.save("1", mode=0)
    verdict.expect(
        document.turns_stale("not allowed to read"), "a file without permission to read makes the document stale")
    os.chmod(document.path, 0o644)
    verdict.expect(document.serves("1"), "the file is served when it may be read")
    verdict.expect(document.turns_ok(), "the document is no longer stale")


def closed_folder(verdict, document, server):
    os.chmod(document.folder, 0)
    document.save("2")
    verdict.expect(document.turns_stale("Permission denied"), "a folder that is closed makes the document stale")
    os.chmod(document.folder, 0o755)
    verdict.expect(document.serves("2"), "the file is served when the folder may be read again")


def exhausted_descriptors(verdict, document, server):
    verdict.expect(document.turns_ok(), "the document is not stale before the descriptors are used up")
    before = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (3, before[1]))
    document.save("3")
    verdict.expect(document.turns_stale("Too many open files"), "lack of descriptors makes the document stale")
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, before)
    verdict.expect(document.serves("3"), "the file is served when descriptors are free again")
    told = [line for line in server.log if "Too many open files" in line]
    verdict.expect(len(told) == 1, f"the reason is logged once: {told}")


def taken_descriptors(verdict, program, document, few, saves=20):
    """Connections take all that there are, and the document is read again all the same."""
    document.save("4")
    with Server(program, document.path) as server:
        with Connection(server.port) as document.connection, contextlib.ExitStack() as crowd:
            verdict.expect(document.serves("4"), f"the service serves with {few} descriptors")
            for _ in range(2 * few):
                crowd.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            late = [
                version for version in map(str, range(5, 5 + saves))
                if document.save(version) or not document.serves(version)]
            verdict.expect(not late, f"with {2 * few} connections each save is served; {late} were not")


def bytes_read(pid):
    with open(f"/proc/{pid}/io") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("rchar:"))


def touched_file(verdict, program, folder, touches):
    path = os.path.join(folder, "Large.plist")
    item = "<dict><key>Title</key><string>Row {}</string><key>Text</key><string>{}</string></dict>"
    with open(path, "w") as file:
        rows = "".join(item.format(row, "x" * 400) for row in range(50_000))
        file.write(f"{HEAD}<array>{rows}</array>{TAIL}")
    size = os.path.getsize(path)
    with Server(program, path) as server, Connection(server.port) as connection:
        before = bytes_read(server.pid)
        for touch in range(touches):
            os.utime(path, (touch, touch))
            wait_until(lambda: False, 0.02)
        read = (bytes_read(server.pid) - before) / size
        verdict.figure("how often a touched file was read", f"{read:.1f} of {touches} touches")
        verdict.expect(
            read < touches / 2,
            f"a file that is only touched is read less than every other time; {read:.1f} of {touches}")
        with open(path + ".new", "w") as file:
            file.write(f"{HEAD}<array><string>new</string></array>{TAIL}")
        os.replace(path + ".new", path)
        took = wait_until(lambda: connection.get("/levels/").json()["count"] == 1)
        verdict.expect(took is not None, "another file in its place is served")


def main():
    arguments = options(__doc__, touches=100, few=40)
    with Verdict("recoveries") as verdict, tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        inner = os.path.join(folder, "inner")
        os.mkdir(inner)
        document = Document(inner)
        document.save("0")
        program, few = arguments.server, arguments.few
        # The limit of a process is set by its own user, and permissions do not bind the superuser.
        for run, parts in ((unprivileged(program, folder), (permission, closed_folder)),
                           (program, (exhausted_descriptors,))):
            with Server(run, document.path) as server, Connection(server.port) as document.connection:
                for part in parts:
                    part(verdict, document, server)
        limited = wrapped(program, folder, "limited", f"ulimit -n {few}; exec")
        taken_descriptors(verdict, limited, document, few)
        touched_file(verdict, arguments.server, folder, arguments.touches)


if __name__ == "__main__":
    main()
