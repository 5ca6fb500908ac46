#!/usr/bin/env python3
"""Two thousand clients that send a byte a second: each is cut after the request deadline, however busy it looks.

An ordinary client gets its answers meanwhile. Clients that read slowly are part of unread_answers.py.
"""

import os
import resource
import selectors
import tempfile
import threading
import time

from harness.client import DEADLINE, Connection
from harness.documents import versioned
from harness.edits import save
from harness.server import Server
from harness.verdict import Verdict, megabytes, options

REQUEST = b"GET /levels/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: " + b"z" * 4096


class SlowSenders(threading.Thread):
    """Opens connections, sends a byte a second on each, and notes when each was closed."""

    def __init__(self, port, count):
        super().__init__(daemon=True)
        self.port = port
        self.count = count
        self.opened = {}
        self.lived = []
        self.refused = 0
        self.all_open = threading.Event()
        self.stopping = threading.Event()

    def run(self):
        watch = selectors.DefaultSelector()
        for _ in range(self.count):
            opened = time.monotonic()
            try:
                connection = Connection(self.port)
            except OSError:
                self.refused += 1
                continue
            connection.socket.setblocking(False)
            watch.register(connection, selectors.EVENT_READ, connection)
            self.opened[connection] = opened
        self.all_open.set()
        sent = 0
        while self.opened and not self.stopping.is_set():
            tick = time.monotonic() + 1
            for connection in list(self.opened):
                try:
                    connection.socket.send(REQUEST[sent:sent + 1])
                except BlockingIOError:
                    pass
                except OSError:
                    self._ended(watch, connection)
            sent += 1
            while (left := tick - time.monotonic()) > 0:
                for key, _ in watch.select(left):
                    try:
                        ended = not key.data.socket.recv(4096)
                    except BlockingIOError:
                        ended = False
                    except OSError:
                        ended = True
                    if ended:
                        self._ended(watch, key.data)

    def _ended(self, watch, connection):
        self.lived.append(time.monotonic() - self.opened.pop(connection))
        watch.unregister(connection)
        connection.close()


class Bystander(threading.Thread):
    """An ordinary client, and how many answers it gets."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port = port
        self.answers = 0
        self.faults = []
        self.stopping = threading.Event()

    def run(self):
        try:
            with Connection(self.port) as connection:
                while not self.stopping.wait(0.01):
                    answer = connection.get("/levels/")
                    self.answers += 1
                    if answer.status != 200:
                        self.faults.append(f"an ordinary client is answered {answer.status}")
        except Exception as error:
            self.faults.append(f"an ordinary client fails: {error!r}")

    def end(self):
        self.stopping.set()
        self.join()


def main():
    arguments = options(__doc__, senders=2000, deadline=3)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with Verdict("slow_clients") as verdict, tempfile.TemporaryDirectory() as folder:
        document = os.path.join(folder, "Data.plist")
        save(document, versioned(0))
        with Server(arguments.server, document, "--request-deadline", str(arguments.deadline)) as server:
            memory = server.resident_bytes()
            bystander = Bystander(server.port)
            bystander.start()
            senders = SlowSenders(server.port, arguments.senders)
            senders.start()
            verdict.expect(senders.all_open.wait(DEADLINE), "all connections open")
            answered = bystander.answers
            senders.join(timeout=DEADLINE)
            lasting = len(senders.opened)
            verdict.expect(senders.refused == 0, f"no connection is refused; {senders.refused} were")
            verdict.expect(lasting == 0, f"no slow sender outlives the deadline; {lasting} do")
            if senders.lived:
                verdict.expect(
                    min(senders.lived) >= arguments.deadline - 1,
                    f"no slow sender is cut before the deadline; one lived {min(senders.lived):.1f} s")
            senders.stopping.set()
            senders.join()
            bystander.end()
            for fault in bystander.faults[:5]:
                verdict.expect(False, fault)
            verdict.expect(
                bystander.answers > answered, f"an ordinary client gets answers too; it got {bystander.answers}")
            verdict.figure("resident memory", f"{megabytes(memory)} before, {megabytes(server.resident_bytes())} after")


if __name__ == "__main__":
    main()
