#!/usr/bin/env python3
"""The web client in a browser: nothing of editing without a token; adding, renaming, moving, deleting and undoing with one;
conflicts, and a file that is edited outside meanwhile."""

import json
import pathlib
import plistlib
import tempfile
import urllib.request

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import NARROW, TOKEN, WIDE, Window, origin, expect_no_complaints
from selenium.webdriver.common.keys import Keys

DOCUMENT = {"Title": "Shelf", "Rows": [
    {"Title": "One", "Number": 9007199254740993, "When": "later", "Children": ["Inside"]},
    {"Title": "Two", "Data": b"\x00\x01\x02", "Note": "a note"},
    {"Title": "Three"}, {"Title": "Four", "Children": []}, {"Title": "Five"}]}


def rows(file):
    return [row["Title"] for row in plistlib.loads(file.read_bytes())["Rows"]]


def begin(server, file, size):
    file.write_bytes(plistlib.dumps(DOCUMENT, sort_keys=False))
    urllib.request.urlopen(edit(server, "POST", "/reload")).read()
    return Window(origin(server), size)


def edit(server, method, target, content=None):
    data = json.dumps(content).encode() if content is not None else None
    return urllib.request.Request(origin(server) + target, data, method=method, headers={
        "Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"})


def without_token(verdict, window):
    window.open("/")
    window.shows(["One", "Two", "Three", "Four", "Five"])
    tools = ".mark, .handle, .edit-tools, .edit-form"
    verdict.expect(window.all(tools) == [], "without a token nothing of editing is seen")
    window.menu("More", "Edit…")
    window.soon(lambda: window.find("dialog input"))
    window.keys("wrong-token-wrong-token", Keys.ENTER)
    refusal = "This token does not allow edits."
    verdict.expect(window.soon(lambda: window.text("dialog .problem") == refusal) and window.all(tools) == [], "a wrong token is refused in words, and the dialog stays")
    window.soon(lambda: window.find("dialog input").clear() is None)
    window.find("dialog input").send_keys(TOKEN, Keys.ENTER)
    verdict.expect(window.soon(lambda: window.find(".edit-tools")), "with a right token the tools are there")


def each_edit(verdict, window, file):
    window.click('.end [aria-label="Add an item"]')
    window.soon(lambda: window.find("dialog input"))
    window.keys("Six", Keys.ENTER)
    verdict.expect(window.shows(["One", "Two", "Three", "Four", "Five", "Six"]), f"added: {window.seen()}")
    verdict.expect(rows(file)[-1] == "Six", f"and in the file: {rows(file)}")
    if window.size != NARROW:
        verdict.expect(window.is_at("/browse/Six"), f"and in the inspector: {window.path}")
        window.keys(Keys.ESCAPE)
    verdict.expect(window.is_at("/") and window.soon(lambda: window.focused() == "Six"), f"Escape leads to its row: {window.path}, {window.focused()}")

    window.focus_row("Three")
    window.keys(Keys.F2)
    window.soon(lambda: window.find("dialog input"))
    window.keys("Third", Keys.ENTER)
    verdict.expect(window.shows(["One", "Two", "Third", "Four", "Five", "Six"]), f"renamed: {window.seen()}")
    verdict.expect(rows(file)[2] == "Third", f"and in the file: {rows(file)}")

    window.focus_row("Third")
    window.hold(Keys.ALT, Keys.ARROW_UP, Keys.ARROW_UP)
    verdict.expect(window.shows(["Third", "One", "Two", "Four", "Five", "Six"]), f"moved by keys: {window.seen()}")
    verdict.expect(window.soon(lambda: window.focused() == "Third"), f"the row keeps the focus, not {window.focused()}")

    before = plistlib.loads(file.read_bytes())
    for title in ("Two", "One"):
        window.click(f'.end .mark[aria-label="Mark {title}"]')
    window.click('.end [aria-label="Delete"]')
    verdict.expect(window.shows(["Third", "Four", "Five", "Six"]), f"two deleted as one: {window.seen()}")
    window.click(".notice button:not(.tool)")
    verdict.expect(window.shows(["Third", "One", "Two", "Four", "Five", "Six"]), f"and back again: {window.seen()}")
    verdict.expect(window.soon(lambda: plistlib.loads(file.read_bytes()) == before), "with every field and its type")

    handles = window.all(".end .handle")
    window.drag(handles[0], handles[2], below=20)
    verdict.expect(window.shows(["One", "Two", "Third", "Four", "Five", "Six"]), f"moved by drag: {window.seen()}")
    handles = window.all(".end .handle")
    window.drag(handles[5], handles[0])
    verdict.expect(window.shows(["One", "Two", "Third", "Four", "Five"]), f"dragged into a branch: {window.seen()}")
    inside = plistlib.loads(file.read_bytes())["Rows"][0]["Children"]
    verdict.expect(inside == ["Inside", "Six"] or inside == ["Inside", {"Title": "Six"}], f"it is there: {inside}")


def cut_and_paste(verdict, window, file):
    window.focus_row("Five")
    window.hold(Keys.CONTROL, "x")
    verdict.expect(window.soon(lambda: "1 item cut. Open another level to move there." in window.notices()), f"cutting is told: {window.notices()}")
    window.click_row("One")
    window.soon(lambda: window.seen()[:1] == ["Inside"])
    window.focus_row("Inside")
    window.hold(Keys.CONTROL, "v")
    verdict.expect(window.shows(["Inside", "Six", "Five"]), f"pasted: {window.seen()}")
    inside = [each if isinstance(each, str) else each["Title"] for each in plistlib.loads(file.read_bytes())["Rows"][0]["Children"]]
    verdict.expect(inside == ["Inside", "Six", "Five"] and "Five" not in rows(file), f"it moved: {inside}, {rows(file)}")
    window.focus_row("Five")
    window.hold(Keys.CONTROL, "x")
    window.open("/", token=TOKEN)
    window.soon(lambda: window.find(".edit-tools"))
    window.focus_row("Two")
    window.hold(Keys.CONTROL, "v")
    verdict.expect(window.shows(["One", "Two", "Third", "Four"]), f"a reload forgets what was cut: {window.seen()}")


def conflict(verdict, server, window, file):
    window.open("/browse/Two", token=TOKEN)
    window.soon(lambda: window.find(".edit-form"))
    note = window.run("return [...document.querySelectorAll('.edit-form label')].find(e => e.firstChild.textContent === 'Note').querySelector('textarea')")
    note.send_keys(", mine")
    urllib.request.urlopen(edit(server, "PATCH", "/detail/Two", {"Note": "theirs", "New": 1})).read()
    verdict.expect(note.get_attribute("value") == "a note, mine", "what is being typed stays")
    window.click(".edit-form .main")
    versions = "return [...document.querySelectorAll('.versions tbody tr')].map(e => [...e.children].map(e => e.textContent))"
    verdict.expect(window.soon(lambda: window.run(versions) == [["Note", "a note, mine", "theirs"]]),
                   f"only what both changed is asked about: {window.run(versions)}")
    window.click("dialog .main")
    wanted = {"Title": "Two", "Data": b"\x00\x01\x02", "Note": "a note, mine", "New": 1}
    verdict.expect(window.soon(lambda: plistlib.loads(file.read_bytes())["Rows"][1] == wanted), f"the chosen one is saved, with what only the other changed: {plistlib.loads(file.read_bytes())['Rows'][1]}")


# A control character, which XML cannot carry, and numbers that need more digits than a double has.
DIGITS = """{"Title": "Digits", "Rows": [
  {"Title": "One", "Control": "a\\u0001b", "Note": "a note", "Whole": 9007199254740993, "Least": -9223372036854775808, "Real": 1.0, "Yes": true,
   "List": [9007199254740995, "first"], "Fields": {"2": 9007199254740997, "10": 12345678901234567890, "Gone": 1, "Text": "s\\"5"}}]}
"""


def digits(verdict, program, folder, token):
    """Fields that only JSON carries keep every digit, in what is shown and in what is saved."""
    file = pathlib.Path(folder, "Digits.json")
    file.write_text(DIGITS)
    with Server(program, file, "--edit-token-file", str(token)) as server, Window(origin(server)) as window:
        window.open("/browse/One")
        wanted = {"Control": "a\u2401b", "Note": "a note", "Whole": "9007199254740993", "Least": "-9223372036854775808",
                  "Real": "1.0", "Yes": "✓", "List": "2 elements9007199254740995first",
                  "Fields": '4 fields290071992547409971012345678901234567890Gone1Texts"5'}

        def opened():
            window.run("for (const e of document.querySelectorAll('.detail-body details:not([open])')) e.open = true")
            return window.fields() == wanted
        verdict.expect(window.soon(opened), f"every digit is shown: {window.fields()}")
        window.open("/browse/One", token=TOKEN)
        for name in ("List", "Fields"):
            window.soon(lambda: next(each for each in window.all(".edit-form summary") if each.text.startswith(name + ":")).click() is None)
        for name, text in (("Note", "another"), ("1", "second"), ("Text", "t")):
            field = "return [...document.querySelectorAll('.edit-form label')].find(e => e.firstChild.textContent === arguments[0]).querySelector('textarea')"
            window.soon(lambda: window.run(field, name).clear() is None)
            window.run(field, name).send_keys(text)
        window.click('[aria-label="Change or remove Gone"]')
        window.soon(lambda: next(each for each in window.all(".panel .menu-item") if each.text == "Remove the field").click() is None)
        window.click(".edit-form .main")
        saved = DIGITS.replace("a note", "another").replace('"first"', '"second"').replace('s\\"5', "t").replace('"Gone": 1, ', "")
        verdict.expect(window.soon(lambda: file.read_text() == saved), f"and only what was changed is saved: {file.read_text()}")
        expect_no_complaints(verdict, window)


def outside(verdict, window, file):
    """The file is edited while a row is being renamed."""
    window.open("/", token=TOKEN)
    window.soon(lambda: window.find(".edit-tools"))
    window.focus_row("Four")
    window.keys(Keys.F2)
    window.soon(lambda: window.find("dialog input"))
    document = plistlib.loads(file.read_bytes())
    document["Rows"].insert(0, {"Title": "Zero"})
    file.write_bytes(plistlib.dumps(document, sort_keys=False))
    verdict.expect(window.soon(lambda: window.seen()[0] == "Zero"), f"the row from outside is seen: {window.seen()}")
    window.keys("Fourth", Keys.ENTER)
    verdict.expect(window.soon(lambda: window.seen()[-1] == "Fourth"), f"the rename is made on the newer file: {window.seen()}")
    verdict.expect(rows(file)[0] == "Zero" and rows(file)[-1] == "Fourth", f"both are in the file: {rows(file)}")


def main():
    arguments = options(__doc__)
    with Verdict("editing in the browser") as verdict, tempfile.TemporaryDirectory() as folder:
        file, token = pathlib.Path(folder, "Shelf.plist"), pathlib.Path(folder, "token")
        file.write_bytes(plistlib.dumps(DOCUMENT, sort_keys=False))
        token.write_text(TOKEN)
        with Server(arguments.server, file, "--edit-token-file", str(token)) as server:
            for size in (WIDE, NARROW):
                with begin(server, file, size) as window:
                    without_token(verdict, window)
                    each_edit(verdict, window, file)
                    cut_and_paste(verdict, window, file)
                    conflict(verdict, server, window, file)
                    outside(verdict, window, file)
                    expect_no_complaints(verdict, window)
        digits(verdict, arguments.server, folder, token)


if __name__ == "__main__":
    main()
