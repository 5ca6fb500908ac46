#!/usr/bin/env python3
"""A document that mounts hundreds of others, edited while it is served.

Files are saved; symbolic links are swapped; one of 600 is saved ten times a second. Each time only the levels on the way to
the change may differ, and all else must be served as before. What lies outside of the folder must never be served.
"""

import os
import plistlib
import tempfile
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
    # The row of the mount shows its owner, which changes with the file.
    group, _, _ = campus.level(7).rpartition("/")
    verdict.expect(
        group in entry["levels"] and all(link.startswith(campus.level(7)) for link in entry["levels"] if link != group),
        f"only its levels and the level with its row are announced: {entry['levels']}")
    detail = connection.get("/detail/Group%200/M7").json()
    verdict.expect(detail["fields"].get("Owner") == "version 1", "the item shows the fields of the mounted root")


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
    wait_until(lambda: False, within=3, every=1)
    idle = (server.cpu_seconds() - cpu) / (time.monotonic() - begun)
    verdict.figure("processor while nothing happens", f"{100 * idle:.2f} %")
    verdict.expect(idle < 0.02, f"a service that watches {campus.mounts} files is idle: {100 * idle:.2f} %")


def main():
    asked = options(__doc__, mounts=600, seconds=4)
    with Verdict("mounts") as verdict, tempfile.TemporaryDirectory() as folder:
        outside = os.path.join(folder, "outside.plist")
        save(outside, plistlib.dumps(["secret"]))
        campus = Campus(folder, asked.mounts)
        with Server(asked.server, campus.path) as server, Connection(server.port) as connection:
            one_save(verdict, campus, connection)
            links(verdict, campus, connection, outside)
            many_saves(verdict, campus, connection, server, asked.seconds)


if __name__ == "__main__":
    main()
