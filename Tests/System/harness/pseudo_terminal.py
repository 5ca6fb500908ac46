"""A program at a terminal whose keys are pressed, and whose screen is seen as a person sees it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import threading
import unicodedata

from harness.client import DEADLINE

# What a program may send: text, and the control sequences of ECMA-48 that are handled below.
TOKEN = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|([\x00-\x1f\x7f-\x9f])|([^\x00-\x1f\x7f-\x9f])")


class Grid:
    """The characters of a screen, after the sequences that a program has sent."""

    def __init__(self, columns, lines):
        self.columns, self.lines = columns, lines
        self.cells = [[" "] * columns for _ in range(lines)]
        self.row = self.column = 0
        self.style = ""
        self.styles = [[""] * columns for _ in range(lines)]
        # Private modes that are set, such as 1049 for the alternate screen.
        self.modes = {"25", "7"}
        self.unknown = []

    def feed(self, text):
        for found in TOKEN.finditer(text):
            parameters, final, control, character = found.groups()
            if final:
                self._sequence(parameters, final)
            elif control:
                self.unknown.append(repr(control))
            else:
                self._put(character)

    def _put(self, character):
        if unicodedata.combining(character):
            return
        width = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if self.row < self.lines and self.column + width <= self.columns:
            self.cells[self.row][self.column] = character
            self.styles[self.row][self.column] = self.style
            if width == 2:
                self.cells[self.row][self.column + 1] = ""
            self.column += width

    def _sequence(self, parameters, final):
        numbers = [int(number or 0) for number in parameters.strip("?").split(";")]
        if final == "H":
            self.row = (numbers[0] or 1) - 1
            self.column = ((numbers[1] if len(numbers) > 1 else 1) or 1) - 1
        elif final == "K" and self.row < self.lines:
            for column in range(self.column, self.columns):
                self.cells[self.row][column], self.styles[self.row][column] = " ", ""
        elif final == "J" and numbers == [2]:
            self.cells = [[" "] * self.columns for _ in range(self.lines)]
            self.styles = [[""] * self.columns for _ in range(self.lines)]
        elif final == "m":
            self.style = parameters
        elif final == "h":
            self.modes.add(parameters.strip("?"))
        elif final == "l":
            self.modes.discard(parameters.strip("?"))
        else:
            self.unknown.append(f"CSI {parameters}{final}")

    def text(self):
        return ["".join(row).rstrip() for row in self.cells]

    def selected(self):
        """The text of the row that is shown in reverse below the heading."""
        for row, styles in list(zip(self.cells, self.styles))[1:]:
            if "7" in styles[0].split(";"):
                return "".join(row).strip()
        return None


class PseudoTerminal:
    """Runs a command at a terminal of a size; leaving the `with` block ends it by its process id."""

    def __init__(self, command, columns=80, lines=24, **options):
        self.master, self.inner = pty.openpty()
        self._tell_size(columns, lines)
        self.modes_before = termios.tcgetattr(self.inner)
        self._changed = threading.Condition()
        self.grid = Grid(columns, lines)
        self.bytes = b""
        self.process = subprocess.Popen(
            command, stdin=self.inner, stdout=self.inner, stderr=subprocess.PIPE, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), **options)
        # Readable as soon as the reader has to end.
        self._ended = os.eventfd(0)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        pending = b""
        while self._ended not in select.select([self.master, self._ended], [], [])[0]:
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return
            if not data:
                return
            pending += data
            # A sequence or a character may be cut; what is left comes with the next bytes.
            text, pending = self._whole(pending)
            with self._changed:
                self.bytes += data
                self.grid.feed(text)
                self._changed.notify_all()

    @staticmethod
    def _whole(data):
        cut = data.rfind(b"\x1b")
        if cut >= 0 and not re.match(rb"\x1b\[[?0-9;]*[A-Za-z]", data[cut:]):
            data, rest = data[:cut], data[cut:]
        else:
            rest = b""
        for length in range(min(4, len(data)) + 1):
            try:
                return data[:len(data) - length].decode(), data[len(data) - length:] + rest
            except UnicodeDecodeError:
                pass
        return data.decode(errors="replace"), rest

    def press(self, keys):
        os.write(self.master, keys.encode())

    def size(self, columns, lines):
        # The program draws as soon as it knows the size: what it draws belongs on the new grid.
        with self._changed:
            old, self.grid = self.grid, Grid(columns, lines)
            self.grid.modes = old.modes
            self._tell_size(columns, lines)

    def _tell_size(self, columns, lines):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def shows(self, condition, within=DEADLINE):
        """Waits until the screen fulfils a condition: words, or a function of the grid."""
        holds = (lambda grid: any(condition in line for line in grid.text())) if isinstance(condition, str) else condition
        with self._changed:
            return self._changed.wait_for(lambda: holds(self.grid), timeout=within)

    def text(self):
        with self._changed:
            return self.grid.text()

    def selected(self):
        with self._changed:
            return self.grid.selected()

    def is_restored(self):
        """Whether modes and screen are as before the program."""
        with self._changed:
            screen = {"25", "7"} <= self.grid.modes and "1049" not in self.grid.modes
        return screen and termios.tcgetattr(self.inner) == self.modes_before

    def end(self, within=DEADLINE):
        """Waits for the end; gives the exit status, which is negative after a signal."""
        return self.process.wait(timeout=within)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stderr.close()
        # A reader that outlived its terminal would read the next file that gets the number of its descriptor.
        os.eventfd_write(self._ended, 1)
        self._reader.join()
        for descriptor in (self.inner, self.master, self._ended):
            os.close(descriptor)
