#!/usr/bin/env python3
"""Each system call of a save fails in turn, in each way in which it can: no space, a fault of the disk, no permission.

A small library in the server makes the calls fail. The client must be told with the right problem, the files and the
tree must be as before, no file may be left beside the document, and the next edit must work.
"""

import errno
import os
import tempfile

from harness.edited_document import BinaryDocument, EditedDocument, JSONDocument, MountedDocument, ValuesDocument
from harness.faults import Faults
from harness.verdict import Verdict, options

NO_SPACE, FAULT, CONFLICT, DONE = 507, 500, 409, 200

# For each call, how it fails and which statuses are right then.
TABLE = {
    "create": [("ENOSPC", NO_SPACE), ("EDQUOT", NO_SPACE), ("EACCES", CONFLICT), ("EROFS", CONFLICT), ("EIO", FAULT),
               ("EMFILE", FAULT)],
    "write": [("ENOSPC", NO_SPACE), ("EDQUOT", NO_SPACE), ("EIO", FAULT), ("EINTR", DONE), ("short", DONE)],
    "sync": [("EIO", FAULT), ("ENOSPC", NO_SPACE)],
    "rename": [("EIO", FAULT), ("ENOSPC", NO_SPACE), ("EACCES", CONFLICT)],
    # A file system without this call is served all the same.
    "exchange": [("EIO", FAULT), ("ENOSPC", NO_SPACE), ("EINVAL", DONE), ("ENOSYS", DONE)],
    # Only some file systems cannot sync a folder; the one of this test can.
    "sync folder": [("EIO", FAULT), ("EINVAL", FAULT)],
    # What is removed is the old file, when the new one is in its place.
    "remove": [("EIO", DONE)],
    "truncate": [("EIO", FAULT)],
    "attribute": [("EPERM", DONE, FAULT, CONFLICT), ("EIO", DONE, FAULT)],
    "read": [("EIO", FAULT, CONFLICT, DONE)],
}


class Trial:
    """One call that fails in one edit: once, or with a full disk each time."""

    def __init__(self, verdict, server, edited, faults):
        self.verdict = verdict
        self.server = server
        self.edited = edited
        self.faults = faults

    def expect(self, holds, sentence):
        return self.verdict.expect(holds, f"{type(self.edited).__name__}, {self.what}: {sentence}")

    def calls(self):
        """How often each call is made in an edit that works."""
        self.what = "without a fault"
        self.faults.disarm()
        self.works()
        return self.faults.made

    def works(self):
        answer = self.edited.edit(self.server.port)
        self.expect(answer.status == DONE, f"an edit works: {answer.status} {answer.body[:300]}")
        self.expect(self.edited.is_done(self.edited.content(), self.edited.number), "the edit is in the file")
        self.expect(not self.edited.strangers(), f"no file is left: {self.edited.strangers()}")

    def fail(self, call, occurrence, fault, statuses):
        self.what = f"{fault} in {call} {occurrence}"
        files, served = self.edited.files(), self.edited.served(self.server.port)
        if fault == "short":
            self.faults.arm(call, "short", occurrence)
        else:
            # A full disk stays full: where a file is still being closed that an earlier save has replaced, the server
            # tries once more.
            self.faults.arm(call, "fail", occurrence, fault, lasts=statuses == [NO_SPACE])
        answer = self.edited.edit(self.server.port)
        hits, made = self.faults.hits, self.faults.made
        self.faults.disarm()
        if not self.expect(hits in ([1, 2] if statuses == [NO_SPACE] else [1]), f"the call is made ({made})"):
            return
        self.expect(answer.status in statuses, f"is answered {statuses}, not {answer.status}: {answer.body[:300]}")
        if answer.status == DONE:
            is_there = self.edited.is_done(self.edited.content(), self.edited.number)
            self.expect(is_there, "acknowledged, it is in the file")
        else:
            self.refused(answer, files, served, fault)
        self.works()

    def fail_undo(self):
        """The folder is not synced after the undo, either: nobody knows what a power failure leaves."""
        self.what = "EIO in each sync of the folder"
        files, served = self.edited.files(), self.edited.served(self.server.port)
        self.faults.arm("sync folder", "fail", 1, "EIO", lasts=True)
        answer = self.edited.edit(self.server.port)
        syncs = self.faults.made["sync folder"]
        self.faults.disarm()
        self.expect(syncs == 2, f"the folder is synced again after the undo: {syncs} syncs")
        self.expect(answer.status == FAULT, f"is answered {answer.status}: {answer.body[:300]}")
        self.expect(b"it is not known whether the document has the edit" in answer.body,
                    f"the answer says that the outcome is not known: {answer.body[:300]}")
        self.refused(answer, files, served, "EIO")
        self.works()

    def fail_reads(self):
        """The disk no longer gives the content to which the edit is applied."""
        self.what = "EIO in each read"
        files, served = self.edited.files(), self.edited.served(self.server.port)
        self.faults.arm("read", "fail", 1, "EIO", lasts=True)
        answer = self.edited.edit(self.server.port)
        hits = self.faults.hits
        self.faults.disarm()
        self.expect(hits > 0, f"reads fail: {hits}")
        self.expect(answer.status == FAULT, f"is answered {answer.status}: {answer.body[:300]}")
        self.refused(answer, files, served, "EIO")
        self.works()

    def refused(self, answer, files, served, fault):
        after = self.edited.files()
        self.expect(after == files, f"the files are as before: {sorted(after)}, "
                    f"changed {[name for name in files if after.get(name) != files[name]]}")
        self.expect(self.edited.served(self.server.port) == served, "the tree, its tag and the revision are as before")
        self.expect("application/problem+json" in (answer["content-type"] or ""), "a problem is answered")
        if answer.status == FAULT:
            told = answer.json().get("id") or answer.json()["detail"].split()[-1].strip("'.")
            self.expect(self.server.logs(told), f"the log has the identifier {told}: {answer.json()}")
        self.expect(self.edited.folder not in answer.body.decode(), f"no path is told: {answer.body[:300]}")
        reason = os.strerror(getattr(errno, fault, 0))
        self.expect(reason not in answer.body.decode(), f"no reason of the system is told: {answer.body[:300]}")


def exercise(verdict, arguments, kind):
    with tempfile.TemporaryDirectory(dir=arguments.folder or None) as folder:
        edited = kind(folder)
        faults = Faults(folder, edited.folder)
        with edited.serve(arguments.server, environment=faults.environment) as server:
            trial = Trial(verdict, server, edited, faults)
            # The first edit of a process may do what later ones need not.
            trial.calls()
            made = trial.calls()
            verdict.figure(f"{kind.__name__}: calls of an edit", {call: count for call, count in made.items() if count})
            for call in ("create", "write", "sync", "sync folder"):
                verdict.expect(made[call] > 0, f"{kind.__name__}: an edit makes the call '{call}'")
            for call, ways in TABLE.items():
                for occurrence in range(1, made[call] + 1):
                    for fault, *statuses in ways:
                        trial.fail(call, occurrence, fault, statuses)
            trial.fail_undo()
            trial.fail_reads()
            verdict.expect(server.is_running(), f"{kind.__name__}: the server goes on to the end")
        with edited.serve(arguments.server):
            verdict.expect(
                not edited.strangers(), f"{kind.__name__}: nothing is left after a start: {edited.strangers()}")


def main():
    arguments = options(__doc__, folder="")
    with Verdict("edit faults") as verdict:
        for kind in (EditedDocument, JSONDocument, BinaryDocument, MountedDocument, ValuesDocument):
            exercise(verdict, arguments, kind)


if __name__ == "__main__":
    main()
