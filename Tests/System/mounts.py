#!/usr/bin/env python3
"""A document that mounts hundreds of others, edited while it is served.

Files are saved, appear, disappear and break; symbolic links are swapped; one of 600 is saved ten times a second. Each
time only the levels on the way to the change may differ, and all else must be served as before. What lies outside of the
folder must never be served.
"""

import json
import os
import plistlib
import tempfile
import threading
import time
import urllib.parse

from harness.client import Connection, wait_until
from harness.edits import save
from harness.server import Server, settle
from harness.verdict import Verdict, megabytes, options


class Campus:
    """The folder: a document of groups, each of which mounts some documents of one version each."""

    def __init__(self, folder, mounts):
        self.folder = os.path.join(folder, "inside")
        os.mkdir(self.folder)
        self.mounts = mounts
        self.versions = [0] * mounts
        for number in range(mounts):
            self.save(number, 0)
        self.path = os.path.join(self.folder, "Main.plist")
        groups = [
            {"Title": f"Group {group}",
             "Children": [{"Title": f"M{number}", "Source": f"{number}.plist"}
                          for number in range(group * 100, min(mounts, group * 100 + 100))]}
            for group in range((mounts + 99) // 100)]
        extra = [{"Title": "Extra", "Children": [{"Title": "Late", "Source": "late.plist"},
                                                 {"Title": "Link", "Source": "link.plist"}]}]
        self.link("0.plist")
        save(self.path, plistlib.dumps({"Title": "Campus", "Rows": groups + extra}))

    def file(self, name):
        return os.path.join(self.folder, name)

    def save(self, number, version):
        save(self.file(f"{number}.plist"), self.document(version))
        self.versions[number] = version

    @staticmethod
    def document(version):
        return plistlib.dumps({"Title": "Mounted", "Owner": f"version {version}", "Rows": [f"v{version}", "always"]})

    def link(self, target):
        aside = self.file("aside")
        os.symlink(target, aside)
        os.replace(aside, self.file("link.plist"))

    def level(self, number):
        return f"/levels/Group%20{number // 100}/M{number}"


def titles(connection, target):
    answer = connection.get(target)
    return [row["title"] for row in answer.json()["rows"]] if answer.status == 200 else None


def error_of(connection, target):
    return connection.get(target).json().get("error")


def tags(connection, campus, without=()):
    """The entity tags of all levels but some."""
    groups = {number // 100 for number in without}
    found = {f"/levels/Group%20{group}": None for group in range((campus.mounts + 99) // 100) if group not in groups}
    for number in range(campus.mounts):
        if number not in without:
            found[campus.level(number)] = None
    return {target: connection.get(target)["etag"] for target in found}


def changes_since(connection, revision):
    return connection.get(f"/changes?since={urllib.parse.quote(revision)}").json()


def one_save(verdict, campus, connection):
    before = tags(connection, campus, without=[7])
    revision = connection.get("/changes").json()["revision"]
    campus.save(7, 1)
    verdict.expect(
        wait_until(lambda: titles(connection, campus.level(7)) == ["v1", "always"]) is not None,
        "a save of a mounted file is served")
    verdict.expect(tags(connection, campus, without=[7]) == before, "all other levels keep their entity tags")
    [entry] = changes_since(connection, revision)["changes"]
    verdict.expect(all(link.startswith(campus.level(7)) for link in entry["levels"]),
                   f"only its levels are announced: {entry['levels']}")
    detail = connection.get("/detail/Group%200/M7").json()
    verdict.expect(detail["fields"].get("Owner") == "version 1", "the item shows the fields of the mounted root")


def coming_and_going(verdict, campus, connection):
    level = "/levels/Extra/Late"
    verdict.expect((error_of(connection, level) or "").startswith("late.plist: the file does not exist"),
                   "the level of a missing file says so")
    save(campus.file("late.plist"), campus.document(1))
    verdict.expect(wait_until(lambda: titles(connection, level) == ["v1", "always"]) is not None,
                   "a file that appears is served")
    os.unlink(campus.file("late.plist"))
    verdict.expect(wait_until(lambda: error_of(connection, level)) is not None, "a file that disappears leaves an error")
    row = connection.get("/levels/Extra").json()["rows"][0]
    verdict.expect(row.get("error") == error_of(connection, level) and row["leaf"] and row["count"] == 0,
                   "row and level carry the same sentence")
    verdict.expect(connection.get("/readyz").json()["status"] == "ok", "a missing file does not make the tree stale")


def breaking(verdict, campus, connection):
    """While a file is being written, what was served before must go on."""
    # What was answered to the requests that began in each round.
    seen, stopping = [set()], threading.Event()

    def read():
        with Connection(own_port) as other:
            while not stopping.is_set():
                titles_seen = seen[-1]
                answer = other.get(campus.level(8)).json()
                titles_seen.add(answer.get("error") or tuple(row["title"] for row in answer["rows"]))

    own_port = connection.socket.getpeername()[1]
    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    rounds, version = [], 0
    while len(rounds) < 5 and version < 100:
        version += 1
        seen.append(set())
        longest = write_slowly(campus.file("8.plist"), campus.document(version))
        arrived = wait_until(lambda: titles(connection, campus.level(8)) == [f"v{version}", "always"])
        if arrived is None:
            break
        # A file counts as written after 100 ms without a write. A busy machine may keep this writer from writing.
        if longest < 0.05:
            rounds.append(version)
    stopping.set()
    reader.join()
    wrong = {answer for number in rounds
             for answer in seen[number] - {(f"v{number - 1}", "always"), (f"v{number}", "always")}}
    verdict.expect(len(rounds) == 5, f"a file that is written slowly is served when it is whole ({len(rounds)} of 5 times)")
    verdict.expect(not wrong, f"nobody sees a half-written file: {wrong}")


def write_slowly(path, content):
    """Writes a file in place, in pieces; returns the longest time between two writes in seconds."""
    times = []
    with open(path, "wb", buffering=0) as file:
        times.append(time.monotonic())
        for start in range(0, len(content), len(content) // 4):
            file.write(content[start:start + len(content) // 4])
            times.append(time.monotonic())
            time.sleep(0.01)
    times.append(time.monotonic())
    return max(later - earlier for earlier, later in zip(times, times[1:]))


def links(verdict, campus, connection, outside):
    level = "/levels/Extra/Link"
    campus.link("1.plist")
    campus.save(1, 5)
    verdict.expect(wait_until(lambda: titles(connection, level) == ["v5", "always"]) is not None,
                   "a swapped link leads to the other file, whose saves are seen")
    campus.link(outside)
    verdict.expect(wait_until(lambda: "leads out of" in (error_of(connection, level) or "")) is not None,
                   "a link that leads out of the folder is refused")
    secret = b"secret"
    for _ in range(200):
        campus.link(outside)
        campus.link("0.plist")
        if secret in connection.get(level).body + connection.get("/document?format=json").body[-2_000:]:
            verdict.expect(False, "what lies outside of the folder was served")
            return
    verdict.expect(wait_until(lambda: titles(connection, level) == ["v0", "always"]) is not None,
                   "while links are swapped back and forth, nothing outside of the folder is served")


def circle(verdict, campus, connection):
    before = connection.get("/document?format=json").body
    save(campus.file("2.plist"), plistlib.dumps([{"Title": "Back", "Source": "Main.plist"}]))
    stale = wait_until(lambda: "mounted below itself" in connection.get("/readyz").json().get("lastError", ""))
    verdict.expect(stale is not None, "a circle makes the tree stale")
    verdict.expect(connection.get("/document?format=json").body == before, "the old tree is served")
    campus.save(2, 1)
    verdict.expect(wait_until(lambda: connection.get("/readyz").json()["status"] == "ok") is not None,
                   "a circle that is undone leaves the tree up to date")


def many_saves(verdict, campus, connection, server, seconds):
    """One of the files is saved ten times a second."""
    before = tags(connection, campus, without=[3])
    campus.save(3, 100)
    wait_until(lambda: titles(connection, campus.level(3)) == ["v100", "always"])
    settle(server)
    memory, cpu, begun = server.resident_bytes(), server.cpu_seconds(), time.monotonic()
    for turn in range(seconds * 10):
        campus.save(3, 101 + turn)
        time.sleep(max(0, begun + (turn + 1) / 10 - time.monotonic()))
    last = 100 + seconds * 10
    verdict.expect(wait_until(lambda: titles(connection, campus.level(3)) == [f"v{last}", "always"]) is not None,
                   "the last of many saves is served")
    took = (server.cpu_seconds() - cpu) / (time.monotonic() - begun)
    grown = server.resident_bytes() - memory
    verdict.figure("processor while one file is saved ten times a second", f"{100 * took:.1f} %")
    verdict.figure("memory grown meanwhile", megabytes(grown))
    verdict.expect(grown < 16e6, f"memory grows by no more than the history of changes: {megabytes(grown)}")
    verdict.expect(tags(connection, campus, without=[3]) == before, "all other levels keep their entity tags")
    settle(server)
    cpu, begun = server.cpu_seconds(), time.monotonic()
    # Nothing happens here: what is measured is the cost of a service that only watches.
    wait_until(lambda: False, within=5, every=1)
    idle = (server.cpu_seconds() - cpu) / (time.monotonic() - begun)
    verdict.figure("processor while nothing happens", f"{100 * idle:.2f} %")
    verdict.expect(idle < 0.02, f"a service that watches {campus.mounts} files is idle: {100 * idle:.2f} %")


def read_back(verdict, program, campus, connection, folder):
    """The document with everything in place is the same tree in one file."""
    whole = os.path.join(folder, "Whole.json")
    with open(whole, "wb") as file:
        file.write(connection.get("/document?format=json").body)
    alone = json.loads(connection.get("/document?format=json&inline=false").body)
    with open(campus.path, "rb") as file:
        verdict.expect(alone == plistlib.load(file), "inline=false gives the document as its file has it")
    with Server(program, whole) as server, Connection(server.port) as other:
        for target in ("/levels/Group%200", campus.level(5), "/detail/Group%200/M5"):
            verdict.expect(connection.get(target)["etag"] == other.get(target)["etag"],
                           f"{target} has the same version in one file")


def main():
    asked = options(__doc__, mounts=600, seconds=10)
    with Verdict("mounts") as verdict, tempfile.TemporaryDirectory() as folder:
        outside = os.path.join(folder, "outside.plist")
        save(outside, plistlib.dumps(["secret"]))
        campus = Campus(folder, asked.mounts)
        with Server(asked.server, campus.path) as server, Connection(server.port) as connection:
            one_save(verdict, campus, connection)
            coming_and_going(verdict, campus, connection)
            breaking(verdict, campus, connection)
            links(verdict, campus, connection, outside)
            circle(verdict, campus, connection)
            read_back(verdict, asked.server, campus, connection, folder)
            many_saves(verdict, campus, connection, server, asked.seconds)


if __name__ == "__main__":
    main()
