#!/usr/bin/env python3
"""The web client in a browser through trouble: hostile documents, a server that is killed and started again, one that takes
two seconds for each answer, a document that breaks, a cache that keeps answers, and changes while a long level is scrolled."""

import http.client
import http.server
import json
import os
import pathlib
import random
import tempfile
import threading
import urllib.request

from harness.caches import CachingNginx
from harness.client import get, wait_until
from harness.server import Server, unused_port
from harness.verdict import Verdict, options
from harness.web_client import NARROW, WIDE, Window, origin, expect_no_complaints

EVIL = ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "javascript:alert(1)", "'\"><svg/onload=alert(1)>",
        "{{constructor}}", "\u202egnp.exe", "مرحبا بالعالم", "e" + "\u0301" * 300, "%2e%2e", "a/b?c#d", "\u0007bell\u001b[31m"]


def hostile():
    rows = [{"Title": text, "Subtitle": text, "Value": text, "Image": text, "Text": text, text: text} for text in EVIL]
    rows.append({"Title": "Long", "Text": "x" * 1_000_000})
    rows.append({"Title": "Pages", "Link": "https://example.org/a?b=c, javascript:alert(2) and data:text/html,x"})
    rows.append({"Title": "Sections", "Sections": [{"Title": f"Section {n}", "Index": chr(65 + n % 26), "Rows": [f"Row {n}"]}
                                                   for n in range(10_000)]})
    return {"Title": "<b>Hostile</b>", "Rows": rows}


def save(file, document):
    aside = file.with_suffix(".new")
    aside.write_text(json.dumps(document), encoding="utf-8")
    os.replace(aside, file)


def shows_as_text(verdict, program, file):
    save(file, hostile())
    with Server(program, file) as server, Window(origin(server), NARROW) as window:
        window.open("/")
        verdict.expect(window.soon(lambda: window.text("h2 bdi") == "<b>Hostile</b>"), f"the title is text: {window.text('h2 bdi')}")
        for row in json.load(urllib.request.urlopen(origin(server) + "/levels/"))["rows"][:len(EVIL)]:
            window.open("/browse" + row["href"].removeprefix("/detail"))
            verdict.expect(window.soon(lambda: len(window.fields()) == 5), f"{row['key']!r} shows its five fields: {list(window.fields())}")
            verdict.expect(window.all(".detail-body :is(script, svg, iframe, b)") == [], f"{row['key']!r} makes no elements")
            links = window.run("return [...document.querySelectorAll('.detail-body a')].map(e => e.href)")
            verdict.expect(links == [], f"{row['key']!r} makes no links: {links}")
        window.open("/browse/Pages")
        links = "return [...document.querySelectorAll('.detail-body a')].map(e => e.href)"
        verdict.expect(window.soon(lambda: window.run(links) == ["https://example.org/a?b=c"]), f"only a web page is a link: {window.run(links)}")
        window.open("/browse/Long")
        verdict.expect(window.soon(lambda: 0 < len(window.fields().get("Text", "")) < 30_000), "a long text is shown in part")
        window.click(".detail-body .plain")
        verdict.expect(window.soon(lambda: len(window.fields().get("Text", "")) == 1_000_000), "and whole when it is asked for")
        window.open("/browse/Sections")
        window.soon(lambda: window.seen()[:1] == ["Row 0"])
        # While sections are still being read, the list ends earlier.
        down = "const s = document.querySelector('.scroller'); s.scrollTop = s.scrollHeight; return true"
        verdict.expect(window.soon(lambda: window.run(down) and window.seen()[-1:] == ["Row 9999"]), f"10,000 sections scroll to their end: {window.seen()[-1:]}")
        verdict.expect(window.rows_in_page() < 100, f"with {window.rows_in_page()} rows in the page")
        expect_no_complaints(verdict, window)


def restart(verdict, program, file):
    titles = [f"Row {number:03d}" for number in range(300)]
    save(file, {"Title": "Long", "Rows": titles})
    port = unused_port()
    with Window(f"http://127.0.0.1:{port}", WIDE) as window:
        with Server(program, file, port=port) as server:
            window.open("/")
            window.soon(lambda: window.seen()[:1] == ["Row 000"])
            window.run("document.querySelector('.scroller').scrollTop = 44 * 150")
            verdict.expect(window.soon(lambda: window.seen()[:1] == ["Row 150"]), f"scrolled to {window.seen()[:1]}")
            window.focus_row("Row 155")
            server.kill()
        lost = "The connection is lost. What is shown may be old; trying again…"
        verdict.expect(window.soon(lambda: window.notices() == [lost]), f"a lost connection is told: {window.notices()}")
        verdict.expect(window.seen()[:1] == ["Row 150"], "and what was there stays")
        titles.insert(0, "Newest")
        save(file, {"Title": "Long", "Rows": titles})
        with Server(program, file, port=port):
            verdict.expect(window.soon(lambda: window.notices() == []), f"it mends by itself: {window.notices()}")
            verdict.expect(window.soon(lambda: window.text(".pane.end small") == "301"), "what changed meanwhile is seen")
            place = window.seen()[:1], window.focused()
            verdict.expect(place == (["Row 150"], "Row 155"), f"at the same place: {place}")
            file.write_text('{"Title": "Long", "Rows": [')
            verdict.expect(window.soon(lambda: any("last good one" in text for text in window.notices())), "a broken document is told")
            save(file, {"Title": "Long", "Rows": titles[1:]})
            verdict.expect(window.soon(lambda: window.notices() == []), f"and mends: {window.notices()}")


class Slow(http.server.ThreadingHTTPServer):
    """A way to a server on which each answer takes two seconds."""

    daemon_threads = True
    delay = threading.Event()

    def __init__(self, port):
        super().__init__(("127.0.0.1", 0), SlowHandler)
        self.target = port
        threading.Thread(target=self.serve_forever, daemon=True).start()


class SlowHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if not self.path.startswith("/client"):
            self.server.delay.wait(2)
        upstream = http.client.HTTPConnection("127.0.0.1", self.server.target)
        upstream.request("GET", self.path, headers={name: value for name, value in self.headers.items() if name != "Accept-Encoding"})
        answer = upstream.getresponse()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name not in ("Transfer-Encoding", "Connection", "Date"):
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while piece := answer.read1():
                self.wfile.write(piece)
        except OSError:
            pass
        self.close_connection = True

    def log_message(self, *_):
        pass


def slow(verdict, program, file):
    save(file, {"Title": "Slow", "Rows": [{"Title": f"Branch {n}", "Children": [f"Leaf {n}"]} for n in range(5)]})
    with Server(program, file) as server, Slow(server.port) as way, Window(f"http://127.0.0.1:{way.server_port}", NARROW) as window:
        window.open("/")
        verdict.expect(window.soon(lambda: window.seen()[:1] == ["Branch 0"]), "a slow level comes")
        window.click_row("Branch 1")
        head = window.run("return [document.title, ...[...document.querySelectorAll('.pane h2 > *')].map(e => e.textContent)]")
        verdict.expect(head == ["Branch 1", "Branch 1", "1"], f"the title and the number of rows of the next level are there at once: {head}")
        verdict.expect(window.soon(lambda: window.find(".pane .skeleton i").is_displayed()), "and then a skeleton")
        verdict.expect(window.shows(["Leaf 1"]), f"until the rows come: {window.seen()}")
        verdict.expect(window.notices() == [], f"slow is not lost: {window.notices()}")


def behind_cache(verdict, program, file):
    """The cache keeps plain answers for longer than the test takes; the page shows each change nevertheless."""
    def document(*leaves, note):
        save(file, {"Title": "Kept", "Rows": [{"Title": "Branch", "Children": [*leaves, {"Title": "Leaf", "Note": note}]}, "Other"]})
    document("One", note="first")
    shared = ("--cache-control", "public, s-maxage=300")
    with tempfile.TemporaryDirectory() as folder, Server(program, file, *shared) as server, CachingNginx(
            folder, server.port) as front, Window(f"http://127.0.0.1:{front.port}", WIDE) as window:
        kept = get(front.port, "/levels/Branch?limit=100&start=0&sections=page").body
        window.open("/browse/Branch")
        verdict.expect(window.shows(["One", "Leaf"]), f"the level comes: {window.seen()}")
        document("One", "Two", note="second")
        verdict.expect(window.shows(["One", "Two", "Leaf"]), f"a change is shown: {window.seen()}")
        window.click_row("Leaf")
        verdict.expect(window.soon(lambda: window.fields().get("Note") == "second"), f"so is the changed detail: {window.fields()}")
        document("Two", note="third")
        verdict.expect(window.soon(lambda: window.fields().get("Note") == "third"), f"and the next change: {window.fields()}")
        window.open("/browse/Branch")
        verdict.expect(window.shows(["Two", "Leaf"]), f"a page that is opened has all changes: {window.seen()}")
        old = get(front.port, "/levels/Branch?limit=100&start=0&sections=page")
        verdict.expect(
            front.is_hit(old) and old.body == kept, f"and the cache still has the plain answer of before: {old.headers} {old.body}")
        expect_no_complaints(verdict, window)


VISIBLE = """
const list = document.querySelector('.scroller'), box = list.getBoundingClientRect()
return [...list.querySelectorAll('.item')].map(item => [item.getBoundingClientRect().top - box.top, item.querySelector('.title')?.textContent])
  .filter(([top]) => top >= 0 && top < box.height).sort((a, b) => a[0] - b[0])
"""


def changes(verdict, program, file, count):
    titles = [f"Row {number:04d}" for number in range(2000)]
    save(file, {"Title": "Live", "Rows": titles})
    dice = random.Random(5)
    with Server(program, file) as server, Window(origin(server), WIDE) as window:
        window.open("/")
        window.soon(lambda: window.seen()[:1] == ["Row 0000"])
        window.run("document.querySelector('.scroller').scrollTop = 44 * 1000")
        window.focus_row("Row 1005")
        top, heap = window.run("return document.activeElement.getBoundingClientRect().top"), None
        for number in range(1, count + 1):
            at = dice.randrange(len(titles))
            if titles[at] == "Row 1005":
                continue
            match dice.randrange(4):
                case 0 | 1: titles.insert(at, f"New {number:04d}")
                case 2: del titles[at]
                case 3: titles.insert(dice.randrange(len(titles)), titles.pop(at))
            save(file, {"Title": "Live", "Rows": titles})
            if number % 100 == 0:
                served = lambda: [row["title"] for row in json.load(urllib.request.urlopen(
                    origin(server) + "/levels/?limit=10000"))["rows"]] == titles
                verdict.expect(wait_until(served) is not None, f"the server has change {number}")

                def is_right():
                    shown = [title for _, title in window.run(VISIBLE)]
                    # A row that is gone may still be shown for a moment.
                    start = titles.index(shown[0]) if shown and shown[0] in titles else len(titles)
                    return len(shown) > 10 and shown == titles[start:start + len(shown)]
                verdict.expect(window.soon(is_right), f"after change {number} what is shown is what is there: {window.run(VISIBLE)[:3]}")
                now = window.run("return document.activeElement.getBoundingClientRect().top")
                verdict.expect(window.focused() == "Row 1005" and abs(now - top) < 1, f"after change {number} '{window.focused()}' is at {now}, not {top}")
                heap = heap or window.heap_bytes()
        share = window.heap_bytes() / heap
        verdict.figure("JavaScript heap after all changes", f"{share:.2f} of that after the first hundred")
        verdict.expect(share < 1.2, "the heap stays within 1.2 times")


def main():
    arguments = options(__doc__, changes=300)
    with Verdict("trouble in the browser") as verdict, tempfile.TemporaryDirectory() as folder:
        for part in (shows_as_text, restart, slow, behind_cache):
            part(verdict, arguments.server, pathlib.Path(folder, part.__name__ + ".json"))
        changes(verdict, arguments.server, pathlib.Path(folder, "changes.json"), arguments.changes)


if __name__ == "__main__":
    main()
