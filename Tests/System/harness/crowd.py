"""Thousands of connections in one process, and the moment at which each of them was told something."""

import select
import socket
import time

from harness.client import DEADLINE

# As <netinet/in.h> has it: the port is chosen when the other end is known, so that one port serves many connections.
IP_BIND_ADDRESS_NO_PORT = 24
PER_ADDRESS = 5000


class Member:
    """One connection of a crowd: all that came since it was last asked something, and when the last of it came."""

    __slots__ = ("socket", "received", "arrived", "ended")

    def __init__(self, port, host):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
        self.socket.bind((host, 0))
        self.socket.connect(("127.0.0.1", port))
        self.socket.setblocking(False)
        self.received = bytearray()
        self.arrived = None
        self.ended = False

    def ask(self, request):
        self.received.clear()
        self.arrived = None
        self.socket.send(request)

    def answer(self):
        """The status and the header of the answer, once it is whole; None before."""
        end = self.received.find(b"\r\n\r\n")
        if end < 0:
            return None
        head = bytes(self.received[:end]).lower()
        status = int(head[9:12])
        if status != 304:
            _, _, length = head.partition(b"content-length:")
            if not length or len(self.received) < end + 4 + int(length.split(b"\r\n")[0]):
                return None
        return status, head.decode("latin-1")

    def is_answered(self):
        return self.answer() is not None


class Crowd:
    """Members that are read together, each as soon as something comes for it."""

    def __init__(self, port):
        self.port = port
        self.poll = select.epoll()
        self.members = {}
        self.joined = 0
        # Those for whom something came, or ended; for the reader to clear.
        self.told = set()

    def join(self, count):
        """Opens connections, from as many addresses as there must be for their number."""
        joining = []
        for _ in range(count):
            member = Member(self.port, f"127.0.0.{1 + self.joined // PER_ADDRESS}")
            self.joined += 1
            self.members[member.socket.fileno()] = member
            self.poll.register(member.socket, select.EPOLLIN)
            joining.append(member)
        return joining

    def leave(self, members):
        for member in members:
            if self.members.pop(member.socket.fileno(), None) and not member.ended:
                self.poll.unregister(member.socket)
            member.socket.close()

    def read(self, until, within=DEADLINE):
        """Reads what comes until the condition holds; it is asked after each batch. Returns whether it held."""
        deadline = time.monotonic() + within
        while not until():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            for descriptor, _ in self.poll.poll(left, 512):
                self._read(self.members[descriptor])
        return True

    def listen(self, seconds):
        """Reads what comes for some time."""
        self.read(lambda: False, seconds)

    def _read(self, member):
        self.told.add(member)
        try:
            piece = member.socket.recv(1 << 16)
        except ConnectionResetError:
            piece = b""
        if piece:
            member.received += piece
            member.arrived = time.monotonic()
        else:
            member.ended = True
            self.poll.unregister(member.socket)

    def read_all(self, members, are_done, within=DEADLINE):
        """Reads until each of these members is done, each looked at until it is; gives those that are not."""
        waiting = set(members)

        def nobody_waits():
            done = [member for member in waiting if member.arrived is not None or member.ended]
            waiting.difference_update(member for member in done if are_done(member))
            return not waiting

        self.read(nobody_waits, within)
        return waiting

    def close(self):
        self.leave(list(self.members.values()))
        self.poll.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def request(target, *lines):
    """The bytes of a GET."""
    return "\r\n".join([f"GET {target} HTTP/1.1", "Host: 127.0.0.1", *lines, "", ""]).encode()


def poll(target, tag, seconds):
    return request(target, f"If-None-Match: {tag}", f"Prefer: wait={seconds}")


def stream(*lines):
    return request("/changes", "Accept: text/event-stream", *lines)
