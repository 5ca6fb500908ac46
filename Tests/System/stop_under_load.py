#!/usr/bin/env python3
"""Stops the service while it works: every answer that has begun comes whole, and it exits 0.

Small and large answers are under way on many connections, others are idle or have sent half a request. After the
signal a client may find its connection closed before an answer, or no longer accepted; it may never get a part of one.
An edit whose save takes longer than that is answered, too.
"""

import os
import signal
import tempfile
import threading

from harness.client import DEADLINE, Closed, Connection, Cut, wait_until
from harness.documents import Shape, write_xml
from harness.edited_document import EditedDocument
from harness.faults import Faults
from harness.server import Server
from harness.verdict import Verdict, options


# Seconds, between the time for answers and the time for saves.
SLOW_SAVE = 3


class Client(threading.Thread):
    """Asks for the same target until the connection ends, then tries to connect once more."""

    def __init__(self, port, target, counted):
        super().__init__(daemon=True)
        self.port = port
        self.target = target
        self.counted = counted
        self.whole = 0
        self.fault = None

    def run(self):
        try:
            while True:
                with Connection(self.port) as connection:
                    while True:
                        answer = connection.get(self.target)
                        if answer.status != 200:
                            self.fault = f"{self.target} was answered {answer.status}"
                            return
                        self.whole += 1
                        self.counted.release()
                        if answer["connection"] == "close":
                            break
        except Cut as error:
            self.fault = f"an answer of {self.target} was cut {error}"
        except (Closed, ConnectionError):
            pass


def stop_once(verdict, program, document, targets, connections, answers):
    counted = threading.Semaphore(0)
    with Server(program, document) as server:
        clients = [Client(server.port, targets[number % len(targets)], counted) for number in range(connections)]
        idle = Connection(server.port)
        half = Connection(server.port)
        half.socket.sendall(b"GET /levels/ HTTP/1.1\r\nHost: ")
        idle.get("/healthz")
        for client in clients:
            client.start()
        answered = all(counted.acquire(timeout=DEADLINE) for _ in range(answers))
        verdict.expect(answered, "the clients get their answers before the stop")
        status, _ = server.stop()
        verdict.expect(status == 0, f"the service exits 0; it exits {status}: {server.log[-3:]}")
        for client in clients:
            client.join(timeout=DEADLINE)
            verdict.expect(not client.is_alive(), f"the client of {client.target} sees its connection end")
            verdict.expect(client.fault is None, client.fault)
        idle.close()
        half.close()
    return sum(client.whole for client in clients)


def stop_during_a_save(verdict, program, folder):
    """The service waits longer for a save than for other answers."""
    edited = EditedDocument(folder)
    faults = Faults(folder, edited.folder)
    with edited.serve(program, environment=faults.environment) as server, Connection(server.port) as connection:
        edited.edit(server.port)
        faults.arm("sync folder", "pause before")
        edited.send(connection)
        verdict.expect(wait_until(lambda: faults.hits) is not None, "the save is under way")
        server.signal(signal.SIGTERM)
        # The time is what is tested: other answers get a second and a half.
        wait_until(lambda: False, SLOW_SAVE)
        verdict.expect(server.is_running(), f"the service waits for a save of {SLOW_SAVE} s")
        faults.release()
        try:
            status = connection.receive().status
        except (Closed, Cut, ConnectionError) as error:
            status = repr(error)
        verdict.expect(status == 200, f"the edit is answered after the save: {status}")
        ended = server.process.wait(timeout=DEADLINE)
        verdict.expect(ended == 0, f"the service exits 0; it exits {ended}")


def main():
    # The service waits a second and a half for the answers that have begun. All of them together must be few enough for
    # a machine that has other work.
    arguments = options(__doc__, stops=5, connections=16, answers=300, items=2000)
    with Verdict("stop_under_load") as verdict, tempfile.TemporaryDirectory() as folder:
        shape = Shape(arguments.items)
        document = os.path.join(folder, "Large.plist")
        write_xml(document, shape)
        targets = ["/levels/", "/levels" + shape.path(0, 1), "/document", "/detail" + shape.path(1, 0)]
        for stop in range(arguments.stops):
            # A different moment each time: right at the start, and ever deeper into the work.
            whole = stop_once(
                verdict, arguments.server, document, targets, arguments.connections, 1 + arguments.answers * stop)
            verdict.figure(f"stop {stop + 1}", f"after {whole} whole answers")
        stop_during_a_save(verdict, arguments.server, folder)


if __name__ == "__main__":
    main()
