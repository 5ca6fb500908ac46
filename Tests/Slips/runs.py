"""One run of tests, which ends with the first failure."""

import os
import pathlib
import re
import selectors
import shutil
import signal
import subprocess
import tempfile
import time

# As Swift Testing and Tests/System/harness/verdict.py print it.
FAILURE = re.compile(r"✘\S* Test (?!run )(.*?)(?: recorded an issue| failed after)(.*)|^\s*FAILED: (.*)|^not ok (.*)")
TOO_LONG = "takes too long"
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Run:
    """Runs a command; `noticed` is what failed, or None, `test` its name, and `seconds` how long it took."""

    def __init__(self, command, folder, environment, limit):
        self.noticed = self.test = None
        # Servers that tests start put their files here: so they are found if the tests were killed.
        self.temporary = tempfile.mkdtemp(prefix="slip-", dir="/tmp")
        os.chmod(self.temporary, 0o777)
        begun = time.monotonic()
        try:
            self._run(command, folder, os.environ | environment | {"TMPDIR": self.temporary}, begun + limit)
        finally:
            self.seconds = time.monotonic() - begun
            self._clean()

    def _run(self, command, folder, environment, deadline):
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True)
        os.set_blocking(process.stdout.fileno(), False)
        last, pending = "", b""
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(process.stdout, selectors.EVENT_READ)
                while not self.noticed:
                    if time.monotonic() > deadline:
                        self.noticed = TOO_LONG
                        break
                    ready = selector.select(0.2)
                    data = (process.stdout.read() or b"") if ready else b""
                    lines = (pending + data).split(b"\n")
                    pending = lines.pop()
                    for line in lines:
                        last = COLOURS.sub("", line.decode(errors="replace")).rstrip() or last
                        if found := FAILURE.search(last):
                            self.noticed = " ".join(part for part in found.groups() if part)
                            self.test = found[1] or self.noticed
                            break
                    if not self.noticed and not data and process.poll() is not None:
                        if process.returncode:
                            self.noticed = f"ends with status {process.returncode}: {last[:200]}"
                        break
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            process.stdout.close()

    def _clean(self):
        """Ends the servers that were started, which have process groups of their own."""
        for file in pathlib.Path(self.temporary).rglob("postmaster.pid"):
            try:
                os.kill(int(file.read_text().split()[0]), signal.SIGQUIT)
            except (OSError, ValueError, IndexError):
                pass
        marker = f"TMPDIR={self.temporary}".encode()
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if marker in (entry / "environ").read_bytes().split(b"\0") and b"postgres" not in (entry / "comm").read_bytes():
                    os.kill(int(entry.name), signal.SIGKILL)
            except OSError:
                pass
        shutil.rmtree(self.temporary, ignore_errors=True)
