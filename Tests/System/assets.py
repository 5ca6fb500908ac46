#!/usr/bin/env python3
"""Files of the assets folder over the wire: a file of 1 GB, slow readers, changes while a file is sent, and the tricks of
web scanners, none of which gets a byte from outside of the folder."""

import os
import socket
import tempfile
import threading
import time

from harness.client import DEADLINE, Connection, wait_until
from harness.server import Server
from harness.verdict import Verdict, megabytes, options

SECRET = b"kept outside"
LARGE = 1 << 30
# Text in a sparse file, and where it is.
MARK, MARK_AT = b"in the middle", LARGE // 2

TRICKS = """/assets/../secret.txt /assets/../../etc/passwd /assets/..%2fsecret.txt /assets/..%2Fsecret.txt
    /assets/%2e%2e/secret.txt /assets/%2e%2e%2fsecret.txt /assets/.%2e/secret.txt /assets/%2e./secret.txt
    /assets/..%5csecret.txt /assets/..\\secret.txt /assets/%2e%2e%5csecret.txt /assets/%c0%ae%c0%ae/secret.txt
    /assets/%c0%ae%c0%ae%c0%afsecret.txt /assets/%uff0e%uff0e/secret.txt /assets/%252e%252e/secret.txt
    /assets/%252e%252e%252fsecret.txt /assets/....//secret.txt /assets/....\\\\secret.txt /assets/..;/secret.txt
    /assets/..%00/secret.txt /assets/..%0d%0a/secret.txt /assets/sub/../../secret.txt /assets/sub/..%2f..%2fsecret.txt
    /assets//etc/passwd /assets///etc/passwd /assets/%2fetc%2fpasswd /assets/file:///etc/passwd
    /assets/C:/secret.txt /assets/C:%5csecret.txt /assets/.hidden /assets/.folder/inside.txt /assets/%2ehidden
    /assets/plain.txt /assets/plain/inside.txt /assets/sub/plain.txt /assets/out.txt /assets/up/secret.txt /assets/up/assets/.hidden /assets/absolute.txt /assets/own.txt%00
    /assets/own.txt%00.png /assets/%00 /assets/own.txt/ /assets/own.txt/.. /assets/sub /assets/sub/ /assets/fifo /assets
    /assets/ /assets/. /assets/.. /assets/%2e /assets/../Data.plist /assets/..%2fData.plist /assets%2f..%2fsecret.txt
    /assets/~root /assets/own.txt~ /assets/WEB-INF/web.xml /assets/.git/config /assets/.env
    //assets/../secret.txt /./assets/../secret.txt /levels/../assets/../secret.txt""".split()


def raw(port, target):
    """The status line and all that comes, for a target that no client library sends."""
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as connection:
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while piece := connection.recv(1 << 16):
            answer += piece
    return answer


def make(folder):
    """A document, its assets, and what must never be read."""
    put = lambda name, data: open(os.path.join(folder, name), "wb").write(data)
    for name in ("assets/sub", "assets/.folder"):
        os.makedirs(os.path.join(folder, name))
    put("Data.plist", b'<plist><array><string>a</string></array></plist>')
    for name in ("secret.txt", "assets/.hidden", "assets/.folder/inside.txt"):
        put(name, SECRET)
    put("assets/own.txt", b"0123456789")
    for link, target in (("out.txt", "../secret.txt"), ("up", ".."), ("absolute.txt", os.path.join(folder, "secret.txt")),
                         ("plain.txt", ".hidden"), ("plain", ".folder"), ("sub/plain.txt", "../plain/inside.txt")):
        os.symlink(target, os.path.join(folder, "assets", link))
    os.mkfifo(os.path.join(folder, "assets", "fifo"))
    with open(os.path.join(folder, "assets", "large.bin"), "wb") as file:
        file.truncate(LARGE)
        file.seek(MARK_AT)
        file.write(MARK)
    return os.path.join(folder, "Data.plist")


def traversal(verdict, server):
    for target in TRICKS:
        answer = raw(server.port, target)
        status = answer[9:12]
        verdict.expect(status in (b"404", b"400"), f"{target} is answered with {answer[:60]}")
        verdict.expect(
            SECRET not in answer and b"root:" not in answer and b"0123456789" not in answer.split(b"\r\n\r\n", 1)[-1],
            f"{target} gives something away: {answer[-200:]}")


def swapped_link(verdict, server, folder):
    """A link that leads out and in by turns, while it is asked for."""
    stopping = threading.Event()
    link, other = (os.path.join(folder, "assets", name) for name in ("swapped.txt", "other.txt"))

    def swap():
        while not stopping.is_set():
            for target in ("own.txt", "../secret.txt"):
                os.symlink(target, other)
                os.replace(other, link)

    thread = threading.Thread(target=swap)
    thread.start()
    bodies, statuses = set(), set()
    with Connection(server.port) as client:
        for _ in range(3000):
            answer = client.get("/assets/swapped.txt")
            statuses.add(answer.status)
            bodies.add(answer.body if answer.status == 200 else b"")
    stopping.set()
    thread.join()
    verdict.expect(bodies <= {b"", b"0123456789"}, f"a swapped link gives {bodies}")
    verdict.expect(statuses == {200, 404}, f"a swapped link is answered with {statuses}")


def large_file(verdict, server):
    """All of 1 GB at full speed, and from its middle, while the memory stays."""
    before = server.peak_bytes()
    with Connection(server.port) as client:
        answer = client.get("/assets/large.bin", Range=f"bytes={MARK_AT}-{MARK_AT + len(MARK) - 1}")
        verdict.expect(answer.status == 206 and answer.body == MARK, "a range in the middle of 1 GB is sent")
        client.send("/assets/large.bin")
        start, head = time.monotonic(), b""
        while b"\r\n\r\n" not in head and (piece := client.socket.recv(1 << 10)):
            head += piece
        head, _, body = head.partition(b"\r\n\r\n")
        verdict.expect(f"Content-Length: {LARGE}".encode() in head, "1 GB is announced")
        read, buffer = len(body), bytearray(1 << 20)
        while read < LARGE and (count := client.socket.recv_into(buffer)):
            read += count
        verdict.expect(read == LARGE, f"{read} of {LARGE} bytes were sent")
        verdict.figure("1 GB", f"{LARGE / 1e6 / (time.monotonic() - start):.0f} MB/s")
        verdict.expect(client.get("/assets/own.txt").status == 200, "the connection goes on afterwards")
    grown = server.peak_bytes() - before
    verdict.figure("memory for it", megabytes(grown))
    verdict.expect(grown < 16 << 20, f"sending 1 GB took {megabytes(grown)}")


def slow_readers(verdict, server):
    """Readers that take nothing for a while: others are served, and nothing piles up."""
    before = server.resident_bytes()
    clients = [Connection(server.port, receive_buffer=4096) for _ in range(30)]
    try:
        for client in clients:
            client.send("/assets/large.bin")
        with Connection(server.port) as other:
            served = all(other.get("/levels/").status == 200 for _ in range(50))
            verdict.expect(served, "others are served while thirty clients do not read")
            verdict.expect(other.get("/assets/own.txt").status == 200, "a short file is sent meanwhile")
        grown = server.resident_bytes() - before
        verdict.figure("thirty slow readers", megabytes(grown))
        verdict.expect(grown < 30 << 20, f"thirty slow readers take {megabytes(grown)}")
        verdict.expect(len(clients[0].socket.recv(1000)) > 0, "a slow reader goes on")
    finally:
        for client in clients:
            client.close()
    closed = wait_until(lambda: server.descriptors() < 60)
    verdict.expect(closed is not None, "the files are closed when the readers have gone")


def changed_while_sent(verdict, server, folder):
    path = os.path.join(folder, "assets", "changing.bin")
    for change in ("truncated", "written", "replaced", "deleted"):
        with open(path, "wb") as file:
            file.write(b"a" * (64 << 20))
        with Connection(server.port, receive_buffer=4096) as client:
            client.send("/assets/changing.bin")
            client.socket.recv(1000)
            if change == "truncated":
                os.truncate(path, 1 << 20)
            elif change == "written":
                os.utime(path, (1, 1))
                with open(path, "r+b") as file:
                    file.write(b"b")
            elif change == "replaced":
                with open(path + ".new", "wb") as file:
                    file.write(b"b" * (64 << 20))
                os.replace(path + ".new", path)
            else:
                os.unlink(path)
            read, others = 0, b""
            # The header and the first piece of the body were read before the change.
            while read < (64 << 20) - 1000:
                try:
                    piece = client.socket.recv(1 << 20)
                except ConnectionError:
                    break
                if not piece:
                    break
                read += len(piece)
                others += piece.strip(b"a") if b"\r\n" not in piece else b""
            is_whole = read >= (64 << 20) - 1000
            if change in ("truncated", "written"):
                verdict.expect(not is_whole, f"a file that is {change} meanwhile cuts the connection after {read} bytes")
            else:
                verdict.expect(is_whole, f"a file that is {change} meanwhile is sent as it was, not {read} bytes")
            verdict.expect(others == b"", f"no byte of another file is sent when it is {change}, but {others[:20]}")
    with Connection(server.port) as client:
        verdict.expect(client.get("/healthz").status == 200, "the service is alive afterwards")


def main():
    arguments = options(__doc__)
    with Verdict("assets") as verdict, tempfile.TemporaryDirectory() as folder:
        document = make(folder)
        with Server(arguments.server, document) as server:
            traversal(verdict, server)
            swapped_link(verdict, server, folder)
            large_file(verdict, server)
            slow_readers(verdict, server)
            changed_while_sent(verdict, server, folder)
            verdict.expect(server.is_running(), "it runs to the end")


if __name__ == "__main__":
    main()
