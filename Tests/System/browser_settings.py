#!/usr/bin/env python3
"""Settings pages in a browser: dragging a slider, the keyboard's place while values change, and what a row shows."""

import json
import os
import pathlib
import plistlib
import tempfile
import urllib.request

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import NARROW, TOKEN, Window, expect_no_complaints, origin
from selenium.webdriver.common.keys import Keys


def specifier(kind, **fields):
    return {"Type": f"PS{kind}Specifier", **fields}


PAGE = [
    specifier("ToggleSwitch", Title="Sound", Key="sound", DefaultValue=True),
    specifier("TextField", Title="Name", Key="name", DefaultValue="Ada"),
    specifier("Slider", Title="Volume", Key="volume", DefaultValue=5.0, MinimumValue=0, MaximumValue=11),
    specifier("TitleValue", Title="Version", Key="version", DefaultValue="1.2.3"),
    specifier("TitleValue", Title="Mapped", Key="mapped", DefaultValue=2, Values=[1, 2], Titles=["one", "two"]),
    specifier("MultiValue", Title="Quality", Key="quality", DefaultValue=2, Values=[1, 2], Titles=["Low", "High"]),
    specifier("RadioGroup", Title="Order", Key="order", DefaultValue="a", Values=["a", "b"], Titles=["By artist", "By title"]),
    specifier("Group", Title="More"),
    specifier("ChildPane", Title="Missing page", File="Nope"),
]
FOCUSED = "return document.activeElement.matches('.control *') ? document.activeElement.ariaLabel : document.activeElement.tagName"
FIELD = "document.querySelector(`.control [aria-label=\"${arguments[0]}\"]`)"


def value(server, key):
    with urllib.request.urlopen(f"{origin(server)}/levels/") as answer:
        return next(row["control"]["value"] for row in json.load(answer)["rows"] if row.get("control", {}).get("key") == key)


def change(server, key, new):
    content = json.dumps({"Value": new}).encode()
    headers = {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(f"{origin(server)}/detail/{key}", content, headers, method="PATCH")).close()


def opened(window):
    window.open("/", token=TOKEN)
    return window.soon(lambda: window.run(f"return {FIELD}.disabled === false", "Sound"))


def focus(window, label):
    window.run(f"const field = {FIELD}; field.focus(); field.select?.()", label)


def drag(verdict, server, window):
    """A slider that is held for a while on the way, as one does who looks for a value."""
    opened(window)
    left, middle, width = window.run(f"const box = {FIELD}.getBoundingClientRect(); return [box.left, box.top + box.height / 2, box.width]", "Volume")

    def mouse(kind, share):
        window.tell("Input.dispatchMouseEvent", type=kind, x=left + width * share, y=middle, button="left", buttons=1, clickCount=1)
    mouse("mousePressed", 0.3)
    mouse("mouseMoved", 0.4)
    change(server, "volume", 1.5)
    shown = window.run(f"return {FIELD}.value", "Volume")
    # A change of another row is drawn after that of the slider.
    change(server, "name", "Grace")
    verdict.expect(window.soon(lambda: window.run(f"return {FIELD}.value", "Name") == "Grace"), "another row changes meanwhile")
    verdict.expect(window.run(f"return {FIELD}.value", "Volume") == shown, "the slider that is held stays")
    mouse("mouseMoved", 0.9)
    mouse("mouseReleased", 0.9)
    end = float(window.run(f"return {FIELD}.value", "Volume"))
    verdict.expect(9 < end < 11, f"it goes on with the pointer: {end}")
    verdict.expect(window.soon(lambda: value(server, "volume") == end), f"where it is released is stored: {value(server, 'volume')}")
    change(server, "volume", 2.5)
    verdict.expect(window.soon(lambda: window.text("output") == "2.5"), f"and later changes are shown: {window.text('output')}")


def back(verdict, server, window):
    """Another sets a value back before the page reads what was chosen: the row is what it was when it was drawn."""
    change(server, "volume", 2.5)
    opened(window)
    window.soon(lambda: window.text("output") == "2.5")
    window.run("""
        window.heldReads = []
        const {fetch} = window
        window.fetch = async (target, options) => {
          if (window.heldReads && String(target).startsWith('/levels/')) {
            await new Promise(resume => window.heldReads.push(resume))
          }
          return fetch(target, options)
        }""")
    focus(window, "Volume")
    window.keys(Keys.HOME)
    verdict.expect(window.soon(lambda: value(server, "volume") == 0), f"what is chosen is stored: {value(server, 'volume')}")
    change(server, "volume", 2.5)
    verdict.expect(window.soon(lambda: window.run("return window.heldReads.length > 0")), "the page reads the level after that")
    window.run("const held = window.heldReads; window.heldReads = null; for (const resume of held) resume()")
    verdict.expect(window.soon(lambda: window.text("output") == "2.5"), f"the former value is shown again: {window.text('output')}")


def keyboard(verdict, server, window):
    def stays(label, key, expected):
        verdict.expect(window.soon(lambda: value(server, key) == expected), f"{label} is stored: {value(server, key)}")
        # What came after it has been drawn too.
        number, title = (1, "one") if window.text(MAPPED) == "two" else (2, "two")
        change(server, "mapped", number)
        verdict.expect(window.soon(lambda: window.text(MAPPED) == title), f"another row shows '{title}': {window.text(MAPPED)}")
        verdict.expect(window.run(FOCUSED) == label, f"the focus stays at {label}, not {window.run(FOCUSED)}")
    opened(window)
    focus(window, "Sound")
    window.keys(" ")
    stays("Sound", "sound", False)
    window.keys(" ")
    stays("Sound", "sound", True)
    change(server, "sound", False)
    verdict.expect(window.soon(lambda: window.run(f"return {FIELD}.checked === false", "Sound")), "another's change is shown")
    verdict.expect(window.run(FOCUSED) == "Sound", f"and the focus stays: {window.run(FOCUSED)}")
    focus(window, "By artist")
    window.keys(Keys.ARROW_DOWN)
    stays("By title", "order", "b")
    focus(window, "Volume")
    window.keys(Keys.HOME)
    stays("Volume", "volume", 0)
    focus(window, "Name")
    window.keys("Half")
    change(server, "name", "Outside")
    change(server, "sound", True)
    window.soon(lambda: window.run(f"return {FIELD}.checked", "Sound"))
    window.keys(" typed")
    typed = window.run(f"return {FIELD}.value", "Name")
    verdict.expect(typed == "Half typed", f"typing goes on while its value changes outside: {typed}")
    window.keys(Keys.ENTER)
    stays("Name", "name", "Half typed")
    window.keys(Keys.TAB)
    verdict.expect(window.run(FOCUSED) == "Volume", f"the next stop is the next control: {window.run(FOCUSED)}")


MAPPED = "[data-href='/detail/mapped'] .value"


def shown(verdict, server, window):
    """What a row of a page shows, and what a tap on it does."""
    opened(window)
    change(server, "mapped", 2)
    verdict.expect(window.soon(lambda: window.text(MAPPED) == "two"), f"a value has its title: {window.text(MAPPED)}")
    cut = window.run("return [...document.querySelectorAll('.value')].filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)")
    verdict.expect(cut == [], f"no value is cut off: {cut}")
    before = value(server, "sound")
    window.tap_row("Sound")
    verdict.expect(window.soon(lambda: value(server, "sound") is not before), "a tap on its label switches")
    verdict.expect(window.path == "/", f"and opens nothing: {window.path}")
    window.tap_row("Missing page")
    verdict.expect(window.soon(lambda: "Nope" in (window.text(".detail-body .error") or "")), "a page that is missing says so")


def without_token(verdict, window):
    window.run("sessionStorage.removeItem('token')")
    window.open("/")
    # Whether the service takes edits is known too.
    window.soon(lambda: window.run("return performance.getEntriesByType('resource').some(({name}) => name === location.origin + '/')"))
    verdict.expect(window.soon(lambda: window.run(f"return {FIELD}.disabled", "Sound")), "without a token a control is grey")
    window.tap_row("Sound")
    verdict.expect(window.soon(lambda: window.notices() == ["The values are locked."]), f"a grey control says why: {window.notices()}")
    verdict.expect(window.text(".pane.end h2 bdi") == "Settings", f"the page has its name: {window.text('.pane.end h2 bdi')}")
    window.click(".pane-head .plain")
    verdict.expect(window.soon(lambda: window.text("dialog h2") == "Edit the document"), "a button unlocks them")
    window.keys(TOKEN, Keys.ENTER)
    verdict.expect(window.soon(lambda: window.run(f"return {FIELD}.disabled === false", "Sound")), "with a token")
    verdict.expect(not window.find(".pane-head .plain").is_displayed(), "and is not needed any more")


def main():
    arguments = options(__doc__)
    with Verdict("settings in the browser") as verdict, tempfile.TemporaryDirectory() as folder:
        bundle, token = pathlib.Path(folder, "Settings.bundle"), pathlib.Path(folder, "token")
        bundle.mkdir()
        (bundle / "Root.plist").write_bytes(plistlib.dumps({"Title": "Settings", "PreferenceSpecifiers": PAGE}, sort_keys=False))
        token.write_text(TOKEN)
        for part in (drag, back, keyboard, shown):
            values = os.path.join(folder, part.__name__ + ".plist")
            with Server(arguments.server, bundle, "--values", values, "--edit-token-file", str(token)) as server:
                for size, touch in ((None, False), (NARROW, True)):
                    with Window(origin(server), size or (1440, 900), touch=touch) as window:
                        part(verdict, server, window)
                        if part is shown and touch:
                            without_token(verdict, window)
                        expect_no_complaints(verdict, window)


if __name__ == "__main__":
    main()
