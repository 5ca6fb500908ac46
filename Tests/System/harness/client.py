"""A client that knows what came over the wire: whole answers, cut answers, and connections closed without a byte."""

import json
import select
import socket
import time

# Seconds within which an event must come. Tests wait for events, not for times: on a machine that has other work to do,
# most take far longer than on an idle one.
DEADLINE = 60.0


class Closed(Exception):
    """The connection ended before the answer's first byte."""


class Cut(Exception):
    """The connection ended within an answer."""


class Malformed(Exception):
    """The bytes received are not an answer: the one before it had a forbidden body or a wrong length."""


class Answer:
    def __init__(self, status, headers, body, first_byte, done):
        self.status = status
        self.headers = headers
        self.body = body
        self.first_byte = first_byte
        self.done = done

    def json(self):
        return json.loads(self.body)

    def __getitem__(self, name):
        return self.headers.get(name.lower())


class Connection:
    """One keep-alive connection; requests may be sent before the last answer was read.

    With `tls`, an `ssl.SSLContext`, over TLS; an end without the server's farewell is then an `ssl.SSLEOFError`.
    """

    def __init__(self, port, timeout=DEADLINE, host="127.0.0.1", receive_buffer=None, tls=None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        self.socket.connect((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname=host, suppress_ragged_eofs=False)
        self.buffer = bytearray()
        self.methods = []

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def fileno(self):
        return self.socket.fileno()

    def send(self, target, method="GET", headers=(), body=b""):
        """Asks; the headers are a dictionary, or pairs if a name appears twice. A `Host` replaces the server's own."""
        pairs = list(headers.items() if isinstance(headers, dict) else headers)
        if all(name != "Host" for name, _ in pairs):
            pairs.insert(0, ("Host", "127.0.0.1"))
        lines = [f"{method} {target} HTTP/1.1"] + [f"{name}: {value}" for name, value in pairs]
        if body:
            lines.append(f"Content-Length: {len(body)}")
        self.methods.append(method)
        try:
            self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        except (BrokenPipeError, ConnectionResetError):
            # What was said before the end may still be there to read.
            pass

    def receive(self):
        """Reads the answer to the oldest request; throws Closed or Cut."""
        method = self.methods.pop(0)
        if not self.buffer:
            self._more(started=False)
        first_byte = time.monotonic()
        while (end := self.buffer.find(b"\r\n\r\n")) < 0:
            self._more()
        if not self.buffer.startswith(b"HTTP/1.1 "):
            raise Malformed(f"an answer begins with {bytes(self.buffer[:40])}")
        head = bytes(self.buffer[:end]).decode("latin-1").split("\r\n")
        del self.buffer[:end + 4]
        status = int(head[0].split(" ", 2)[1])
        headers = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            name = name.strip().lower()
            headers[name] = headers[name] + ", " + value.strip() if name in headers else value.strip()
        body = self._body(method, status, headers)
        return Answer(status, headers, body, first_byte, time.monotonic())

    def request(self, target, method="GET", headers=(), body=b""):
        self.send(target, method, headers, body)
        return self.receive()

    def get(self, target, **headers):
        return self.request(target, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def is_answered(self, within=0):
        """Whether the oldest request has any answer, or the connection has ended."""
        return bool(self.buffer or select.select([self], [], [], within)[0])

    def _body(self, method, status, headers):
        if method == "HEAD" or status in (204, 304) or 100 <= status < 200:
            return b""
        if "chunked" in headers.get("transfer-encoding", ""):
            return self._chunks()
        if "content-length" in headers:
            return self._take(int(headers["content-length"]))
        while True:
            try:
                self._more()
            except Cut:
                body = bytes(self.buffer)
                self.buffer.clear()
                return body

    def _chunks(self):
        body = b""
        while True:
            while (end := self.buffer.find(b"\r\n")) < 0:
                self._more()
            size = int(bytes(self.buffer[:end]).split(b";")[0], 16)
            del self.buffer[:end + 2]
            piece = self._take(size + 2)
            if size == 0:
                return body
            body += piece[:-2]

    def _take(self, count):
        while len(self.buffer) < count:
            self._more()
        body = bytes(self.buffer[:count])
        del self.buffer[:count]
        return body

    def _more(self, started=True):
        try:
            piece = self.socket.recv(1 << 18)
        except ConnectionResetError:
            piece = b""
        if not piece:
            raise Cut(f"after {len(self.buffer)} bytes of this part") if started else Closed()
        self.buffer += piece


def get(port, target, **headers):
    """One request on a connection of its own."""
    with Connection(port) as connection:
        return connection.get(target, **headers)


def wait_until(condition, within=DEADLINE, every=0.005):
    """Asks again and again until the condition holds; gives the seconds it took, or None past the time."""
    begun = time.monotonic()
    while True:
        if condition():
            return time.monotonic() - begun
        if time.monotonic() - begun > within:
            return None
        select.select([], [], [], every)
