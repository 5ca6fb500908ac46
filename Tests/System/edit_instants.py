#!/usr/bin/env python3
"""At each system call of a save, before it and after it: the server is killed, or someone else saves the document.

A small library in the server stops it there. After a kill each file must be whole, with the edit or without it, and the
next start must leave nothing beside the document. What someone else saved must never be lost, and an edit must be in
the document if and only if it was acknowledged.
"""

import ctypes
import os
import tempfile

from harness.client import Closed, Connection, Cut, wait_until
from harness.edited_document import BinaryDocument, EditedDocument, JSONDocument, MountedDocument
from harness.faults import Faults
from harness.items import Item, document, parsed
from harness.verdict import Verdict, options

# As <fcntl.h> and <stdio.h> have them.
AT_FDCWD = -100
RENAME_EXCHANGE = 2


def calls_of_an_edit(program, edited, faults):
    """Each call of a second edit: its name and its number among those of that name."""
    with edited.serve(program, environment=faults.environment) as server:
        edited.edit(server.port)
        faults.disarm()
        edited.edit(server.port)
        return [(call, number + 1) for call, count in faults.made.items() if call != "read" for number in range(count)]


class Instant:
    """One call at which something happens, of the second edit of a new server."""

    def __init__(self, verdict, program, edited, faults):
        self.verdict = verdict
        self.program = program
        self.edited = edited
        self.faults = faults

    def expect(self, holds, sentence):
        return self.verdict.expect(holds, f"{type(self.edited).__name__}, {self.what}: {sentence}")

    def kill(self, call, occurrence, moment):
        self.what = f"killed {moment} {call} {occurrence}"
        edited = self.edited
        with edited.serve(self.program, environment=self.faults.environment) as server:
            edited.edit(server.port)
            before = edited.number
            self.faults.arm(call, f"kill {moment}", occurrence)
            acknowledged = self.send(server)
            if not self.expect(not acknowledged or self.faults.hits, "the call is made"):
                return
            if acknowledged:
                # What is done behind the answer may be what it was killed in.
                wait_until(lambda: not server.is_running())
            server.process.wait()
        self.faults.disarm()
        self.judge_killed(before, acknowledged)

    def send(self, server):
        """Whether an edit is acknowledged."""
        with Connection(server.port) as connection:
            self.edited.send(connection)
            try:
                return connection.receive().status == 200
            except (Closed, Cut, ConnectionError):
                return False

    def judge_killed(self, before, acknowledged):
        edited = self.edited
        try:
            content = edited.content()
        except Exception as error:
            self.expect(False, f"each file can be read: {error!r}")
            return
        is_new = edited.is_done(content, edited.number)
        self.expect(is_new or edited.is_done(content, before), "the edit is in the files as a whole or not at all")
        self.expect(is_new or not acknowledged, "an acknowledged edit is in the files")
        with edited.serve(self.program, environment=self.faults.environment) as server:
            self.expect(not edited.strangers(), f"nothing is left after a start: {edited.strangers()}")
            self.expect(edited.is_done(edited.content(), edited.number) == is_new, "the start changes no file")
            answer = edited.edit(server.port)
            self.expect(answer.status == 200, f"an edit works after a start: {answer.status} {answer.body[:300]}")
            self.expect(edited.is_done(edited.content(), edited.number), "its edit is in the files")

    def save_meanwhile(self, server, call, occurrence, moment, save):
        """Someone else reads the file and saves it while the server stands still."""
        self.what = f"saved {save.__name__} {moment} {call} {occurrence}"
        edited = self.edited
        self.faults.arm(call, f"pause {moment}", occurrence)
        with Connection(server.port) as connection:
            edited.send(connection)
            stands = wait_until(lambda: self.faults.hits or connection.is_answered())
            if not self.expect(stands is not None and self.faults.hits, "the call is made"):
                self.faults.release()
                return
            outside = f"saved at edit {edited.number}"
            copy = with_outside(edited, outside)
            save(edited.path, copy)
            self.faults.release()
            answer = connection.receive()
        self.faults.disarm()
        self.judge_saved(server, answer, outside)

    def judge_saved(self, server, answer, outside):
        edited = self.edited
        self.expect(answer.status in (200, 409), f"is answered 200 or 409, not {answer.status}: {answer.body[:300]}")
        root = edited.content()[os.path.basename(edited.path)]
        self.expect(root.fields.get("Outside") == outside, f"the other save is in the file: {root.fields}")
        is_new = edited.is_done(edited.content(), edited.number)
        self.expect(is_new == (answer.status == 200),
                    f"the edit is in the file if it is acknowledged: {answer.status}, {is_new}")
        served = wait_until(lambda: parsed(edited.served(server.port)[0]).digest == root.digest)
        self.expect(served is not None, "what is in the file is served")
        self.expect(not edited.strangers(), f"no file is left: {edited.strangers()}")


def with_outside(edited, text):
    """The document's bytes as they are, with a field of someone else."""
    with open(edited.path, "rb") as file:
        root = parsed(file.read())
    return document(Item(root.fields | {"Outside": text}, root.sections), edited.syntax)


def by_rename(path, data):
    write(beside(path), data)
    os.replace(beside(path), path)


def by_exchange(path, data):
    write(beside(path), data)
    names = os.fsencode(beside(path)), os.fsencode(path)
    if ctypes.CDLL(None).renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE):
        os.replace(beside(path), path)
    else:
        os.unlink(beside(path))


def in_place(path, data):
    write(path, data)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def beside(path):
    """In a folder of its own: what is beside the document is the server's."""
    return os.path.join(os.path.dirname(os.path.dirname(path)), "outside")


def kills(verdict, arguments, kind):
    with tempfile.TemporaryDirectory(dir=arguments.folder or None) as folder:
        edited = kind(folder)
        faults = Faults(folder, edited.folder)
        calls = calls_of_an_edit(arguments.server, edited, faults)
        verdict.figure(f"{kind.__name__}: killed at", f"{len(calls)} calls, before and after each")
        instant = Instant(verdict, arguments.server, edited, faults)
        for call, occurrence in calls:
            for moment in ("before", "after"):
                instant.kill(call, occurrence, moment)


def saves(verdict, arguments, kind):
    with tempfile.TemporaryDirectory(dir=arguments.folder or None) as folder:
        edited = kind(folder)
        faults = Faults(folder, edited.folder)
        calls = calls_of_an_edit(arguments.server, edited, faults)
        instant = Instant(verdict, arguments.server, edited, faults)
        with edited.serve(arguments.server, environment=faults.environment) as server:
            edited.edit(server.port)
            for call, occurrence in calls:
                for moment in ("before", "after"):
                    for save in (by_rename, by_exchange, in_place):
                        instant.save_meanwhile(server, call, occurrence, moment, save)


def main():
    arguments = options(__doc__, folder="")
    with Verdict("edit instants") as verdict:
        for kind in (EditedDocument, JSONDocument, BinaryDocument, MountedDocument):
            kills(verdict, arguments, kind)
        for kind in (EditedDocument, JSONDocument, BinaryDocument):
            saves(verdict, arguments, kind)


if __name__ == "__main__":
    main()
