#!/usr/bin/env python3
"""The web client in a browser: search, order, groups, filters, outline, and a settings page that keeps its values."""

import os
import pathlib
import shutil
import tempfile

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import NARROW, ROOT, TOKEN, WIDE, Window, origin, expect_no_complaints
from selenium.webdriver.common.keys import Keys


def search(verdict, window):
    window.open("/")
    window.shows(["Colours", "Clothing", "Seasons", "Swatches"])
    window.keys("/")
    window.keys("ink")
    verdict.expect(window.shows(["Ink", "Ink"]), f"'ink' finds two items, not {window.seen()}")
    verdict.expect(window.is_at("/browse/?q=ink"), f"the search is in the address, not {window.path}")
    trails = window.run("return [...document.querySelectorAll('.pane.end .subtitle')].map(e => e.textContent)")
    verdict.expect(trails == ["Colours", "Swatches"], f"hits show their trail, not {trails}")
    verdict.expect(window.run("return document.activeElement.type") == "search", "the field keeps the focus")
    window.reload()
    verdict.expect(window.shows(["Ink", "Ink"]), f"the address finds the same again, not {window.seen()}")
    window.open("/browse/?q=nothing-like-it")
    verdict.expect(window.soon(lambda: window.text(".pane.end .empty") == "Nothing found."), "no hit says so")


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
                    for part in (search, order, outline):
                        part(verdict, window)
                    kept_order(verdict, window, size == WIDE)
                    expect_no_complaints(verdict, window)
        settings(verdict, arguments.server, pathlib.Path(folder))


if __name__ == "__main__":
    main()
