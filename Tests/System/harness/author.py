"""One client that edits large documents, and what its edits cost beside a copy of the file."""

import json
import os
import shutil
import time

from harness.client import Connection
from harness.editors import TOKEN
from harness.server import settle

AUTHOR = "author"


class Author:
    """The client that edits, on a connection of its own."""

    def __init__(self, port):
        self.connection = Connection(port)
        self.headers = {"Authorization": f"Bearer {TOKEN.format(AUTHOR)}", "Content-Type": "application/json"}

    def patch(self, link, **fields):
        """Seconds until the edit is acknowledged."""
        begun = time.monotonic()
        answer = self.connection.request(link, "PATCH", self.headers, json.dumps(fields).encode())
        if answer.status != 200:
            raise RuntimeError(f"an edit is answered {answer.status}: {answer.body[:300]}")
        return time.monotonic() - begun


def copy_seconds(path):
    """What a copy of the file takes until it is on disk."""
    begun = time.monotonic()
    with open(path, "rb") as source, open(path + ".copy", "wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
        target.flush()
        os.fsync(target.fileno())
    took = time.monotonic() - begun
    os.unlink(path + ".copy")
    return took


def memory_of(server, work):
    """By how much resident memory rises at most while something is done."""
    settle(server)
    with open(f"/proc/{server.pid}/clear_refs", "w") as file:
        # The peak counts anew from here.
        file.write("5")
    before = server.resident_bytes()
    work()
    return server.peak_bytes() - before


def processor_of(server, work):
    settle(server)
    before = server.cpu_seconds()
    work()
    settle(server)
    return server.cpu_seconds() - before
