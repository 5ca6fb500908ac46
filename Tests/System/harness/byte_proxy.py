"""A proxy that forwards bytes, and once does harm to them at a place that a test names: cuts, delays or doubles them."""

import contextlib
import socket
import threading

# To the database, and back.
DIRECTIONS = ("request", "answer")
HARMS = ("cut", "delay", "double")


class ByteProxy:
    def __init__(self, port):
        self.target = port
        self.lock = threading.Lock()
        self.harm = None
        self.has_harmed = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def arm(self, harm, direction, after, count, seconds):
        """Does harm once so many bytes have passed: doubles the last `count` bytes, or waits some seconds."""
        self.has_harmed.clear()
        with self.lock:
            self.harm = [harm, direction, after, count, seconds]

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                try:
                    far = socket.create_connection(("127.0.0.1", self.target))
                except OSError:
                    near.close()
                    continue
                for ends in ((near, far, DIRECTIONS[0]), (far, near, DIRECTIONS[1])):
                    threading.Thread(target=self.forward, args=ends, daemon=True).start()

    def forward(self, source, target, direction):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(self.harmed(data, direction, target))
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def harmed(self, data, direction, target):
        """The bytes that are still to be sent."""
        with self.lock:
            if self.harm is None or self.harm[1] != direction:
                return data
            harm, _, after, count, seconds = self.harm
            if after >= len(data):
                self.harm[2] -= len(data)
                return data
            self.harm = None
        self.has_harmed.set()
        head = data[:after + 1]
        if harm == "double":
            return head + head[-count:] + data[after + 1:]
        target.sendall(head)
        if harm == "cut":
            raise ConnectionAbortedError()
        threading.Event().wait(seconds)
        return data[after + 1:]

    def close(self):
        self.listener.close()
