#!/usr/bin/env python3
"""The web client's first load in a browser: something is drawn while a slow service is still at work, the first level is
requested once and before the scripts have arrived; behind a proxy every address has its path; and no page of a level with
very many sections has more than those of its rows: all are read once, after the first rows. With --million the level has
1,000,000 rows in 10,000 sections. With --idle, for a machine that does nothing else, something must be drawn within 100 ms
and the first rows within 300 ms."""

import json
import pathlib
import statistics
import tempfile
import threading

from harness.client import DEADLINE
from harness.proxy import Proxy
from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import TOKEN, Window, expect_no_complaints, origin
from selenium.webdriver.common.keys import Keys

DOCUMENT = {"Title": "Shelf", "Rows": [
    {"Title": "Branch", "Image": "none.png", "Children": [{"Title": "Leaf", "Note": "a note"}]}, {"Title": "Other", "Note": "more"}]}
DATA = ("/levels", "/detail", "/changes", "/document", "/readyz")
# Tells the proxy that something is drawn, and keeps the time at which the first row is there.
WATCHING = """
new PerformanceObserver(() => fetch('/drawn')).observe({type: 'paint', buffered: true})
const look = () => document.querySelector('.item .title') ? window.rowsAt = performance.now() : requestAnimationFrame(look)
look()
"""
# The lengths of the answers with rows or sections, in the order of the requests; not of those that the browser had already.
SIZES = """return performance.getEntriesByType('resource')
    .filter(e => e.name.includes('/levels/') && e.transferSize >= e.encodedBodySize).map(e => e.decodedBodySize)"""
FIRST = "return ['.section-header', '.item .title'].map(each => document.querySelector('.pane.level ' + each).textContent)"
DRAWN = "return performance.getEntriesByName('first-contentful-paint')[0].startTime"


def ordered(verdict, server):
    """No script arrives before the level is requested, and the level is not answered before something is drawn."""
    for path, level, titles in (("/", "/levels/?limit=100&start=0&sections=100", ["Branch", "Other"]), ("/browse/Branch", "/levels/Branch?limit=100&start=0&sections=100", ["Leaf"])):
        requested, drawn, missing = threading.Event(), threading.Event(), []

        def delay(target):
            if target == "/drawn":
                drawn.set()
            elif target == level:
                requested.set()
                drawn.wait(DEADLINE) or missing.append("nothing is drawn before the level is answered")
            elif target == "/changes":
                # After the first answer, the page would read once more what it shows.
                return DEADLINE
            elif target.endswith(".js"):
                requested.wait(DEADLINE) or missing.append(f"the level is not requested before {target} is there")
            return 0

        with Proxy(server.port, delay=delay) as proxy, Window(origin(proxy)) as window:
            window.tell("Page.addScriptToEvaluateOnNewDocument", source=WATCHING)
            window.open(path)
            verdict.expect(window.shows(titles), f"{path}: the rows come: {window.seen()}")
            verdict.expect(missing == [], f"{path}: {missing}")
            asked = [each for each in proxy.asked if each == level]
            verdict.expect(len(asked) == 1, f"{path}: the level is requested once: {proxy.asked}")


def timed(verdict, server, is_idle):
    """The times of a first load, without anything in the browser's cache: until something is drawn beside a service that
    takes two seconds for what it is asked, and until the first rows are there."""
    with Proxy(server.port, delay=lambda target: 2 * target.startswith(DATA)) as proxy, Window(None) as window:
        window.tell("Page.addScriptToEvaluateOnNewDocument", source=WATCHING)
        for name, beside, script, most in (("something is drawn", proxy, DRAWN, 100), ("the first rows are there", server, "return rowsAt", 300)):
            window.origin, times = origin(beside), []
            window.open("/healthz")
            for _ in range(5):
                window.tell("Network.clearBrowserCache")
                window.open("/")
                window.shows(["Branch", "Other"])
                times.append(window.run(script))
            verdict.figure(f"{name} after", ", ".join(f"{time:.0f}" for time in times) + " ms")
            verdict.expect(not is_idle or statistics.median(times) <= most, f"{name} within {most} ms: {times}")


def with_tokens(verdict, program, folder, token):
    """Where reading needs a token, nothing is requested before it is known; with one that only edits need, the level is requested once."""
    for name, count in (("edit", 1), ("read", 1)):
        with Server(program, folder / "Shelf.json", f"--{name}-token-file", str(token)) as server, \
                Proxy(server.port, delay=lambda target: DEADLINE * (target == "/changes")) as proxy, Window(origin(proxy)) as window:
            window.open("/", token=TOKEN)
            verdict.expect(window.shows(["Branch", "Other"]), f"with a token to {name}: {window.seen()}")
            asked = [each for each in proxy.asked if each == "/levels/?limit=100&start=0&sections=100"]
            verdict.expect(len(asked) == count, f"with a token to {name}: the level is requested {count} time: {proxy.asked}")


def prefixed(verdict, program, folder, token, removed):
    """At /music of a proxy that removes a path, or none: pages, levels, details, search, images, edits and their addresses."""
    with Server(program, folder / "Shelf.json", "--edit-token-file", str(token), "--base-path", "/music") as server, \
            Proxy(server.port, base=removed) as proxy, Window(origin(proxy)) as window:
        window.open("/music/healthz")
        window.run("sessionStorage.setItem('token/music', arguments[0])", TOKEN)
        window.open("/music/")
        window.soon(lambda: window.find(".edit-tools"))
        window.click_row("Branch")
        verdict.expect(window.is_at("/music/browse/Branch"), f"a row leads below the path: {window.path}")
        window.click_row("Leaf")
        verdict.expect(window.is_at("/music/browse/Branch/Leaf") and window.soon(lambda: window.find(".edit-form textarea")), f"down to a leaf: {window.path}")
        window.back()
        verdict.expect(window.is_at("/music/browse/Branch"), f"back: {window.path}")
        window.click(".crumbs a")
        verdict.expect(window.is_at("/music/"), f"the path leads to the root: {window.path}")
        window.reload()
        window.soon(lambda: window.find(".edit-tools"))
        window.focus_row("Other")
        window.keys(Keys.F2)
        window.soon(lambda: window.find("dialog input"))
        window.keys("Another", Keys.ENTER)
        verdict.expect(window.shows(["Branch", "Another"]), f"an edit: {window.seen()}")
        window.click('.bar [aria-label="Undo"]')
        verdict.expect(window.shows(["Branch", "Other"]), f"undone: {window.seen()}")
        window.keys("/")
        window.keys("leaf")
        verdict.expect(window.shows(["Leaf"]) and window.is_at("/music/browse/?q=leaf&in=*"), f"a search: {window.seen()} at {window.path}")
        elsewhere = [each for each in proxy.asked if not each.startswith("/music/") and each != "/favicon.ico"]
        verdict.expect(elsewhere == [], f"nothing is requested outside of the path: {elsewhere}")
        absolute = "return [...document.querySelectorAll('[href^=\"/\"], [src^=\"/\"]')].map(e => e.getAttribute('href') ?? e.getAttribute('src')).filter(each => !each.startsWith('/music/'))"
        verdict.expect(window.run(absolute) == [], f"each address in the page has the path: {window.run(absolute)}")
        expect_no_complaints(verdict, window)


def sections(verdict, program, folder, rows, count):
    """Pages contain only the sections of their rows; all sections come once, and without the rows."""
    file = folder / "Sections.json"
    size = rows // count
    file.write_text(json.dumps({"Title": "Sections", "Sections": [
        {"Title": f"Section {each}", "Rows": [f"Row {each * size + number}" for number in range(size)]} for each in range(count)]}))
    with Server(program, file) as server, Window(origin(server)) as window:
        window.open("/")
        window.soon(lambda: window.seen()[:1] == ["Row 0"])
        window.soon(lambda: len(window.run(SIZES)) > 1)
        first, *others = window.run(SIZES)
        verdict.expect(len(others) == 1 and first < 40_000, f"the first page has the sections of its rows, and all come once: {first}, {others} bytes")
        window.run("const list = document.querySelector('.scroller'); list.scrollTop = list.scrollHeight / 2")
        verdict.expect(window.soon(lambda: None not in window.seen() and window.seen()[0] != "Row 0"), f"the middle is shown: {window.seen()}")
        _, _, *pages = window.run(SIZES)
        verdict.figure(f"the first page of {count} sections, all sections, and further pages", f"{first}, {others[0]}, at most {max(pages)} bytes")
        verdict.expect(max(pages) < 40_000, f"a further page has the sections of its rows: {pages} bytes")
        section = f"Section {int(window.seen()[0].split()[1]) // size}"
        verdict.expect(section in window.headers(), f"its rows are below the header of their section: {section}, {window.headers()}")
        window.run("const list = document.querySelector('.scroller'); list.scrollTop = list.scrollHeight")
        verdict.expect(window.soon(lambda: window.seen()[-1] == f"Row {rows - 1}"), f"the end is shown: {window.seen()[-1:]}")
        window.open("/healthz")
        window.run("sessionStorage.clear()")
        window.open(f"/?show=Row%2520{rows // 2}")
        verdict.expect(window.soon(lambda: window.text(".pane.level [aria-current] .title") == f"Row {rows // 2}"), "a row that an address names is shown")
        window.run("document.querySelector('.scroller').scrollTop = 0")
        verdict.expect(window.soon(lambda: window.run(FIRST) == ["Section 0", "Row 0"]), f"and those before it are in their sections: {window.run(FIRST)}")
        expect_no_complaints(verdict, window)


def main():
    arguments = options(__doc__, million=False, idle=False)
    with Verdict("the first load in the browser") as verdict, tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        token = folder / "token"
        (folder / "Shelf.json").write_text(json.dumps(DOCUMENT))
        token.write_text(TOKEN)
        with Server(arguments.server, folder / "Shelf.json") as server:
            ordered(verdict, server)
            timed(verdict, server, arguments.idle)
        with_tokens(verdict, arguments.server, folder, token)
        for removed in ("/music", ""):
            prefixed(verdict, arguments.server, folder, token, removed)
        sections(verdict, arguments.server, folder, *((1_000_000, 10_000) if arguments.million else (5_000, 500)))


if __name__ == "__main__":
    main()
