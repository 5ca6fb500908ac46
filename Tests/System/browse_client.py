#!/usr/bin/env python3
"""`drilldown browse` at a terminal and without one: drilling, changes, trouble, and the terminal as it was."""

# Covers: drilldown-browse DrilldownClient

import json
import os
import plistlib
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import termios
import unicodedata

from harness.client import DEADLINE, wait_until
from harness.edits import save
from harness.pasted import Desk
from harness.pseudo_terminal import PseudoTerminal
from harness.server import Server, clean_environment, cpu_seconds, unused_port
from harness.verdict import Verdict, options

UP, DOWN, RIGHT, LEFT, ENTER, ESCAPE = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\r", "\x1b"
# Seconds, and the share of a processor that is allowed meanwhile.
IDLE_TIME, IDLE_SHARE = 5, 0.005
ENVIRONMENT = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
CLEAR, ENTER_SCREEN, LEAVE_SCREEN = b"\x1b[2J", b"\x1b[?1049h", b"\x1b[?1049l"


def browse(program, server, *arguments, path="", **size):
    return PseudoTerminal(
        [program, "browse", f"http://127.0.0.1:{server.port}{path}", *arguments], env=clean_environment(ENVIRONMENT), **size)


def printed(program, *arguments, **changes):
    return subprocess.run(
        [program, "browse", *arguments], capture_output=True, text=True, timeout=DEADLINE, stdin=subprocess.DEVNULL,
        env=clean_environment(ENVIRONMENT | changes))


def expect_screen(verdict, terminal, condition, sentence):
    return verdict.expect(terminal.shows(condition), f"{sentence}: {terminal.text()}")


def drills(verdict, program, desk):
    with desk.start(desk.document) as server, browse(program, server) as terminal:
        expect_screen(verdict, terminal, "Item 4", "the first level is shown")
        verdict.expect("Root" in terminal.text()[0] and "4 rows" in terminal.text()[0], f"with a heading: {terminal.text()[0]}")
        verdict.expect(terminal.selected().startswith("Item 1"), f"the first row is selected: {terminal.selected()}")
        terminal.size(16, 5)
        verdict.expect(
            terminal.shows(lambda grid: "Item 3" in grid.text()[3] and grid.text()[4].strip()),
            f"a smaller terminal is filled: {terminal.text()}")
        terminal.size(80, 24)
        verdict.expect(terminal.shows(lambda grid: "Item 4" in grid.text()[4]), f"and a larger one: {terminal.text()}")
        terminal.press(DOWN + DOWN + DOWN)
        verdict.expect(
            terminal.shows(lambda grid: (grid.selected() or "").startswith("Item 4")), "the arrows select another row")
        terminal.press(ENTER)
        expect_screen(verdict, terminal, "Root › Item 4", "Enter opens the row")
        for title in ("Screen G", "Screen H", "Screen I"):
            verdict.expect(
                terminal.shows(lambda grid, title=title: (grid.selected() or "").startswith(title)), f"{title} is shown")
            terminal.press(RIGHT)
        verdict.expect(terminal.shows(lambda grid: (grid.selected() or "").startswith("Screen J")), "the last level")
        terminal.press(RIGHT)
        expect_screen(verdict, terminal, "Far above the tree line", "a leaf shows its fields")
        terminal.press(LEFT * 4)
        verdict.expect(
            terminal.shows(lambda grid: (grid.selected() or "").startswith("Screen G")), "Left goes back to the rows")
        terminal.press(ESCAPE)
        verdict.expect(
            terminal.shows(lambda grid: (grid.selected() or "").startswith("Item 4")),
            f"Escape too, with the row selected that was opened: {terminal.text()}")
        terminal.press("q")
        status = terminal.end()
        verdict.expect(status == 0, f"q leaves with the status 0: {status}")
        verdict.expect(wait_until(terminal.is_restored), "the terminal is as it was")
        verdict.expect(not terminal.grid.unknown, f"nothing but known sequences is sent: {terminal.grid.unknown}")
        verdict.expect(
            terminal.bytes.count(CLEAR) == 3, f"the screen is cleared once for each size: {terminal.bytes.count(CLEAR)}")


def shows_changes(verdict, program, desk):
    """A change that is saved, a server that goes away and comes back, and a detail that changes."""
    with desk.start(desk.document, port=8080) as server:
        with browse(program, server, path="/levels/Item%201") as terminal:
            expect_screen(verdict, terminal, "Screen A", "a level is opened by its URL")
            desk.rename("Screen A", "Screen K")
            expect_screen(verdict, terminal, "Screen K", "a change appears as soon as it is saved")
            expect_screen(verdict, terminal, "• Screen K", "with a mark")
            server.kill()
            expect_screen(
                verdict, terminal, lambda grid: re.search("cannot|refused|connect|answer", grid.text()[-1]),
                "a server that is away is told in the last line")
            desk.rename("Screen K", "Screen L")
            with Server(program, desk.document, port=server.port):
                expect_screen(verdict, terminal, "Screen L", "the change of the meantime appears when it is back")
                expect_screen(
                    verdict, terminal, lambda grid: "leave" in grid.text()[-1] or "row" in grid.text()[-1],
                    "and the last line is as it was")
                terminal.press(ENTER)
                terminal.shows(lambda grid: "Root › Item 1 › Screen L" in grid.text()[0])
                with open(desk.document, "rb") as file:
                    tree = plistlib.load(file)
                tree["Rows"][0]["Children"][0]["Note"] = "seen at once"
                with open(desk.document, "wb") as file:
                    plistlib.dump(tree, file, sort_keys=False)
                terminal.press(LEFT + " ")
                expect_screen(verdict, terminal, lambda grid: "Item 1" in grid.text()[0], "Space shows fields")
    with desk.start(desk.document) as server, browse(program, server, path="/detail/Item%201/Screen%20L") as terminal:
        expect_screen(verdict, terminal, "seen at once", "a detail is opened by its URL")
        desk.rename("seen at once", "seen again")
        expect_screen(verdict, terminal, "seen again", "a change of a field appears")
        expect_screen(verdict, terminal, "1 of 1", "with its place among the rows")
        for rows, place in ((["before"], "2 of 2"), (["after"], "2 of 3")):
            with open(desk.document, "rb") as file:
                tree = plistlib.load(file)
            children = tree["Rows"][0]["Children"]
            children[len(children) if rows == ["after"] else 0:0] = rows
            with open(desk.document, "wb") as file:
                plistlib.dump(tree, file, sort_keys=False)
            expect_screen(verdict, terminal, place, f"which follows a row that is inserted {rows[0]} it")


def keeps_columns(verdict, program, folder):
    """What is on the right stays in its column, whatever is on the left: the ends of each range of wide characters."""
    codes = [code for code in range(0x1200, 0x3FFFE)
             if unicodedata.category(chr(code))[0] not in "CM" and unicodedata.east_asian_width(chr(code)) != "A"
             and not 0x1F1E6 <= code <= 0x1F1FF]
    wide = [unicodedata.east_asian_width(chr(code)) in "WF" for code in codes]
    ends = {code for index in range(1, len(codes)) if wide[index] != wide[index - 1] for code in codes[index - 1:index + 1]}
    document = os.path.join(folder, "wide.json")
    with open(document, "w", encoding="utf-8") as file:
        json.dump([{"Title": chr(code), "Key": f"{code:x}", "Value": f"{code:x}"} for code in sorted(ends)], file)
    with Server(program, document) as server, browse(program, server, lines=len(ends) + 2) as terminal:
        last = f"{max(ends):x}"
        expect_screen(verdict, terminal, lambda grid: grid.text()[-2].endswith(last), "all rows are shown")
        with terminal._changed:
            ragged = ["".join(row).strip() for row in terminal.grid.cells[1:-1] if row[76] == " " or row[77] != " "]
        verdict.expect(len(ends) > 200 and not ragged, f"of {len(ends)} characters these are of another width: {ragged}")


def restores(verdict, program, desk):
    """Whatever ends the program."""
    with desk.start(desk.document) as server:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV, signal.SIGABRT):
            with browse(program, server) as terminal:
                terminal.shows("Item 4")
                os.kill(terminal.process.pid, number)
                status = terminal.end()
                verdict.expect(
                    status == -number and wait_until(terminal.is_restored),
                    f"the terminal is as it was after {number.name}: {status}, {terminal.grid.modes}")
        with browse(program, server) as terminal:
            terminal.shows("Item 4")
            terminal.press("\x0c")
            verdict.expect(wait_until(lambda: terminal.bytes.count(CLEAR) == 2), "Control-L writes the screen again")
            os.kill(terminal.process.pid, signal.SIGTSTP)
            verdict.expect(wait_until(lambda: terminal.bytes.count(ENTER_SCREEN) == 2), "so does what stops it from outside")
            verdict.expect(terminal.bytes.count(LEAVE_SCREEN) == 1, "which leaves the terminal as it was meanwhile")
            terminal.press("\x03")
            verdict.expect(terminal.end() == 0 and wait_until(terminal.is_restored), "Control-C leaves")
        stops(verdict, program, server)
        begins(verdict, program, server)


def begins(verdict, program, server):
    """At a terminal with other modes, of unknown size, and with keys that were typed before."""
    command = [program, "browse", f"http://127.0.0.1:{server.port}"]
    for size in ("rows 0 cols 60", "rows 12 cols 0"):
        begins_at(verdict, command, size)
    # No signal tells the end of a terminal that is not the program's own.
    outer, inner = pty.openpty()
    with subprocess.Popen(command, stdin=inner, stdout=inner, env=clean_environment(ENVIRONMENT)) as process:
        os.close(inner)
        shown = b""
        while b"Item 4" not in shown:
            shown += os.read(outer, 65536)
        os.close(outer)
        verdict.expect(process.wait(timeout=DEADLINE) == 0, f"the end of the input leaves: {process.returncode}")


def begins_at(verdict, command, size):
    shell = ["bash", "-c", f'read -r; stty brkint inpck istrip inlcr igncr cs7 min 3 time 9 {size}; exec "$@"', "bash"]
    with PseudoTerminal(shell + command, env=clean_environment(ENVIRONMENT)) as terminal:
        terminal.press("\nq")
        expect_screen(verdict, terminal, lambda grid: grid.text()[0].endswith(" 4 rows"), "the first screen is shown")
        verdict.expect(
            len(terminal.text()[0]) == 79 and "q leave" in terminal.text()[23], f"on 80 columns, 24 lines: {terminal.text()}")
        terminal.press(DOWN)
        verdict.expect(
            terminal.shows(lambda grid: (grid.selected() or "").startswith("Item 2")), "earlier keys are not for it")
        inputs, outputs, controls, local, _, _, characters = termios.tcgetattr(terminal.inner)
        wrong = inputs & (termios.BRKINT | termios.ICRNL | termios.INPCK | termios.ISTRIP | termios.IXON | termios.INLCR
                          | termios.IGNCR) or outputs & termios.OPOST or controls & termios.CSIZE != termios.CS8
        wrong = wrong or local & (termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
        limits = characters[termios.VMIN], characters[termios.VTIME]
        verdict.expect(not wrong and limits in ((1, 0), (b"\x01", b"\x00")), f"each byte arrives as it is: {wrong} {limits}")


def stops(verdict, program, server):
    """Control-Z: below a shell that controls jobs, and where no shell could continue the program."""
    shell = [
        "bash", "--norc", "-ic", '"$@"; echo stopped; read -r; fg', "bash", program, "browse",
        f"http://127.0.0.1:{server.port}"]
    with PseudoTerminal(shell, env=clean_environment(ENVIRONMENT)) as terminal:
        terminal.shows("Item 4")
        terminal.press("\x1a")
        verdict.expect(
            terminal.shows(lambda grid: "1049" not in grid.modes) and wait_until(lambda: b"stopped" in terminal.bytes)
            and wait_until(terminal.is_restored),
            f"Control-Z stops, with the terminal as it was: {terminal.text()}")
        # The first is for the shell, the other for the program that goes on.
        terminal.press("\n" + DOWN)
        expect_screen(verdict, terminal, lambda grid: "1049" in grid.modes, "fg goes on")
        verdict.expect(
            terminal.shows(lambda grid: (grid.selected() or "").startswith("Item 2")),
            "with the same screen, and the key that was typed meanwhile")
        terminal.press("q")
        verdict.expect(terminal.end() == 0, "and leaves with the status 0")
    with browse(program, server) as terminal:
        terminal.shows("Item 4")
        terminal.press("\x1a" + DOWN)
        verdict.expect(
            terminal.shows(lambda grid: (grid.selected() or "").startswith("Item 2")), "without a shell it goes on at once")
        os.kill(terminal.process.pid, signal.SIGSTOP)
        os.waitpid(terminal.process.pid, os.WUNTRACED)
        modes = termios.tcgetattr(terminal.inner)
        termios.tcsetattr(terminal.inner, termios.TCSANOW, terminal.modes_before)
        os.kill(terminal.process.pid, signal.SIGCONT)
        verdict.expect(
            wait_until(lambda: termios.tcgetattr(terminal.inner) == modes), "after SIGSTOP it takes the terminal over again")


def tells_failures(verdict, program, desk):
    """Lines that cannot be written, a level without its file, and a token file that cannot be read."""
    with open(os.path.join(desk.folder, "broken.json"), "w") as file:
        json.dump([{"Title": "Away", "Source": "missing.plist"}], file)
    with Server(program, file.name) as server:
        result = printed(program, "--lines", f"http://127.0.0.1:{server.port}/levels/Away")
        verdict.expect(
            result.returncode == 1 and result.stdout == "" and "missing.plist" in result.stderr,
            f"a level whose file is missing is told, with the status 1: {result}")
        with subprocess.Popen(
                [program, "browse", "--follow", f"http://127.0.0.1:{server.port}/levels/Away"], stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True, env=clean_environment(ENVIRONMENT)) as process:
            told = process.stderr.readline()
            lines = []
            for fields in ({}, {"Subtitle": "2"}):
                save(os.path.join(desk.folder, "missing.plist"), plistlib.dumps([{"Title": "Found"} | fields]))
                lines.append(process.stdout.readline())
            process.terminate()
            row = f"Found\t0\thttp://127.0.0.1:{server.port}/detail/Away/Found\n"
            verdict.expect(
                "missing.plist" in told and lines == ["+ " + row, "~ " + row] and not process.stderr.read(),
                f"--follow tells it once, and goes on: {told} {lines}")
    with desk.start(desk.document) as server:
        url = f"http://127.0.0.1:{server.port}"
        for arguments in (["--lines", url], ["--follow", url], [f"{url}/detail/Item%204"], ["--help"], ["--version"],
                          ["--cache-folder", os.path.join(desk.folder, "kept"), url]):
            with open("/dev/full", "w") as full:
                result = subprocess.run(
                    [program + "-browse", *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=DEADLINE,
                    env=clean_environment(ENVIRONMENT))
            verdict.expect(
                result.returncode == 1
                and result.stderr == "drilldown browse: Standard output cannot be written: No space left on device.\n",
                f"a full disk is told, with the status 1: {result}")
        leaf = "detail/Item%204/Screen%20G/Screen%20H/Screen%20I/Screen%20J"
        for place, lines, old, new in (("levels/Item%201", 1, "Screen A", "Screen N"), (leaf, 5, "Far above", "Above")):
            with subprocess.Popen(
                    [program + "-browse", f"{url}/{place}", "--follow"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    text=True, restore_signals=False, env=clean_environment(ENVIRONMENT)) as process:
                for _ in range(lines):
                    process.stdout.readline()
                process.stdout.close()
                desk.rename(old, new)
                told = process.stderr.read()
                verdict.expect(
                    process.wait(timeout=DEADLINE) == 1 and "Broken pipe" in told,
                    f"a pipe that is closed ends --follow at the next change: {told}")
        missing = os.path.join(desk.folder, "no-tokens")
        result = printed(program, url, "--token-file", missing)
        verdict.expect(
            result.returncode == 1 and result.stderr.startswith(f"drilldown browse: The token file '{missing}' cannot be read"),
            f"a token file that is missing is told, with the status 1: {result}")


def prints_lines(verdict, program, desk):
    with desk.start(desk.document) as server:
        url = f"http://127.0.0.1:{server.port}"
        result = printed(program, url)
        lines = [f"Item {number}\t1\t{url}/levels/Item%20{number}" for number in (1, 2, 3, 4)]
        verdict.expect(
            result.returncode == 0 and not result.stderr and result.stdout.splitlines() == lines,
            f"without a terminal it prints lines: {result}")
        result = printed(program, f"{url}/detail/Item%204/Screen%20G/Screen%20H/Screen%20I/Screen%20J")
        verdict.expect(
            result.returncode == 0 and result.stdout.startswith("Title  Screen J\nText\n  Far above the tree line"),
            f"of a leaf its fields: {result}")
        result = printed(program, f"{url}/detail/Item%204")
        verdict.expect(result.stdout.startswith("Title  Item 4\n"), f"and of any item by the URL of its detail: {result}")
        outer, inner = pty.openpty()
        for streams in ({"stdin": inner, "stdout": subprocess.PIPE}, {"stdin": subprocess.DEVNULL, "stdout": inner}):
            subprocess.run([program, "browse", url], timeout=DEADLINE, env=clean_environment(ENVIRONMENT), **streams)
        shown = b""
        while shown.count(b"\n") < len(lines) and select.select([outer], [], [], DEADLINE)[0]:
            shown += os.read(outer, 65536)
        shown = shown.decode().splitlines()
        verdict.expect(shown == lines, f"lines if the output alone is a terminal, and none if the input alone is: {shown}")
        os.close(outer)
        os.close(inner)
        with PseudoTerminal([program, "browse", "--lines", url], env=clean_environment(ENVIRONMENT)) as terminal:
            verdict.expect(terminal.end() == 0 and b"\x1b" not in terminal.bytes, "--lines prints lines at a terminal too")
        with PseudoTerminal([program, "browse", "--follow", url], env=clean_environment(ENVIRONMENT)) as terminal:
            expect_screen(verdict, terminal, "Item 1", "as does --follow")
            verdict.expect(b"\x1b" not in terminal.bytes, "without control sequences")
        result = printed(program, f"{url}/levels/Item%205")
        verdict.expect(
            result.returncode == 1 and result.stdout == ""
            and result.stderr == "drilldown browse: There is no 'Item 5' in /. Did you mean 'Item 1'?\n",
            f"an unknown item is told, with the status 1: {result}")
        with PseudoTerminal([program, "browse", url], env=clean_environment({"TERM": "dumb"})) as terminal:
            verdict.expect(terminal.end() == 0 and b"\x1b" not in terminal.bytes, "a dumb terminal gets lines")
        with subprocess.Popen(
                [program, "browse", f"{url}/levels/Item%201", "--follow"], stdout=subprocess.PIPE, text=True,
                env=clean_environment(ENVIRONMENT)) as process:
            first = process.stdout.readline()
            desk.rename("Screen A", "Screen M")
            changes = {process.stdout.readline() for _ in range(2)}
            verdict.expect(
                first.startswith("Screen A\t") and {line.split("\t")[0] for line in changes} == {"- Screen A", "+ Screen M"},
                f"--follow prints changes: {first} {changes}")
            process.terminate()
        with subprocess.Popen(
                [program, "browse", f"{url}/levels/Item%204/Screen%20G/Screen%20H/Screen%20I/Screen%20J", "--follow"],
                stdout=subprocess.PIPE, text=True, env=clean_environment(ENVIRONMENT)) as process:
            first = [process.stdout.readline() for _ in range(5)]
            desk.rename("The last heap", "The last cairn")
            changes = [process.stdout.readline() for _ in range(2)]
            verdict.expect(
                first[0] == "Title  Screen J\n" and changes == ["- " + first[4], "+ " + first[4].replace("heap", "cairn")],
                f"of a leaf the lines that change: {first} {changes}")
            process.terminate()
    result = printed(program, f"http://127.0.0.1:{unused_port()}")
    verdict.expect(
        result.returncode == 1 and result.stderr.startswith("drilldown browse: ") and len(result.stderr.splitlines()) == 1,
        f"without a server it says so in a sentence, with the status 1: {result}")
    bundle = os.path.join(desk.folder, "Settings.bundle")
    os.mkdir(bundle)
    groups = [{"Type": "PSGroupSpecifier", "Title": "Part", "FooterText": "end"}, {"Type": "PSGroupSpecifier", "FooterText": "more"}]
    with open(os.path.join(bundle, "Root.plist"), "wb") as file:
        plistlib.dump({"PreferenceSpecifiers": groups}, file)
    with Server(program, bundle) as server:
        result = printed(program, f"http://127.0.0.1:{server.port}")
        verdict.expect(result.stdout == "Part\nend\nmore\n", f"without rows the titles of sections are printed: {result}")
    long = os.path.join(desk.folder, "long.json")
    with open(long, "w") as file:
        json.dump([f"Row {number}" for number in range(1_001)], file)
    with Server(program, long) as server:
        result = printed(program, f"http://127.0.0.1:{server.port}")
        titles = [line.split("\t")[0] for line in result.stdout.splitlines()]
        verdict.expect(titles == [f"Row {number}" for number in range(1_001)], f"all rows of a long level: {len(titles)}")
    result = printed(program, "ftp://h")
    verdict.expect(
        result.returncode == 2
        and result.stderr
        == "drilldown browse: 'ftp://h' is not the URL of a server; write it as http://127.0.0.1:8080.\n",
        f"another URL is wrong usage: {result}")


def keeps_lines(verdict, program, desk):
    """With a cache folder the lines of a level are printed while the server is away, too."""
    with desk.start(desk.document) as server:
        url = f"http://127.0.0.1:{server.port}"
        kept = ["--cache-folder", os.path.join(desk.folder, "levels")]
        now = printed(program, url, *kept)
        verdict.expect(now.returncode == 0 and not now.stderr and now.stdout == printed(program, url).stdout,
                       f"the lines are the same with a cache folder: {now}")
        full = printed(program, url, "--cache-folder", "/dev/null/levels")
        verdict.expect(
            full.returncode == 0 and full.stdout == now.stdout
            and full.stderr.startswith("drilldown browse: Copies cannot be written to '/dev/null/levels': "),
            f"and with one that cannot be written, which is told: {full}")
    away, unknown = printed(program, url, *kept), printed(program, f"{url}/levels/Item%201", *kept)
    verdict.expect(away.returncode == 0 and away.stdout == now.stdout, f"the lines are kept: {away}")
    verdict.expect("cannot connect" in away.stderr and len(away.stderr.splitlines()) == 1, f"with the reason: {away}")
    verdict.expect(unknown.returncode == 1 and unknown.stdout == "", f"a level that was never read is not known: {unknown}")
    # A server that does not answer yet.
    with socket.create_server(("127.0.0.1", server.port)), browse(program, server, *kept) as terminal:
        expect_screen(verdict, terminal, "kept from earlier", "at a terminal the level is shown as kept from earlier")
        verdict.expect(terminal.selected().startswith("Item 1"), f"with its rows: {terminal.text()}")


def takes_a_token(verdict, program, desk):
    tokens = os.path.join(desk.folder, "tokens")
    with open(tokens, "w") as file:
        file.write("# readers\nbob 0123456789abcdef\n")
    os.chmod(tokens, 0o600)
    with desk.start(desk.document, "--read-token-file", tokens) as server:
        url = f"http://127.0.0.1:{server.port}"
        refused, allowed = printed(program, url), printed(program, url, "--token-file", tokens)
        verdict.expect(refused.returncode == 1 and "token" in refused.stderr, f"a token is asked for: {refused}")
        verdict.expect(allowed.returncode == 0 and "Item 4" in allowed.stdout, f"and taken from a file: {allowed}")
        with browse(program, server) as terminal:
            expect_screen(verdict, terminal, "--token-file", "a refusal is shown at a terminal too, with the option")
            terminal.press("q")
            verdict.expect(terminal.end() == 1, "and q leaves with the status 1")
        with desk.start(desk.document) as server:
            away = server.port
        with PseudoTerminal([program, "browse", f"http://127.0.0.1:{away}"], env=clean_environment(ENVIRONMENT)) as terminal:
            expect_screen(verdict, terminal, "cannot connect", "a server that is away is told")
            terminal.press("q")
            verdict.expect(terminal.end() == 1, "and q leaves with the status 1")


def rests(verdict, program, desk):
    """While nothing changes, the program waits."""
    with desk.start(desk.document) as server, browse(program, server) as terminal:
        expect_screen(verdict, terminal, "Item 4", "the first level is shown")
        # The request that waits follows the first answer at once.
        wait_until(lambda: False, 0.5)
        before = cpu_seconds(terminal.process.pid)
        wait_until(lambda: False, IDLE_TIME)
        share = (cpu_seconds(terminal.process.pid) - before) / IDLE_TIME
        verdict.expect(share <= IDLE_SHARE, f"an idle client takes {share:.2%} of a processor")
        verdict.figure("idle", f"{share:.2%} of a processor")
        terminal.press("q")
        terminal.end()


def is_found(verdict, program, folder):
    """Beside the program, else in PATH; without it there is a sentence."""
    alone = os.path.join(folder, "alone")
    os.makedirs(alone)
    copy = os.path.join(alone, "drilldown")
    shutil.copy(program, copy)
    result = printed(copy, "http://h", PATH=alone)
    verdict.expect(
        result.returncode == 1
        and result.stderr == (
            f"drilldown: browse needs the program drilldown-browse, which cannot be executed as '{alone}/drilldown-browse' or "
            "from PATH: No such file or directory. The package drilldown-browse has it.\n"),
        f"without the program it says how to get it: {result}")
    result = printed(copy, "http://h/?x", PATH=os.path.dirname(program))
    verdict.expect(result.returncode == 2 and "has a query" in result.stderr, f"it is found in PATH: {result}")
    own, service, help = (
        subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE)
        for command in ([program + "-browse", "--version"], [program, "--version"], [program + "-browse", "--help"]))
    verdict.expect(
        own.returncode == 0 and own.stdout.split()[1:] == service.stdout.split()[1:],
        f"both have one version: {own} {service}")
    verdict.expect(
        help.returncode == 0 and help.stdout.startswith("usage: drilldown-browse [") and not help.stderr,
        f"it tells how to use it: {help}")


def main():
    arguments = options(__doc__)
    program = arguments.server
    with Verdict("browse") as verdict:
        for part in (drills, shows_changes, rests, restores, prints_lines, keeps_lines, tells_failures, takes_a_token):
            with tempfile.TemporaryDirectory() as folder:
                part(verdict, program, Desk(folder, program))
        with tempfile.TemporaryDirectory() as folder:
            keeps_columns(verdict, program, folder)
            is_found(verdict, program, folder)


if __name__ == "__main__":
    main()
