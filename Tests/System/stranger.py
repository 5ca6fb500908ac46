#!/usr/bin/env python3
"""The first contact with the service: starting it, its options, its methods, and typical mistakes."""

import contextlib
import json
import os
import plistlib
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile

from harness.client import DEADLINE, Connection, Malformed, get, wait_until
from harness.server import Server, clean_environment
from harness.verdict import Verdict, megabytes, options

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
DATA = os.path.join(ROOT, "Data", "Data.plist")
TARGETS = [
    "/levels/", "/levels/Item%204", "/detail/Item%201/Screen%20A", "/document", "/healthz", "/readyz"]


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


def drills_down(verdict, program):
    with Server(program, DATA) as server, Connection(server.port) as connection:
        for item, screens in ((1, "A"), (2, "BC"), (3, "DEF"), (4, "GHIJ")):
            level = connection.get("/levels/").json()
            row = next(row for row in level["rows"] if row["title"] == f"Item {item}")
            for screen in screens:
                level = connection.get(row["href"]).json()
                row = level["rows"][0]
                verdict.expect(
                    row["title"] == f"Screen {screen}",
                    f"below Item {item} comes Screen {screen}; it is {row['title']}")
            detail = connection.get(row["href"]).json()
            verdict.expect(
                row["leaf"] and len(detail["fields"]["Text"]) > 200, f"Screen {screens[-1]} is a leaf with a text")


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
    wrong(["serve", DATA, "--cors-origins", "https://a.example/app"], "--cors-origins: 'https://a.example/app'")
    wrong(["serve", DATA, "--acess-log"], "--access-log")
    wrong(["check", DATA, "--key", "title=name"], "--keys")
    wrong(["serv", DATA], "serve")
    wrong(["chek", DATA], "check")
    wrong(["serve", DATA, "--threads", "many"], "--threads")
    wrong(["serve", DATA, "--threads"], "--threads")
    wrong(["serve", DATA, "--shape", "item"], "items")
    wrong(["serve", DATA, "--log-format", "jsn"], "json")
    wrong(["serve", DATA, "--listen", "nowhere"], "--listen")
    wrong(["serve", DATA, "--listen", "127.0.0.1:99999"], "--listen")
    wrong(["serve", DATA, DATA], "Data.plist")
    wrong(["serve"], "document")
    others = os.path.join(folder, "others.db")
    with contextlib.closing(sqlite3.connect(others)) as database:
        database.execute("CREATE TABLE head (x)")
    wrong(["import", DATA, f"sqlite:{others}", "--replace"], "the database holds no tree", statuses=(1,))
    wrong(["check"], "document")
    wrong([], "serve")
    wrong(
        ["serve", DATA, "--listen", "127.0.0.1:0"], "DRILLDOWN_LISTEN", environment={"DRILLDOWN_LISEN": "127.0.0.1:0"})
    wrong(["serve", DATA, "--listen", "127.0.0.1:0"], "DRILLDOWN_THREADS", environment={"DRILLDOWN_THREADS": "many"})
    wrong(["serve", DATA, "--listen", "127.0.0.1:0"], "DRILLDOWN_PORT", environment={"DRILLDOWN_PORT": "9000"})
    configuration = os.path.join(folder, "wrong.plist")
    for key, value, nearest in [
        ("Lissen", "127.0.0.1:0", "Listen"), ("Threads", "many", "Threads"), ("AccessLog", "maybe", "AccessLog"),
    ]:
        with open(configuration, "wb") as file:
            plistlib.dump({key: value}, file)
        wrong(["serve", DATA, "--listen", "127.0.0.1:0", "--config", configuration], nearest, statuses=(1, 2))
    wrong(
        ["serve", DATA, "--listen", "127.0.0.1:0", "--config", os.path.join(folder, "none.plist")],
        "none.plist",
        statuses=(1, 2))

    # An address and a file that are both wrong are named together.
    for text in ("192.0.2.1 is not an address of this machine", "none.plist: the file does not exist"):
        wrong(["serve", os.path.join(folder, "none.plist"), "--listen", "192.0.2.1:0"], text, statuses=(1,))

    # A suggestion can be pasted unchanged.
    wrong([DATA], f"Did you mean: {program} serve {DATA}\n")
    wrong(["-V"], f"Did you mean: {program} --version\n")
    wrong(["serve", DATA, "-p", "9000"], f"Did you mean: {program} serve {DATA} --listen 127.0.0.1:9000\n")
    wrong(["check", DATA, "--listen", "127.0.0.1:0"], "'--listen' is an option of serve, not of check")
    wrong(["serve", "ftp://example.org/a.plist"], "http or https")
    wrong(["serve", "-"], "standard input (-) can be read only once")

    for arguments in (["--help"], ["serve", "--help"], ["check", "--help"], ["help", "check"], ["--version"], ["version"]):
        result = run(program, *arguments)
        verdict.expect(
            result.returncode == 0 and result.stdout.strip() and not result.stderr,
            f"'{' '.join(arguments)}' answers on standard output: {result.returncode} {result.stderr!r}")
    verdict.expect(
        all("Exit status: 0 fine" in run(program, *words, "--help").stdout for words in ([], ["serve"], ["check"])),
        "the help lists the exit statuses")
    fine = run(program, "check", DATA)
    verdict.expect(fine.returncode == 0, f"check of Data.plist exits 0; it exits {fine.returncode}: {fine.stderr}")


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


def logs_for_programs(verdict, program, folder):
    document = os.path.join(folder, "odd.plist")
    with open(document, "w") as file:
        file.write("<plist><array>\n<dict><key>Title</key><string>A</string>\n<key>Children</key><array/></dict>"
                   "</array></plist>")
    with Server(program, document, "--access-log", "--log-format", "json") as server:
        answer = get(server.port, "/levels/")
        verdict.expect(
            server.logs('"event":"request"'), f"the request is logged: {server.log}")
        events = {event["event"]: event for event in map(json.loads, server.log)}
    verdict.expect(
        events["warning"]["file"] == document and events["warning"]["line"] == 3 and events["warning"]["column"] > 0,
        f"a warning names file, line and column: {events['warning']}")
    verdict.expect(
        events["serving"]["items"] == 1 and f", 1 item, at {events['serving']['url']}" in events["serving"]["message"],
        f"one item is counted in the singular: {events['serving']}")
    request = events["request"]
    verdict.expect(
        request["status"] == 200 and request["bytes"] == len(answer.body) and request["microseconds"] > 0
        and request["completed"] is True and request["address"] == "127.0.0.1" and request["target"] == "/levels/",
        f"a logged request has all members, numbers as numbers: {request}")


def puts_options_first(verdict, program, folder):
    configuration = os.path.join(folder, "some.plist")
    with open(configuration, "wb") as file:
        plistlib.dump({"CacheControl": "max-age=1", "Shape": "items", "Source": DATA}, file)

    def cache_control(*extra, environment=None):
        with Server(program, DATA, *extra, environment=environment) as server:
            return get(server.port, "/levels/")["cache-control"]

    variable = {"DRILLDOWN_CACHE_CONTROL": "max-age=2"}
    verdict.expect(cache_control() == "no-cache", "Cache-Control is no-cache by default")
    verdict.expect(
        cache_control("--config", configuration) == "max-age=1", "the configuration file overrides the default")
    verdict.expect(
        cache_control("--config", configuration, environment=variable) == "max-age=2",
        "a variable overrides the configuration file")
    verdict.expect(cache_control(
        "--config", configuration, "--cache-control", "max-age=3", environment=variable) == "max-age=3",
                   "an option overrides a variable")
    verdict.expect(
        cache_control(environment={"DRILLDOWN_CACHE_CONTROL": "", "DRILLDOWN_CONFIG": ""}) == "no-cache",
        "an empty variable counts as unset")
    # Variables that Kubernetes sets for a service called drilldown; DRILLDOWN_PORT with a plain port is refused above.
    links = {"SERVICE_HOST": "10.0.0.7", "SERVICE_PORT": "80", "SERVICE_PORT_HTTP": "80", "PORT": "tcp://10.0.0.7:80",
             "PORT_80_TCP": "tcp://10.0.0.7:80", "PORT_80_TCP_PROTO": "tcp", "PORT_80_TCP_PORT": "80",
             "PORT_80_TCP_ADDR": "10.0.0.7"}
    verdict.expect(
        cache_control(environment={f"DRILLDOWN_{name}": value for name, value in links.items()}) == "no-cache",
        "variables of a Kubernetes service called drilldown are ignored")
    example = os.path.join(ROOT, "Config", "drilldown.plist")
    verdict.expect(cache_control("--config", example) == "no-cache", "the example configuration is accepted as it is")


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


def answers_every_method(verdict, program):
    with Server(program, DATA) as server:
        for target in TARGETS:
            with Connection(server.port) as connection:
                try:
                    reads(verdict, target, connection)
                except Malformed as error:
                    verdict.expect(False, f"GET, HEAD and OPTIONS {target} follow one another on a connection: {error}")
        with Connection(server.port) as connection:
            refuses(verdict, connection)


def reads(verdict, target, connection):
    got = connection.get(target)
    verdict.expect(got.status == 200, f"GET {target} is 200; it is {got.status}")
    head = connection.request(target, method="HEAD")
    verdict.expect(head.status == 200 and not head.body, f"HEAD {target} is 200; it is {head.status}")
    verdict.expect(head["content-type"] == got["content-type"] and head["etag"] == got["etag"],
                   f"HEAD {target} has the headers of GET")
    allowed = connection.request(target, method="OPTIONS")
    verdict.expect(allowed.status in (200, 204) and {"GET", "HEAD", "OPTIONS"} <= methods(allowed),
                   f"OPTIONS {target} names GET, HEAD and OPTIONS: {allowed.status} {allowed['allow']}")


def refuses(verdict, connection):
    for method in ("PUT", "PATCH", "DELETE", "POST"):
        answer = connection.request("/healthz", method=method)
        refused(verdict, method, "/healthz", answer)
    for method in ("PUT", "DELETE", "BREW"):
        refused(verdict, method, "/levels/Item%204", connection.request("/levels/Item%204", method=method))
    tag = connection.get("/levels/")["etag"]
    verdict.expect(
        tag and connection.get("/levels/", If_None_Match=tag).status == 304,
        "a level that the client already holds is answered 304")
    missing = connection.get("/levels/Item%205")
    verdict.expect(
        missing.status == 404 and missing["content-type"] == "application/problem+json"
        and missing.json()["status"] == 404 and "Item" in missing.json()["detail"],
        f"an unknown path gets a problem that names it: {missing.status} {missing.body[:200]}")


def methods(answer):
    return {name.strip() for name in (answer["allow"] or "").split(",")}


def refused(verdict, method, target, answer):
    verdict.expect(
        answer.status == 405 or (answer.status == 501 and method == "BREW"),
        f"{method} {target} is 405; it is {answer.status}")
    if answer.status == 405:
        verdict.expect("GET" in methods(answer), f"405 for {method} {target} has Allow with GET: {answer['allow']}")
        verdict.expect(
            answer["content-type"] == "application/problem+json",
            f"405 for {method} {target} is a problem: {answer['content-type']}")


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
    port = free_port()
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


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    arguments = options(__doc__, starts=3, memory_limit=64.0)
    with Verdict("stranger") as verdict, tempfile.TemporaryDirectory() as folder:
        starts_small(verdict, arguments)
        drills_down(verdict, arguments.server)
        says_what_is_wrong(verdict, arguments.server, folder)
        checks_many(verdict, arguments.server, folder)
        keeps_a_terminal_safe(verdict, arguments.server, folder)
        logs_for_programs(verdict, arguments.server, folder)
        puts_options_first(verdict, arguments.server, folder)
        tells_what_it_read(verdict, arguments.server, folder)
        answers_every_method(verdict, arguments.server)
        survives_a_lost_log(verdict, arguments.server)


if __name__ == "__main__":
    main()
