#!/usr/bin/env python3
"""Power cuts under edits: whatever the disk had kept, the document is whole and has every acknowledged edit. As root.

The disks and their file systems are simulated (harness/simulated_disk.py). A server whose syncs do nothing must be found out, in the same way.
"""

import json
import os
import plistlib
import random
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from harness.client import Connection
from harness.editors import TOKEN, token_file
from harness.server import Server
from harness.simulated_disk import FileSystem, SimulatedDisk
from harness.verdict import Verdict, options

CLIENTS = 3
ITEMS = 40
NO_SYNC = "int fsync(int file) { (void)file; return 0; }"
SYSTEMS = {
    "ext4, data=ordered": FileSystem("ext4", mount="data=ordered"),
    "ext4, data=writeback": FileSystem("ext4", mount="data=writeback"),
    "ext4, data=journal": FileSystem("ext4", mount="data=journal"),
    "ext4, external journal": FileSystem("ext4", has_journal_disk=True),
    "ext4, external journal, data=writeback": FileSystem("ext4", mount="data=writeback", has_journal_disk=True),
    "ext4, external journal, data=journal": FileSystem("ext4", mount="data=journal", has_journal_disk=True),
    # Not with data=ordered, which the driver refuses.
    "ext4, journal_async_commit": FileSystem(
        "ext4", make=("-O", "^metadata_csum"), mount="data=writeback,journal_async_commit"),
    # With metadata_csum a transaction has no checksum as a whole. If only some of its blocks have arrived, those are
    # replayed, and the file system must be repaired. Blocks of 4 KiB, as on larger disks, are kept or lost one by one.
    "ext4, journal_async_commit, metadata_csum": FileSystem(
        "ext4", make=("-b", "4096", "-O", "metadata_csum"), mount="data=writeback,journal_async_commit", repairs=True),
    "ext4, no journal": FileSystem("ext4", make=("-O", "^has_journal"), repairs=True),
    "xfs": FileSystem("xfs", megabytes=300),
    "btrfs": FileSystem("btrfs", megabytes=128),
}


def write_document(path):
    items = [{"Title": f"Item {number}", "Edition": 0, "Text": "x" * 10 * number} for number in range(ITEMS)]
    with open(path, "wb") as file:
        plistlib.dump({"Title": "Root", "Children": items}, file)
        file.flush()
        os.fsync(file.fileno())


def edit(disk, port, client, arguments):
    """Edits one item again and again, and notes what is acknowledged."""
    dice = random.Random(f"{client} {arguments.seed}")
    headers = {"Authorization": "Bearer " + TOKEN.format("author"), "Content-Type": "application/json"}
    with Connection(port) as connection:
        for edition in range(1, arguments.edits + 1):
            body = json.dumps({"Edition": edition, "Text": "y" * dice.randrange(1, 9_000)}).encode()
            answer = connection.request(f"/detail/Item%20{client}", "PATCH", headers, body)
            if answer.status != 200:
                raise RuntimeError(f"an edit is answered {answer.status}: {answer.body[:300]}")
            disk.note({client: edition})


def record(disk, arguments, folder, environment):
    """Edits a document on the disk; gives where in its record that begins."""
    path = os.path.join(disk.place, "Data.plist")
    write_document(path)
    tokens = token_file(os.path.join(folder, "tokens"), ["author"])
    with Server(arguments.server, path, "--edit-token-file", tokens, environment=environment) as server:
        begun = len(disk.record)
        clients = [threading.Thread(target=edit, args=(disk, server.port, client, arguments))
                   for client in range(CLIENTS)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
    acknowledged = sum(isinstance(entry, dict) for entry in disk.record)
    if acknowledged < CLIENTS * arguments.edits:
        raise RuntimeError(f"only {acknowledged} edits were acknowledged")
    return begun


def fault(folder, acknowledged):
    """What is wrong with what a power cut has left; None if nothing is."""
    strangers = set(os.listdir(folder)) - {"lost+found", "Data.plist", ".Data.plist.drilldown-edit"}
    if strangers:
        return f"there are {strangers}"
    try:
        with open(os.path.join(folder, "Data.plist"), "rb") as file:
            items = plistlib.load(file)["Children"]
    except Exception as error:
        return f"the document cannot be read: {error!r}"
    editions = [item["Edition"] for item in items[:CLIENTS]]
    if len(items) != ITEMS or any(edition < least for edition, least in zip(editions, acknowledged)):
        return f"of {len(items)} items the first have the editions {editions}, acknowledged {acknowledged}"
    return None


def trial(verdict, arguments, name, system, environment=None, is_sound=True):
    with tempfile.TemporaryDirectory() as folder:
        with SimulatedDisk(folder, system) as disk:
            begun = record(disk, arguments, folder, environment)
        dice = random.Random(arguments.seed)
        every = range(begun, len(disk.record))
        moments = dice.sample(every, min(arguments.cuts, len(every)))
        faults = []
        for moment, place, marks in disk.cuts(moments, dice):
            acknowledged = [max((mark[client] for mark in marks if client in mark), default=0)
                            for client in range(CLIENTS)]
            found = fault(place, acknowledged)
            if found:
                faults.append(f"cut {moment}: {found}")
        verdict.figure(name, f"{len(moments)} power cuts, {len(faults)} of them with a fault")
        if is_sound:
            verdict.expect(not faults, f"{name}: nothing is lost or damaged: {faults[:3]}")
        else:
            verdict.expect(faults, f"{name}: the test finds nothing")


def main():
    arguments = options(__doc__, edits=100, cuts=100, seed=1, only="")
    with Verdict("power cuts") as verdict, tempfile.TemporaryDirectory() as folder:
        library, source = (os.path.join(folder, name) for name in ("no_sync.so", "no_sync.c"))
        with open(source, "w", encoding="ascii") as file:
            file.write(NO_SYNC)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        for name, system in SYSTEMS.items():
            if arguments.only in name:
                trial(verdict, arguments, name, system)
        if arguments.only in "without syncs":
            trial(verdict, arguments, "without syncs", SYSTEMS["ext4, data=ordered"],
                  environment={"LD_PRELOAD": library}, is_sound=False)


if __name__ == "__main__":
    main()
