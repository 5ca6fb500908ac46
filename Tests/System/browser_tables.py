#!/usr/bin/env python3
"""Tables in the web client: a level whose rows share values is one without being asked, with as many columns as fit. It is
sorted by a click, its columns have menus that filter, hide and show the most frequent values, and it is read as CSV."""

# Covers: WebClient

import json
import os
import pathlib
import sqlite3
import tempfile
import urllib.request

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import NARROW, WIDE, Window, expect_no_complaints, origin
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

KINDS = ["Coat", "Shirt", "Shirt", "Hat", "Shirt", "Coat"]
DOCUMENT = {"Title": "Shop", "Rows": [
    {"Title": "Clothes", "Children": [
        {"Title": f"Item {number}", "Kind": kind, "Price": 100 - 7.5 * number, "Bytes": 1000 * 10 ** number, "Lined": number % 2 == 0}
        for number, kind in enumerate(KINDS)]},
    {"Title": "Notes", "Children": [{"Title": "One", "Note": "a note"}, {"Title": "Two", "Note": "another"}]}]}
TITLES = [row["Title"] for row in DOCUMENT["Rows"][0]["Children"]]

NAMES = "return [...document.querySelectorAll('.pane.end .sort')].map(e => e.textContent)"
CELLS = """return [...document.querySelectorAll('.pane.end .item')].sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
  .map(e => [...e.querySelectorAll('.cell')].map(e => e.textContent))"""
ALIGNED = "return [...document.querySelectorAll('.pane.end .item:first-child .cell')].map(e => getComputedStyle(e).textAlign)"


def opened(verdict, window):
    window.open("/browse/Clothes")
    verdict.expect(window.soon(lambda: window.run(NAMES) == ["Title", "Kind", "Price", "Bytes", "Lined"]), f"a level of records is a table: {window.run(NAMES)}")
    verdict.expect(window.run(CELLS)[:2] == [["Coat", "100", "1 KB", "✓"], ["Shirt", "92.5", "10 KB", "–"]], f"with its values: {window.run(CELLS)[:2]}")
    verdict.expect(window.run(ALIGNED) == ["start", "end", "end", "start"], f"numbers are at the right: {window.run(ALIGNED)}")
    found = window.axe()
    verdict.expect(found == [], f"a table: axe finds {found}")
    window.open("/browse/Notes")
    window.shows(["One", "Two"])
    verdict.expect(window.run(NAMES) == [], f"a level of few values is a list: {window.run(NAMES)}")


def menu(window, name, item):
    window.run(f"document.querySelector('.pane.end [aria-label=\"Menu of {name}\"]').click()")
    return window.soon(lambda: next(each for each in window.all(".panel .menu-item") if each.text.startswith(item)).click() is None)


def changed(verdict, window):
    window.open("/browse/Clothes")
    window.soon(lambda: window.run(NAMES))
    window.click('.pane.end [aria-label="Sort by Price"]')
    verdict.expect(window.is_at("/browse/Clothes?sort=Price") and window.shows(TITLES[::-1]), f"a click sorts: {window.path}, {window.seen()}")
    window.run("document.querySelector('.pane.end [aria-label=\"Menu of Kind\"]').click()")
    frequent = "return [...document.querySelectorAll('.panel div .menu-item')].map(e => [...e.children].map(e => e.textContent))"
    verdict.expect(window.soon(lambda: window.run(frequent) == [["Shirt", "3"], ["Coat", "2"], ["Hat", "1"]]), f"the most frequent values: {window.run(frequent)}")
    found = window.axe()
    verdict.expect(found == [], f"the menu of a column: axe finds {found}")
    window.keys(Keys.ESCAPE)
    menu(window, "Kind", "Shirt")
    verdict.expect(window.shows(["Item 4", "Item 2", "Item 1"]), f"one of them filters: {window.seen()}")
    menu(window, "Bytes", "Hide")
    names = ["Title", "Kind", "↑ Price", "Lined"]
    verdict.expect(window.soon(lambda: window.run(NAMES) == names), f"a column is hidden: {window.run(NAMES)}")
    window.click_row("Item 2")
    window.title_is("Item 2")
    window.reload()
    verdict.expect(window.soon(lambda: window.run(NAMES) == names) and window.seen() == ["Item 4", "Item 2", "Item 1"], f"which stays so: {window.run(NAMES)}, {window.seen()}")
    window.click(".crumbs li:nth-child(2) a")
    verdict.expect(window.is_at("/browse/Clothes?sort=Price&where=Kind%3AShirt&columns=Kind%2CPrice%2CLined"), f"also on the way back: {window.path}")
    window.soon(lambda: window.run(NAMES) == names)
    menu(window, "Price", "Filter…")
    verdict.expect(window.soon(lambda: window.run("return document.activeElement.ariaLabel") == "Value"), "a filter is begun")
    window.keys("70")
    verdict.expect(window.soon(lambda: window.seen() == ["Item 4"]), f"and typed: {window.seen()}")
    window.keys(Keys.ESCAPE)
    window.open("/browse/Clothes?sort=Price")
    window.soon(lambda: window.run(NAMES))
    window.click('.pane.end .tools [aria-label="More"]')
    link = "return [...document.querySelectorAll('.panel a')].find(e => e.textContent === 'CSV')?.href"
    window.soon(lambda: window.run(link))
    with urllib.request.urlopen(window.run(link)) as answer:
        lines = answer.read().decode().splitlines()
    verdict.expect(lines[:2] == ["key,title,Kind,Price,Bytes,Lined", "Item 5,Item 5,Coat,62.5,100000000,false"], f"the rows as CSV: {lines[:2]}")


def fitted(verdict, window):
    """A double click on the border of a column, or its menu, makes it as wide as what it shows."""
    window.open("/browse/Clothes")
    window.soon(lambda: window.run(NAMES))
    widths = lambda: window.run("""return ['.columns', '.row'].map(line => Math.round(
        [...document.querySelector('.pane.end ' + line).querySelectorAll('.cell')].find(e => ['Kind', 'Coat'].includes(e.textContent)).getBoundingClientRect().width))""")
    before = widths()
    ActionChains(window.driver).double_click(window.find(".pane.end .columns .cell:nth-child(2) .fit")).perform()
    verdict.expect(window.soon(lambda: widths()[0] == widths()[1] < before[0] - 20), f"a double click fits a column: {before}, {widths()}")
    shown = window.run("return [...document.querySelectorAll('.pane.end .row .cell:nth-child(2)')].every(e => e.scrollWidth <= e.clientWidth)")
    verdict.expect(shown, "which shows its values whole")
    after = widths()
    window.open("/browse/Clothes")
    window.soon(lambda: window.run(NAMES))
    menu(window, "Kind", "Fit the width")
    verdict.expect(window.soon(lambda: widths() == after), f"so does its menu: {widths()}, {after}")


def related(verdict, program, folder):
    """A column that refers to records shows their titles, also among its most frequent values."""
    path = os.path.join(folder, "Shop.sqlite")
    with sqlite3.connect(path) as database:
        database.executescript("""
            CREATE TABLE kind (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE piano (id INTEGER PRIMARY KEY, name TEXT, kind INTEGER REFERENCES kind, price REAL, year INTEGER);
            INSERT INTO kind VALUES (3, 'Grand'), (4, 'Upright');
            INSERT INTO piano VALUES (7, 'L225', 3, 31.5, 2001), (8, 'U1', 4, 4, 2002), (9, 'U3', 4, 5, 2003)""")
    database.close()
    with Server(program, f"sqlite:{path}") as server, Window(origin(server), WIDE) as window:
        window.open("/browse/piano")
        verdict.expect(window.soon(lambda: window.run(CELLS)[:1] == [["Grand", "31.5", "2001"]]), f"a record of another table has its title: {window.run(CELLS)}")
        window.run("document.querySelector('.pane.end [aria-label=\"Menu of kind\"]').click()")
        frequent = "return [...document.querySelectorAll('.panel div .menu-item')].map(e => [...e.children].map(e => e.textContent))"
        verdict.expect(window.soon(lambda: window.run(frequent) == [["Upright", "2"], ["Grand", "1"]]), f"so have the most frequent ones: {window.run(frequent)}")
        menu(window, "kind", "Upright")
        verdict.expect(window.shows(["U1", "U3"]), f"and filter: {window.seen()}")
        expect_no_complaints(verdict, window, "related: ")


def fitting(verdict, window):
    """A smaller window has fewer columns, and a phone a list."""
    window.open("/browse/Clothes")
    window.soon(lambda: len(window.run(NAMES)) == 5)
    window.tell("Emulation.setDeviceMetricsOverride", width=1024, height=768, deviceScaleFactor=1, mobile=False)
    verdict.expect(window.soon(lambda: window.run(NAMES) == ["Title", "Kind", "Price", "Bytes"]), f"as many columns as fit: {window.run(NAMES)}")
    window.tell("Emulation.setDeviceMetricsOverride", width=NARROW[0], height=NARROW[1], deviceScaleFactor=1, mobile=False)
    seconds = "return [...document.querySelectorAll('.pane.end .subtitle')].map(e => e.textContent)"
    verdict.expect(window.soon(lambda: window.run(NAMES) == [] and window.run(seconds)[:1] == ["Coat · 100 · 1 KB"]), f"on a phone a list: {window.run(NAMES)}, {window.run(seconds)}")


def main():
    arguments = options(__doc__)
    with Verdict("tables in the browser") as verdict, tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "Shop.json")
        file.write_text(json.dumps(DOCUMENT))
        with Server(arguments.server, file) as server, Window(origin(server), WIDE) as window:
            for part in (opened, changed, fitted, fitting):
                part(verdict, window)
                expect_no_complaints(verdict, window, f"{part.__name__}: ")
        related(verdict, arguments.server, folder)


if __name__ == "__main__":
    main()
