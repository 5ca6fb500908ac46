"""A stream of events as a client reads it: pieces of any size, with or without chunks, into whole events."""

import socket
import time

from harness.client import DEADLINE, Closed, Cut, Malformed


class Event:
    def __init__(self, name, id, data, came):
        self.name = name
        self.id = id
        self.data = data
        self.came = came

    def __repr__(self):
        return f"{self.name} {self.id}"


class EventParser:
    """Lines into events, as HTML (section 9.2.6) says; comments are counted."""

    def __init__(self):
        self.rest = bytearray()
        self.fields = {}
        self.comments = 0
        self.last_id = None

    def feed(self, data, came):
        """The events that are whole with these bytes."""
        self.rest += data
        events = []
        while (end := self.rest.find(b"\n")) >= 0:
            line = bytes(self.rest[:end]).removesuffix(b"\r").decode()
            del self.rest[:end + 1]
            if not line:
                if "id" in self.fields:
                    self.last_id = self.fields["id"]
                if "data" in self.fields:
                    events.append(
                        Event(self.fields.get("event", "message"), self.last_id, self.fields["data"], came))
                self.fields = {}
            elif line.startswith(":"):
                self.comments += 1
            else:
                name, _, value = line.partition(":")
                value = value.removeprefix(" ")
                if name == "data" and "data" in self.fields:
                    value = self.fields["data"] + "\n" + value
                self.fields[name] = value
        return events

    @property
    def is_between_events(self):
        return not self.rest and not self.fields


class Dechunker:
    """Takes the chunks' frames off; `ended` once the last chunk was seen."""

    def __init__(self):
        self.rest = bytearray()
        self.left = 0
        self.ended = False

    def feed(self, data):
        self.rest += data
        body = bytearray()
        while self.rest and not self.ended:
            if self.left:
                # The two bytes behind a chunk count as its last ones, and are taken off.
                piece = self.rest[:self.left]
                del self.rest[:len(piece)]
                self.left -= len(piece)
                body += piece[:-2 + self.left] if self.left < 2 else piece
                continue
            end = self.rest.find(b"\r\n")
            if end < 0:
                break
            size = int(bytes(self.rest[:end]).split(b";")[0], 16)
            if size == 0:
                self.ended = bool(self.rest.find(b"\r\n", end + 2) >= 0)
                break
            del self.rest[:end + 2]
            self.left = size + 2
        return bytes(body)


class EventStream:
    """`GET /changes` as a stream; gives whole events, and sees how it ends."""

    def __init__(self, port, last_id=None, target="/changes", receive_buffer=None, timeout=DEADLINE, tls=None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        self.socket.connect(("127.0.0.1", port))
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname="127.0.0.1", suppress_ragged_eofs=False)
        lines = [f"GET {target} HTTP/1.1", "Host: 127.0.0.1", "Accept: text/event-stream"]
        if last_id is not None:
            lines.append(f"Last-Event-ID: {last_id}")
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.parser = EventParser()
        self.chunks = None
        self.waiting = []
        # True once the server has ended the stream; `cleanly` tells if that was between two events.
        self.ended = False
        self.cleanly = None
        self._read_head()

    def _read_head(self):
        head = bytearray()
        while (end := head.find(b"\r\n\r\n")) < 0:
            piece = self._receive(1 << 16)
            if not piece:
                raise Cut("within the head of a stream") if head else Closed()
            head += piece
        lines = bytes(head[:end]).decode("latin-1").split("\r\n")
        if not lines[0].startswith("HTTP/1.1 "):
            raise Malformed(lines[0])
        self.status = int(lines[0].split(" ")[1])
        self.headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        if "chunked" in self.headers.get("transfer-encoding", ""):
            self.chunks = Dechunker()
        self._feed(bytes(head[end + 4:]))

    def _receive(self, most):
        try:
            return self.socket.recv(most)
        except ConnectionResetError:
            return b""

    def _feed(self, data):
        if self.chunks:
            data = self.chunks.feed(data)
        if data:
            self.waiting += self.parser.feed(data, time.monotonic())

    def read_piece(self, most=1 << 16):
        """Reads what there is, at most so many bytes; False once the stream has ended."""
        piece = self._receive(most)
        if piece:
            self._feed(piece)
        self.ended = not piece or bool(self.chunks and self.chunks.ended)
        if self.ended:
            self.cleanly = self.parser.is_between_events and (self.chunks is None or self.chunks.ended)
        return not self.ended

    def next(self, within=DEADLINE):
        """The next event; None if the stream ends or none comes in time."""
        deadline = time.monotonic() + within
        while not self.waiting and not self.ended:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            self.socket.settimeout(left)
            try:
                self.read_piece()
            except TimeoutError:
                return None
        return self.waiting.pop(0) if self.waiting else None

    def take(self):
        """The events that are there."""
        events, self.waiting = self.waiting, []
        return events

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
