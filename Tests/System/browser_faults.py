#!/usr/bin/env python3
"""The web client in a browser when answers come late, broken off, or not at all, and when a row changes under the reader's
hands: what is shown in the end is what is there, and what is typed and where the focus is stays."""

import http.client
import http.server
import json
import os
import pathlib
import shutil
import tempfile
import threading
import urllib.request

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import ROOT, TOKEN, WIDE, Window, origin, expect_no_complaints
from selenium.webdriver.common.keys import Keys

TITLES = ["Ash", "Birch", "Cedar", "Dogwood", "Elm"]

# Answers whose address contains the text are held until `release()`. What was asked for, and whether it was given up, is kept.
HOLD = """
const text = arguments[0], original = fetch, held = []
window.asked = []
window.release = () => held.splice(0).forEach(resolve => resolve())
window.holding = () => held.length
window.fetch = async (target, options) => {
  const entry = {target: String(target)}
  asked.push(entry)
  options?.signal?.addEventListener('abort', () => entry.isGivenUp = true)
  const answer = await original(target, options)
  if (entry.target.includes(text)) await new Promise(resolve => held.push(resolve))
  return answer
}
"""


def save(file, titles):
    aside = file.with_suffix(".new")
    aside.write_text(json.dumps({"Title": "Trees", "Rows": [{"Title": title, "Text": title} for title in titles]}))
    os.replace(aside, file)


def late_order(verdict, window, file):
    """A change comes while another order of the level is being read."""
    window.open("/")
    window.shows(TITLES)
    window.click('.pane.end [aria-label="Sort, group, filter"]')
    window.soon(lambda: window.find(".panel"))
    window.run(HOLD, "sort=")
    window.choose("Sort by", "Title")
    verdict.expect(window.soon(lambda: window.run("return holding()") == 1), "the sorted level was asked for")
    save(file, ["Aspen"] + TITLES)
    verdict.expect(window.soon(lambda: window.run("return asked.some(e => e.target.includes('/levels/?limit='))")), "the change was seen")
    window.run("release()")
    # The answer is older than the change: it is asked for again.
    window.soon(lambda: window.run("return holding()") > 0)
    window.run("release()")
    verdict.expect(window.shows(sorted(["Aspen"] + TITLES)), f"what came meanwhile is shown: {window.seen()}")
    save(file, TITLES)


def given_up(verdict, window):
    """Another place is asked for before the first one came."""
    window.open("/")
    window.shows(TITLES)
    window.run(HOLD, "/Ash")
    window.click_row("Ash")
    verdict.expect(window.soon(lambda: window.run("return holding()") == 1), "the first place is asked for")
    window.click_row("Birch")
    verdict.expect(window.title_is("Birch"), f"the second one is shown: {window.driver.title}")
    given = window.run("return asked.filter(e => e.target.includes('/Ash')).map(e => e.isGivenUp === true)")
    verdict.expect(given and all(given), f"what was asked for the first one is given up: {given}")
    window.run("release()")
    verdict.expect(window.path == "/browse/Birch" and window.fields() == {"Text": "Birch"}, f"it does not come back: {window.path}")


def focus_after_removal(verdict, window, file):
    """The row with the focus is deleted in the file: the next one has it."""
    window.open("/")
    window.shows(TITLES)
    window.focus_row("Cedar")
    save(file, [title for title in TITLES if title != "Cedar"])
    verdict.expect(window.shows(["Ash", "Birch", "Dogwood", "Elm"]), f"the row goes: {window.seen()}")
    verdict.expect(window.soon(lambda: window.focused() == "Dogwood"), f"the next one has the focus: {window.focused()}")
    save(file, ["Ash", "Birch", "Dogwood"])
    verdict.expect(window.shows(["Ash", "Birch", "Dogwood"]), f"another row goes: {window.seen()}")
    verdict.expect(window.focused() == "Dogwood", f"and the focus stays: {window.focused()}")
    save(file, ["Ash"])
    verdict.expect(window.soon(lambda: window.focused() == "Ash"), f"after the last rows it is on what is left: {window.focused()}")
    save(file, TITLES)


def late_form(verdict, window):
    """The tools for editing come after a detail was read, and before its columns are shown."""
    held = window.tell("Page.addScriptToEvaluateOnNewDocument", source=f"((...arguments) => {{{HOLD}}})('/levels/?')")
    window.open("/browse/Ash", token=TOKEN)
    verdict.expect(window.soon(lambda: window.run("return holding() && document.body.classList.contains('editing')")), "editing begins first")
    window.run("release()")
    verdict.expect(window.soon(lambda: window.find(".edit-form")), "the detail is a form")
    window.tell("Page.removeScriptToEvaluateOnNewDocument", identifier=held["identifier"])
    window.run("sessionStorage.clear()")


def missing_modules(verdict, window):
    """A module that cannot be loaded is told, with the way out."""
    window.open("/")
    window.shows(TITLES)
    window.tell("Network.enable")
    window.tell("Network.setBlockedURLs", urls=["*/menus.js"])
    window.click('.pane.end [aria-label="More"]')
    verdict.expect(window.soon(lambda: window.notices() == ["A part of this page cannot be read."]), f"a module is missing: {window.notices()}")
    window.open("/?")
    window.shows(TITLES)
    window.run("window.fetch = async () => new Response('', {status: 404})")
    window.click('.pane.end [aria-label="More"]')
    verdict.expect(window.soon(lambda: window.notices() == ["This page is out of date."]), f"the service has another version: {window.notices()}")
    window.tell("Network.setBlockedURLs", urls=[])
    window.click(".notice button:not(.tool)")
    verdict.expect(window.soon(lambda: window.notices() == [] and window.seen() == TITLES), f"the page is loaded again: {window.notices()}")
    window.complaints()


def many_pages(verdict, server, window):
    """Pages that were left, and tabs that are not seen, keep no connection: browsers allow six to a server."""
    for number in range(10):
        window.open(f"/?above={number}?")
        verdict.expect(window.shows(TITLES), f"page {number + 1} is shown")
    first = window.driver.current_window_handle
    for number in range(8):
        window.driver.switch_to.new_window("tab")
        window.open("/")
        verdict.expect(window.shows(TITLES), f"tab {number + 1} is shown")
    metrics = lambda: urllib.request.urlopen(origin(server) + "/metrics").read().decode()
    verdict.expect(window.soon(lambda: "\ndrilldown_waiting_requests 1\n" in metrics()), "one page follows the changes")
    for handle in [each for each in window.driver.window_handles if each != first]:
        window.driver.switch_to.window(handle)
        window.driver.close()
    window.driver.switch_to.window(first)
    verdict.expect(window.shows(TITLES), "and the first tab is still there")


def typed_settings(verdict, program, folder):
    """A setting changes elsewhere while it is typed; a control that was used keeps the focus."""
    shutil.copytree(os.path.join(ROOT, "Data", "Settings.bundle"), folder / "Settings.bundle")
    token = folder / "token"
    token.write_text(TOKEN)
    with Server(program, folder / "Settings.bundle", "--values", str(folder / "values.plist"), "--edit-token-file", str(token)) as server, \
            Window(origin(server), WIDE) as window:
        window.open("/browse/account", token=TOKEN)
        field = '.control [aria-label="Name"]'
        verdict.expect(window.soon(lambda: window.find(field).is_enabled()), "the field can be typed into")
        window.soon(lambda: window.find(field).send_keys("someone@") is None)
        patch(server, "/detail/account/name", {"Value": "other"})
        patch(server, "/detail/account/password", {"Value": "seen"})
        seen = "return document.querySelector('.control [aria-label=\"Password\"]')?.value"
        verdict.expect(window.soon(lambda: window.run(seen) == "seen"), "another value comes")
        value = "return document.activeElement.value"
        verdict.expect(window.run(value) == "someone@", f"what is typed stays: {window.run(value)}")
        window.keys("home", Keys.TAB)
        stored = lambda: json.load(urllib.request.urlopen(origin(server) + "/detail/account/name"))["control"]["value"]
        verdict.expect(window.soon(lambda: stored() == "someone@home"), f"and is stored: {stored()}")
        window.open("/")
        switch = '.control [aria-label="Download automatically"]'
        verdict.expect(window.soon(lambda: window.find(switch).is_enabled()), "the switch can be used")
        window.run(f"window.old = document.querySelector('{switch}'); old.focus()")
        window.keys(" ")
        verdict.expect(window.soon(lambda: window.run("return !old.isConnected")), "the row is drawn with the new value")
        verdict.expect(window.focused() == "Download automatically", f"and keeps the focus: {window.focused()}")
        expect_no_complaints(verdict, window)


def patch(server, target, content):
    urllib.request.urlopen(urllib.request.Request(origin(server) + target, json.dumps(content).encode(), method="PATCH", headers={
        "Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"})).read()


class Way(http.server.ThreadingHTTPServer):
    """A way to a server with a fault: what each of the next requests for some addresses gets in place of its answer."""

    daemon_threads = True

    def __init__(self, port):
        super().__init__(("127.0.0.1", 0), WayHandler)
        self.target = port
        self.faults = []
        self.requests = []
        # Ends every answer that is held.
        self.over = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.over.set()
        self.shutdown()
        self.server_close()


class WayHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.close_connection = True
        self.server.requests.append(self.path)
        fault = next((each for each in self.server.faults if self.path.startswith(each[0])), None)
        if fault:
            self.server.faults.remove(fault)
        upstream = http.client.HTTPConnection("127.0.0.1", self.server.target)
        upstream.request("GET", self.path, headers={name: value for name, value in self.headers.items() if name != "Accept-Encoding"})
        answer = upstream.getresponse()
        match fault:
            case (_, "cut"):
                body = answer.read()
                self.send(200, answer.getheader("Content-Type"), body[:len(body) // 2], len(body))
            case (_, "portal"): self.send(200, "text/html", b"<html>Welcome to the network of this hotel</html>")
            case (_, "error"): self.send(500, "application/problem+json", b"{}")
            case (_, "silence"):
                self.send(200, answer.getheader("Content-Type"), answer.read1())
                self.server.over.wait()
            case _:
                self.send(answer.status, answer.getheader("Content-Type"), b"")
                try:
                    while piece := answer.read1():
                        self.wfile.write(piece)
                except OSError:
                    pass

    def send(self, status, kind, body, length=None):
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        if length:
            self.send_header("Content-Length", str(length))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *_):
        pass


def broken_answers(verdict, server):
    with Way(server.port) as way, Window(f"http://127.0.0.1:{way.server_port}", WIDE) as window:
        window.open("/")
        verdict.expect(window.shows(TITLES), "the level is shown")
        way.faults = [("/detail/Ash", "cut")]
        window.click_row("Ash")
        verdict.expect(window.soon(lambda: window.fields() == {"Text": "Ash"}), f"an answer that broke off is asked for again: {window.fields()}")
        before = len(way.requests)
        way.faults = [("/levels/", "portal")] * 3
        window.reload()
        verdict.expect(window.shows(TITLES), f"one that is not what it should be too: {window.seen()}")
        asked = [path for path in way.requests[before:] if path.startswith("/levels/")]
        verdict.expect(len(asked) < 12, f"with pauses: {len(asked)} times")
        verdict.expect(window.soon(lambda: window.notices() == []), f"nothing of it stays: {window.notices()}")


def silent_changes(verdict, server, file):
    """The connection on which changes are awaited dies without a word, as in a train: they are asked for again, and seen."""
    with Way(server.port) as way, Window(f"http://127.0.0.1:{way.server_port}", WIDE) as window:
        way.faults = [("/changes", "error"), ("/changes?", "silence")]
        window.open("/")
        verdict.expect(window.shows(TITLES), "the level is shown")
        verdict.expect(window.soon(lambda: way.faults == []), "after an error the changes are asked for again")
        save(file, TITLES + ["Fir"])
        verdict.expect(window.shows(TITLES + ["Fir"]), f"a change in the silence is seen in the end: {window.seen()}")
        save(file, TITLES)
        verdict.expect(window.shows(TITLES), f"and so is the next one: {window.seen()}")


def main():
    arguments = options(__doc__)
    with Verdict("faults in the browser") as verdict, tempfile.TemporaryDirectory() as folder:
        file, token = pathlib.Path(folder, "Trees.json"), pathlib.Path(folder, "token")
        save(file, TITLES)
        token.write_text(TOKEN)
        with Server(arguments.server, file, "--edit-token-file", str(token)) as server:
            with Window(origin(server), WIDE) as window:
                late_order(verdict, window, file)
                given_up(verdict, window)
                focus_after_removal(verdict, window, file)
                late_form(verdict, window)
                missing_modules(verdict, window)
                many_pages(verdict, server, window)
                expect_no_complaints(verdict, window)
            broken_answers(verdict, server)
            silent_changes(verdict, server, file)
        typed_settings(verdict, arguments.server, pathlib.Path(folder))


if __name__ == "__main__":
    main()
