#!/usr/bin/env python3
"""The web client edits wholly and truly: a tree grows from nothing, every edit is undone and redone, fields that two people
changed are merged or asked about, and values are shown as the document has them."""

# Covers: WebClient

import datetime
import json
import pathlib
import plistlib
import tempfile
import urllib.request

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import TOKEN, Window, origin, expect_no_complaints
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

MOMENT = datetime.datetime(2024, 2, 29, 13, 14, 15)
DOCUMENT = {"Title": "Shelf", "Rows": [
    {"Title": "One", "Note": "a note", "Other": "an other"}, "Leaf", {"Title": "Values", "When": MOMENT, "Tiny": 1e-300, "Huge": 1e300,
     "Big": 9007199254740993, "Year": 1984, "Value": 9007199254740993}, {"Title": "\u202egpj.exe", "Image": "../metrics"}, {"Title": "", "Key": "empty"}]}


class Case:
    def __init__(self, verdict, server, window, file):
        self.expect, self.server, self.window, self.file = verdict.expect, server, window, file

    def begin(self, path="/", document=DOCUMENT):
        self.file.write_bytes(plistlib.dumps(document, sort_keys=False))
        self.send("POST", "/reload")
        self.window.open(path, token=TOKEN)
        self.window.soon(lambda: self.window.find(".edit-tools"))

    def send(self, method, target, content=None):
        data = json.dumps(content).encode() if content is not None else None
        return urllib.request.urlopen(urllib.request.Request(origin(self.server) + target, data, method=method, headers={
            "Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"})).read()

    @property
    def rows(self):
        """The rows of the file; those that are only a title as dictionaries too."""
        rows = plistlib.loads(self.file.read_bytes())["Rows"]
        return [row if isinstance(row, dict) else {"Title": row} for row in rows]

    @property
    def titles(self):
        return [row["Title"] for row in self.rows]

    def becomes(self, question, what):
        self.expect(self.window.soon(question), f"{what}: {self.rows}")

    def answer(self, *keys):
        self.window.soon(lambda: self.window.find("dialog[open] input").clear() is None)
        return self.window.soon(lambda: self.window.find("dialog[open] input").send_keys(*keys) is None)

    def type_into(self, name, text):
        script = "return [...document.querySelectorAll('.edit-form label')].find(e => e.firstChild.textContent === arguments[0]).querySelector('textarea')"
        self.window.soon(lambda: self.window.run(script, name).send_keys(text) is None)

    def press(self, label):
        return self.window.click(f'.pane.last [aria-label="{label}"], .bar [aria-label="{label}"]')


def growing(case):
    """The first child of a leaf, the first item of an empty document, a drop on a leaf, a copy, and fields that change."""
    window = case.window
    case.begin("/browse/Leaf")
    case.press("Add an item")
    case.answer("Child", Keys.ENTER)
    case.becomes(lambda: case.rows[1]["Children"] in (["Child"], [{"Title": "Child"}]), "a leaf has its first child")
    case.begin("/", {"Title": "Empty", "Rows": []})
    case.press("Add an item")
    case.answer("First", Keys.ENTER)
    case.becomes(lambda: case.titles == ["First"], "an empty document has its first item")
    case.begin()
    window.soon(lambda: len(window.seen()) == len(case.titles))
    handles = window.all(".end .handle")
    window.drag(handles[0], handles[1], below=4)
    case.becomes(lambda: case.titles[:2] == ["Leaf", "One"] and case.rows[0] == {"Title": "Leaf"}, "an item that is dropped on a leaf is beside it")
    case.begin("/browse/One")
    case.press("Duplicate")
    case.becomes(lambda: case.titles[:2] == ["One", "One copy"] and case.rows[1]["Note"] == "a note", "an item is duplicated")
    case.begin("/browse/One")
    window.click('[aria-label="Change or remove Note"]')
    window.click(".panel .menu-item")
    case.answer("Remark")
    window.run("document.querySelector('dialog select').value = 'array'")
    window.click("dialog .main")
    window.click(".edit-form .main")
    case.becomes(lambda: case.rows[0].get("Remark") == ["a note"] and "Note" not in case.rows[0], "a field has another name and type")
    case.begin("/browse/One")
    window.soon(lambda: next(e for e in window.all(".edit-form .plain") if e.text == "Add a field").click() is None)
    case.answer("Children", Keys.ENTER)
    case.expect(window.soon(lambda: window.find('dialog[aria-label="Add an item"]')), "'Children' leads to adding an item")


def undoing(case):
    """Each edit is undone and redone, unless someone else changed the item."""
    window = case.window
    case.begin()
    window.focus_row("One")
    window.hold(Keys.ALT, Keys.ARROW_DOWN)
    case.becomes(lambda: case.titles[:2] == ["Leaf", "One"], "moved")
    window.focus_row("One")
    window.keys(Keys.DELETE)
    case.becomes(lambda: "One" not in case.titles, "deleted")
    window.focus_row("Leaf")
    for wanted in (["Leaf", "One"], ["One", "Leaf"]):
        case.press("Undo")
        case.becomes(lambda: case.titles[:2] == wanted, f"undone to {wanted}")
    case.becomes(lambda: plistlib.loads(case.file.read_bytes()) == DOCUMENT, "all is as it was")
    for wanted in (["Leaf", "One"], ["Leaf", "Values"]):
        case.press("Redo")
        case.becomes(lambda: case.titles[:2] == wanted, f"redone to {wanted}")
    case.begin("/browse/One")
    case.type_into("Note", ", more")
    window.click(".edit-form .main")
    case.becomes(lambda: case.rows[0]["Note"] == "a note, more", "saved")
    window.soon(lambda: not window.all(".edit-form .main"))
    window.run("document.activeElement.blur()")
    window.hold(Keys.CONTROL, "z")
    case.becomes(lambda: case.rows[0]["Note"] == "a note", "undone by the keyboard")
    # The file changes before the page has its answer, and until then it takes no other step.
    window.soon(lambda: window.all('[aria-label="Redo"]:not([aria-disabled="true"])'))
    window.hold(Keys.CONTROL, "y")
    case.becomes(lambda: case.rows[0]["Note"] == "a note, more", "redone by the keyboard")
    window.soon(lambda: window.all('[aria-label="Redo"][aria-disabled="true"]'))
    case.send("PATCH", "/detail/One", {"Note": "theirs"})
    case.press("Undo")
    case.expect(window.soon(lambda: "Not undone: someone else has changed the item since." in window.notices()), f"a refusal: {window.notices()}")
    case.expect(case.rows[0]["Note"] == "theirs", "what someone else wrote stays")


def undoing_each(case):
    """What is added, renamed, pasted, dragged and duplicated is undone and redone."""
    window = case.window
    first = [row if isinstance(row, str) else row["Title"] for row in DOCUMENT["Rows"]]

    def both_ways(name, before, after):
        case.becomes(lambda: case.titles == after, f"{name}")
        case.expect(window.soon(lambda: window.find('.bar [aria-label="Undo"]:not([aria-disabled])')), f"{name}: it can be undone")
        case.press("Undo")
        case.becomes(lambda: case.titles == before, f"{name}, undone")
        case.press("Redo")
        case.becomes(lambda: case.titles == after, f"{name}, redone")
        case.press("Undo")
        case.becomes(lambda: plistlib.loads(case.file.read_bytes()) == DOCUMENT, f"{name}, undone wholly")

    case.begin()
    case.press("Add an item")
    case.answer("New", Keys.ENTER)
    both_ways("added", first, [*first, "New"])
    case.begin()
    window.focus_row("One")
    window.keys(Keys.F2)
    case.answer("Uno", Keys.ENTER)
    both_ways("renamed", first, ["Uno", *first[1:]])
    case.begin()
    window.click('.end .mark[aria-label="Mark One"]')
    window.click('.end [aria-label="Duplicate"]')
    both_ways("duplicated", first, ["One", "One copy", *first[1:]])
    case.begin()
    window.shows([*first[:3], "[U+202E]gpj.exe", "Untitled"])
    handles = window.all(".end .handle")
    window.drag(handles[0], handles[2], below=18)
    both_ways("dragged", first, ["Leaf", "Values", "One", *first[3:]])
    case.begin()
    window.focus_row("One")
    window.hold(Keys.CONTROL, "x")
    case.expect(window.soon(lambda: window.find(".item.cut")), "what is cut is dimmed")
    window.soon(lambda: next(e for e in window.all(".edit-tools .plain") if e.text == "Cancel").click() is None)
    case.expect(window.soon(lambda: window.all(".item.cut") == []), "and cutting is cancelled")
    window.focus_row("One")
    window.hold(Keys.CONTROL, "x")
    window.soon(lambda: next(e for e in window.all(".edit-tools .plain") if e.text == "Move 1 item here").click() is None)
    both_ways("pasted", first, [*first[1:], "One"])


def undoing_values(case):
    """The value of a control is undone and redone, unless someone else changed it."""
    window = case.window
    document = {"Title": "Controls", "Rows": [{"Title": "Sound", "Key": "sound", "Type": "ToggleSwitch", "Value": True}]}
    value = lambda: case.rows[0]["Value"]
    case.begin("/", document)
    window.click('.control [aria-label="Sound"]')
    case.becomes(lambda: value() is False, "a value is set")
    case.expect(window.soon(lambda: window.find('.bar [aria-label="Undo"]:not([aria-disabled])')), "it can be undone")
    case.press("Undo")
    case.becomes(lambda: value() is True, "it is undone")
    case.press("Redo")
    case.becomes(lambda: value() is False, "it is redone")
    case.send("PATCH", "/detail/sound", {"Value": True})
    case.press("Undo")
    case.expect(window.soon(lambda: "Not undone: someone else has changed the item since." in window.notices()), f"not after someone else: {window.notices()}")
    case.expect(value() is True, "what someone else set stays")


def taking_theirs(case):
    """'Take theirs' keeps their value of what both changed, and mine of what I alone changed."""
    window = case.window
    for answer, note in (("Take theirs", "theirs"), ("Save mine", "a note, mine")):
        case.begin("/browse/One")
        case.type_into("Note", ", mine")
        case.type_into("Other", ", mine")
        case.send("PATCH", "/detail/One", {"Note": "theirs", "Third": 3})
        window.click(".edit-form .main")
        asked = "return [...document.querySelectorAll('.versions tbody tr')].map(e => [...e.children].map(e => e.textContent))"
        case.expect(window.soon(lambda: window.run(asked) == [["Note", "a note, mine", "theirs"]]), f"only what both changed is asked: {window.run(asked)}")
        window.soon(lambda: next(e for e in window.all("dialog .button") if e.text == answer).click() is None)
        wanted = {"Title": "One", "Note": note, "Other": "an other, mine", "Third": 3}
        case.becomes(lambda: case.rows[0] == wanted, answer)


def in_place(case):
    """A value is edited where it is: Enter saves it, Escape brings it back; the buttons say how much is changed, and a line that someone
    else changed the item."""
    window = case.window
    foot = lambda: window.run("return [...document.querySelectorAll('.edit-form > .buttons > *')].map(e => e.textContent)")
    value = lambda: window.run("return [...document.querySelectorAll('.edit-form textarea')].map(e => e.value)")
    case.begin("/browse/One")
    case.type_into("Note", ", mine")
    case.expect(window.soon(lambda: foot() == ["Revert", "Save", "1 change"]), f"a change is counted: {foot()}")
    case.type_into("Other", ", too")
    case.expect(window.soon(lambda: foot()[-1:] == ["2 changes"]), f"so are two: {foot()}")
    window.keys(Keys.ESCAPE)
    case.expect(window.soon(lambda: value() == ["One", "a note, mine", "an other"]), f"Escape brings a value back: {value()}")
    case.expect(window.path == "/browse/One", f"and leaves nothing: {window.path}")
    case.send("PATCH", "/detail/One", {"Other": "theirs"})
    line = lambda: window.text(".edit-form .problem")
    case.expect(window.soon(lambda: line() == "Someone else has changed this item meanwhile: Other."), f"a change of someone else is told: {line()}")
    case.type_into("Note", "")
    window.run("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true, cancelable: true}))")
    case.expect(foot()[-1:] == ["1 change"], f"Enter that ends a composed character does not save: {foot()}")
    case.type_into("Note", Keys.ENTER)
    case.becomes(lambda: (case.rows[0]["Note"], case.rows[0]["Other"]) == ("a note, mine", "theirs"), "Enter saves")
    case.expect(window.soon(lambda: foot() == [] and line() == ""), f"and the form is as read: {foot()}, {line()}")


def offering(case):
    """The form of an item that was added offers the fields of its siblings; those that stay empty are not sent."""
    window = case.window
    case.begin("/", {"Title": "Shelf", "Rows": [
        {"Title": "One", "Note": "a note", "Price": 2.5, "Count": 3, "Sold": True, "When": MOMENT, "Parts": ["a"]}, "Leaf"]})
    case.press("Add an item")
    case.answer("New", Keys.ENTER)
    case.becomes(lambda: case.titles == ["One", "Leaf", "New"], "an item is added")
    names = lambda: window.run("return [...document.querySelectorAll('.edit-form label > span')].map(e => e.textContent)")
    wanted = ["Title", "Note", "Price", "Count", "Sold", "When"]
    case.expect(window.is_at("/browse/New") and window.soon(lambda: names() == wanted), f"its form offers the fields of a sibling: {names()}")
    case.expect(window.soon(lambda: window.focused() == "New"), f"the keyboard stays on its row: {window.focused()}")
    case.expect(window.all(".edit-form > .buttons > *") == [] and window.all(":invalid") == [], "of which none is changed or missing")
    case.type_into("Note", "new")
    field = next(each for each in window.all(".edit-form label") if each.text.startswith("Price")).find_element("css selector", "input")
    field.send_keys("1.50", Keys.ENTER)
    case.becomes(lambda: case.rows[2] == {"Title": "New", "Note": "new", "Price": 1.5}, "what is filled is saved")
    case.expect(window.axe() == [], f"the form: axe finds {window.axe()}")


def row_menu(case):
    """A right click on a row opens its menu; what was moved elsewhere is told, and can be undone there; all rows are marked at once."""
    window = case.window
    case.begin()
    ask = lambda title: window.soon(lambda: ActionChains(window.driver).context_click(window.row(title)).perform() is None and window.find(".panel"))
    items = lambda: window.run("return [...document.querySelectorAll('.panel .menu-item')].map(e => e.textContent)")
    ask("Leaf")
    wanted = ["Open", "Open in a new tab", "Copy link", "Copy as curl", "Rename…", "Duplicate", "Delete"]
    case.expect(items() == wanted, f"the menu of a row: {items()}")
    found = window.axe()
    case.expect(found == [], f"the menu of a row: axe finds {found}")
    window.soon(lambda: next(e for e in window.all(".panel .menu-item") if e.text == "Duplicate").click() is None)
    case.becomes(lambda: case.titles[1:3] == ["Leaf", "Leaf copy"], "it duplicates the row")
    case.begin("/", {"Title": "Shelf", "Rows": [{"Title": "Branch", "Children": ["Twig"]}, "Leaf"]})
    handles = window.all(".end .handle")
    window.drag(handles[1], handles[0])
    case.becomes(lambda: case.titles == ["Branch"], "a row is moved into another")
    case.expect(window.soon(lambda: "“Leaf” moved to “Branch”." in window.notices()), f"which is told: {window.notices()}")
    window.click(".notice button:not(.tool)")
    case.becomes(lambda: case.titles == ["Branch", "Leaf"], "and undone there")
    window.shows(["Branch", "Leaf"])
    window.soon(lambda: next(e for e in window.all(".end .edit-tools .plain") if e.text == "Select all").click() is None)
    case.expect(window.soon(lambda: window.text(".end .edit-tools .note") == "2 of 2"), f"all rows are marked: {window.text('.end .edit-tools .note')}")
    window.focus_row("Leaf")
    window.keys(Keys.ESCAPE)
    case.expect(window.soon(lambda: not window.all(".end .mark[aria-checked=true]")) and window.path == "/", "Escape removes the marks first")


def merging(case):
    """Changes of different fields are merged and told."""
    window = case.window
    case.begin("/browse/One")
    case.type_into("Note", ", mine")
    case.send("PATCH", "/detail/One", {"Other": "theirs"})
    window.click(".edit-form .main")
    case.becomes(lambda: (case.rows[0]["Note"], case.rows[0]["Other"]) == ("a note, mine", "theirs"), "both are kept")
    case.expect(window.soon(lambda: any(each.endswith("meanwhile: Other.") for each in window.notices())), f"that is said: {window.notices()}")


def values(case):
    """Dates in one time zone, numbers with their digits, and what a text cannot hide."""
    window = case.window
    window.run("sessionStorage.clear()")
    window.open("/browse/Values")
    window.soon(lambda: window.fields()["Year"])
    found = window.fields()
    case.expect((found["Tiny"], found["Huge"].replace("+", ""), found["Big"], found["Year"]) == ("1e-300", "1e300", "9007199254740993", "1984"), f"numbers as they are: {found}")
    case.expect("1:14:15" in found["When"] and found["When"].endswith("UTC"), f"the zone is written out: {found['When']}")
    hints = dict(window.run("return [...document.querySelectorAll('.detail .field')].map(e => [e.children[0].textContent, e.children[1].title])"))
    case.expect((hints["Year"], hints["When"]) == ("Whole number", "Date: 2024-02-29T13:14:15Z"), f"the type and the exact value are tooltips: {hints}")
    case.expect(window.soon(lambda: window.run("return [...document.querySelectorAll('.value')].some(e => e.textContent === '9007199254740993')")), "a row has all digits too")
    titles = "return [...document.querySelectorAll('.item .title')].map(e => e.textContent)"
    case.expect("[U+202E]gpj.exe" in window.run(titles) and "Untitled" in window.run(titles), f"marks and missing titles are shown: {window.run(titles)}")
    case.expect(window.run("return performance.getEntriesByType('resource').every(e => !e.name.endsWith('/metrics'))"), "an image stays in the assets folder")


def main():
    arguments = options(__doc__)
    with Verdict("growing and undoing in the browser") as verdict, tempfile.TemporaryDirectory() as folder:
        file, token = pathlib.Path(folder, "Shelf.plist"), pathlib.Path(folder, "token")
        file.write_bytes(plistlib.dumps(DOCUMENT, sort_keys=False))
        token.write_text(TOKEN)
        with Server(arguments.server, file, "--edit-token-file", str(token)) as server, Window(origin(server)) as window:
            for part in (growing, undoing, undoing_each, undoing_values, in_place, offering, row_menu, merging, taking_theirs, values):
                case = Case(verdict, server, window, file)
                case.begin()
                part(case)
            expect_no_complaints(verdict, window)


if __name__ == "__main__":
    main()
