#!/usr/bin/env python3
"""The six tasks of the manual's page on web pages, each page as it is there, in a browser and from another origin."""

import functools
import http.server
import json
import os
import pathlib
import re
import tempfile
import threading
import urllib.request

from harness.pasted import FENCE, ROOT, section
from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import TOKEN, Window, expect_no_complaints, origin

MANUAL = pathlib.Path(ROOT, "Sources", "drilldown", "drilldown.docc", "WebPages.md")
SHOWN = "http://localhost:8080"
ROWS = [{"Title": "First", "Note": "a note", "Other": 1}] + [f"Row {number:03d}" for number in range(250)] + ["Last"]
LIST = "return [...document.querySelectorAll('li')].map(each => each.textContent)"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Desk:
    """The folder of the pages, which has an origin of its own, and the service beside it."""

    def __init__(self, verdict, program, folder):
        self.verdict, self.program, self.folder = verdict, program, pathlib.Path(folder)
        (self.folder / "pages").mkdir()
        self.pages = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=str(self.folder / "pages")))
        threading.Thread(target=self.pages.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{self.pages.server_port}"
        self.document, self.token = self.folder / "Shelf.json", self.folder / "token"
        self.token.write_text(TOKEN)
        self.write(ROWS)

    def write(self, rows):
        aside = self.document.with_suffix(".new")
        aside.write_text(json.dumps({"Title": "Shelf", "Rows": rows}))
        os.replace(aside, self.document)

    def rows(self):
        return json.loads(self.document.read_text())["Rows"]

    def start(self, source=None, port=None):
        return Server(self.program, source or self.document, "--cors-origins", self.origin, "--edit-token-file", str(self.token),
                      "--values", str(self.folder / "values.plist"), **({"port": port} if port else {}))

    def page(self, title, server):
        """The page of a task, unchanged but for the port."""
        text = section(MANUAL.read_text(), title)
        page, = (match[2] for match in FENCE.finditer(text) if match[1] == "html")
        self.verdict.expect(page.count(SHOWN) == 1, f"{title}: the page names the service once")
        (self.folder / "pages" / "page.html").write_text(page.replace(SHOWN, origin(server)))
        return "/page.html"

    def close(self):
        self.pages.shutdown()
        self.pages.server_close()


def searches(verdict, desk, window):
    titles = [row if isinstance(row, str) else row["Title"] for row in ROWS]
    with desk.start() as server:
        window.open(desk.page("A long list with a search", server))
        shown = lambda: window.run(LIST)
        verdict.expect(window.soon(lambda: shown() == titles[:100]), f"a long list: its first page, not {len(shown())} rows")
        for count in (200, len(titles)):
            # Pressed twice, the button adds the page once.
            window.run("const more = document.querySelector('button'); more.click(); more.click()")
            verdict.expect(window.soon(lambda: shown() == titles[:count]), f"a long list: {count} rows, not {len(shown())}")
        verdict.expect(not window.find("button").is_displayed(), "a long list: at its end there is nothing more")
        window.find("input").send_keys("row 24")
        wanted = [f"Row 24{number}" for number in range(10)]
        verdict.expect(window.soon(lambda: shown() == wanted), f"a long list: the hits, not {shown()[:12]}")
        window.run("const field = document.querySelector('input'); field.value = ''; field.oninput()")
        verdict.expect(window.soon(lambda: shown() == titles[:100]), f"a long list: all rows again, not {len(shown())}")


def lives(verdict, desk, window):
    desk.write(["One", "Two"])
    status = lambda: window.text("p")
    with desk.start() as server:
        window.open(desk.page("A live list", server))
        verdict.expect(window.soon(lambda: window.run(LIST) == ["One", "Two"]), f"a live list: {window.run(LIST)}")
        for rows in (["One", "Two", "Three"], ["Three", "One"], []):
            desk.write(rows)
            verdict.expect(window.soon(lambda: window.run(LIST) == rows), f"a live list follows: {rows}, not {window.run(LIST)}")
        desk.write(["Before"])
        window.soon(lambda: window.run(LIST) == ["Before"])
    verdict.expect(window.soon(lambda: status() == "No connection; trying again."), f"a live list: a lost connection is told: {status()}")
    desk.write(["After"])
    with desk.start(port=server.port):
        verdict.expect(window.soon(lambda: window.run(LIST) == ["After"] and status() == ""), f"a live list goes on: {window.run(LIST)}, '{status()}'")


def attributes(verdict, desk, window):
    with desk.start() as server:
        for rows, shown in (([{"Title": "One", "Note": "first"}, "Two"], ["Two ", "One first"]), (["Last"], ["Last "]), ([], [])):
            desk.write(rows)
            if rows and len(rows) == 2:
                window.open(desk.page("A page of attributes", server))
            verdict.expect(window.soon(lambda: window.run(LIST) == shown), f"attributes: {shown}, not {window.run(LIST)}")


def starts_offline(verdict, desk, window):
    desk.write(["One", "Two"])
    status = lambda: window.text("p")
    with desk.start() as server:
        module = urllib.request.urlopen(origin(server) + "/client/drilldown.js").read()
        (desk.folder / "pages" / "drilldown.js").write_bytes(module)
        page = desk.page("An offline start", server)
        window.open(page)
        verdict.expect(window.soon(lambda: window.run(LIST) == ["One", "Two"] and status() == "Up to date."), f"an offline start: the first visit: {status()}")
        desk.write(["One", "Two", "Three"])
        verdict.expect(window.soon(lambda: window.run(LIST) == ["One", "Two", "Three"]), f"an offline start: a change: {window.run(LIST)}")
    window.reload()
    lost = "No connection; this is from your last visit."
    verdict.expect(window.soon(lambda: status() == lost), f"an offline start: it is told: {status()}")
    verdict.expect(window.run(LIST) == ["One", "Two", "Three"], f"an offline start: the rows of the last visit: {window.run(LIST)}")
    desk.write(["Present"])
    with desk.start(port=server.port):
        verdict.expect(window.soon(lambda: window.run(LIST) == ["Present"] and status() == "Up to date."), f"an offline start: and then the present ones: {window.run(LIST)}, {status()}")


def conflicts(verdict, desk, window):
    desk.write(ROWS)
    status, first = lambda: window.text("p"), lambda: desk.rows()[0]
    with desk.start() as server:
        def change(fields):
            urllib.request.urlopen(urllib.request.Request(origin(server) + "/detail/First", json.dumps(fields).encode(), method="PATCH", headers={
                "Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"})).read()

        def save(text):
            field = window.find("[name=note]")
            field.clear()
            field.send_keys(text)
            window.find("button").click()

        window.open(desk.page("A conflict", server))
        window.soon(lambda: window.find("[name=note]").get_attribute("value") == "a note")
        save("without a token")
        verdict.expect(window.soon(lambda: status()), "a conflict: what is refused is told")
        verdict.expect(first()["Note"] == "a note", f"a conflict: nothing is saved without a token: {first()}")
        window.find("[name=token]").send_keys(TOKEN)
        save("mine")
        verdict.expect(window.soon(lambda: status() == "Saved." and first()["Note"] == "mine"), f"a conflict: a first save: {status()}, {first()}")
        change({"Other": 2})
        save("mine again")
        verdict.expect(window.soon(lambda: first() == {"Title": "First", "Note": "mine again", "Other": 2}), f"a conflict: other fields are merged: {first()}")
        window.soon(lambda: status() == "Saved.")
        change({"Note": "theirs"})
        save("mine at last")
        wanted = "Someone changed it to “theirs”. Save again to use yours."
        verdict.expect(window.soon(lambda: status() == wanted), f"a conflict: the same field: {status()}")
        verdict.expect(first()["Note"] == "theirs", f"a conflict: nothing is saved: {first()}")
        window.find("button").click()
        verdict.expect(window.soon(lambda: status() == "Saved." and first()["Note"] == "mine at last"), f"a conflict: saved again: {status()}, {first()}")


def sets(verdict, desk, window):
    with desk.start(os.path.join(ROOT, "Data", "Settings.bundle")) as server:
        window.open(desk.page("A settings screen", server))
        window.run("sessionStorage.setItem('token', arguments[0])", TOKEN)
        window.reload()
        legends = "return [...document.querySelectorAll('legend')].map(each => each.textContent)"
        verdict.expect(window.soon(lambda: window.run(legends)[:2] == ["Library", "Order"]), f"settings: the groups: {window.run(legends)}")
        values = lambda: json.load(urllib.request.urlopen(origin(server) + "/values"))
        key, before = next((key, value) for key, value in values().items() if isinstance(value, bool))
        switch = "return document.querySelector('[type=checkbox]').checked"
        verdict.expect(window.run(switch) is before, f"settings: a switch shows its value: {key}")
        window.find("[type=checkbox]").click()
        verdict.expect(window.soon(lambda: window.text("p") == "Stored."), f"settings: it is told: {window.text('p')}")
        verdict.expect(values()[key] is not before, f"settings: it is stored: {values()}")
        verdict.expect(window.soon(lambda: window.run(switch) is not before), "settings: and shown")


def main():
    arguments = options(__doc__)
    with Verdict("the tasks of web pages") as verdict, tempfile.TemporaryDirectory() as folder:
        desk = Desk(verdict, arguments.server, folder)
        for task in (searches, lives, attributes, starts_offline, conflicts, sets):
            with Window(desk.origin) as window:
                task(verdict, desk, window)
                expect_no_complaints(verdict, window, f"{task.__name__}: ")
        desk.close()


if __name__ == "__main__":
    main()
