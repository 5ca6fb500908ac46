"""What a service manager does for a service: sockets handed over, notifications received, threads that hang."""

import ctypes
import os
import signal
import socket
import subprocess
import threading

from harness.client import DEADLINE, wait_until
from harness.server import clean_environment

# Makes LISTEN_PID the id of the process that the shell becomes, and its first argument descriptor 3.
HANDOVER = 'export LISTEN_PID=$$; number=$1; shift; exec "$@" 3<&"$number"'


class Service:
    """`drilldown serve` with the environment that a service manager gives it; leaving the `with` block ends it."""

    def __init__(self, program, *arguments, environment=None, handed=None, prefix=()):
        command = [*prefix, program, "serve", *map(str, arguments)]
        descriptors = ()
        if handed is not None:
            command = ["bash", "-c", HANDOVER, "bash", str(handed.fileno()), *command]
            descriptors = (handed.fileno(),)
            environment = {"LISTEN_FDS": "1"} | (environment or {})
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env=clean_environment(environment), pass_fds=descriptors)
        self.pid = self.process.pid
        self.log = []
        self._changed = threading.Condition()
        threading.Thread(target=self._read_log, daemon=True).start()

    def _read_log(self):
        for line in self.process.stderr:
            with self._changed:
                self.log.append(line.decode(errors="replace").rstrip("\n"))
                self._changed.notify_all()

    def logs(self, words, within=DEADLINE):
        """Whether a line with these words is logged within some seconds, or was already."""
        with self._changed:
            return self._changed.wait_for(lambda: any(words in line for line in self.log), timeout=within)

    def signal(self, number):
        os.kill(self.pid, number)

    def ends(self, within=DEADLINE):
        """The exit status; None if it does not end."""
        try:
            return self.process.wait(timeout=within)
        except subprocess.TimeoutExpired:
            return None

    def stop(self):
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        return self.ends()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def threads(self):
        """The names of its threads by their ids; the main thread has the process's id."""
        names = {}
        for task in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{task}/comm") as file:
                names[int(task)] = file.read().strip()
        return names

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None and self.stop() is None:
            self.kill()


class Receiver:
    """The socket on which a service manager receives notifications; each is a dictionary of its assignments."""

    def __init__(self, address):
        self.address = address
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + address[1:] if address.startswith("@") else address)
        self.messages = []
        self._taken = 0
        self._changed = threading.Condition()
        threading.Thread(target=self._receive, daemon=True).start()

    def _receive(self):
        while True:
            datagram = self.socket.recv(1 << 16).decode()
            message = dict(line.split("=", 1) for line in datagram.splitlines())
            with self._changed:
                self.messages.append(message)
                self._changed.notify_all()

    def environment(self, **others):
        return {"NOTIFY_SOCKET": self.address, **others}

    def next(self, holds, within=DEADLINE):
        """Takes messages up to the first one for which something holds, and gives that; None if none comes."""
        found = None

        def is_found():
            nonlocal found
            while found is None and self._taken < len(self.messages):
                message = self.messages[self._taken]
                self._taken += 1
                if holds(message):
                    found = message
            return found is not None

        with self._changed:
            self._changed.wait_for(is_found, timeout=within)
        return found

    def next_with(self, name, within=DEADLINE):
        return self.next(lambda message: name in message, within)


class Frozen:
    """One thread of a child process that does not run within the `with` block, while the others do (ptrace(2))."""

    SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17
    WALL = 0x40000000

    def __init__(self, thread):
        self.thread = thread
        self.library = ctypes.CDLL(None, use_errno=True)
        self.library.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        self.library.ptrace.restype = ctypes.c_long

    def _trace(self, request):
        if self.library.ptrace(request, self.thread, None, None) != 0:
            raise OSError(ctypes.get_errno(), f"ptrace({request:#x}) of thread {self.thread}")

    def __enter__(self):
        self._trace(self.SEIZE)
        self._trace(self.INTERRUPT)
        os.waitpid(self.thread, self.WALL)
        return self

    def __exit__(self, *_):
        self._trace(self.DETACH)


class HeldOrigin:
    """A web server whose document comes when it is released, and not before."""

    def __init__(self, body, status="200 OK"):
        self.body = body
        self.status = status
        self.released = threading.Event()
        self.requests = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/Data.plist"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            connection, _ = self.listener.accept()
            self.requests += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            while b"\r\n\r\n" not in connection.recv(1 << 16):
                pass
            self.released.wait()
            head = f"HTTP/1.1 {self.status}\r\nContent-Length: {len(self.body)}\r\nConnection: close\r\n\r\n"
            try:
                connection.sendall(head.encode() + self.body)
            except OSError:
                # The service was told to stop meanwhile.
                pass

    def is_asked(self):
        return wait_until(lambda: self.requests > 0) is not None
