#!/usr/bin/env python3
"""The web client in a browser: search, order, groups, filters, outline, and a settings page that keeps its values."""

import json
import os
import pathlib
import shutil
import tempfile

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import NARROW, ROOT, TOKEN, WIDE, Window, origin, expect_no_complaints
from selenium.webdriver.common.keys import Keys


def scope(window, value):
    window.run("""const scope = document.querySelector('.bar [aria-label="Search in"]'); scope.value = arguments[0]
        scope.dispatchEvent(new Event('change'))""", value)


def search(verdict, window):
    window.open("/")
    window.shows(["Colours", "Clothing", "Seasons", "Swatches"])
    window.keys("/")
    window.keys("ink")
    verdict.expect(window.is_at("/browse/?q=ink&in=*"), f"everything is searched: {window.path}")
    scope(window, "titles")
    verdict.expect(window.shows(["Ink", "Ink"]), f"'ink' finds two items, not {window.seen()}")
    verdict.expect(window.is_at("/browse/?q=ink"), f"the search is in the address, not {window.path}")
    trails = window.run("return [...document.querySelectorAll('.pane.end .subtitle')].map(e => e.textContent)")
    verdict.expect(trails == ["Colours", "Swatches"], f"hits show their trail, not {trails}")
    verdict.expect(window.run("return document.activeElement.type") == "search", "the field keeps the focus")
    window.reload()
    verdict.expect(window.shows(["Ink", "Ink"]), f"the address finds the same again, not {window.seen()}")
    window.open("/browse/?q=nothing-like-it")
    verdict.expect(window.soon(lambda: window.text(".pane.end .empty") == "Nothing found."), "no hit says so")


def in_fields(verdict, window):
    """A search in all fields: what was found is marked, and the field that has it is named."""
    window.open("/")
    window.soon(lambda: window.seen()[:1] == ["Colours"])
    window.keys("/")
    window.keys("grains")
    scope(window, "titles")
    verdict.expect(window.shows([]), f"no title has it: {window.seen()}")
    scope(window, "all")
    verdict.expect(window.shows(["Smalt"]), f"a field has it: {window.seen()}")
    verdict.expect(window.is_at("/browse/?q=grains&in=*"), f"where is searched is in the address: {window.path}")
    second = window.text(".pane.end .subtitle")
    verdict.expect(second.startswith("Text: ") and second.endswith(" · Colours"), f"the field and the levels above are named: {second}")
    marks = "return [...document.querySelectorAll('.pane.end mark')].map(e => e.textContent)"
    verdict.expect(window.run(marks) == ["grains"], f"what was found is marked: {window.run(marks)}")
    window.open("/browse/?q=i%C3%B1k")
    verdict.expect(window.soon(lambda: window.run(marks) == ["Ink", "Ink"]), f"without regard to case and accents: {window.run(marks)}")


def one_search(verdict, window, is_wide):
    """The search shows its text and its scope, leads into the hits, and ends where it began."""
    field = lambda: window.run("return [document.querySelector('.bar input').value, document.querySelector('.bar select').value]")
    window.open("/browse/Colours")
    window.soon(lambda: window.headers() == ["Blues", "Greens", "Reds", "Yellows"])
    window.find(".bar input").send_keys("grains")
    verdict.expect(window.shows(["Smalt"]) and window.is_at("/browse/?q=grains&in=*"), f"everything is searched: {window.seen()} at {window.path}")
    verdict.expect(window.run("return document.activeElement === document.querySelector('.bar input')"), "the field keeps the focus")
    scope(window, "here")
    verdict.expect(window.is_at("/browse/Colours?q=grains&in=*"), f"so is the level that was open: {window.path}")
    window.keys(Keys.ENTER)
    verdict.expect(window.soon(lambda: window.focused() == "Smalt"), f"Enter leads to the first hit: {window.focused()}")
    window.reload()
    verdict.expect(window.soon(lambda: field() == ["grains", "here"]), f"the address has it all: {field()}")
    window.open("/browse/Colours")
    window.soon(lambda: window.headers() == ["Blues", "Greens", "Reds", "Yellows"])
    window.keys("/")
    window.keys("c")
    window.soon(lambda: window.find(".pane.end mark"))
    if is_wide:
        hits = "return [...document.querySelectorAll('.pane.level')].map(e => e.querySelector('h2').textContent)"
        before = window.text(".pane.end h2 small")
        window.click_row("Clothing")
        verdict.expect(window.soon(lambda: window.run(hits) == ["Catalog" + before, "Clothing6"]), f"the hits stay beside what is opened: {window.run(hits)}")
        window.click_row("Oilskin")
        verdict.expect(window.soon(lambda: len(window.run(hits)) == 3) and window.title_is("Oilskin"), f"and deeper: {window.run(hits)}")
        window.reload()
        verdict.expect(window.soon(lambda: window.run(hits)[:1] == ["Catalog" + before] and window.title_is("Oilskin")), f"also when they are read again: {window.run(hits)}")
        window.click('.bar [aria-label="End search"]')
        verdict.expect(window.is_at("/"), f"without a place before, the search ends at the root: {window.path}")
    else:
        window.click('.bar [aria-label="End search"]')
        verdict.expect(window.is_at("/browse/Colours") and field() == ["", "all"], f"the search ends where it began: {window.path}, {field()}")


CHIPS = "return [...document.querySelectorAll('.pane.end .chip')].map(e => e.textContent)"


def chips(verdict, window):
    """What was chosen of the view, to be taken off."""
    window.open("/browse/Clothing?sort=-Price&where=Price!84&where=Title~t&group=Kind")
    wanted = ["Price ↓", "by Kind", "Price is not 84", "Title contains t"]
    verdict.expect(window.soon(lambda: window.run(CHIPS) == wanted), f"the view as chips: {window.run(CHIPS)}")
    verdict.expect(window.shows(["Duffle Coat", "Canvas Trousers", "Flannel Shirt", "Collarless Shirt"]), f"rows that are not: {window.seen()}")
    values = window.run("return [...document.querySelectorAll('.pane.end .value')].map(e => e.textContent)")
    verdict.expect(values == ["189", "72.25", "59.9", "48"], f"rows show what they are sorted by: {values}")
    window.run("document.querySelectorAll('.pane.end .chip')[3].click()")
    verdict.expect(window.is_at("/browse/Clothing?sort=-Price&group=Kind&where=Price%2184"), f"one is taken off: {window.path}")
    window.soon(lambda: len(window.run(CHIPS)) == 3)
    window.click(".pane.end .chips .plain")
    verdict.expect(window.is_at("/browse/Clothing") and window.soon(lambda: window.run(CHIPS) == []), f"all are taken off: {window.path}")


def table(verdict, window):
    """Fields in columns, to sort by."""
    window.open("/browse/Clothing")
    window.soon(lambda: window.find(".pane.end .row"))
    window.click('.pane.end [aria-label="Sort, group, filter"]')
    for name in ("Price", "Lined"):
        window.click(f'.panel [aria-label="{name}"]')
    verdict.expect(window.is_at("/browse/Clothing?columns=Price%2CLined"), f"the columns are in the address: {window.path}")
    window.keys(Keys.ESCAPE)
    cells = "return [...document.querySelectorAll('.pane.end .item')].sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).slice(0, 2).map(e => [...e.querySelectorAll('.cell')].map(e => e.textContent))"
    window.click('.pane.end .columns [aria-label="Sort by Price"]')
    window.click('.pane.end .columns [aria-label="Sort by Price, descending"]')
    verdict.expect(window.soon(lambda: window.run(cells) == [["189", "✓"], ["145.5", "–"]]), f"the cells: {window.run(cells)}")
    names = window.run("return [...document.querySelectorAll('.pane.end .sort')].map(e => e.textContent)")
    verdict.expect(names == ["Title", "↓ Price", "Lined"], f"the names: {names}")
    edges = window.run("return [...document.querySelectorAll('.pane.end .columns > *')].slice(1).map((e, index) => Math.abs(e.getBoundingClientRect().left - document.querySelectorAll('.pane.end .item .cell')[index].getBoundingClientRect().left))")
    verdict.expect(max(edges) < 6, f"they are above their cells: {edges}")
    found = window.axe()
    verdict.expect(found == [], f"a table: axe finds {found}")


def follows(verdict, program, folder):
    """A level sorted by a field that rows do not show by default is read again if that field changes."""
    file = folder / "Prices.json"
    prices = lambda first, second: file.write_text(json.dumps([{"Title": "Soup", "Price": first}, {"Title": "Stew", "Price": second}]))
    prices(4, 9)
    with Server(program, file) as server, Window(origin(server), WIDE) as window:
        window.open("/?sort=Price")
        verdict.expect(window.shows(["Soup", "Stew"]), f"sorted by the price: {window.seen()}")
        prices(10, 9)
        verdict.expect(window.shows(["Stew", "Soup"]), f"sorted again after a change of the price: {window.seen()}")


def order(verdict, window):
    window.open("/browse/Colours")
    window.soon(lambda: window.headers() == ["Blues", "Greens", "Reds", "Yellows"])
    window.click('.pane.end [aria-label="Sort, group, filter"]')
    verdict.expect(window.choose("Sort by", "Title"), "the menu has the title to sort by")
    verdict.expect(window.soon(lambda: window.seen()[:3] == ["Bottle", "Brick", "Harebell"]), f"sorted: {window.seen()}")
    verdict.expect(window.is_at("/browse/Colours?sort=Title"), f"the order is in the address, not {window.path}")
    window.open("/browse/Colours?sort=-Title")
    verdict.expect(window.soon(lambda: window.seen()[:2] == ["Weld", "Verdigris"]), f"descending: {window.seen()}")
    window.open("/browse/Colours")
    window.soon(lambda: window.seen()[:1] == ["Harebell"])
    window.click('.pane.end [aria-label="Sort, group, filter"]')
    window.choose("Group by", "First letter")
    verdict.expect(window.soon(lambda: window.headers()[:3] == ["B", "H", "I"]), f"groups by letter: {window.headers()}")
    window.open("/browse/Colours?where=Title~br")
    verdict.expect(window.shows(["Brick"]), f"filtered: {window.seen()}")
    window.open("/browse/Colours?where=Title~nothing")
    verdict.expect(window.soon(lambda: window.text(".pane.end .empty") == "No rows match."), "no match says so")


def kept_order(verdict, window, is_wide):
    """The order that was chosen for a level stays on the way down and back, and when the page is read again."""
    sorted_rows = ["Weld", "Verdigris", "Straw"]
    left = """return [...document.querySelectorAll('.pane:nth-of-type(2) .item')].filter(e => e.querySelector('.title'))
        .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top).slice(0, 3).map(e => e.querySelector('.title').textContent)"""
    window.open("/browse/Colours?sort=-Title")
    window.soon(lambda: window.seen()[:3] == sorted_rows)
    window.click_row("Weld")
    address = "/browse/Colours/Weld?above=1%3Fsort%3D-Title"
    verdict.expect(window.is_at(address), f"the order above is in the address: {window.path}")
    verdict.expect(window.title_is("Weld"), "the row is shown")
    window.reload()
    verdict.expect(window.soon(lambda: "Value" in window.fields()), f"and again: {window.fields()}")
    if is_wide:
        verdict.expect(window.soon(lambda: window.run(left) == sorted_rows), f"in the same order: {window.run(left)}")
        window.click_row("Verdigris")
        verdict.expect(window.is_at(address.replace("Weld", "Verdigris")), f"its neighbour keeps it: {window.path}")
        window.click(".crumbs li:nth-child(2) a")
    else:
        window.click(".pane .back")
    verdict.expect(window.is_at("/browse/Colours?sort=-Title"), f"the way back leads to the order: {window.path}")
    verdict.expect(window.soon(lambda: window.seen()[:3] == sorted_rows), f"which is shown: {window.seen()}")


def outline(verdict, window):
    window.open("/browse/?depth=1")
    window.shows(["Colours", "Clothing", "Seasons", "Swatches"])
    window.focus_row("Clothing")
    window.keys(Keys.ARROW_RIGHT)
    verdict.expect(window.soon(lambda: window.seen()[:3] == ["Colours", "Clothing", "Duffle Coat"]), f"a branch opens in place: {window.seen()}")
    verdict.expect(window.is_at("/browse/?depth=1&expand=Clothing"), f"what is open is in the address, not {window.path}")
    levels = window.run("return [...document.querySelectorAll('[role=treeitem]')].slice(0, 3).map(e => [e.ariaLevel, e.ariaExpanded])")
    verdict.expect(levels == [["1", "false"], ["1", "true"], ["2", "false"]], f"the tree says its levels: {levels}")
    window.keys(Keys.ARROW_LEFT)
    verdict.expect(window.shows(["Colours", "Clothing", "Seasons", "Swatches"]), f"and closes: {window.seen()}")


def settings(verdict, program, folder):
    shutil.copytree(os.path.join(ROOT, "Data", "Settings.bundle"), folder / "Settings.bundle")
    token = folder / "token"
    token.write_text(TOKEN)
    arguments = (folder / "Settings.bundle", "--values", str(folder / "values.plist"), "--edit-token-file", str(token))
    control = 'return document.querySelector(`.control [aria-label="${arguments[0]}"]`)?.'
    with Server(program, *arguments) as server, Window(origin(server), NARROW) as window:
        window.open("/")
        verdict.expect(window.soon(lambda: window.run(control + "disabled", "Quality")), "without a token a control only shows")
        window.open("/", token=TOKEN)
        window.soon(lambda: window.run(control + "disabled", "Quality") is False)
        window.click('.control [aria-label="Download automatically"]')
        window.click('.control [aria-label="By title"]')
        window.run(control.removeprefix("return ") + "focus()", "volume")
        window.keys(Keys.END)
        verdict.expect(window.soon(lambda: (folder / "values.plist").exists() and all(
            words in (folder / "values.plist").read_text() for words in ("<false/>", ">title<", "volume"))), "the values are stored")
    with Server(program, *arguments) as server, Window(origin(server), NARROW) as window:
        window.open("/")
        verdict.expect(window.soon(lambda: window.run(control + "checked", "Download automatically") is False
                                   and window.run(control + "checked", "By title") is True
                                   and window.run(control + "value", "volume") == "1"), "and seen after a restart")


def main():
    arguments = options(__doc__)
    with Verdict("finding in the browser") as verdict, tempfile.TemporaryDirectory() as folder:
        with Server(arguments.server, os.path.join(ROOT, "Data", "Catalog.plist")) as server:
            for size in (WIDE, NARROW):
                with Window(origin(server), size) as window:
                    for part in (search, in_fields, order, chips, table, outline):
                        part(verdict, window)
                    kept_order(verdict, window, size == WIDE)
                    one_search(verdict, window, size == WIDE)
                    expect_no_complaints(verdict, window)
        settings(verdict, arguments.server, pathlib.Path(folder))
        follows(verdict, arguments.server, pathlib.Path(folder))


if __name__ == "__main__":
    main()
