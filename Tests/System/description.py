#!/usr/bin/env python3
"""The description of the API, judged by programs of others: a validator, a tester and the generator of a client.

Real answers are compared with the description too: they have no member and no header field that it does not name.
Clients for other languages are part of description_clients.py. The packages come from PyPI, with the versions in
harness/description.txt.
"""

import concurrent.futures
import os
import re
import shutil
import sys
import tempfile
import threading

from harness.environment import ROOT, Environment

ENVIRONMENT = Environment("description")
if __name__ == "__main__" and "--help" not in sys.argv:
    ENVIRONMENT.enter()

import json
import plistlib

from harness.client import Connection, get
from harness.described import Described
from harness.generated_clients import TypeScriptProgram, use_program
from harness.server import Server
from harness.verdict import Verdict, options

DATA = os.path.join(ROOT, "Data")
CONFIGURATION = os.path.join(os.path.dirname(os.path.abspath(__file__)), "harness", "schemathesis.toml")
TOKEN = "describe-0123456789abcdef"
# What a level is asked for beside its rows.
QUERIES = ("limit=1", "start=0", "fields=*", "sort=-Title", "group=initial", "group=Kind", "where=Title~e", "q=a",
           "q=a&in=*", "depth=all", "depth=2", "since=AAAAAAAAAAAAAAAAAAAAAA", "pretty=true", "format=plist",
           "limit=0", "sort=Title&depth=1", "unknown=1", "wait=301")
# What else is asked for.
TARGETS = ("/", "/changes", "/changes?since=x", "/healthz", "/readyz", "/metrics", "/problems/", "/problems/conflict",
           "/problems/nothing", "/openapi.json", "/document?format=json", "/document?format=binary", "/levels/%FF",
           "/levels/no%20such", "/assets/harbour.svg", "/assets/nothing", "/browse/", "/browse/Item%201")


class Author(threading.Thread):
    """Saves a document again and again, each time with other items, so that no request waits long."""

    def __init__(self, path, pause=0.1):
        super().__init__(daemon=True)
        self.path = path
        self.pause = pause
        with open(path, "rb") as file:
            self.document = plistlib.load(file)
        self.stopping = threading.Event()

    def run(self):
        number = 0
        while not self.stopping.wait(self.pause):
            number += 1
            # The answer about each item below names the root.
            self.document["Title"] = f"Root {number}"
            note(number, self.document["Rows"])
            with open(self.path + ".new", "wb") as file:
                plistlib.dump(self.document, file, sort_keys=False)
            os.rename(self.path + ".new", self.path)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.join()


def note(number, rows):
    for row in rows:
        row["Subtitle"] = f"Save {number}"
        note(number, row.get("Children", []))


def copied(folder):
    """A copy of Data/Data.plist with its assets, which may be changed."""
    path = os.path.join(folder, "Data.plist")
    shutil.copy(os.path.join(DATA, "Data.plist"), path)
    shutil.copytree(os.path.join(DATA, "assets"), os.path.join(folder, "assets"))
    return path


def token_file(folder):
    path = os.path.join(folder, "tokens")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
        file.write(f"describer {TOKEN}\n")
    return path


def is_valid(verdict, folder, description):
    path = os.path.join(folder, "openapi.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(description, file)
    result = ENVIRONMENT.run("openapi-spec-validator", path, timeout=120)
    verdict.expect(result.returncode == 0, f"openapi-spec-validator accepts the description: {result.stdout}")
    return path


# MARK: Answers


class Reader:
    """Asks for all items of a document in many ways, and compares each answer with the description."""

    def __init__(self, description, port, most, fields=None):
        self.described = description
        self.port = port
        self.fields = fields or {}
        self.connection = Connection(port)
        self.left = most
        self.faults = []
        self.count = 0

    def ask(self, target, method="GET", headers=None, body=b""):
        headers = self.fields | (headers or {})
        if method == "GET":
            answer = self.connection.request(target, method, headers, body)
        else:
            # A refusal before the body ends the connection.
            with Connection(self.port) as connection:
                answer = connection.request(target, method, headers, body)
        self.count += 1
        self.faults += self.described.faults(method, target, answer)
        return answer

    def read(self, href="/levels/"):
        if self.left == 0 or self.described.template(href) is None:
            return
        self.left -= 1
        level = self.ask(href).json()
        for query in QUERIES:
            self.ask(f"{href}?{query}")
        detail = self.ask(level["detail"])
        self.ask(level["detail"], headers={"If-None-Match": detail["ETag"]})
        self.ask(level["detail"], headers={"If-Match": '"x"', "Accept-Encoding": "br"})
        self.ask(level["href"], headers={"Accept-Encoding": "identity;q=0"})
        self.ask("/document" + level["href"].removeprefix("/levels").rstrip("/"))
        for row in level["rows"]:
            if row["leaf"]:
                self.ask(row["href"])
            else:
                self.read(row["href"])


def read_documents(verdict, program, description):
    """Documents of every kind: sections, mounts, records, settings pages."""
    for name in sorted(os.listdir(DATA)):
        if not name.endswith((".plist", ".bundle")):
            continue
        with Server(program, os.path.join(DATA, name)) as server:
            reader = Reader(description, server.port, most=40)
            reader.read()
            for target in TARGETS:
                reader.ask(target)
            reader.ask("/", headers={"Accept": "text/html"})
            reader.ask("/assets/harbour.svg", headers={"Range": "bytes=0-9"})
            reader.ask("/assets/harbour.svg", headers={"Range": "bytes=99999999-"})
            reader.ask("/moves", "POST")
            # The refusal ends the connection.
            reader.ask("/levels/", headers={"Host": "rebound.example"})
        for fault in reader.faults[:10]:
            verdict.expect(False, f"{name}: {fault}")
        verdict.expect(
            not reader.faults, f"{name}: {len(reader.faults)} of {reader.count} answers differ from the description")
    verdict.figure("kinds of answers compared, operation and status", len(description.seen))


def read_with_token(verdict, program, folder):
    """A server that needs a token for reading describes which operations need it, and answers as it says."""
    with Server(program, os.path.join(DATA, "Data.plist"), "--read-token-file", token_file(folder)) as server:
        fields = {"Authorization": f"Bearer {TOKEN}"}
        document = get(server.port, "/openapi.json", **fields).json()
        is_valid(verdict, folder, document)
        described = Described(document)
        admitted = Reader(described, server.port, most=2, fields=fields)
        admitted.read()
        wrong = {"Authorization": f"Bearer not-{TOKEN}"}
        strangers = Reader(described, server.port, most=0), Reader(described, server.port, most=0, fields=wrong)
        for target in TARGETS + ("/levels/", "/detail/Item%201"):
            admitted.ask(target)
            operation = document["paths"].get(described.template(target), {}).get("get", {})
            for stranger in strangers:
                status = stranger.ask(target).status
                verdict.expect(
                    (status == 401) == ("security" in operation),
                    f"{target} needs a token exactly if the description says so: {status}")
        faults = admitted.faults + [fault for stranger in strangers for fault in stranger.faults]
        for fault in faults:
            verdict.expect(False, f"with a read token: {fault}")
        verdict.expect(not faults, f"{len(faults)} answers of a server with a read token differ from the description")


def edit_document(verdict, program, folder, description):
    """One edit of each kind, and refusals of them."""
    path = copied(folder)
    with Server(program, path, "--edit-token-file", token_file(folder)) as server:
        reader = Reader(description, server.port, most=1)
        fields = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}

        def edit(method, target, body=None, **more):
            content = b"" if body is None else json.dumps(body).encode()
            headers = fields | {name.replace("_", "-"): value for name, value in more.items()}
            return reader.ask(target, method, headers, content)

        edit("POST", "/levels/", {"Title": "New"})
        edit("POST", "/levels/?at=99", {"Title": "New"})
        edit("POST", "/levels/", {"Title": "Other"}, If_Match='"x"')
        edit("POST", "/levels/", {"Titel": "Other"})
        edit("POST", "/levels/", "Other", Content_Type="text/plain")
        edit("POST", "/levels/", "Other", Authorization="Bearer wrong")
        edit("PUT", "/detail/New", {"Title": "New", "Price": 2})
        edit("PUT", "/detail/Newer", {"Title": "Newer"})
        edit("PATCH", "/detail/New", {"Price": None}, Content_Type="application/merge-patch+json")
        edit("PATCH", "/detail/New", {"Children": []})
        edit("PATCH", "/detail/New", {}, Content_Type="text/plain")
        edit("PATCH", "/detail/New")
        edit("POST", "/moves", {"from": "/detail/New", "to": "/levels/Item%201"})
        edit("POST", "/moves", {"from": "/detail/Item%201", "to": "/levels/Item%201"})
        edit("POST", "/edits", {"edits": [{"insert": "Last", "to": "/levels/"}, {"delete": "/detail/Last"}]})
        edit("POST", "/edits", {"edits": [{"delete": "/detail/Last"}]})
        reader.ask("/edits", "POST", fields, b'{"edits":[')
        edit("DELETE", "/detail/Newer")
        edit("DELETE", "/detail/")
        edit("POST", "/reload")
        edit("PUT", "/document", {"Rows": ["One"]})
        edit("PUT", "/document", {"Rows": "One"})
        reader.ask("/reload", "POST")
        for fault in reader.faults:
            verdict.expect(False, fault)
        verdict.expect(not reader.faults, f"{len(reader.faults)} of {reader.count} edits differ from the description")


# MARK: Tester


def test_at_random(verdict, arguments, folder, token):
    """schemathesis sends requests made from the description, right and wrong ones, and checks each answer.

    The token is for reading, for edits (which may read too), or None.
    """
    name = f"with a token that may {token}" if token else "without a token"
    folder = os.path.join(folder, token or "none")
    os.makedirs(folder)
    path = copied(folder)
    settings = [f"--{token}-token-file", token_file(folder)] if token else []
    # The phase "coverage" takes most of the time; whoever may edit may send every request.
    phases = arguments.phases if token != "edit" or "coverage" in arguments.phases else arguments.phases + ",coverage"
    command = ["schemathesis", "--config-file", CONFIGURATION, "run", "--checks", "all", "--no-color",
               "--max-examples", str(arguments.examples), "--seed", str(arguments.seed), "--phases", phases]
    if token:
        command += ["--header", f"Authorization: Bearer {TOKEN}"]
    if token == "read":
        # Edits are off, as they are without a token.
        command += ["--include-method", "GET"]
    if token is None:
        # It wants 401 where Authorization is missing. While the server has no token, no credentials could succeed, so an
        # edit is forbidden (RFC 9110, section 15.5.4) with or without any.
        command += ["--exclude-checks", "missing_required_header"]
    with Server(arguments.server, path, *settings) as server, Author(path):
        url = f"http://127.0.0.1:{server.port}/openapi.json"
        result = ENVIRONMENT.run(*command, url, timeout=arguments.deadline, cwd=folder)
        found = re.search(r"(\d+) generated", result.stdout)
        cases = int(found[1]) if found else 0
        verdict.figure(f"schemathesis {name}", f"{cases} cases")
        verdict.expect(cases >= arguments.cases, f"schemathesis {name}: at least {arguments.cases} cases, not {cases}")
        if not verdict.expect(result.returncode == 0, f"schemathesis {name}: no failure"):
            print(result.stdout)
        verdict.expect(server.is_running(), f"schemathesis {name}: the server still runs")


# MARK: Generated clients


def use_client(verdict, server_program, folder, path):
    """A generator makes a client for TypeScript, which drills down, edits, and reads refusals."""
    program = TypeScriptProgram.make(verdict, ENVIRONMENT, folder, path)
    with Server(server_program, copied(folder), "--edit-token-file", token_file(folder)) as server:
        use_program(verdict, TypeScriptProgram.name, program, server.port, TOKEN)


def main():
    arguments = options(
        __doc__, examples=1, cases=100, seed=1, phases="examples,fuzzing", deadline=600)
    with Verdict("description") as verdict, tempfile.TemporaryDirectory() as folder:
        with Server(arguments.server, os.path.join(DATA, "Data.plist")) as server:
            description = get(server.port, "/openapi.json").json()
        path = is_valid(verdict, folder, description)
        described = Described(description)
        read_documents(verdict, arguments.server, described)
        edit_document(verdict, arguments.server, folder, described)
        read_with_token(verdict, arguments.server, folder)
        place = os.path.join(folder, TypeScriptProgram.name)
        os.makedirs(place)
        use_client(verdict, arguments.server, place, path)
        # Each spends most of its time in programs of its own.
        with concurrent.futures.ThreadPoolExecutor() as pool:
            runs = [pool.submit(test_at_random, verdict, arguments, folder, token) for token in (None, "edit", "read")]
            for run in runs:
                run.result()


if __name__ == "__main__":
    main()
