#!/usr/bin/env python3
"""The web client by the keyboard alone, from opening the page to an edit that is saved, undone and redone, on a desktop and on a phone
with a keyboard: no element gets the focus but by keys, and each that has it can be seen."""

import json
import pathlib
import tempfile

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import NARROW, TOKEN, WIDE, Window, expect_no_complaints, origin
from selenium.webdriver.common.keys import Keys

DOCUMENT = {"Title": "Shelf", "Rows": [
    {"Title": "Branch", "Children": [{"Title": "One", "Note": "a note"}, {"Title": "Two", "Note": "more"}]}, {"Title": "Other"}]}
# More presses of Tab than a page of this document needs.
MOST_TABS = 40
# What has the focus, whether it is within the page, and whether an outline or another mark shows that it has the focus.
FOCUSED = """const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e.matches('.search input') ? e.parentNode : e)
    return [e.ariaLabel || e.querySelector('.title')?.textContent || e.labels?.[0]?.firstChild.textContent || e.textContent.slice(0, 40) || e.localName,
      e === document.body || box.width > 0 && box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight,
      e === document.body || style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0]"""


class Hand:
    def __init__(self, verdict, window, name):
        self.verdict, self.window, self.name = verdict, window, name

    def expect(self, holds, what):
        self.verdict.expect(holds, f"{self.name}: {what}")

    def tab_to(self, name, inside=""):
        """Presses Tab until what has this name has the focus."""
        passed = []
        for _ in range(MOST_TABS):
            self.window.keys(Keys.TAB)
            found, is_seen, is_marked = self.window.run(FOCUSED)
            passed.append(found)
            self.expect(is_seen and is_marked, f"'{found}' is seen while it has the focus: within the page {is_seen}, marked {is_marked}")
            if found == name and (not inside or self.window.run("return Boolean(document.activeElement.closest(arguments[0]))", inside)):
                return
        self.expect(False, f"Tab leads to '{name}', not only to {passed}")

    def is_on(self, name):
        self.expect(self.window.soon(lambda: self.window.run(FOCUSED)[0] == name), f"the keyboard is on '{name}': {self.window.run(FOCUSED)}")


def edit(verdict, program, folder, size):
    file, token = folder / "Shelf.json", folder / "token"
    file.write_text(json.dumps(DOCUMENT))
    token.write_text(TOKEN)
    note = lambda: json.loads(file.read_text())["Rows"][0]["Children"][1]["Note"]
    with Server(program, file, "--edit-token-file", str(token)) as server, Window(origin(server), size) as window:
        hand = Hand(verdict, window, f"at {size[0]}")
        window.open("/")
        hand.expect(window.shows(["Branch", "Other"]), f"the page is there: {window.seen()}")
        # The menu, and in it editing.
        hand.tab_to("More", ".pane.end")
        window.keys(Keys.ENTER)
        hand.is_on("Copy as curl")
        window.keys(Keys.END)
        hand.is_on("Edit…")
        window.keys(Keys.ENTER)
        hand.expect(window.soon(lambda: window.find("dialog[open] input")), "the token is asked for")
        window.keys(TOKEN, Keys.ENTER)
        hand.expect(window.soon(lambda: window.find(".edit-tools")), "editing begins")
        # Down to the item.
        hand.tab_to("Branch", ".pane.end")
        window.keys(Keys.ARROW_RIGHT)
        hand.is_on("One")
        window.keys(Keys.ARROW_DOWN)
        hand.is_on("Two")
        window.keys(Keys.ENTER)
        hand.expect(window.is_at("/browse/Branch/Two") and window.soon(lambda: window.find(".edit-form textarea")), f"the form is there: {window.path}")
        # The edit.
        hand.tab_to("Note", ".edit-form")
        window.keys(Keys.END, ", mine")
        hand.tab_to("Save", ".edit-form")
        window.keys(Keys.ENTER)
        hand.expect(window.soon(lambda: note() == "more, mine"), f"it is saved: {note()}")
        hand.is_on("Two")
        hand.expect(window.soon(lambda: window.find('.bar [aria-label="Undo"]:not([aria-disabled])')), "it can be undone")
        window.hold(Keys.CONTROL, "z")
        hand.expect(window.soon(lambda: note() == "more"), f"undone: {note()}")
        window.hold(Keys.CONTROL, "y")
        hand.expect(window.soon(lambda: note() == "more, mine"), f"redone: {note()}")
        # And up again.
        window.keys(Keys.ESCAPE)
        hand.is_on("Two")
        window.keys(Keys.ESCAPE)
        hand.is_on("Branch")
        hand.expect(window.is_at("/"), f"at the root again: {window.path}")
        expect_no_complaints(verdict, window)


def main():
    arguments = options(__doc__)
    with Verdict("the keyboard alone") as verdict, tempfile.TemporaryDirectory() as folder:
        for size in (WIDE, NARROW):
            edit(verdict, arguments.server, pathlib.Path(folder), size)


if __name__ == "__main__":
    main()
