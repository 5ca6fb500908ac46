#!/usr/bin/env python3
"""Edits over the wire: early refusals, many clients at once, those who wait and listen, a large document, tokens that are
taken back, and a stop while edits are in progress."""

import json
import os
import plistlib
import signal
import tempfile
import threading

from harness.client import Closed, Connection, Cut, wait_until
from harness.server import Server
from harness.verdict import Verdict, options

ALICE, OTHER = "alice-0123456789abcdef", "other-0123456789abcdef"


def headers(token=ALICE, **more):
    fields = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    return fields | {name.replace("_", "-"): value for name, value in more.items()}


class Site:
    """A folder with a document and its tokens, and the service on it."""

    def __init__(self, program, folder):
        self.path = os.path.join(folder, "Data.plist")
        self.tokens = os.path.join(folder, "tokens")
        self.write(["One", {"Title": "Branch", "Children": ["Only"]}])
        self.allow(f"alice {ALICE}\n")
        self.server = Server(program, self.path, "--edit-token-file", self.tokens)

    def write(self, rows):
        with open(self.path, "wb") as file:
            plistlib.dump({"Rows": rows}, file, sort_keys=False)

    def allow(self, text):
        with open(self.tokens, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.tokens, 0o600)

    def rows(self):
        with open(self.path, "rb") as file:
            return plistlib.load(file)["Rows"]


def edit(connection, target, body, method="POST", token=ALICE, **more):
    return connection.request(target, method, headers(token, **more), json.dumps(body).encode())


def early_refusals(verdict, site):
    """What cannot be taken is refused before the body, and without 100 Continue."""
    for wanted, fields in (
            (401, {"Content-Type": "application/json"}), (403, headers(OTHER)),
            (415, headers(Content_Type="text/plain")), (413, headers(Content_Length="99999999"))):
        fields = {"Content-Length": "3", "Expect": "100-continue"} | fields
        with Connection(site.server.port) as connection:
            answer = connection.request("/levels/", "POST", fields)
            verdict.expect(answer.status == wanted, f"{fields} is refused with {answer.status}")
            verdict.expect(answer["Connection"] == "close", f"{wanted} ends the connection")
    with Connection(site.server.port) as connection:
        fields = headers(Content_Length="3", Expect="100-continue")
        verdict.expect(connection.request("/levels/", "POST", fields).status == 100, "a body that is wanted is asked for")
        connection.socket.sendall(b'"x"')
        connection.methods.append("POST")
        verdict.expect(connection.receive().status == 201, "and taken")
    verdict.expect(site.rows()[-1] == "x", "the edit is in the file when it is answered")


def seen_by_others(verdict, site):
    """A long poll, a stream and a delta see an edit."""
    port = site.server.port
    with Connection(port) as reader, Connection(port) as waiter, Connection(port) as stream, Connection(port) as editor:
        level = reader.get("/levels/").json()
        waiter.send("/levels/", headers={"If-None-Match": f'"{level["version"]}"', "Prefer": "wait=30"})
        stream.socket.sendall(b"GET /changes HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n")
        stream.socket.recv(1 << 16)
        answer = edit(editor, "/levels/?at=first", "seen")
        keys = [row["key"] for row in waiter.receive().json()["rows"]]
        verdict.expect(keys[0] == "seen", f"a long poll sees the edit: {keys}")
        text = b""
        while b"data:" not in text:
            text += stream.socket.recv(1 << 16)
        verdict.expect(b'"by":"edit alice"' in text, f"the stream tells who edited: {text}")
        delta = reader.get(f"/levels/?since={level['version']}").json()
        verdict.expect([row["at"] for row in delta["inserted"]] == [0], f"the delta has the row: {delta}")
        verdict.expect(
            reader.get("/detail/seen")["ETag"] == answer["ETag"], "the edit's answer has the tag of a GET that follows")


def long_level(verdict, site):
    """A row beside 1,500 others: few links in /changes, and no conflict with an edit of another row's fields."""
    with Connection(site.server.port) as connection:
        rows = [f"Row {number}" for number in range(1_500)]
        edit(connection, "/levels/", {"Title": "Long", "Children": rows})
        before, revision = connection.get("/detail/Long/Row%20750").json(), connection.get("/").json()["revision"]
        listed = connection.get("/levels/Long?fields=*&start=750&limit=1").json()["rows"][0]
        verdict.expect(
            listed["fieldsVersion"] == before["fieldsVersion"], f"a row and its detail have one version: {listed}")
        edit(connection, "/levels/Long?at=first", "new")
        entry, = connection.get(f"/changes?since={revision}").json()["changes"]
        verdict.expect(
            entry["levels"] == ["/levels/", "/levels/Long", "/levels/Long/new"]
            and entry["details"] == ["/detail/Long", "/detail/Long/new"],
            f"the row, its level and the item above are named: {str(entry)[:300]}")
        item = "/detail/Long/Row%20750"
        patch = lambda tag: edit(connection, item, {"Text": "x"}, "PATCH", If_Match=f'"{tag}"')
        refused = patch(before["version"])
        now = connection.get(item).json()
        verdict.expect(
            refused.status == 412 and refused.json()["currentFields"] == before["fieldsVersion"]
            and refused.json()["current"] == f'"{now["version"]}"', f"its place is another: {refused.body}")
        bare = edit(connection, item, {"Text": "x"}, "PATCH", If_Match=before["fieldsVersion"])
        verdict.expect(bare.status == 412 and "in quotes" in bare.json()["detail"], f"a tag has quotes: {bare.body}")
        verdict.expect(patch(before["fieldsVersion"]).status == 200, "its fields are the same")
        verdict.expect(patch(before["fieldsVersion"]).status == 412, "and then no more")
        answer = edit(connection, "/edits", {"edits": [{"patch": {"N": 1}, "of": item}, {"delete": "/detail/Long"}]})
        verdict.expect(answer.json()["edits"] == [None, None], f"what is gone in the end is null: {answer.body}")


def many_clients(verdict, site, clients, edits):
    """Each acknowledged edit is in the file, once."""
    made = [[] for _ in range(clients)]

    def run(number):
        with Connection(site.server.port) as connection:
            for count in range(edits):
                title = f"client {number} edit {count}"
                if edit(connection, "/levels/Branch", title).status == 201:
                    made[number].append(title)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    branch = next(row for row in site.rows() if isinstance(row, dict))
    wanted = [title for titles in made for title in titles]
    verdict.expect(len(wanted) == clients * edits, f"every edit is done: {len(wanted)}")
    verdict.expect(sorted(branch["Children"][1:]) == sorted(wanted), "each is in the file, once")


def large_document(verdict, site):
    """A document may be larger than other bodies."""
    rows = [f"{number} " + "x" * 1000 for number in range(5000)]
    body = json.dumps({"Rows": rows}).encode()
    with Connection(site.server.port) as connection:
        answer = connection.request("/document", "PUT", headers(), body)
        verdict.expect(answer.status == 200, f"a document of {len(body)} bytes is taken: {answer.status} {answer.body[:200]}")
        verdict.expect(site.rows() == rows, "and is in the file")
        answer = connection.request("/edits", "POST", headers(), body)
        verdict.expect(answer.status == 413, f"as a body of another edit it is too large: {answer.status}")


def tokens(verdict, site):
    """A token that leaves the file allows nothing any more, and none is ever shown."""
    site.allow(f"bob {OTHER}\n")

    def status(token):
        with Connection(site.server.port) as connection:
            return edit(connection, "/detail/0%20" + "x" * 1000, {}, "PATCH", token).status

    verdict.expect(wait_until(lambda: status(ALICE) == 403), "the old token is refused")
    verdict.expect(status(OTHER) == 200, "the new one is taken")
    site.allow("")
    verdict.expect(wait_until(lambda: status(OTHER) == 403), "an empty file takes every token back")
    with Connection(site.server.port) as connection:
        verdict.expect(connection.get("/").json()["editable"] is False, "the index says that editing is off")
    log = "\n".join(site.server.log)
    verdict.expect("alice" in log, "the log names who edited")
    verdict.expect(ALICE not in log and OTHER not in log, "the log has no token")


def stop_while_editing(verdict, program, folder):
    """Every edit that is answered with success before the stop is in the file, and the service ends with status 0."""
    site = Site(program, folder)
    made, started = [], threading.Event()

    def run(number):
        try:
            with Connection(site.server.port) as connection:
                for count in range(10_000):
                    answer = edit(connection, "/levels/", f"{number} {count}")
                    if answer.status != 201:
                        verdict.expect(answer.status == 503, f"a stop is answered with {answer.status}")
                        return
                    made.append(f"{number} {count}")
                    if len(made) > 20:
                        started.set()
        except (Closed, Cut, OSError):
            return

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    started.wait()
    site.server.signal(signal.SIGTERM)
    status, _ = site.server.stop()
    for thread in threads:
        thread.join()
    verdict.expect(status == 0, f"it ends with status {status}")
    rows = set(row for row in site.rows() if isinstance(row, str))
    verdict.expect(set(made) <= rows, f"what was answered is there: {sorted(set(made) - rows)[:5]}")
    verdict.expect(sorted(os.listdir(folder)) == ["Data.plist", "tokens"], f"no other file is left: {os.listdir(folder)}")


def main():
    asked = options(__doc__, clients=32, edits=10)
    with Verdict("editing") as verdict:
        with tempfile.TemporaryDirectory() as folder:
            site = Site(asked.server, folder)
            with site.server:
                early_refusals(verdict, site)
                seen_by_others(verdict, site)
                long_level(verdict, site)
                many_clients(verdict, site, asked.clients, asked.edits)
                large_document(verdict, site)
                tokens(verdict, site)
        with tempfile.TemporaryDirectory() as folder:
            stop_while_editing(verdict, asked.server, folder)


if __name__ == "__main__":
    main()
