"""The service as a process of its own, started, watched and ended by its process id."""

import contextlib
import os
import random
import re
import resource
import signal
import socket
import subprocess
import threading
import time

from harness.client import DEADLINE, wait_until

# The source, which precedes the address, may be a URL too.
ADDRESS = re.compile(r" at https?://(\[[^\]]+\]|[^/:\s]+):(\d+)/")


class Server:
    """`drilldown serve` on a free port, unless one is given; leaving the `with` block ends it.

    With the path of a log file, the log goes there and is not read here, which would take processor time.
    """

    def __init__(self, program, source, *options, environment=None, start_within=DEADLINE, core=None, port=0,
                 descriptors=None, log_file=None):
        self.started_at = time.monotonic()
        command = [program, "serve", str(source), "--listen", f"127.0.0.1:{port}", *options]
        if core is not None:
            command = ["taskset", "-c", str(core), *command]
        if descriptors is not None:
            command = ["prlimit", f"--nofile={descriptors}:{descriptors}", *command]
        with open(log_file, "wb") if log_file else contextlib.nullcontext(subprocess.PIPE) as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                env=clean_environment(environment))
        self.pid = self.process.pid
        self.port = None
        self.log = []
        self._changed = threading.Condition()
        self._ended = False
        if log_file:
            wait_until(lambda: self._finds_address(log_file) or not self.is_running(), start_within)
        else:
            threading.Thread(target=self._read_log, daemon=True).start()
            with self._changed:
                self._changed.wait_for(lambda: self.port or self._ended, timeout=start_within)
        if self.port is None:
            self.kill()
            raise RuntimeError(f"no address on standard error within {start_within} s: {self.log}")
        self.ready_at = time.monotonic()

    def _finds_address(self, log_file):
        with open(log_file, encoding="utf-8", errors="replace") as file:
            address = ADDRESS.search(file.read())
        self.port = address and int(address.group(2))
        return self.port is not None

    def _read_log(self):
        for line in self.process.stderr:
            line = line.decode(errors="replace").rstrip("\n")
            with self._changed:
                self.log.append(line)
                address = ADDRESS.search(line)
                if self.port is None and address:
                    self.port = int(address.group(2))
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def signal(self, number):
        os.kill(self.pid, number)

    def stop(self, within=DEADLINE):
        """Asks it to stop; gives the exit status and the seconds it took, or (None, seconds) past the time."""
        asked = time.monotonic()
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=within)
        except subprocess.TimeoutExpired:
            status = None
        return status, time.monotonic() - asked

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def is_running(self):
        return self.process.poll() is None

    def resident_bytes(self):
        return resident_bytes(self.pid)

    def peak_bytes(self):
        return status_bytes(self.pid, "VmHWM")

    def cpu_seconds(self):
        return cpu_seconds(self.pid)

    def is_runnable(self):
        """Whether a thread has something to do, even if another process has the processor."""
        return any(state == "R" for state in thread_states(self.pid))

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def logs(self, words, within=DEADLINE):
        """Whether a line with these words is logged within some seconds, or was already."""
        with self._changed:
            return self._changed.wait_for(lambda: any(words in line for line in self.log), timeout=within)

    def open_sockets(self):
        """How many sockets the process holds."""
        folder = f"/proc/{self.pid}/fd"
        count = 0
        for name in os.listdir(folder):
            try:
                count += os.readlink(os.path.join(folder, name)).startswith("socket:")
            except FileNotFoundError:
                pass
        return count

    def __enter__(self):
        return self

    def __exit__(self, *_):
        status, _ = self.stop()
        if status is None:
            self.kill()


def clean_environment(extra=None):
    """This process's environment without the service's own variables, and with `extra`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DRILLDOWN_")}
    return kept | (extra or {})


def status_bytes(pid, field):
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    raise LookupError(f"/proc/{pid}/status has no {field}")


def resident_bytes(pid):
    return status_bytes(pid, "VmRSS")


def thread_states(pid):
    """The state of each thread as /proc/PID/task/TID/stat has it: R is running or runnable, S is asleep."""
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            with open(f"/proc/{pid}/task/{task}/stat") as file:
                yield file.read().rpartition(")")[2].split()[0]


def cpu_seconds(pid):
    """User and system time of a process so far; of all its threads, to the nanosecond."""
    # clock_getcpuclockid(3), which Python lacks: the number of a process's clock is made of its id.
    return time.clock_gettime(~pid << 3 | 2)


def allow_descriptors(count):
    """Lets this process, and the servers that it starts, open as many descriptors as it may."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < count:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))
        except (ValueError, PermissionError):
            raise RuntimeError(f"this needs {count} descriptors, and {most} are allowed (ulimit -Hn)") from None
    else:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def unused_port():
    """A port on which no process listens, outside the range from which connections take theirs.

    Tests that run at the same time have ranges of their own: a server may be started again on a port that it had.
    """
    start = 20000 + 1000 * (int(os.environ.get("SYSTEM_TEST_SLOT", 0)) % 12)
    while True:
        port = random.randrange(start, start + 1000)
        with socket.socket() as trial:
            try:
                trial.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


def settle(server):
    """Waits until the server has nothing more to do, which is all that shows that a request waits."""
    last, rests = server.cpu_seconds(), -1

    def is_idle():
        nonlocal last, rests
        before, last = last, server.cpu_seconds()
        # The first look comes at once, and says nothing. On a busy machine a thread that has work may not get to it:
        # it is runnable all the same.
        rests = rests + 1 if last - before < 0.0005 and not server.is_runnable() else 0
        return rests == 2

    if wait_until(is_idle, every=0.15) is None:
        raise RuntimeError(f"the server does not come to rest within {DEADLINE} s")
