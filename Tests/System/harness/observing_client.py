"""TestClient, the Swift client library in a process of its own, and the proxy through which it may have to go."""

import collections
import os
import select
import socket
import subprocess
import threading

from harness.client import DEADLINE, get
from harness.server import clean_environment, resident_bytes

PAGE = 10_000

Update = collections.namedtuple("Update", "version rows digest origin connection removed inserted moved updated")


def digest(rows):
    """The hash that TestClient writes (see Digest.swift)."""
    value = 0xCBF29CE484222325
    for row in rows:
        for text in (row["key"], row["version"], row["title"], row["href"], str(row["count"]),
                     str(row["fields"].get("Subtitle", ""))):
            for byte in text.encode() + b"\xff":
                value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return str(value)


def fresh_rows(port, target="/levels/"):
    """All rows of a level, read anew."""
    rows = []
    joint = "&" if "?" in target else "?"
    while True:
        page = get(port, f"{target}{joint}limit={PAGE}&start={len(rows)}").json()
        rows += page["rows"]
        if len(rows) >= page["count"]:
            return rows


class ObservingClient:
    """TestClient; leaving the `with` block ends it."""

    def __init__(self, program, port, *arguments):
        self.process = subprocess.Popen(
            [program, f"http://127.0.0.1:{port}", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=clean_environment())
        self.updates = collections.defaultdict(list)
        self.reached = {}
        self.notes = []
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            kind, *words = line.decode().rstrip("\n").split(" ")
            with self.changed:
                if kind == "update":
                    self.updates[words[0]].append(Update(*words[1:]))
                elif kind == "all":
                    self.reached[words[0]] = words[2]
                else:
                    self.notes.append(line.decode().rstrip("\n"))
                self.changed.notify_all()

    def wait(self, condition, within=DEADLINE):
        with self.changed:
            return self.changed.wait_for(lambda: condition(self), within)

    def shows(self, wanted, level="/", within=DEADLINE):
        """Waits until the newest update has these rows, and is current."""
        return self.wait(lambda client: client.updates[level] and client.updates[level][-1].digest == wanted
                         and client.updates[level][-1][3:5] == ("server", "connected"), within)

    def faults(self):
        return [note for note in self.notes if note.startswith(("fault", "refused"))]

    def resident_bytes(self):
        return resident_bytes(self.process.pid)

    def cancel(self):
        """Cancels the observers; gives the milliseconds that it took."""
        seen = len(self.notes)
        self.send("cancel")
        self.wait(lambda client: any(note.startswith("cancelled") for note in client.notes[seen:]))
        return float(self.notes[-1].split(" ")[1])

    def sockets(self):
        folder = f"/proc/{self.process.pid}/fd"
        count = 0
        for name in os.listdir(folder):
            try:
                count += os.readlink(f"{folder}/{name}").startswith("socket:")
            except FileNotFoundError:
                pass
        return count

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def send(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            try:
                self.send("exit")
            except BrokenPipeError:
                pass
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Proxy:
    """Passes bytes on to a server, and can cut answers, refuse connections or swallow everything."""

    def __init__(self, port):
        self.target = port
        self.mode = "open"
        # How many answers that have a body are still to be cut in the middle.
        self.cuts = 0
        self.cuts_done = 0
        self.stalled = False
        self.connections = set()
        self.lock = threading.Lock()
        self.listener = None
        self.port = 0
        self._listen()

    def _listen(self):
        self.listener = socket.create_server(("127.0.0.1", self.port), reuse_port=False)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def _accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with self.lock:
            self.connections.add(client)
        server = None
        try:
            while self.mode == "hole" and server is None:
                # What comes is read and never answered.
                if select.select([client], [], [], 0.05)[0] and not client.recv(65536):
                    return
            server = socket.create_connection(("127.0.0.1", self.target))
            while True:
                ready, _, _ = select.select([client, server], [], [], 0.05)
                if self.mode == "hole":
                    if client in ready and not client.recv(65536):
                        return
                    continue
                if client in ready:
                    data = client.recv(65536)
                    if not data:
                        return
                    server.sendall(data)
                if server in ready:
                    data = server.recv(65536)
                    if not data:
                        return
                    if not self._pass(data, client):
                        return
        except OSError:
            pass
        finally:
            with self.lock:
                self.connections.discard(client)
            client.close()
            if server:
                server.close()

    def _pass(self, data, client):
        """Passes a piece of an answer; false if the connection is cut there."""
        head = data.find(b"\r\n\r\n")
        with self.lock:
            cuts = self.cuts > 0 and data.startswith(b"HTTP/1.1 200") and 0 <= head < len(data) - 40
            if cuts:
                self.cuts -= 1
                self.cuts_done += 1
        if not cuts and not self.stalled:
            client.sendall(data)
            return True
        client.sendall(data[:head + 4 + (len(data) - head - 4) // 2])
        while self.stalled:
            if select.select([client], [], [], 0.05)[0] and not client.recv(65536):
                return False
        return False

    def refuse(self):
        """Closes the port and every connection."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        with self.lock:
            for client in self.connections:
                try:
                    client.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def accept(self):
        self._listen()

    def open_connections(self):
        with self.lock:
            return len(self.connections)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stalled = False
        self.refuse()
