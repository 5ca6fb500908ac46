#!/usr/bin/env python3
"""Editing in a browser loses and falsifies nothing: exact types and digits, undo, drafts, marks that keep to their items,
a connection that is lost, a token that is taken back, and where the keyboard goes on."""

import datetime
import json
import os
import pathlib
import plistlib
import signal
import tempfile
import urllib.error
import urllib.request

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import NARROW, TOKEN, WIDE, Window, origin, expect_no_complaints
from selenium.webdriver.common.keys import Keys

DAY = datetime.datetime(2024, 2, 29, 12, 30)
DOCUMENT = {"Title": "Safe", "Rows": [
    {"Title": "Types", "Note": "a note", "List": [9007199254740993, DAY, b"\x00", 1.0, "s"],
     "Fields": {"n": 9223372036854775807, "r": 2.0, "d": DAY, "gone": 1}, "Byte": b"\x01"},
    {"Title": "Mount", "Source": "Mounted.plist", "Own": 1},
    {"Title": "Dup", "n": 1}, {"Title": "Dup", "n": 2}, {"Title": "Dup", "n": 3},
    {"Title": "Branch", "Children": [{"Title": "Twig", "Note": "t", "Children": ["Deep"]}, "Leaf"]},
    {"Title": "Sections", "Sections": [{"Title": "A", "Rows": ["a1", "a2"]}, {"Title": "Empty", "Rows": []}, {"Title": "C", "Rows": ["c1"]}]},
    {"Title": "PSD", "Type": "PSD file"}]}
TITLES = [row["Title"] for row in DOCUMENT["Rows"]]


class Case:
    """One document, one server, one window."""

    def __init__(self, verdict, server, window, folder):
        self.verdict, self.server, self.window = verdict, server, window
        self.file, self.token = folder / "Safe.plist", folder / "token"

    def begin(self, path="/"):
        self.token.write_text(TOKEN)
        self.window.soon(lambda: status(self) != 403)
        self.outside(DOCUMENT)
        self.window.open(path, token=TOKEN)
        self.window.soon(lambda: self.window.find(".edit-tools, .edit-form"))

    def outside(self, document):
        """Another program writes the file; the service has read it when this returns."""
        self.file.write_bytes(plistlib.dumps(document, sort_keys=False))
        self.send("POST", "/reload")

    def send(self, method, target, content=None):
        data = json.dumps(content).encode() if content is not None else None
        return urllib.request.urlopen(urllib.request.Request(origin(self.server) + target, data, method=method, headers={
            "Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"})).read()

    @property
    def rows(self):
        return plistlib.loads(self.file.read_bytes())["Rows"]

    @property
    def titles(self):
        return [row["Title"] if isinstance(row, dict) else row for row in self.rows]

    def expect(self, holds, what):
        self.verdict.expect(holds, what)

    def soon(self, question, what):
        self.verdict.expect(self.window.soon(question), what)

    def go(self, path):
        """Goes to an address within the page, as a link does."""
        self.window.run("history.pushState({}, '', arguments[0]); dispatchEvent(new PopStateEvent('popstate'))", path)

    # The form

    def field(self, name):
        found = self.window.run("""
            return [...document.querySelectorAll('.edit-form label')].find(each => each.firstChild.textContent === arguments[0])
              ?.querySelector('input, textarea') ?? null""", name)
        if found is None:
            raise LookupError(name)
        return found

    def type_into(self, name, text):
        self.window.soon(lambda: self.field(name))
        field = self.field(name)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text)

    def unfold(self, name):
        self.window.soon(lambda: next(
            each for each in self.window.all(".edit-form summary") if each.text.startswith(name + ":")).click() is None)

    def remove(self, name, item):
        self.window.click(f'[aria-label="Change or remove {name}"]')
        self.window.soon(lambda: next(each for each in self.window.all(".panel .menu-item") if each.text == item).click() is None)

    def save(self):
        self.window.click(".edit-form .main")

    def mark(self, title, index=0):
        self.window.soon(lambda: self.window.all(f'.end .mark[aria-label="Mark {title}"]')[index].click() is None)

    def tool(self, label):
        return self.window.click(f'.end .edit-tools [aria-label="{label}"]')

    def says(self, text):
        return self.window.soon(lambda: text in self.window.notices())

    def undo(self):
        return self.window.click(".notice.offer button:not(.tool), .notice button:not(.tool)")

    def lose_connection(self, is_lost):
        self.window.tell("Network.enable")
        self.window.tell("Network.emulateNetworkConditions", offline=is_lost, latency=0, downloadThroughput=-1, uploadThroughput=-1)


def exact_types(case):
    case.begin("/browse/Types")
    case.unfold("List")
    case.type_into("4", "changed")
    case.save()
    wanted = [9007199254740993, DAY, b"\x00", 1.0, "changed"]
    case.soon(lambda: same(case.rows[0]["List"], wanted), f"an element of a list is changed, and nothing else in it: {case.rows[0]['List']}")
    case.remove("0", "Remove the element")
    case.save()
    case.soon(lambda: same(case.rows[0]["List"], wanted[1:]), f"an element is removed, and all others keep their types: {case.rows[0]['List']}")
    case.unfold("Fields")
    case.type_into("r", "3")
    case.save()
    wanted = {"n": 9223372036854775807, "r": 3.0, "d": DAY, "gone": 1}
    case.soon(lambda: same(case.rows[0]["Fields"], wanted), f"a field within a dictionary is changed: {case.rows[0]['Fields']}")
    case.remove("gone", "Remove the field")
    case.save()
    del wanted["gone"]
    case.soon(lambda: same(case.rows[0]["Fields"], wanted), f"and one is removed: {case.rows[0]['Fields']}")
    case.expect(case.window.run("return [...document.querySelectorAll('.edit-form label')].find(e => e.firstChild.textContent === 'Byte').textContent")
                == "Byte1 bytes", "one byte of data has one byte")


def same(one, other):
    """Whether two values are the same, with their types."""
    return plistlib.dumps(one) == plistlib.dumps(other) and repr(one) == repr(other)


def undo_of_mount(case):
    case.begin()
    for title in ("Types", "Mount", "Branch"):
        case.mark(title)
    case.tool("Delete")
    case.soon(lambda: "Mount" not in case.titles, "three items are deleted")
    case.undo()
    case.soon(lambda: case.rows == DOCUMENT["Rows"], f"undo puts them back as they were: {case.rows}")


def undo_that_fails(case):
    case.begin()
    case.window.click('.end [aria-label="Mark PSD"]')
    case.tool("Delete")
    case.soon(lambda: "PSD" not in case.titles, "an item is deleted")
    case.window.menu("More", "Copy address")
    case.lose_connection(True)
    case.undo()
    case.expect(case.says("Not undone: the connection is lost."), f"undo without a connection says so: {case.window.notices()}")
    case.lose_connection(False)
    case.outside({**DOCUMENT, "Rows": DOCUMENT["Rows"][:6]})
    case.undo()
    case.soon(lambda: case.rows == [*DOCUMENT["Rows"][:6], DOCUMENT["Rows"][7]],
              f"undo can be tried again, also when the row above is gone: {case.titles}")


def typing_while_saving(case):
    case.begin("/browse/Types")
    case.type_into("Note", "first")
    before_answer(case, case.save, lambda: case.field("Note").send_keys(" and more"))
    case.expect(case.says("Saved."), "it is saved")
    case.expect(case.rows[0]["Note"] == "first", "as it was when saving began")
    case.expect(case.field("Note").get_attribute("value") == "first and more", "what was typed meanwhile stays")
    case.save()
    case.soon(lambda: case.rows[0]["Note"] == "first and more", "and can be saved")


def undo_while_saving(case):
    """Undo that is pressed before an edit is answered waits for it."""
    case.begin("/browse/Types")
    case.type_into("Note", "changed")
    before_answer(case, case.save, lambda: case.window.click('.bar [aria-label="Undo"]:not([aria-disabled])'))
    case.expect(case.says("Undone: “Types” saved."), f"a save is undone once it is answered: {case.window.notices()}")
    case.soon(lambda: case.rows[0]["Note"] == "a note" and case.field("Note").get_attribute("value") == "a note", f"in the document and in the form: {case.rows[0]}")
    case.window.click('.bar [aria-label="Redo"]')
    case.soon(lambda: case.rows[0]["Note"] == "changed", f"and done again: {case.rows[0]}")
    case.begin()
    case.mark("PSD")
    before_answer(case, lambda: case.tool("Delete"), lambda: case.window.hold(Keys.CONTROL, "z"))
    case.expect(case.says("Undone: “PSD” deleted."), f"so is a deletion: {case.window.notices()}")
    case.soon(lambda: case.titles == TITLES, f"in the document: {case.titles}")
    case.window.focus_row("Types")
    before_answer(case, lambda: case.window.hold(Keys.ALT, Keys.ARROW_DOWN), lambda: case.window.hold(Keys.CONTROL, "z"))
    case.expect(case.says("Undone: “Types” moved."), f"and a row that is moved: {case.window.notices()}")
    case.soon(lambda: case.titles == TITLES, f"in the document: {case.titles}")


def before_answer(case, *actions):
    """Does all of this before the service answers."""
    os.kill(case.server.pid, signal.SIGSTOP)
    try:
        for action in actions:
            action()
    finally:
        os.kill(case.server.pid, signal.SIGCONT)


def drafts(case):
    case.begin("/browse/Types")
    case.type_into("Note", "not saved")
    case.go("/browse/PSD")
    case.window.soon(lambda: case.field("Type"))
    case.window.back()
    case.soon(lambda: case.field("Note").get_attribute("value") == "not saved", "another item and back: what was typed is there")
    if case.window.size == WIDE:
        case.window.menu("More", "Stop editing")
        case.window.soon(lambda: not case.window.all(".edit-form"))
        case.window.menu("More", "Edit…")
        case.window.soon(lambda: case.window.find("dialog input"))
        case.window.keys(TOKEN, Keys.ENTER)
        case.soon(lambda: case.field("Note").get_attribute("value") == "not saved", "editing ended and begun again: it is there")
    case.outside({**DOCUMENT, "Rows": [{**DOCUMENT["Rows"][0], "Title": "Kinds"}, *DOCUMENT["Rows"][1:]]})
    gone = "This item was deleted or renamed meanwhile. What you typed is still here."
    case.soon(lambda: case.window.text(".edit-form .problem") == gone and case.field("Note").get_attribute("value") == "not saved",
              "the item is renamed outside: the form stays and says so")
    case.go("/browse/Branch")
    case.window.shows(["Twig", "Leaf"])
    case.window.back()
    case.soon(lambda: case.window.text(".edit-form .main") == "Save as a new item" and case.field("Note").get_attribute("value") == "not saved",
              "also for who comes back to its address")
    case.save()
    case.soon(lambda: case.titles == ["Kinds", *TITLES[1:], "Types"] and same(case.rows[-1], {**DOCUMENT["Rows"][0], "Note": "not saved"}),
              f"it can be saved as a new item: {case.rows[-1]}")


def marks(case):
    case.begin()
    case.mark("Dup", 1)
    case.window.soon(lambda: case.window.text(".end .edit-tools .note").startswith("1 of "))
    case.outside({**DOCUMENT, "Rows": [row for row in DOCUMENT["Rows"] if row.get("n") != 1]})
    case.soon(lambda: not case.window.all(".end .mark[aria-checked=true]"), "a mark does not move to another item of the same name")
    case.expect(case.window.text(".end .edit-tools .note") == "Mark rows to change them.", "and is not counted")
    case.mark("Dup", 0)
    case.outside({**DOCUMENT, "Rows": [row for row in DOCUMENT["Rows"] if row.get("n") != 2]})
    case.window.run("document.querySelector('.end [aria-label=Delete]')?.click()")
    case.window.soon(lambda: not case.window.all(".end .mark[aria-checked=true]"))
    case.expect([row["n"] for row in case.rows if row["Title"] == "Dup"] == [1, 3], f"another item is never deleted: {case.titles}")


def tools_after_drilling(case):
    case.begin()
    case.mark("PSD")
    case.tool("Cut")
    case.window.click_row("Branch")
    case.soon(lambda: case.window.all(".level .edit-tools") == case.window.all(".end .edit-tools") != [], "the level that was drilled into has the tools, and it alone")
    case.window.soon(lambda: next(each for each in case.window.all(".end .edit-tools button") if each.text == "Move 1 item here").click() is None)
    case.expect(case.window.shows(["Twig", "Leaf", "PSD"]), f"'Move here' goes to the open level: {case.window.seen()}")
    case.expect("PSD" not in case.titles, f"and in the file: {case.titles}")


def cut_and_renamed(case):
    case.begin()
    case.mark("PSD")
    case.tool("Cut")
    case.send("PATCH", "/detail/PSD", {"Title": "Other"})
    case.window.soon(lambda: case.window.seen()[-1] == "Other")
    case.window.soon(lambda: next(each for each in case.window.all(".end .edit-tools button") if each.text == "Move 1 item here").click() is None)
    wanted = "Not saved: “PSD” was changed, renamed or deleted since it was chosen. Choose again."
    case.expect(case.says(wanted), f"cut and renamed outside is said in words: {case.window.notices()}")


def outline(case):
    case.begin("/browse/?depth=1&expand=Branch")
    edge = """return [...document.querySelectorAll('.end .row')].filter(e => ['Branch', 'Twig'].includes(e.querySelector('.title').textContent))
      .map(e => e.querySelector('.title').getBoundingClientRect().left)"""
    case.soon(lambda: (lambda edges: len(edges) == 2 and edges[1] > edges[0] + 15)(case.window.run(edge)), f"an outline is indented while editing: {case.window.run(edge)}")
    rename(case, "Branch", "Bough")
    case.soon(lambda: case.window.seen()[TITLES.index("Branch"):][:3] == ["Bough", "Twig", "Leaf"], f"a branch that is renamed stays open: {case.window.seen()}")
    if case.window.size == WIDE:
        case.window.click_row("Twig")
        case.window.soon(lambda: case.field("Title").get_attribute("value") == "Twig")
        case.type_into("Title", "Shoot")
        case.save()
        case.soon(lambda: case.field("Title").get_attribute("value") == "Shoot" and "Shoot" in case.window.seen(), "an item renamed beside an outline stays shown")
        case.expect("show=Bough%2FShoot" in case.window.path, f"at its new address: {case.window.path}")


def rename(case, old, new):
    case.window.focus_row(old)
    case.window.keys(Keys.F2)
    case.window.soon(lambda: case.window.find("dialog input"))
    case.window.keys(new, Keys.ENTER)


def dialogs_without_connection(case):
    case.begin()
    case.window.focus_row("PSD")
    case.window.keys(Keys.F2)
    case.window.soon(lambda: case.window.find("dialog input"))
    case.lose_connection(True)
    case.window.keys("Renamed", Keys.ENTER)
    lost = "Not saved: the connection is lost."
    case.soon(lambda: case.window.text("dialog .problem") == lost, "a rename without a connection says so in the dialog")
    case.expect(case.window.run("return document.querySelector('dialog input').value") == "Renamed", "which keeps what was typed")
    case.lose_connection(False)
    case.window.click("dialog .main")
    case.soon(lambda: case.titles[-1] == "Renamed", "and saves it later")
    case.window.soon(lambda: not case.window.all("dialog"))
    case.lose_connection(True)
    case.tool("Add an item")
    case.window.soon(lambda: case.window.find("dialog input"))
    case.window.keys("Once", Keys.ENTER)
    case.soon(lambda: case.window.text("dialog .problem") == lost, "so does adding")
    case.lose_connection(False)
    case.window.click("dialog .main")
    case.soon(lambda: case.titles.count("Once") == 1, "the item is added once")
    case.window.soon(lambda: not case.window.all("dialog"))
    case.expect(case.titles.count("Once") == 1, f"and not again later: {case.titles}")


def no_settings(case):
    case.begin()
    case.expect(len(case.window.all(".end .mark")) == len(TITLES), "an item whose type begins with PS is no setting: its level has marks")
    case.window.open("/browse/PSD", token=TOKEN)
    case.soon(lambda: case.field("Type").get_attribute("value") == "PSD file", "and it has a form")


def keyboard(case):
    case.begin()
    rename(case, "Mount", "Mounted")
    case.soon(lambda: "Mounted" in case.window.seen() and case.window.focused() == "Mounted", f"after a rename the row has the focus, not {case.window.focused()}")
    case.window.keys(Keys.DELETE)
    case.soon(lambda: "Mounted" not in case.titles and case.window.focused() == "Dup", f"after a deletion the next row, not {case.window.focused()}")
    case.undo()
    case.soon(lambda: "Mounted" in case.titles and case.window.focused() == "Mounted", f"after undo the row that is back, not {case.window.focused()}")
    case.window.open("/browse/Types", token=TOKEN)
    case.type_into("Title", "Kinds")
    case.window.soon(lambda: case.window.find(".edit-form .main"))
    case.window.run("document.querySelector('.edit-form .main').focus()")
    case.window.keys(Keys.ENTER)
    case.expect(case.says("Saved."), "the form is saved by Enter")
    case.expect(case.window.run("return document.activeElement.tagName") == "H2", "and the focus is in its column")


def token_taken_back(case):
    case.begin("/browse/Types")
    case.type_into("Note", "later")
    case.token.write_text("another-token-of-20")
    case.window.soon(lambda: status(case) == 403)
    case.save()
    case.soon(lambda: "Your token does not allow edits any more." in (case.window.text("dialog") or ""), "a token that was taken back is said in plain words")
    case.window.keys("another-token-of-20", Keys.ENTER)
    case.soon(lambda: case.rows[0]["Note"] == "later", "and with another the edit is done")
    case.expect(case.says("Saved."), "which is said")
    case.expect(not case.window.all(".refusal"), "and no refusal stays")


def status(case):
    try:
        case.send("POST", "/reload")
    except urllib.error.HTTPError as error:
        return error.code


def empty_section(case):
    case.begin("/browse/Sections")
    sections = lambda: [section["Rows"] for section in case.rows[6]["Sections"]]
    case.window.focus_row("c1")
    case.window.hold(Keys.ALT, Keys.ARROW_UP)
    case.soon(lambda: sections() == [["a1", "a2"], ["c1"], []], f"a row moves up into an empty section: {sections()}")
    case.window.soon(lambda: case.window.focused() == "c1")
    case.window.hold(Keys.ALT, Keys.ARROW_DOWN)
    case.soon(lambda: sections() == [["a1", "a2"], [], ["c1"]], f"and down again: {sections()}")


def section_boundary(case):
    """A row changes its section, but not its place among the rows: no row is added, moved or changed."""
    case.begin("/browse/Sections")
    sections = lambda: case.window.run("""
        return [...document.querySelectorAll('.end .block')].map(block => [...block.querySelectorAll('.section-header, .title')].map(e => e.textContent))""")
    case.soon(lambda: sections() == [["A", "a1", "a2"], ["Empty"], ["C", "c1"]], f"rows are in their sections: {sections()}")
    case.outside({**DOCUMENT, "Rows": [*DOCUMENT["Rows"][:6], {"Title": "Sections", "Sections": [
        {"Title": "A", "Rows": ["a1"]}, {"Title": "Empty", "Rows": []}, {"Title": "C", "Rows": ["a2", "c1"]}]}, *DOCUMENT["Rows"][7:]]})
    case.soon(lambda: sections() == [["A", "a1"], ["Empty"], ["C", "a2", "c1"]], f"a row is in the next section: {sections()}")


def same_name(case):
    case.begin("/browse/PSD")
    case.window.soon(lambda: next(each for each in case.window.all(".edit-form button") if each.text == "Add a field").click() is None)
    case.window.soon(lambda: case.window.find("dialog input"))
    case.window.keys("Type", Keys.ENTER)
    message = "return document.querySelector('dialog input')?.validationMessage"
    case.soon(lambda: case.window.run(message) == "There is a field of this name.", f"a name that exists is said: {case.window.run(message)}")
    case.window.keys(Keys.ESCAPE)


CASES = [exact_types, undo_of_mount, undo_that_fails, typing_while_saving, undo_while_saving, drafts, marks, tools_after_drilling, cut_and_renamed, outline,
         dialogs_without_connection, no_settings, keyboard, token_taken_back, empty_section, section_boundary, same_name]


def main():
    arguments = options(__doc__)
    with Verdict("edits are safe in the browser") as verdict, tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "token").write_text(TOKEN)
        (folder / "Safe.plist").write_bytes(plistlib.dumps(DOCUMENT, sort_keys=False))
        (folder / "Mounted.plist").write_bytes(plistlib.dumps({"Title": "Mounted", "Rows": ["s1", "s2"]}))
        with Server(arguments.server, folder / "Safe.plist", "--edit-token-file", str(folder / "token")) as server:
            for size in (WIDE, NARROW):
                with Window(origin(server), size) as window:
                    for each in CASES:
                        window.begin_anew()
                        each(Case(verdict, server, window, folder))
                        expect_no_complaints(verdict, window, f"{each.__name__}: ")


if __name__ == "__main__":
    main()
