#!/usr/bin/env python3
"""Serves with few descriptors: as many clients as there may be take none of those that a reload needs.

A limit too small to serve at all is refused at the start, in one sentence.
"""

import os
import subprocess
import tempfile
import time

from harness.client import DEADLINE, Connection, wait_until
from harness.documents import version_of, versioned
from harness.server import Server, clean_environment
from harness.verdict import Verdict, options


def save(path, version):
    with open(path + ".new", "wb") as file:
        file.write(versioned(version))
    os.rename(path + ".new", path)


def refused(verdict, program, document, limit):
    command = ["prlimit", f"--nofile={limit}:{limit}", program, "serve", document, "--listen", "127.0.0.1:0"]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE,
                           env=clean_environment())
    sentence = ended.stderr.splitlines()[-1] if ended.stderr else ""
    verdict.expect(ended.returncode == 1, f"with {limit} descriptors it exits {ended.returncode}: {ended.stderr}")
    beginning = f"drilldown: error: this process may open {limit} files and sockets at the same time, and serving needs "
    ending = " or more; raise the limit, for instance with 'ulimit -n 1024'."
    verdict.expect(
        beginning in sentence and sentence.endswith(ending), f"with {limit} descriptors it says: {sentence}")


def crowded(verdict, program, document, limit, clients):
    save(document, 1)
    with Server(program, document, descriptors=limit) as server:
        connections = [Connection(server.port) for _ in range(clients)]
        try:
            for connection in connections:
                connection.send("/levels/")
            wait_until(lambda: any(connection.is_answered() for connection in connections))
            # One time for all others: most of those that are not served would wait for the whole of it.
            until = time.monotonic() + 2
            served = [connection for connection in connections
                      if connection.is_answered(within=max(0, until - time.monotonic()))]
            verdict.figure(f"{limit} descriptors", f"{len(served)} of {clients} clients have a connection")
            if not verdict.expect(served, f"with {limit} descriptors some clients are served"):
                return
            for connection in served:
                verdict.expect(connection.receive().status == 200, "a connected client gets 200")
            verdict.expect(server.descriptors() < limit, f"{server.descriptors()} of {limit} descriptors are open")
            for version in (2, 3):
                save(document, version)
                took = wait_until(lambda: version_of(served[0].get("/levels/")) == str(version))
                verdict.expect(took is not None, f"version {version} is served with {limit} descriptors: {server.log}")
        finally:
            for connection in connections:
                connection.close()
        with Connection(server.port) as connection:
            verdict.expect(
                version_of(connection.get("/levels/")) == "3", "after all clients have gone, a new one is served")


def main():
    arguments = options(__doc__, clients=60)
    with Verdict("few_descriptors") as verdict, tempfile.TemporaryDirectory() as folder:
        document = os.path.join(folder, "Versions.plist")
        save(document, 0)
        for limit in (20, 24):
            refused(verdict, arguments.server, document, limit)
        for limit in (38, 46, 66):
            crowded(verdict, arguments.server, document, limit, arguments.clients)


if __name__ == "__main__":
    main()
