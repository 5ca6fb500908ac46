#!/usr/bin/env python3
"""The folder of a mounted file is replaced by a link to a folder outside, and put back, again and again, during edits.

Nothing may be written outside of the document's folder, not even for a moment; the mounted file must always be a whole
document; and it must hold the last edit that was answered with success.
"""

import itertools
import json
import os
import plistlib
import random
import tempfile
import threading
import time

from harness.client import Connection
from harness.editors import TOKEN, token_file
from harness.server import Server
from harness.verdict import Verdict, options

AUTHOR = "author"
HEADERS = {"Authorization": f"Bearer {TOKEN.format(AUTHOR)}", "Content-Type": "application/json"}
PART = "Part.plist"


class Folders:
    """The document's folder with the folder of the mounted file, and a folder outside that looks like it."""

    def __init__(self, folder):
        self.inside = os.path.join(folder, "inside")
        self.mounted = os.path.join(self.inside, "sub")
        self.outside = os.path.join(folder, "outside")
        for place in (self.inside, self.mounted, self.outside):
            os.mkdir(place)
        self.path = os.path.join(self.inside, "Main.plist")
        self.write(self.path, {"Title": "Main", "Rows": [{"Title": "Mounted", "Source": f"sub/{PART}"}]})
        for place in (self.mounted, self.outside):
            self.write(os.path.join(place, PART), {"Title": "Part", "Rows": [{"Title": "Row", "Number": 0}]})
        self.tokens = token_file(os.path.join(folder, "tokens"), [AUTHOR])
        self.untouched = self.state_outside()

    @staticmethod
    def write(path, document):
        with open(path, "wb") as file:
            plistlib.dump(document, file)

    def state_outside(self):
        """The time of the last change in the folder outside, and its content. A file that was there for a moment has
        changed the time, too."""
        with open(os.path.join(self.outside, PART), "rb") as file:
            return os.stat(self.outside).st_mtime_ns, os.listdir(self.outside), file.read()

    def number(self):
        with open(os.path.join(self.mounted, PART), "rb") as file:
            return plistlib.load(file)["Rows"][0]["Number"]

    def swap(self, stopping, dice):
        away = os.path.join(self.inside, "away")
        while not stopping.is_set():
            os.rename(self.mounted, away)
            os.symlink(self.outside, self.mounted)
            time.sleep(dice.random() * 0.002)
            os.unlink(self.mounted)
            os.rename(away, self.mounted)
            time.sleep(dice.random() * 0.02)


def edit(port, seconds):
    """Edits the row in the mounted file without pause. Returns the statuses by number."""
    statuses = {}
    end = time.monotonic() + seconds
    with Connection(port) as connection:
        for number in itertools.count(1):
            if time.monotonic() >= end:
                return statuses
            body = json.dumps({"Number": number}).encode()
            statuses[number] = connection.request("/detail/Mounted/Row", "PATCH", HEADERS, body).status


def run(program, number, seconds, verdict):
    with tempfile.TemporaryDirectory() as folder:
        folders = Folders(folder)
        with Server(program, folders.path, "--edit-token-file", folders.tokens) as server:
            stopping = threading.Event()
            swapper = threading.Thread(target=folders.swap, args=(stopping, random.Random(number)))
            swapper.start()
            try:
                statuses = edit(server.port, seconds)
            finally:
                stopping.set()
                swapper.join()
        done = [number for number, status in statuses.items() if status == 200]
        verdict.expect(done, f"run {number}: some edits are done")
        verdict.expect(set(statuses.values()) <= {200, 404, 409},
                       f"run {number}: an edit is done, or the item is away: {sorted(set(statuses.values()))}")
        verdict.expect(folders.state_outside() == folders.untouched,
                       f"run {number}: nothing is written outside: {os.listdir(folders.outside)}")
        try:
            verdict.expect(folders.number() in done[-1:], f"run {number}: the file has {folders.number()} of {done[-3:]}")
        except plistlib.InvalidFileException as error:
            verdict.expect(False, f"run {number}: the mounted file is a document: {error}")
        return len(done), len(statuses)


def main():
    arguments = options(__doc__, runs=3, seconds=3.0)
    with Verdict("swapped folders") as verdict:
        counts = [run(arguments.server, number, arguments.seconds, verdict) for number in range(arguments.runs)]
        verdict.figure("edits", f"{sum(done for done, _ in counts)} done of {sum(sent for _, sent in counts)}")


if __name__ == "__main__":
    main()
