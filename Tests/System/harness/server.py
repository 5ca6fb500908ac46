"""The service as a process of its own, started, watched and ended by its process id."""

import os
import re
import signal
import subprocess
import threading
import time

# The source may be a URL too, and stands before the address.
ADDRESS = re.compile(r" at http://(\[[^\]]+\]|[^/:\s]+):(\d+)/")


class Server:
    """`drilldown serve` on a free port; leaving the `with` block ends it."""

    def __init__(self, program, source, *options, environment=None, start_within=60, core=None):
        self.started_at = time.monotonic()
        command = [program, "serve", str(source), "--listen", "127.0.0.1:0", *options]
        if core is not None:
            command = ["taskset", "-c", str(core), *command]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env=clean_environment(environment))
        self.pid = self.process.pid
        self.port = None
        self.log = []
        self._changed = threading.Condition()
        self._ended = False
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        with self._changed:
            self._changed.wait_for(lambda: self.port or self._ended, timeout=start_within)
        if self.port is None:
            self.kill()
            raise RuntimeError(f"no address on standard error within {start_within} s: {self.log}")
        self.ready_at = time.monotonic()

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

    def stop(self, within=10):
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


def cpu_seconds(pid):
    """User and system time of a process so far; of all its threads."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
