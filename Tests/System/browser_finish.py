#!/usr/bin/env python3
"""The web client's finish in a browser: forced colours, print, the place of the keyboard, names, drafts, and the way back."""

import base64
import pathlib
import plistlib
import re
import zlib
import tempfile

from harness.proxy import Proxy
from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import NARROW, TOKEN, Window, origin, expect_no_complaints
from selenium.webdriver.common.keys import Keys

LONG = "A long title that goes on " * 12 + "to its end"
DOCUMENT = {"Title": "Shelf", "Rows": [
    {"Title": "Switch", "Type": "ToggleSwitch", "Key": "s", "Value": True}, {"Title": "One", "Note": "a note", "Number": 1984, "Colour": "#aa2211"}, "Two", "Three", LONG,
    {"Title": "Many", "Children": [f"Row {number:04d}" for number in range(5000)]}]}


def forced_colours(verdict, window):
    window.tell("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
    window.open("/")
    window.soon(lambda: window.find(".switch"))
    border = window.run("return getComputedStyle(document.querySelector('.switch')).borderTopWidth")
    thumb = window.run("return getComputedStyle(document.querySelector('.switch'), '::before').backgroundColor !== getComputedStyle(document.querySelector('.switch')).backgroundColor")
    verdict.expect(thumb, "a switch shows its state in forced colours")
    verdict.expect(border == "2px", f"a switch has an edge in forced colours: {border}")
    window.open("/browse/One")
    window.soon(lambda: window.find(".swatch"))
    swatch = window.run("return getComputedStyle(document.querySelector('.swatch')).backgroundColor")
    verdict.expect(swatch == "rgb(170, 34, 17)", f"a swatch has its colour in forced colours: {swatch}")
    window.tell("Emulation.setEmulatedMedia", features=[])


def fills(window):
    """The colours that are filled on paper, as a PDF has them."""
    document = base64.b64decode(window.tell("Page.printToPDF", printBackground=False)["data"])
    found = set()
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", document, re.S):
        try:
            text = zlib.decompress(stream)
        except zlib.error:
            continue
        found |= {tuple(round(float(part), 2) for part in match.split()[:3]) for match in re.findall(rb"[\d.]+ [\d.]+ [\d.]+ rg", text)}
    return found


def printed_colours(verdict, window):
    """A switch that is on and the swatch of a colour keep their colours on paper, although backgrounds are left out."""
    for path, ready, colour in (("/", ".switch", (0.04, 0.34, 0.77)), ("/browse/One", ".swatch", (0.67, 0.13, 0.07))):
        window.open(path)
        window.soon(lambda: window.find(ready))
        verdict.expect(window.soon(lambda: colour in fills(window)), f"{ready} has its colour on paper: {fills(window)}")


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


def renamed(verdict, window):
    """A rename is announced; the path, the tab's title and the page's heading follow it."""
    window.open("/browse/Many", token=TOKEN)
    window.soon(lambda: window.seen()[:1] == ["Row 0000"])
    window.run("window.said = []; new MutationObserver(() => said.push(document.querySelector('div.voice').textContent)).observe(document.querySelector('div.voice'), {childList: true})")
    window.click_row("Row 0001")
    window.title_is("Row 0001")
    window.focus_row("Row 0001")
    window.keys(Keys.F2)
    window.soon(lambda: window.find("dialog input"))
    window.keys("Row one", Keys.ENTER)
    verdict.expect(window.title_is("Row one"), f"the tab's title follows: {window.driver.title}")
    verdict.expect(window.soon(lambda: window.text(".crumbs [aria-current]") == "Row one"), f"the path follows: {window.text('.crumbs')}")
    verdict.expect(window.soon(lambda: "Renamed to Row one." in window.run("return said")), f"it is announced: {window.run('return said')}")
    verdict.expect(window.is_at("/browse/Many/Row%20one"), f"the address follows: {window.path}")
    window.run("document.activeElement.blur()")
    window.hold(Keys.CONTROL, "z")
    verdict.expect(window.title_is("Row 0001") and window.soon(lambda: window.text(".crumbs [aria-current]") == "Row 0001"), f"and so does an undo: {window.text('.crumbs')}")


def required(verdict, window):
    """A field that must be filled is red only once it was left empty or sent."""
    window.open("/browse/One", token=TOKEN)
    window.soon(lambda: window.find(".edit-form textarea"))
    border = "return getComputedStyle(document.querySelector(arguments[0])).borderTopColor"
    edge, bad = "rgb(131, 131, 140)", "rgb(179, 22, 31)"
    number = ".edit-form input[inputmode=numeric]"
    verdict.expect(window.run(border, number) != bad, f"a number is not red before: {window.run(border, number)}")
    window.find(number).clear()
    window.find(number).send_keys("x")
    window.soon(lambda: window.find(".edit-form .main").click() is None)
    verdict.expect(window.soon(lambda: window.run(border, number) == bad), f"it is red after an attempt: {window.run(border, number)}")
    window.soon(lambda: next(e for e in window.all(".edit-form .button") if e.text == "Revert").click() is None)
    window.soon(lambda: next(e for e in window.all(".edit-form .plain") if e.text == "Add a field").click() is None)
    window.soon(lambda: window.find("dialog input"))
    verdict.expect(window.run(border, "dialog input") == edge, f"a name is not red before: {window.run(border, 'dialog input')}")
    window.keys(Keys.ENTER)
    verdict.expect(window.soon(lambda: window.run(border, "dialog input") == bad), f"but after an attempt: {window.run(border, 'dialog input')}")
    window.keys(Keys.ESCAPE)


def images(verdict, program, folder, token):
    """An image stays in the assets folder, and is requested with the token only where the service asks for one."""
    names = ["../metrics", "./../../metrics", "/metrics", "a/../../metrics", "%2e%2e/metrics", "..\\metrics", "here.svg"]
    document, assets = folder / "Images.plist", folder / "assets"
    assets.mkdir()
    (assets / "here.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>')
    document.write_bytes(plistlib.dumps({"Title": "Images", "Rows": [{"Title": name, "Image": name} for name in names]}))
    for option, has_token in (("--edit-token-file", False), ("--read-token-file", True)):
        with Server(program, document, option, str(token)) as server, Proxy(server.port) as proxy, Window(origin(proxy)) as window:
            window.open("/", token=TOKEN)
            window.soon(lambda: window.run("return document.querySelector('.row img')?.naturalWidth") == 4)
            window.click_row("../metrics")
            window.title_is("../metrics")
            asked = {path: proxy.tokens[path] for path in proxy.asked if not path.startswith(("/levels", "/detail", "/client", "/browse", "/changes"))}
            wrong = [path for path in asked if path not in ("/", "/healthz", "/favicon.ico", "/readyz") and not path.startswith("/assets/")]
            verdict.expect(wrong == [], f"{option}: nothing outside of the assets is requested: {wrong}")
            # A row that is drawn again may ask for its image again.
            verdict.expect(set(asked["/assets/here.svg"]) == ({False, True} if has_token else {False}),
                           f"{option}: whether the token is sent: {asked['/assets/here.svg']}")


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
                printed_colours(verdict, window)
                keyboard(verdict, window)
                renamed(verdict, window)
                required(verdict, window)
                drafts(verdict, window, file)
                expect_no_complaints(verdict, window)
        images(verdict, arguments.server, pathlib.Path(folder), token)


if __name__ == "__main__":
    main()
