#!/usr/bin/env python3
"""A load that takes long: a bar on a terminal, which other lines do not garble, and log lines elsewhere.

The test decides how long a load takes: it sends the document piece by piece, through a pipe or as a server.
"""

# Slips: drilldown

import fcntl
import http.server
import os
import pty
import re
import signal
import struct
import subprocess
import tempfile
import termios
import threading

from harness.client import DEADLINE, get, wait_until
from harness.server import clean_environment
from harness.verdict import Verdict, options

ROW = "<string>Item %d</string>\n"
ROWS = 40_000
DOCUMENT = ('<plist version="1.0"><array>\n' + "".join(ROW % n for n in range(ROWS)) + "</array></plist>\n").encode()
ACCESS = re.compile(r"drilldown: 127\.0\.0\.1 GET /levels/\?limit=1&start=(\d+) 200 \d+ bytes \d+ µs [0-9a-f]{32}")
BAR = re.compile(r"\[[ =>]+\]")


class Display:
    """A terminal's lines as they look now: it understands carriage returns, line feeds and the clearing of a line."""

    def __init__(self, columns):
        self.columns = columns
        self.lines = [""]
        self.bars = []
        self.faults = []
        self.text = ""
        self.outer, self.inner = pty.openpty()
        fcntl.ioctl(self.inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self._at_start = True
        self.changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            while data := os.read(self.outer, 65536):
                with self.changed:
                    self._take(data.decode())
                    self.changed.notify_all()
        except OSError:
            # The other side is closed.
            pass

    def _take(self, data):
        self.text += data
        for piece in re.findall(r"\r|\n|\x1b\[K|\x1b\[[0-9;]*m|[^\r\n\x1b]+|.", data):
            if piece == "\r":
                self._at_start = True
            elif piece == "\n":
                if BAR.search(self.lines[-1]):
                    self.faults.append(f"a bar stays: {self.lines[-1]}")
                self.lines.append("")
            elif piece == "\x1b[K":
                self.lines[-1] = "" if self._at_start else self.lines[-1]
            elif not piece.startswith("\x1b"):
                if self._at_start and self.lines[-1]:
                    self.faults.append(f"written over '{self.lines[-1]}': {piece}")
                self._at_start = False
                self.lines[-1] += piece
                if BAR.search(piece):
                    self.bars.append(piece)
                    if len(self.lines[-1]) >= self.columns:
                        self.faults.append(f"too wide: {self.lines[-1]}")

    def resize(self, columns):
        with self.changed:
            self.columns = columns
            fcntl.ioctl(self.inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def wait(self, holds):
        with self.changed:
            return self.changed.wait_for(lambda: holds(self), timeout=DEADLINE)

    def shows_bar(self, words=""):
        """Whether a bar with these words is drawn after this is asked."""
        count = len(self.bars)
        return self.wait(lambda display: any(words in bar for bar in display.bars[count:]))

    def close(self):
        os.close(self.inner)


def start(command, display, stdin=subprocess.DEVNULL, **environment):
    return subprocess.Popen(
        command, stdin=stdin, stdout=display.inner, stderr=display.inner,
        env=clean_environment({"TERM": "xterm", "NO_COLOR": ""} | environment))


def checks_on_a_terminal(verdict, program):
    display = Display(80)
    process = start([program, "check", "-"], display, stdin=subprocess.PIPE)
    half = len(DOCUMENT) // 2
    process.stdin.write(DOCUMENT[:half])
    process.stdin.flush()
    verdict.expect(display.shows_bar("receiving <stdin> ["), f"check draws a bar after a second: {display.lines}")
    verdict.expect(display.shows_bar(), "the bar is drawn again")
    display.resize(30)
    verdict.expect(
        display.wait(lambda display: display.bars and len(display.bars[-1]) < 30),
        f"the bar follows the width of the terminal: {display.bars[-1:]}")
    process.stdin.write(DOCUMENT[half:])
    process.stdin.close()
    status = process.wait(timeout=DEADLINE)
    display.wait(lambda display: display.lines[-1] == "" and len(display.lines) > 3)
    verdict.expect(
        status == 0 and len(display.lines) == 4 and display.lines[0].startswith("<stdin>: 1 level, ")
        and display.lines[1:] == ["<stdin>: deepest at /levels/", f"<stdin>: {ROWS} items, 0 warnings", ""],
        f"after the load the bar is gone: {display.lines}")
    verdict.expect(not display.faults, f"nothing is garbled: {display.faults}")
    display.close()


def ends_by_a_signal(verdict, program):
    display = Display(80)
    process = start([program, "check", "-"], display, stdin=subprocess.PIPE)
    verdict.expect(display.shows_bar(), "a bar is drawn while nothing arrives")
    process.send_signal(signal.SIGINT)
    status = process.wait(timeout=DEADLINE)
    verdict.expect(status == -signal.SIGINT, f"SIGINT ends a check: {status}")
    verdict.expect(
        display.wait(lambda display: display.lines == [""]), f"and leaves the terminal's line empty: {display.lines}")
    process.stdin.close()
    display.close()


def checks_elsewhere(verdict, program, **environment):
    """A log line after five seconds: on a pipe, and on a terminal that has no control sequences."""
    name = environment.get("TERM", "a pipe")
    display = Display(80) if environment else None
    process = subprocess.Popen(
        [program, "check", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=False,
        stderr=display.inner if display else subprocess.PIPE, env=clean_environment(environment))
    process.stdin.write(DOCUMENT[:100_000])
    process.stdin.flush()
    sentence = "drilldown: receiving <stdin>: 0.1 MB, 5 s so far"
    if display:
        display.wait(lambda display: len(display.lines) > 1)
        line = display.lines[0]
    else:
        line = process.stderr.readline().decode().rstrip("\n")
    # On a busy machine it may come a little later.
    verdict.expect(
        re.sub(r"\d+ s so far", "5 s so far", line) == sentence, f"on {name} there is a log line instead: {line}")
    process.stdin.write(DOCUMENT[100_000:])
    process.stdin.close()
    output = process.stdout.read().decode().splitlines()
    verdict.expect(
        process.wait(timeout=DEADLINE) == 0 and output[-1] == f"<stdin>: {ROWS} items, 0 warnings",
        f"and the check ends well on {name}: {output}")
    if display:
        verdict.expect("\x1b" not in display.text, f"without a control sequence: {display.text!r}")
        display.close()
    else:
        process.stderr.close()
    process.stdout.close()


class Origin(http.server.ThreadingHTTPServer):
    """Sends the first half of its document, and the rest when it is told to."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.rest = threading.Semaphore(0)
        self.version = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/Data.plist"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        document = DOCUMENT.replace(b"Item 0<", b"Item %d.0<" % self.server.version)
        tag = f'"{self.server.version}"'
        if self.headers.get("If-None-Match") == tag:
            self.send_response(304)
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(document)))
        self.end_headers()
        half = len(document) // 2
        self.wfile.write(document[:half])
        self.wfile.flush()
        self.server.rest.acquire()
        self.wfile.write(document[half:])

    def log_message(self, *_):
        pass


def serves_on_a_terminal(verdict, program):
    display = Display(110)
    with Origin() as origin:
        process = start(
            [program, "serve", origin.url, "--listen", "127.0.0.1:0", "--refresh", "1", "--access-log"], display)
        bar = f"receiving {origin.url} ["
        verdict.expect(display.shows_bar(bar), f"the first fetch has a bar: {display.lines}")
        verdict.expect("50 %" in display.bars[-1], f"the share is known from the header: {display.bars[-1]}")
        origin.rest.release()
        display.wait(lambda display: any(" at http://" in line for line in display.lines))
        address = re.search(r" at http://127\.0\.0\.1:(\d+)/", display.text)
        verdict.expect(address is not None, f"it serves: {display.lines}")
        port = int(address.group(1))
        verdict.expect(not any(BAR.search(line) for line in display.lines), f"the bar is gone: {display.lines}")
        origin.version += 1
        verdict.expect(display.shows_bar(bar), f"a reload has a bar, too: {display.lines}")
        for number in range(20):
            get(port, f"/levels/?limit=1&start={number}")
        # A line is written after its answer has been sent.
        display.wait(lambda display: sum("GET /levels/" in line for line in display.lines) >= 20)
        verdict.expect(display.shows_bar(bar), "the bar goes on below the log lines")
        with display.changed:
            found = [line for line in display.lines if "GET /levels/" in line]
        verdict.expect(
            sorted(int(line[1]) for line in map(ACCESS.fullmatch, found) if line) == list(range(20)),
            f"each line of the access log is whole: {found}")
        origin.rest.release()
        verdict.expect(
            wait_until(lambda: b"Item 1.0" in get(port, "/levels/?limit=1").body) is not None, "the reload is served")
        process.terminate()
        verdict.expect(process.wait(timeout=DEADLINE) == 0, "it stops")
        display.wait(lambda display: display.lines[-2:] == ["drilldown: stopped", ""])
        verdict.expect(display.lines[-2:] == ["drilldown: stopped", ""], f"and leaves no bar: {display.lines[-3:]}")
        verdict.expect(not display.faults, f"nothing is garbled: {display.faults}")
        origin.shutdown()
    display.close()


def colors(verdict, program, folder):
    path = os.path.join(folder, "Warned.json")
    with open(path, "w") as file:
        file.write('[{"Title":"A","Children":[]}]')
    for variable, has_colors in (("", True), ("1", False)):
        display = Display(200)
        process = start([program, "serve", path, "--listen", "127.0.0.1:0"], display, NO_COLOR=variable)
        display.wait(lambda display: any(" at http://" in line for line in display.lines))
        process.terminate()
        process.wait(timeout=DEADLINE)
        verdict.expect(
            ("drilldown: \x1b[1;33mwarning\x1b[0m: " in display.text) == has_colors
            and ("drilldown: warning: " in display.text) != has_colors,
            f"NO_COLOR={variable} decides on colours: {display.text!r}")
        display.close()


def main():
    arguments = options(__doc__)
    with Verdict("progress") as verdict, tempfile.TemporaryDirectory() as folder:
        checks_on_a_terminal(verdict, arguments.server)
        ends_by_a_signal(verdict, arguments.server)
        checks_elsewhere(verdict, arguments.server)
        checks_elsewhere(verdict, arguments.server, TERM="dumb")
        serves_on_a_terminal(verdict, arguments.server)
        colors(verdict, arguments.server, folder)


if __name__ == "__main__":
    main()
