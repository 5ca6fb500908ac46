#!/usr/bin/env python3
"""The web client in Firefox and WebKitGTK: drilling, history, search, changes made elsewhere, editing, settings and dragging, at
the size of a phone and of a desktop; with --all at four sizes, and in Chromium too, which the other tests use."""

import os
import pathlib
import plistlib
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from harness.engines import ENGINES
from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import TOKEN, origin
from selenium.webdriver.common.keys import Keys

SIZES = [(390, 844), (768, 1024), (1440, 900), (2560, 1440)]
ROWS = [{"Title": "One", "Note": "a note", "Children": [{"Title": "Inside", "Number": 1e300}]}, {"Title": "Two", "Note": "more"},
        {"Title": "Three"}, {"Title": "Sound", "Key": "sound", "Type": "ToggleSwitch", "Value": True}]
TITLES = [row["Title"] for row in ROWS]


class Run:
    def __init__(self, verdict, name, window, server, file):
        self.verdict, self.name, self.window, self.server, self.file = verdict, name, window, server, file

    def expect(self, holds, what):
        self.verdict.expect(holds, f"{self.name}: {what}")

    def write(self, rows):
        aside = self.file.with_suffix(".new")
        aside.write_bytes(plistlib.dumps({"Title": "Shelf", "Rows": rows}, sort_keys=False))
        aside.replace(self.file)

    def rows(self):
        return [row if isinstance(row, dict) else {"Title": row} for row in plistlib.loads(self.file.read_bytes())["Rows"]]

    def open(self, path, titles=None):
        self.window.open(path, token=TOKEN)
        self.window.soon(lambda: self.window.find(".edit-tools"))
        if titles:
            self.expect(self.window.shows(titles), f"{path} shows {titles}: {self.window.seen()}")


def drilling(run):
    window = run.window
    run.open("/", TITLES)
    window.click_row("One")
    run.expect(window.is_at("/browse/One") and window.shows(["Inside"]), f"a row opens: {window.path}")
    window.click_row("Inside")
    run.expect(window.is_at("/browse/One/Inside") and window.title_is("Inside"), f"down to a leaf: {window.path}")
    run.expect(window.soon(lambda: window.find(".edit-form input").get_attribute("value") in ("1e300", "1e+300")), "its number is there as it is")
    window.back()
    run.expect(window.is_at("/browse/One") and window.shows(["Inside"]), f"back: {window.path}")
    window.back()
    run.expect(window.is_at("/") and window.shows(TITLES), f"back to the root: {window.path}")
    window.forward()
    run.expect(window.is_at("/browse/One") and window.shows(["Inside"]), f"forward: {window.path}")
    window.reload()
    run.expect(window.shows(["Inside"]), f"read again: {window.seen()}")


def searching(run):
    window = run.window
    run.open("/", TITLES)
    window.focus_row("One")
    window.keys("/")
    window.keys("ins")
    run.expect(window.shows(["Inside"]) and window.is_at("/browse/?q=ins&in=*"), f"a search: {window.seen()} at {window.path}")
    marks = "return [...document.querySelectorAll('.pane.end mark')].map(e => e.textContent)"
    run.expect(window.soon(lambda: window.run(marks) == ["Ins"]), f"what was found is marked: {window.run(marks)}")


def live(run):
    window = run.window
    run.open("/", TITLES)
    run.write([{"Title": "Zero"}, *ROWS])
    run.expect(window.shows(["Zero", *TITLES]), f"what changes elsewhere is seen: {window.seen()}")
    run.write(ROWS)
    run.expect(window.shows(TITLES), f"and back: {window.seen()}")


def editing(run):
    """By the keyboard alone: from opening a row to a saved edit, undone and redone."""
    window = run.window
    note = lambda: run.rows()[1].get("Note")
    can_undo = lambda what: window.find(f'.bar [aria-label="Undo"][title$="{what}."]')
    run.open("/", TITLES)
    window.focus_row("Two")
    window.keys(Keys.F2)
    run.expect(window.soon(lambda: window.find("dialog[open] input")), "renaming asks")
    window.keys("Second", Keys.ENTER)
    run.expect(window.shows(["One", "Second", *TITLES[2:]]), f"renamed: {window.seen()}")
    # The stream of changes may tell it before the answer to the edit is there, and the dialog until then.
    window.soon(lambda: window.all("dialog") == [] and can_undo("renamed"))
    window.hold(Keys.CONTROL, "z")
    run.expect(window.shows(TITLES), f"undone: {window.seen()}")
    window.hold(Keys.CONTROL, "y")
    run.expect(window.shows(["One", "Second", *TITLES[2:]]), f"redone: {window.seen()}")
    window.hold(Keys.CONTROL, "z")
    window.shows(TITLES)
    run.open("/browse/Two")
    window.soon(lambda: window.run("document.querySelectorAll('.edit-form textarea')[1].focus()") is None)
    window.keys(Keys.END, ", mine")
    window.keys(Keys.TAB)
    window.soon(lambda: window.run("const save = document.querySelector('.edit-form .main'); save.focus(); return document.activeElement === save"))
    window.keys(Keys.ENTER)
    run.expect(window.soon(lambda: note() == "more, mine"), f"saved: {note()}")
    # The keyboard goes on at the heading, also before the answer is there.
    window.soon(lambda: window.run("return document.activeElement.matches('h2')") and can_undo("saved"))
    window.hold(Keys.CONTROL, "z")
    run.expect(window.soon(lambda: note() == "more"), f"the save is undone: {note()}")
    window.hold(Keys.CONTROL, "y")
    run.expect(window.soon(lambda: note() == "more, mine"), f"and redone: {note()}")


def settings(run):
    window = run.window
    value = lambda: run.rows()[3]["Value"]
    run.open("/", TITLES)
    before = value()
    window.click('.control [aria-label="Sound"]')
    run.expect(window.soon(lambda: value() is not before), "a switch is stored")
    run.expect(window.soon(lambda: window.find('.bar [aria-label="Undo"]:not([aria-disabled])')), "and can be undone")
    window.click('.bar [aria-label="Undo"]')
    run.expect(window.soon(lambda: value() is before), "which it is")


def dragging(run):
    window = run.window
    run.open("/", TITLES)
    handles = window.all(".end .handle")
    window.drag(handles[0], handles[1], below=18)
    run.expect(window.shows(["Two", "One", *TITLES[2:]]), f"dragged: {window.seen()}")
    run.expect([row["Title"] for row in run.rows()][:2] == ["Two", "One"], f"in the file too: {run.rows()}")


def fits(run):
    """Nothing is cut off sideways, and the right layout is shown."""
    window, (width, _) = run.window, run.window.size
    run.open("/browse/One", ["Inside"])
    wide = window.run("return document.documentElement.scrollWidth > innerWidth")
    run.expect(not wide, "nothing is cut off sideways")
    panes = lambda: len(window.all(".pane"))
    run.expect(window.soon(lambda: panes() == (1 if width < 768 else 2 if width < 1024 else 3)), f"the columns, and the inspector on a wide page: {panes()}")


def main():
    arguments = options(__doc__, all=False, engine="", pictures="")
    with Verdict("the engines of browsers") as verdict, tempfile.TemporaryDirectory() as folder:
        file, token = pathlib.Path(folder, "Shelf.plist"), pathlib.Path(folder, "token")
        token.write_text(TOKEN)
        file.write_bytes(plistlib.dumps({"Title": "Shelf", "Rows": ROWS}, sort_keys=False))
        with Server(arguments.server, file, "--edit-token-file", str(token)) as server:
            names = [arguments.engine] if arguments.engine else ENGINES if arguments.all else ["firefox", "webkit"]
            for name in names:
                with ENGINES[name](origin(server)) as window:
                    for size in SIZES if arguments.all else SIZES[::2]:
                        window.resize(size)
                        run = Run(verdict, f"{name} at {size[0]}", window, server, file)
                        for part in (drilling, searching, live, editing, settings, dragging, fits):
                            run.write(ROWS)
                            part(run)
                        if arguments.pictures:
                            window.screenshot(f"{arguments.pictures}/{name}-{size[0]}.png")


if __name__ == "__main__":
    main()
