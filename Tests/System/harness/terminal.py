"""A program at a terminal: what it prints is seen line by line, as a person sees it."""

import contextlib
import os
import pty
import subprocess
import threading

from harness.screen import Screen


class Terminal:
    """Runs a command whose standard output is a terminal; leaving the `with` block ends it by its process id."""

    def __init__(self, command, **options):
        self.screen = Screen()
        self._output, inner = pty.openpty()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=inner, **options)
        os.close(inner)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        # Reading a terminal whose other side is closed fails with an error instead of an end of file.
        with contextlib.suppress(OSError), open(self._output, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                self.screen.show(line.rstrip("\r\n"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
