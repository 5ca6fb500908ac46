#!/usr/bin/env python3
"""The first contact with the service: starting it, typical mistakes, its options, and a log that is lost."""

import contextlib
import os
import plistlib
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile

from harness.client import DEADLINE, get, wait_until
from harness.server import Server, clean_environment, unused_port
from harness.verdict import Verdict, megabytes, options

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
DATA = os.path.join(ROOT, "Data", "Data.plist")


def run(program, *arguments, environment=None, seconds=DEADLINE):
    return subprocess.run(
        [program, *arguments], capture_output=True, text=True, errors="replace", timeout=seconds,
        stdin=subprocess.DEVNULL, env=clean_environment(environment))


def starts_small(verdict, arguments):
    memory = []
    for _ in range(arguments.starts):
        with Server(arguments.server, DATA) as server:
            answer = get(server.port, "/levels/")
            verdict.expect(answer.status == 200, f"the first answer is 200; it is {answer.status}")
            verdict.expect([row["title"] for row in answer.json()["rows"]] == [f"Item {n}" for n in range(1, 5)],
                           "the first level has the four items")
            memory.append(server.resident_bytes())
            lines = [line for line in server.log if f"http://127.0.0.1:{server.port}/" in line]
            verdict.expect(
                len(lines) == 1 and "Data.plist" in lines[0],
                f"one log line says what is served and where: {server.log}")
            status, _ = server.stop()
            verdict.expect(status == 0, f"the service stops with status 0, not {status}")
    verdict.expect(
        max(memory) <= arguments.memory_limit * 1e6,
        f"an idle service needs at most {arguments.memory_limit} MB; it needs {megabytes(max(memory))}")


def says_what_is_wrong(verdict, program, folder):
    def wrong(arguments, nearest, statuses=(2,), environment=None):
        shown = " ".join(arguments) + "".join(f" [{name}={value}]" for name, value in (environment or {}).items())
        try:
            result = run(program, *arguments, environment=environment)
        except subprocess.TimeoutExpired:
            verdict.expect(False, f"'{shown}' is refused; it goes on running")
            return
        verdict.expect(
            result.returncode in statuses,
            f"'{shown}' exits {' or '.join(map(str, statuses))}; it exits {result.returncode}")
        verdict.expect(nearest in result.stderr, f"'{shown}' names {nearest}; it says: {result.stderr.strip()!r}")

    wrong(["serve", DATA, "--lisen", "127.0.0.1:0"], "--listen")
    wrong(
        ["serve", DATA, "--listen", "127.0.0.1:0"], "DRILLDOWN_LISTEN", environment={"DRILLDOWN_LISEN": "127.0.0.1:0"})
    wrong(["serve", DATA, "--listen", "127.0.0.1:0"], "DRILLDOWN_PORT", environment={"DRILLDOWN_PORT": "9000"})
    configuration = os.path.join(folder, "wrong.plist")
    with open(configuration, "wb") as file:
        plistlib.dump({"Lissen": "127.0.0.1:0"}, file)
    wrong(["serve", DATA, "--listen", "127.0.0.1:0", "--config", configuration], "Listen", statuses=(1, 2))
    others = os.path.join(folder, "others.db")
    with contextlib.closing(sqlite3.connect(others)) as database:
        database.execute("CREATE TABLE head (x)")
    wrong(["import", DATA, f"sqlite:{others}", "--replace"], "the database holds no tree", statuses=(1,))

    # An address and a file that are both wrong are named together.
    for text in ("192.0.2.1 is not an address of this machine", "none.plist: the file does not exist"):
        wrong(["serve", os.path.join(folder, "none.plist"), "--listen", "192.0.2.1:0"], text, statuses=(1,))

    # A suggestion can be pasted unchanged.
    wrong([DATA], f"Did you mean: {program} serve {DATA}\n")

    for arguments in (["--help"], ["serve", "--help"], ["check", "--help"], ["help", "check"], ["--version"], ["version"]):
        result = run(program, *arguments)
        verdict.expect(
            result.returncode == 0 and result.stdout.strip() and not result.stderr,
            f"'{' '.join(arguments)}' answers on standard output: {result.returncode} {result.stderr!r}")


def checks_many(verdict, program, folder):
    """Several documents, standard input among them; one that is refused does not keep the others from being checked."""
    missing = os.path.join(folder, "Data.plst")
    shutil.copy(DATA, os.path.join(folder, "Data.plist"))
    with open(DATA, "rb") as document:
        result = subprocess.run(
            [program, "check", missing, "-", DATA], stdin=document, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=DEADLINE, env=clean_environment())
    # What a load takes differs each time.
    output = re.sub(r"\d+ kB of memory, loaded in \d+\.\d ms", "16 kB of memory, loaded in 0.4 ms", result.stdout)

    def summary(name):
        return (f"{name}: 5 levels, 16 kB of memory, loaded in 0.4 ms\n"
                f"{name}: deepest at /levels/Item%204/Screen%20G/Screen%20H/Screen%20I\n"
                f"{name}: 14 items, 0 warnings\n")

    verdict.expect(
        result.returncode == 1 and output == (
            f"{missing}: the file does not exist in the folder {folder}. Did you mean 'Data.plist'?\n"
            + summary("<stdin>") + summary(DATA)),
        f"check goes through all documents in their order: {result.returncode} {result.stdout!r}")


def keeps_a_terminal_safe(verdict, program, folder):
    """A title, a file's name and an argument with what would control a terminal."""
    document = os.path.join(folder, "a\x1b[31m.plist")
    with open(document, "w", encoding="utf-8") as file:
        file.write("<plist><array><dict><key>Title</key><string>\x9b31m" + "x" * 100_000 + "</string>"
                   "<key>Children</key><array/></dict></array></plist>")
    checked = run(program, "check", document)
    with Server(program, document) as server:
        told = checked.stdout + checked.stderr + "\n".join(server.log)
    told += run(program, "ser\x1b[31mve", "\x9b\x07").stderr
    controls = sorted({sign for sign in told if sign != "\n" and (sign < " " or "\x7f" <= sign < "\xa0")})
    verdict.expect(not controls, f"no control character reaches the terminal; {controls} do")
    verdict.expect("31m" in told and "1 item, 1 warning" in told, f"the rest of the text is printed: {told[:2000]}")


def puts_options_first(verdict, program, folder):
    configuration = os.path.join(folder, "some.plist")
    with open(configuration, "wb") as file:
        plistlib.dump({"CacheControl": "max-age=1", "Shape": "items", "Source": DATA}, file)

    def cache_control(*extra, environment=None):
        with Server(program, DATA, *extra, environment=environment) as server:
            return get(server.port, "/levels/")["cache-control"]

    variable = {"DRILLDOWN_CACHE_CONTROL": "max-age=2"}
    verdict.expect(
        cache_control("--config", configuration) == "max-age=1", "the configuration file overrides the default")
    verdict.expect(cache_control(
        "--config", configuration, "--cache-control", "max-age=3", environment=variable) == "max-age=3",
                   "an option overrides a variable and the configuration file")
    # Variables that Kubernetes sets for a service called drilldown; DRILLDOWN_PORT with a plain port is refused above.
    links = {"SERVICE_HOST": "10.0.0.7", "SERVICE_PORT": "80", "SERVICE_PORT_HTTP": "80", "PORT": "tcp://10.0.0.7:80",
             "PORT_80_TCP": "tcp://10.0.0.7:80", "PORT_80_TCP_PROTO": "tcp", "PORT_80_TCP_PORT": "80",
             "PORT_80_TCP_ADDR": "10.0.0.7"}
    verdict.expect(
        cache_control(environment={f"DRILLDOWN_{name}": value for name, value in links.items()}) == "no-cache",
        "variables of a Kubernetes service called drilldown are ignored")


def tells_what_it_read(verdict, program, folder):
    document = os.path.join(folder, "told.plist")

    def save(data):
        with open(document, "wb") as file:
            file.write(data)

    with open(DATA, "rb") as file:
        good = file.read()
    save(good)
    with Server(program, document) as server:
        def told(what, times):
            verdict.expect(
                wait_until(lambda: sum(what in line for line in server.log) >= times) is not None,
                f"'{what}' is logged {times} times: {server.log}")

        server.signal(signal.SIGHUP)
        told("it is unchanged", 1)
        save(good[:1000])
        told("The last good version is still served", 1)
        save(good)
        told("it is unchanged", 2)


def survives_a_lost_log(verdict, program):
    with open("/dev/full", "wb") as full:
        serves_with(verdict, program, "a full disk under standard error", full)
    reading, writing = os.pipe()
    os.close(reading)
    try:
        serves_with(verdict, program, "nobody reading standard error", writing)
    finally:
        os.close(writing)


def serves_with(verdict, program, what, log):
    port = unused_port()
    process = subprocess.Popen(
        [program, "serve", DATA, "--listen", f"127.0.0.1:{port}", "--access-log"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, env=clean_environment())

    def answers():
        try:
            return get(port, "/levels/").status == 200
        except ConnectionError:
            return False

    try:
        verdict.expect(wait_until(answers) is not None, f"it serves with {what}")
        verdict.expect(all(answers() for _ in range(50)) and process.poll() is None, f"it keeps serving with {what}")
        os.kill(process.pid, signal.SIGTERM)
        verdict.expect(
            process.wait(timeout=DEADLINE) == 0, f"it stops with status 0 with {what}, not {process.returncode}")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def main():
    arguments = options(__doc__, starts=3, memory_limit=64.0)
    with Verdict("stranger") as verdict, tempfile.TemporaryDirectory() as folder:
        starts_small(verdict, arguments)
        says_what_is_wrong(verdict, arguments.server, folder)
        checks_many(verdict, arguments.server, folder)
        keeps_a_terminal_safe(verdict, arguments.server, folder)
        puts_options_first(verdict, arguments.server, folder)
        tells_what_it_read(verdict, arguments.server, folder)
        survives_a_lost_log(verdict, arguments.server)


if __name__ == "__main__":
    main()
