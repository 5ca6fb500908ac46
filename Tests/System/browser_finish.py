#!/usr/bin/env python3
"""The web client's finish in a browser: forced colours, print, the place of the keyboard, names, drafts, and the way back."""

import pathlib
import plistlib
import tempfile

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import NARROW, TOKEN, Window, origin, expect_no_complaints
from selenium.webdriver.common.keys import Keys

LONG = "A long title that goes on " * 12 + "to its end"
DOCUMENT = {"Title": "Shelf", "Rows": [
    {"Title": "Switch", "Type": "ToggleSwitch", "Key": "s", "Value": True}, {"Title": "One", "Note": "a note"}, "Two", "Three", LONG,
    {"Title": "Many", "Children": [f"Row {number:04d}" for number in range(5000)]}]}


def forced_colours(verdict, window):
    window.tell("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
    window.open("/")
    window.soon(lambda: window.find(".switch"))
    border = window.run("return getComputedStyle(document.querySelector('.switch')).borderTopWidth")
    verdict.expect(border == "2px", f"a switch has an edge in forced colours: {border}")
    window.tell("Emulation.setEmulatedMedia", features=[])


def printed(verdict, window):
    window.open("/browse/Many")
    window.soon(lambda: window.seen()[:1] == ["Row 0000"])
    window.run("dispatchEvent(new Event('beforeprint'))")
    verdict.expect("more rows not printed." in (window.text(".unprinted") or ""), f"a printed level says what is left out: {window.text('.unprinted')}")
    window.run("dispatchEvent(new Event('afterprint'))")
    verdict.expect(window.text(".unprinted") is None, "and on the screen it does not")


def keyboard(verdict, window):
    window.open("/", token=TOKEN)
    window.click('.end .mark[aria-label="Mark One"]')
    for wanted in (["Two", "One", "Three"], ["Two", "Three", "One"]):
        if not window.all('[aria-label="Move down"]:focus'):
            window.click('[aria-label="Move down"]') if wanted[1] == "One" else None
        else:
            window.keys(Keys.ENTER)
        verdict.expect(window.soon(lambda: window.seen()[1:4] == wanted), f"pressed for {wanted}: {window.seen()}")
        verdict.expect(window.soon(lambda: window.find('[aria-label="Move down"]:focus')), "the button keeps the focus")
    window.click('.end .tools [aria-label="More"]')
    window.soon(lambda: window.find(".panel"))
    window.keys(Keys.ARROW_DOWN)
    verdict.expect(window.run("return document.activeElement.textContent") == "Copy address", "the arrow keys move in the menu")
    window.keys(Keys.ESCAPE)


def drafts(verdict, window, file):
    window.open("/browse/One", token=TOKEN)
    window.soon(lambda: window.find(".edit-form textarea"))
    window.all(".edit-form textarea")[1].send_keys(", more")
    document = plistlib.loads(file.read_bytes())
    document["Rows"] = [row for row in document["Rows"] if row == "Two" or isinstance(row, dict) and row["Title"] != "One"]
    file.write_bytes(plistlib.dumps(document, sort_keys=False))
    window.run("history.pushState({}, '', '/'); dispatchEvent(new PopStateEvent('popstate'))")
    window.soon(lambda: window.seen()[-1] == "Many")
    window.click(".edit-bar .plain")
    window.click('.panel [aria-label="Discard the changes of One"]')
    verdict.expect(window.soon(lambda: not window.find(".edit-bar .plain").is_displayed()), "a draft of a deleted item is discarded from elsewhere")


def reading(verdict, window):
    window.run("sessionStorage.clear()")
    window.open("/browse/Nope/Deeper")
    verdict.expect(window.soon(lambda: window.find(".missing .back").is_displayed()), "an error page on a phone has a way back")
    window.open("/")
    window.soon(lambda: window.seen())
    verdict.expect(window.run("const e = document.querySelector('.head-line small'); return e.scrollWidth <= e.clientWidth + 1"), "a count is never cut")
    window.click_row(LONG)
    whole = "const e = document.querySelector('.detail h2'); return e && e.textContent === arguments[0] && getComputedStyle(e.firstChild).whiteSpace === 'normal'"
    verdict.expect(window.soon(lambda: window.run(whole, LONG)), "a long title is there as a whole")
    below = "return document.querySelector('.empty').getBoundingClientRect().top >= document.querySelector('.pane-head').getBoundingClientRect().bottom"
    verdict.expect(window.run(below), "'No other fields.' is below the head")


def main():
    arguments = options(__doc__)
    with Verdict("the finish in the browser") as verdict, tempfile.TemporaryDirectory() as folder:
        file, token = pathlib.Path(folder, "Shelf.plist"), pathlib.Path(folder, "token")
        file.write_bytes(plistlib.dumps(DOCUMENT, sort_keys=False))
        token.write_text(TOKEN)
        with Server(arguments.server, file, "--edit-token-file", str(token)) as server:
            with Window(origin(server), NARROW) as window:
                reading(verdict, window)
                expect_no_complaints(verdict, window)
            with Window(origin(server)) as window:
                forced_colours(verdict, window)
                printed(verdict, window)
                keyboard(verdict, window)
                drafts(verdict, window, file)
                expect_no_complaints(verdict, window)


if __name__ == "__main__":
    main()
