#!/usr/bin/env python3
"""What the manual shows, as pasted: every request and command with its answer, every document, every option.

`--update` writes the answers of the program into the manual in place of those that differ.
"""

import contextlib
import glob
import os
import re
import shlex
import subprocess
import tempfile

from harness.client import DEADLINE, wait_until
from harness.pasted import FENCE, ROOT, Desk, Stream, commands_of
from harness.postgres import ROLE, Postgres
from harness.server import clean_environment
from harness.verdict import Verdict, options

PAGES = os.path.join(ROOT, "Sources", "drilldown", "drilldown.docc")
# The name of one run of the service, by the port that the manual names.
RUNS = {8080: "3jhu6m", 8081: "w0k4tz"}
# The PostgreSQL server that the manual names.
SHOWN_HOST = "@localhost/"
# The folder in which the commands are typed.
HOME = "/home/me/drilldown"
VERSION = re.compile(r"(?<=[\"=])[A-Za-z0-9_-]{22}\b")
# What differs from run to run, as the manual shows it.
VOLATILE = [
    (re.compile(r"(\"(?:at|time)\": ?\")[^\"]*"), r"\g<1>2026-11-20T23:23:23Z"),
    (re.compile(r"(\"loadedAt\": ?\")[^\"]*"), r"\g<1>2026-11-20T23:23:23.192972Z"),
    (re.compile(r"^(Date: ).*$", re.MULTILINE), r"\g<1>Fri, 20 Nov 2026 23:23:23 GMT"),
    (re.compile(r"\b[\d.]+ ms\b"), "0.6 ms"),
    (re.compile(r"\b\d+ kB of memory\b"), "16 kB of memory"),
    (re.compile(r"(\"milliseconds\": ?)[\d.]+"), r"\g<1>0.6"),
    (re.compile(r"\b\d+ µs"), "85 µs"),
    (re.compile(r"(\"microseconds\": ?)\d+"), r"\g<1>85"),
    # The time of a line of the log, which a terminal shows without it.
    (re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (?=drilldown: )", re.MULTILINE), ""),
    (re.compile(r"\b(turn=)\d+"), r"\g<1>1795217003"),
    # The identifier of a request.
    (re.compile(r"\b[0-9a-f]{32}\b"), "4bf92f3577b34da6a3ce929d0e0e4736"),
]


class Terminal:
    """A page's commands, one after the other: services that are started, streams that go on, all else at once.

    With a PostgreSQL server, the addresses of the page lead to it.
    """

    def __init__(self, desk, database=None):
        self.desk = desk
        self.database = f"127.0.0.1:{database.port}/" if database else None
        self.servers = {}
        # The service whose log goes to the terminal, and how much of it has been seen.
        self.logging = None
        self.seen_lines = 0
        self.stream = None

    def run(self, command, shown):
        """What the command prints, as the manual would show it."""
        lines = len(shown.splitlines()) if shown else 0
        match shlex.split(command, comments=True):
            case ["drilldown", "serve", *words] if words[-1] == "&" or not shown:
                self._serve(words)
                seen = self._logged(lines)
            case ["curl", "-N", *_] if command.endswith("&"):
                self.stream = Stream(self.desk, command)
                seen = self.stream.next()
            case words if self.stream and words[0] != "curl":
                self.desk.paste(command)
                seen = self.stream.next()
            case _:
                seen = self.desk.paste(self._own(command)).strip("\n")
                seen += self._logged(lines - len(seen.splitlines()))
        return self._shown(seen)

    def _serve(self, words):
        port = 8080
        if "--listen" in words:
            place = words.index("--listen")
            port = int(words[place + 1].rpartition(":")[2])
            del words[place:place + 2]
        self.logging = None
        if words[-1] == "&":
            words.pop()
            self.logging = port
            self.seen_lines = 0
        if port in self.servers:
            self.servers.pop(port).stop()
        with contextlib.chdir(self.desk.folder):
            self.servers[port] = self.desk.start(*(self._own(word) for word in words), port=port)

    def _logged(self, lines):
        """The next lines of the log, where it goes to the terminal."""
        if self.logging is None or lines <= 0:
            return ""
        log = self.servers[self.logging].log
        wait_until(lambda: len(log) >= self.seen_lines + lines)
        taken = log[self.seen_lines:self.seen_lines + lines]
        self.seen_lines += len(taken)
        return "\n".join(taken)

    def _runs(self):
        for port, server in self.servers.items():
            own = next(match[1] for line in server.log if (match := re.search(r"revision (\w+)-\d+\b", line)))
            yield RUNS[port], own

    def _own(self, command):
        """A command with the names and ports of the services that run."""
        for shown, own in self._runs():
            command = command.replace(shown, own)
        if self.database:
            command = command.replace(SHOWN_HOST, f"@{self.database}")
        if command.startswith("curl"):
            return command
        for shown, own in self.desk.ports.items():
            command = command.replace(f":{shown}", f":{own}")
        return command

    def _shown(self, text):
        for shown, own in self._runs():
            text = text.replace(own, shown)
        if self.database:
            text = text.replace(self.database, SHOWN_HOST.removeprefix("@"))
        for shown, own in self.desk.ports.items():
            text = text.replace(f":{own}", f":{shown}")
        return text.replace(self.desk.folder, HOME).rstrip("\n")

    def close(self):
        if self.stream:
            self.stream.close()
        for server in self.servers.values():
            server.stop()


def settled(text):
    """A text without what differs from run to run."""
    for pattern, replacement in VOLATILE:
        text = pattern.sub(replacement, text)
    # `curl -i` prints the lines of the header as they came.
    return "\n".join(line.rstrip("\r") for line in text.splitlines()).rstrip("\n")


def replayed(program, page, database):
    """What each command of a page prints, beside what is shown, and the page with what is printed."""
    answers = []
    # Versions that the page shows, by those that the program gives in their place.
    versions = {}

    def block(terminal, fence):
        lines = []
        for command, shown in commands_of(fence[2]):
            for old, new in versions.items():
                command = command.replace(old, new)
            seen = settled(terminal.run(command, shown))
            answers.append((command, settled(shown), seen))
            versions.update(zip(VERSION.findall(shown), VERSION.findall(seen)))
            lines += ["", f"$ {command}"] if lines and not lines[-1].startswith("$ ") else [f"$ {command}"]
            lines += (shown if seen == settled(shown) else seen).splitlines()
        return "```\n" + "\n".join(lines) + "\n```" if lines else fence[0]

    with tempfile.TemporaryDirectory() as folder:
        needs_database = SHOWN_HOST in page
        if needs_database:
            database.execute(f"DROP OWNED BY {ROLE} CASCADE")
        terminal = Terminal(Desk(folder, program), database if needs_database else None)
        try:
            return answers, FENCE.sub(lambda fence: fence[0] if fence[1] else block(terminal, fence), page)
        finally:
            terminal.close()


def accepts_documents(verdict, program, name, page):
    """Every document that a page shows whole is read without a warning, unless it is shown for that."""
    for language, text in FENCE.findall(page):
        if language not in ("xml", "json"):
            continue
        result = subprocess.run(
            [program, "check", "-"], input=text, capture_output=True, text=True, timeout=DEADLINE,
            env=clean_environment())
        verdict.expect(
            result.returncode == 0 and " 0 warnings" in result.stdout,
            f"{name}: a document shown is read without a warning: {result.stdout}{result.stderr}")


def tells_every_option(verdict, program, page):
    """The table has each option with its default, key and variable."""
    usage = subprocess.run(
        [program, "serve", "--help"], capture_output=True, text=True, timeout=DEADLINE, env=clean_environment()).stdout
    rows = re.findall(r"^\| `--([a-z-]+)(?:[^|\\]|\\.)*\| `?(\w+)`? \| `(\w+)` \| (.*?) \|", page, re.MULTILINE)
    known = dict(re.findall(r"^  --([a-z-]+).*?(?:\((\S+)\))?$", usage, re.MULTILINE))
    verdict.expect(
        [row[0] for row in rows] == list(known), f"the table lists the options of --help: {[row[0] for row in rows]}")
    for option, key, variable, standard in rows:
        words = option.split("-")
        wanted = "none" if option == "config" else "".join(map(str.capitalize, words))
        verdict.expect(key == wanted, f"the key of --{option} is not '{key}'")
        verdict.expect(
            variable == "DRILLDOWN_" + "_".join(map(str.upper, words)),
            f"--{option} has its variable, not '{variable}'")
        verdict.expect(
            standard.strip("`") == (known.get(option) or "none"), f"--{option} has its default, not '{standard}'")


def tells_every_problem(verdict, program, page):
    """The table has each kind of problem with its status."""
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(folder, program)
        with desk.start(desk.document):
            problems = re.findall(
                r'"type":"/problems/([a-z-]+)".*?"status":(\d+)', desk.paste("curl localhost:8080/problems/"))
    rows = re.findall(r"^\| `([a-z-]+)` \| (\d+) \|", page, re.MULTILINE)
    verdict.expect(sorted(rows) == sorted(problems), f"the table lists all kinds of problems: {rows}, not {problems}")


def tells_every_event(verdict, page):
    """The table has each event of the log."""
    events = set()
    for path in glob.glob(os.path.join(ROOT, "Sources", "drilldown", "**", "*.swift"), recursive=True):
        events.update(re.findall(r"\(\s*severity: [^,]+, event: \"([a-z-]+)\"", read(path)))
    table = page.partition("| event | members |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)
    verdict.expect(sorted(rows) == sorted(events), f"the table lists all events once: {rows}, not {sorted(events)}")


def update(program, paths, database):
    for path in paths:
        page = read(path)
        _, new = replayed(program, page, database)
        if new != page:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
            print(f"{os.path.basename(path)}: brought up to date")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    arguments = options(__doc__, update=False)
    program = arguments.server
    paths = sorted(glob.glob(os.path.join(PAGES, "*.md")))
    with Postgres() as database, Verdict("manual") as verdict:
        if arguments.update:
            update(program, paths, database)
        for path in paths:
            name, page = os.path.basename(path), read(path)
            for command, shown, seen in replayed(program, page, database)[0]:
                verdict.expect(seen == shown, f"{name}: '{command}' prints what the manual shows, not: {seen}")
            accepts_documents(verdict, program, name, page)
        tells_every_option(verdict, program, read(os.path.join(PAGES, "Command.md")))
        tells_every_event(verdict, read(os.path.join(PAGES, "Command.md")))
        tells_every_problem(verdict, program, read(os.path.join(PAGES, "Errors.md")))


if __name__ == "__main__":
    main()
