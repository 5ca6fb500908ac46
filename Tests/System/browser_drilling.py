#!/usr/bin/env python3
"""The web client in a browser: down to the deepest leaf of each document by clicks, keys and taps; back, forward, reload,
and addresses in the middle. With --all every way of stepping in both sizes, and every document's addresses."""

import json
import os
import pathlib
import sqlite3
import tempfile
import urllib.request

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import NARROW, ROOT, WIDE, Window, origin, expect_no_complaints
from selenium.webdriver.common.keys import Keys

DOCUMENTS = ["Albums.plist", "Campus.plist", "Catalog.plist", "Data.plist", "Library.plist", "Meetings.plist",
             "Music.plist", "Settings.bundle"]


def read(server, link):
    with urllib.request.urlopen(origin(server) + link) as response:
        return json.load(response)


def deepest(server, link="/levels/"):
    """The rows on the way to the deepest leaf below a level, the first of several."""
    longest = []
    for row in read(server, link)["rows"]:
        way = [row] + ([] if row["leaf"] else deepest(server, row["href"]))
        if len(way) > len(longest):
            longest = way
    return longest


def address(row):
    return "/browse" + row["href"].removeprefix("/levels").removeprefix("/detail")


def by_click(window, row):
    return window.click_row(row["title"])


def by_tap(window, row):
    return window.tap_row(row["title"])


def by_key(window, row):
    return window.focus_row(row["title"]) and window.keys(Keys.ENTER) is None


def drill(verdict, window, way, step, name):
    """Down by one kind of step, then back up and down again by the browser's own buttons."""
    window.open("/")
    places = ["/"]
    for row in way:
        step(window, row)
        places.append(address(row))
        verdict.expect(window.is_at(places[-1]), f"{name}: '{row['title']}' leads to {places[-1]}, not {window.path}")
        verdict.expect(window.title_is(row["title"]), f"{name}: the page is called '{row['title']}', not '{window.driver.title}'")
    fields = read(server_of(window), way[-1]["href"].replace("/levels", "/detail"))["fields"]
    names = [each for each in fields if each not in ("Title", "Image")]
    verdict.expect(window.soon(lambda: list(window.fields()) == names), f"{name}: the leaf shows {names}, not {list(window.fields())}")
    for place in reversed(places[:-1]):
        window.back()
        verdict.expect(window.is_at(place), f"{name}: back leads to {place}, not {window.path}")
        expect_focus(verdict, window, way[places.index(place)], f"{name}: back to {place}")
    for place in places[1:]:
        window.forward()
        verdict.expect(window.is_at(place), f"{name}: forward leads to {place}, not {window.path}")
    verdict.expect(window.title_is(way[-1]["title"]), f"{name}: forward ends at '{way[-1]['title']}'")
    if window.size == NARROW:
        # The column before is there until it is known which one follows.
        window.soon(lambda: window.text(".pane.last h2 bdi") == way[-1]["title"])
        window.click(".pane.last .back")
        verdict.expect(window.is_at(places[-2]), f"{name}: the way back leads to {places[-2]}, not {window.path}")
        expect_focus(verdict, window, way[-1], f"{name}: the way back")
    expect_no_complaints(verdict, window, f"{name}: ")


FOCUSED = "return document.activeElement.closest('.item')?.querySelector('.title').textContent ?? document.activeElement.tagName"


def expect_focus(verdict, window, row, name):
    verdict.expect(window.soon(lambda: window.run(FOCUSED) == row["title"]), f"{name}: the keyboard is at '{row['title']}', not {window.run(FOCUSED)}")


def far_away(verdict, program, folder):
    """The row that led to a place has the focus again, also where its level was never shown, or shows other rows."""
    file = pathlib.Path(folder, "Far.json")
    titles = [f"Row {number:04d}" for number in range(3000)]
    file.write_text(json.dumps({"Title": "Far", "Rows": [{"Title": title, "Children": ["Inside"]} for title in titles]}))
    with Server(program, file) as server:
        for size in (WIDE, NARROW):
            with Window(origin(server), size) as window:
                window.open("/browse/Row%202500/Inside")
                for path, title in (("/browse/Row%202500", "Inside"), ("/", "Row 2500")):
                    window.title_is(title)
                    window.run("(document.querySelector('.pane.last .row') ?? document.querySelector('.pane.last h2')).focus()")
                    window.keys(Keys.ESCAPE)
                    verdict.expect(window.is_at(path), f"Escape leads to {path}, not {window.path}")
                    expect_focus(verdict, window, {"title": title}, f"Escape at {size[0]}")
                window.open("/browse/?q=1234")
                window.click_row("Row 1234")
                window.title_is("Row 1234")
                window.click_row("Inside")
                # On a wide screen, the hits stay.
                verdict.expect(window.is_at("/browse/Row%201234/Inside" if size == NARROW else "/browse/?q=1234&show=Row%25201234%2FInside"),
                               f"a row of a hit leads to its place: {window.path}")
                window.title_is("Inside")
                window.back()
                expect_focus(verdict, window, {"title": "Inside"}, f"back to a hit at {size[0]}")
                window.back()
                expect_focus(verdict, window, {"title": "Row 1234"}, f"back to the search at {size[0]}")
                expect_no_complaints(verdict, window)


def server_of(window):
    return window.server


def addresses(verdict, window, way, name):
    """Each place of the way opened by its address, and read again there."""
    for row in way:
        window.open(address(row))
        verdict.expect(window.title_is(row["title"]), f"{name}: {address(row)} shows '{row['title']}'")
        window.reload()
        verdict.expect(window.title_is(row["title"]), f"{name}: {address(row)} shows '{row['title']}' again")
    titles = [row["title"] for row in read(server_of(window), "/levels/")["rows"]]
    window.open("/browse/No%20such%20place")
    verdict.expect(window.soon(lambda: window.text(".missing h2") == "No such item"), f"{name}: an unknown place says so")
    window.click(".missing .apology a")
    verdict.expect(window.is_at("/") and window.soon(lambda: window.seen()[:1] == titles[:1]), f"{name}: and leads to what is there")


def referring(verdict, window):
    """What refers to a record is in the record's own column: the first rows of each list, below a link to the list."""
    heads = lambda: window.run("""return [...document.querySelectorAll('.pane.end .section-header')]
        .map(e => [e.querySelector('bdi').textContent, e.querySelector('.count').textContent, e.firstChild.getAttribute('href')])""")
    columns = lambda: window.run("return [...document.querySelectorAll('.pane.level h2 bdi')].map(e => e.textContent)")
    selected = lambda: window.run("return [...document.querySelectorAll('.pane [aria-current=true] .title')].map(e => e.textContent)")
    shown = lambda: window.run("return [...document.querySelectorAll('.pane.end .item')].map(e => [...e.querySelectorAll('.title, .subtitle')].map(e => e.textContent))")
    wanted = [["piano", "1", "/browse/kind/3/piano"]]
    verdict.expect(window.soon(lambda: heads() == wanted) and window.soon(lambda: shown() == [["L225", "EE · 1 · 31.5"]]), f"what refers to a record: {heads()}, {shown()}")
    verdict.expect(window.axe() == [], f"a record: axe finds {window.axe()}")
    window.click_row("L225")
    verdict.expect(window.title_is("L225") and window.is_at("/browse/kind/3/piano/7"), f"a row leads to its record: {window.path}")
    verdict.expect(window.soon(lambda: selected() == ["kind", "Grand", "L225"]) and "piano" not in columns(), f"without a column of the list: {columns()}, {selected()}")
    window.keys(Keys.ESCAPE)
    verdict.expect(window.is_at("/browse/kind/3") and window.soon(lambda: window.focused() == "L225"), f"Escape leads back to it: {window.path}, {window.focused()}")
    window.click(".pane.end .section-header a")
    verdict.expect(window.is_at("/browse/kind/3/piano") and window.soon(lambda: columns()[-1] == "piano"), f"the head leads to the whole list: {columns()}")
    heads_chosen = "return [...document.querySelectorAll('.section-header [aria-current=true]')].map(e => e.textContent)"
    verdict.expect(window.run(heads_chosen) == ["piano1"], f"and is marked: {window.run(heads_chosen)}")
    window.click_row("L225")
    verdict.expect(window.is_at("/browse/kind/3/piano/7") and window.soon(lambda: columns()[-2:] == ["Grand", "piano"]), f"whose column stays: {columns()}")
    window.back()
    window.back()
    window.open("/browse/maker/EE,1")
    verdict.expect(window.soon(lambda: heads() == [["piano", "7", "/browse/maker/EE%2C1/piano"]] and len(shown()) == 5), f"of a list, the first five rows: {heads()}, {shown()}")


def records(verdict, program, folder):
    """A record that refers to others shows their titles, which lead to them."""
    path = os.path.join(folder, "Shop.sqlite")
    with sqlite3.connect(path) as database:
        database.executescript("""
            CREATE TABLE maker (land TEXT NOT NULL, id INTEGER NOT NULL, name TEXT, PRIMARY KEY (land, id));
            CREATE TABLE kind (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE piano (id INTEGER PRIMARY KEY, name TEXT, kind INTEGER REFERENCES kind, land TEXT, maker INTEGER,
              price REAL, FOREIGN KEY (land, maker) REFERENCES maker);
            INSERT INTO maker VALUES ('EE', 1, 'Estonia'); INSERT INTO kind VALUES (3, 'Grand');
            INSERT INTO piano VALUES (7, 'L225', 3, 'EE', 1, 31.5), (8, 'U1', NULL, NULL, NULL, 4);
            INSERT INTO piano (name, land, maker) VALUES ('A', 'EE', 1), ('B', 'EE', 1), ('C', 'EE', 1), ('D', 'EE', 1), ('E', 'EE', 1), ('F', 'EE', 1)""")
    database.close()
    with Server(program, f"sqlite:{path}") as server, Window(origin(server)) as window:
        window.open("/browse/piano")
        window.shows(["L225", "U1", *"ABCDEF"])
        seconds = window.run("return [...document.querySelectorAll('.pane.end .subtitle')].map(e => e.textContent)")[:2]
        verdict.expect(seconds == ["Grand · EE · 1", "4"], f"rows show titles in place of numbers, and no key: {seconds}")
        window.open("/browse/piano/7")
        wanted = [["id", "7"], ["name", "L225"], ["kind", "Grand3"], ["land", "EE"], ["maker", "1"], ["price", "31.5"],
                  ["land,maker", "Estonia"]]
        fields = lambda: window.run("""return [...document.querySelectorAll('.pane.detail .field')]
            .map(field => [...field.children].map(each => each.textContent))""")
        verdict.expect(window.soon(lambda: fields() == wanted), f"a record shows what it refers to: {fields()}")
        window.click(".pane.detail .record")
        verdict.expect(window.title_is("Grand") and window.is_at("/browse/kind/3"), f"and leads there: {window.path}")
        referring(verdict, window)
        expect_no_complaints(verdict, window, "records")


def main():
    arguments = options(__doc__, all=False)
    with Verdict("drilling in the browser") as verdict:
        servers = {}
        for document in DOCUMENTS:
            servers[document] = Server(arguments.server, os.path.join(ROOT, "Data", document))
        ways = {document: deepest(server) for document, server in servers.items()}
        for size, touch in ((WIDE, False), (NARROW, True)):
            with Window(None, size, touch=touch) as window:
                for document, server in servers.items():
                    window.origin, window.server = origin(server), server
                    steps = (by_tap,) if touch else (by_click, by_key)
                    for step in (by_click, by_key, by_tap) if arguments.all and touch else steps:
                        name = f"{document} at {size[0]} {step.__name__.replace('_', ' ')}"
                        drill(verdict, window, ways[document], step, name)
                    if arguments.all or document == "Catalog.plist":
                        addresses(verdict, window, ways[document], f"{document} at {size[0]}")
        for server in servers.values():
            server.stop()
        with tempfile.TemporaryDirectory() as folder:
            far_away(verdict, arguments.server, folder)
            records(verdict, arguments.server, folder)


if __name__ == "__main__":
    main()
