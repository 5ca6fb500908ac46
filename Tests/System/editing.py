#!/usr/bin/env python3
"""Edits over the wire: early refusals, a large document, tokens that are taken back, and a stop while edits are in progress.

Many clients at once, and those who wait and listen, are part of edit_history.py and edit_readers.py.
"""

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
    asked = options(__doc__)
    with Verdict("editing") as verdict:
        with tempfile.TemporaryDirectory() as folder:
            site = Site(asked.server, folder)
            with site.server:
                early_refusals(verdict, site)
                large_document(verdict, site)
                tokens(verdict, site)
        with tempfile.TemporaryDirectory() as folder:
            stop_while_editing(verdict, asked.server, folder)


if __name__ == "__main__":
    main()
