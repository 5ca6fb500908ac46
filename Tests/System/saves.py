#!/usr/bin/env python3
"""Saves a small document again and again, in every way that editors and deployments do, some of them broken.

After each whole save the new version must be served, and `/readyz` must say `ok`. After a broken one
the version before must go on, and `/readyz` must say `stale` and why. A second client reads all the time: every answer
it gets must be one whole version that was saved, and never an older one than the answer before.
"""

import os
import random
import shutil
import tempfile
import threading

from harness.client import Connection, wait_until
from harness.documents import version_of, versioned
from harness.server import Server
from harness.verdict import Verdict, options


class Reader(threading.Thread):
    """Reads the first level without pause and judges every answer."""

    def __init__(self, port, valid):
        super().__init__(daemon=True)
        self.port = port
        self.valid = valid
        self.answers = 0
        self.faults = []
        self.stopping = threading.Event()

    def run(self):
        newest = -1
        try:
            with Connection(self.port) as connection:
                while not self.stopping.is_set():
                    answer = connection.get("/levels/")
                    version = version_of(answer) if answer.status == 200 else None
                    if version is None or version not in self.valid:
                        self.faults.append(
                            f"answer {self.answers} is {answer.status} with version {version}: {answer.body[:300]}")
                    elif int(version) < newest:
                        self.faults.append(f"answer {self.answers} went back from version {newest} to {version}")
                    else:
                        newest = int(version)
                    self.answers += 1
        except Exception as error:
            self.faults.append(f"the connection failed after {self.answers} answers: {error!r}")

    def end(self):
        self.stopping.set()
        self.join()


class PlainFile:
    """A document that is an ordinary file, and four ways to save it."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "Data.plist")
        self.write(self.path, versioned(0))

    @staticmethod
    def write(path, data):
        with open(path, "wb") as file:
            file.write(data)

    def in_place(self, data):
        with open(self.path, "wb", buffering=0) as file:
            half = len(data) // 2
            file.write(data[:half])
            file.write(data[half:])

    def aside_and_rename(self, data):
        self.write(self.path + ".new", data)
        os.replace(self.path + ".new", self.path)

    def as_vim_does(self, data):
        os.rename(self.path, self.path + "~")
        self.write(self.path, data)
        os.unlink(self.path + "~")

    def delete_and_create(self, data):
        os.unlink(self.path)
        self.write(self.path, data)

    def methods(self):
        return [self.in_place, self.aside_and_rename, self.as_vim_does, self.delete_and_create]


class MountedFolder:
    """A document below a folder that is a symbolic link, as Kubernetes mounts a configuration."""

    def __init__(self, folder):
        self.folder = folder
        self.path = os.path.join(folder, "Data.plist")
        self.saves = 0
        self.symlink_swap(versioned(0))
        os.symlink("..data/Data.plist", self.path)

    def symlink_swap(self, data):
        self.saves += 1
        link = os.path.join(self.folder, "..data")
        before = os.path.realpath(link)
        name = f"..save-{self.saves}"
        os.mkdir(os.path.join(self.folder, name))
        PlainFile.write(os.path.join(self.folder, name, "Data.plist"), data)
        os.symlink(name, link + "_tmp")
        os.replace(link + "_tmp", link)
        if self.saves > 1:
            shutil.rmtree(before)

    def methods(self):
        return [self.symlink_swap]


def broken_documents(version):
    whole = versioned(f"broken {version}")
    return {
        "half a document": whole[:len(whole) // 2],
        "nothing": b"",
        "no property list": b"The quick brown fox\n",
        "an item without a title": whole.replace(b"<key>Title</key>\n\t\t\t<string>Row 3</string>", b""),
        "a tag that is not closed": whole.replace(b"</dict>\n\t</array>", b"</array>"),
    }


def exercise(verdict, program, file, count, chance, dice):
    valid = {"0"}
    counts = {method.__name__: 0 for method in file.methods()}
    broken = 0
    with Server(program, file.path) as server:
        reader = Reader(server.port, valid)
        reader.start()
        with Connection(server.port) as connection:

            def served():
                return version_of(connection.get("/levels/"))

            def readiness():
                return connection.get("/readyz").json()

            def is_ok():
                ready = readiness()
                return ready["status"] == "ok" and not ready.get("lastError")

            def is_stale():
                ready = readiness()
                return ready["status"] == "stale" and bool(ready.get("lastError"))

            current = "0"
            for version in map(str, range(1, count + 1)):
                method = dice.choice(file.methods())
                if dice.random() < chance:
                    broken += 1
                    kind, data = dice.choice(list(broken_documents(version).items()))
                    method(data)
                    told = wait_until(is_stale)
                    verdict.expect(
                        told is not None, f"/readyz says stale after {kind} was saved {method.__name__}: {readiness()}")
                    verdict.expect(
                        served() == current,
                        f"version {current} is still served after {kind} was saved {method.__name__}")
                    method = dice.choice(file.methods())
                valid.add(version)
                method(versioned(version))
                counts[method.__name__] += 1
                verdict.expect(
                    wait_until(lambda: served() == version) is not None,
                    f"version {version} saved {method.__name__} is served; it is {served()}")
                verdict.expect(
                    wait_until(is_ok) is not None,
                    f"/readyz says ok after version {version} saved {method.__name__}: {readiness()}")
                current = version
        reader.end()
        for fault in reader.faults:
            verdict.expect(False, fault)
        verdict.expect(
            reader.answers > count, f"the reader gets an answer for every save and more; it got {reader.answers}")
        verdict.expect(
            not reader.faults, "every answer to the reader is a whole version, none older than the one before")
    for name, count in counts.items():
        verdict.figure(name.replace("_", " "), f"{count} saves")
    verdict.figure("broken saves", broken)
    verdict.figure("answers of the reader", reader.answers)


def main():
    arguments = options(__doc__, saves=100, broken=0.2, seed=1)
    dice = random.Random(arguments.seed)
    swaps = max(1, arguments.saves // 5)
    with Verdict("saves") as verdict, tempfile.TemporaryDirectory() as folder:
        for name, make, count in (("plain", PlainFile, arguments.saves - swaps), ("mounted", MountedFolder, swaps)):
            place = os.path.join(folder, name)
            os.mkdir(place)
            exercise(verdict, arguments.server, make(place), count, arguments.broken, dice)


if __name__ == "__main__":
    main()
