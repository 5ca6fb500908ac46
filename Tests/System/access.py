#!/usr/bin/env python3
"""Who is answered: hosts that a rebound name cannot have, read tokens, and logs without secrets."""

import json
import os
import plistlib
import tempfile

from harness.client import Connection, get, wait_until
from harness.server import Server
from harness.verdict import Verdict, options

READER, EDITOR = "reader-0123456789abcdef", "alice-0123456789abcdef"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def raw(port, text, method="GET"):
    """The answer to a request that is sent as it is."""
    with Connection(port) as connection:
        connection.methods.append(method)
        connection.socket.sendall(text.encode())
        return connection.receive()


def rebound(verdict, site):
    """A page whose own name leads to this address reaches nothing."""
    body = '"x"'
    edit = f"Authorization: Bearer {EDITOR}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    for line, fields in (
            ("GET /levels/", ""), ("HEAD /levels/", ""), ("GET /healthz", ""), ("GET /metrics", ""),
            ("GET /changes", "Accept: text/event-stream\r\n"), ("GET /levels/?wait=5", ""),
            ("POST /levels/", edit), ("DELETE /detail/One", edit), ("POST /reload", edit),
            ("OPTIONS /levels/", "Origin: http://evil.example\r\nAccess-Control-Request-Method: GET\r\n")):
        method = line.split()[0]
        for host in ("evil.example", "evil.example:8080", "localhost.evil.example", "10.0.0.1"):
            content = body if "Content-Length" in fields else ""
            answer = raw(site.port, f"{line} HTTP/1.1\r\nHost: {host}\r\n{fields}\r\n{content}", method)
            verdict.expect(answer.status == 421, f"{line} for {host}: {answer.status}")
    for host in ("localhost", "LOCALHOST:1", "127.0.0.1:80", "[::1]", "localhost.", "app.example"):
        answer = raw(site.port, f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n")
        verdict.expect(answer.status == 200, f"{host} is served: {answer.status}")
    verdict.expect(site.rows() == ["One"], "nothing was changed")


def tokens(verdict, site):
    """The file and the variable are what read tokens are; a change of the file counts."""
    for token, status in ((None, 401), ("wrong-0123456789abcdef", 401), (READER, 200), (EDITOR, 200)):
        answer = get(site.port, "/levels/", **({"Authorization": f"Bearer {token}"} if token else {}))
        verdict.expect(answer.status == status, f"with the token {token}: {answer.status}")
    verdict.expect(answer["Cache-Control"] == "private, no-cache", f"it is private: {answer['Cache-Control']}")
    verdict.expect(list(get(site.port, "/readyz").json()) == ["status"], "/readyz is open, and shows the status alone")
    site.allow("")
    gone = wait_until(lambda: get(site.port, "/levels/", Authorization=f"Bearer {READER}").status == 401)
    verdict.expect(gone is not None, "an empty file takes the tokens back")
    site.allow(READER + "\n")
    back = wait_until(lambda: get(site.port, "/levels/", Authorization=f"Bearer {READER}").status == 200)
    verdict.expect(back is not None, "and the file gives them again")


def logs(verdict, site):
    parent = f"00-{TRACE}-00f067aa0ba902b7-01"
    get(site.port, f"/levels/?access_token={READER}", traceparent=parent)
    get(site.port, f"/levels/?q=shown&token={EDITOR}", Authorization=f"Bearer {READER}", Cookie=f"a={READER}")
    raw(site.port, f"GET http://me:{READER}@localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
    answer = raw(site.port, f"GET /levels/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n"
                            f"traceparent: {parent}\r\n\r\n")
    verdict.expect(answer.status == 501 and answer.json()["id"] == TRACE, f"a fault names its trace: {answer.body}")
    with Connection(site.port) as connection:
        verdict.expect("id" not in json.loads(connection.get("/nowhere").body), "a 4xx does not")
    verdict.expect(site.server.logs(f"access_token=*** 401"), "the request is logged without the token")

    def entries():
        return [line for line in site.server.log if TRACE in line]

    verdict.expect(wait_until(lambda: len(entries()) == 2) is not None, f"by its trace: {entries()}")
    verdict.expect(site.server.logs("***@localhost"), "and without user information")
    wait_until(lambda: any("q=shown" in line for line in site.server.log))
    for secret in (READER, EDITOR):
        verdict.expect(not any(secret in line for line in site.server.log), "no log line has a token")


class Site:
    def __init__(self, program, folder):
        self.path = os.path.join(folder, "Data.plist")
        self.tokens = os.path.join(folder, "read-tokens")
        with open(self.path, "wb") as file:
            plistlib.dump({"Rows": ["One"]}, file)
        self.allow(READER + "\n")
        self.server = Server(
            program, self.path, "--read-token-file", self.tokens, "--hosts", "app.example", "--access-log",
            environment={"DRILLDOWN_EDIT_TOKEN": EDITOR})
        self.port = self.server.port

    def allow(self, text):
        with open(self.tokens, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.tokens, 0o600)

    def rows(self):
        with open(self.path, "rb") as file:
            return plistlib.load(file)["Rows"]


def main():
    given = options(__doc__)
    with Verdict("access") as verdict, tempfile.TemporaryDirectory() as folder:
        site = Site(given.server, folder)
        with site.server:
            rebound(verdict, site)
            tokens(verdict, site)
            logs(verdict, site)


if __name__ == "__main__":
    main()
