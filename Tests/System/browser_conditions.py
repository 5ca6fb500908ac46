#!/usr/bin/env python3
"""The web client in a browser under conditions of its own: without a network, by a finger at the index, with letters typed
ahead, with a token for reading, from right to left, with every type of field, and with motion and without. The size of its
files too."""

import datetime
import html.parser
import json
import os
import pathlib
import plistlib
import struct
import tempfile
import urllib.request
import zlib

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import NARROW, TOKEN, WIDE, Window, origin, expect_no_complaints
from selenium.webdriver.common.keys import Keys


def png(size):
    """A red square."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    lines = (b"\0" + b"\xff\0\0" * size) * size
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)) \
        + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


# The limit of the first load, coded with Brotli: 50 KB.
MOST_BYTES = 50_000
LETTERS = "ABCDEFGH"
DOCUMENT = {"Title": "Conditions", "Rows": [
    {"Title": "Letters", "Sections": [
        {"Title": letter, "Index": letter, "Rows": [f"{letter} {number:02d}" for number in range(40)]} for letter in LETTERS]},
    {"Title": "Many", "Children": [f"Row {number:03d}" for number in range(250)] + ["Émile", "Zoë"]},
    {"Title": "Types", "Whole": 2 ** 63 - 1, "Real": 0.5, "Yes": True, "Day": datetime.datetime(2024, 2, 29),
     "Bytes": bytes(range(16)), "List": ["first", 2, {"Deep": "inside"}], "Fields": {"One": "1", "Two": [1, 2]}},
    {"Title": "Large", "Picture": png(64), "Bytes": bytes(1000), "List": list(range(250)), "Fields": {f"Field {n}": n for n in range(250)}},
]}
TITLES = [row["Title"] for row in DOCUMENT["Rows"]]


class Links(html.parser.HTMLParser):
    """The files that a page names."""

    def __init__(self):
        super().__init__()
        self.found = set()

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value.startswith("/client/"):
                self.found.add(value)


def read(server, target, **headers):
    with urllib.request.urlopen(urllib.request.Request(origin(server) + target, headers=headers)) as response:
        return response.read()


def first_load(server):
    """The page and the files that it names, as a browser receives them. The editor is loaded by the first edit."""
    page = read(server, "/browse/", Accept="text/html")
    links = Links()
    links.feed(page.decode())
    coded = {"Accept-Encoding": "br"}
    return {"/browse/": read(server, "/browse/", Accept="text/html", **coded),
            **{link: read(server, link, **coded) for link in links.found}}


def size(verdict, files):
    total = sum(map(len, files.values()))
    verdict.figure("the first load", f"{total} bytes of Brotli in {len(files)} answers")
    verdict.expect(total <= MOST_BYTES, f"the first load has at most {MOST_BYTES} bytes, not {total}")


def network(verdict, window):
    """The network goes while a level is open, and comes back."""
    window.open("/")
    window.shows(TITLES)
    window.tell("Network.enable")
    conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    window.tell("Network.emulateNetworkConditions", offline=True, **conditions)
    window.click_row("Many")
    where = lambda: (window.text(".pane.end h2 bdi"), window.find(".pane.end .skeleton p").is_displayed())
    verdict.expect(window.soon(lambda: where() == ("Many", True)), f"its column is there, and says why it is empty: {where()}")
    lost = "The connection is lost. What is shown may be old; trying again…"
    verdict.expect(window.soon(lambda: window.notices() == [lost]), f"a lost network is told: {window.notices()}")
    verdict.expect("Many" in window.run("return [...document.querySelectorAll('.title')].map(e => e.textContent)"), "and what was there stays")
    window.tell("Network.emulateNetworkConditions", offline=False, **conditions)
    verdict.expect(window.soon(lambda: window.seen()[:1] == ["Row 000"]), f"what was asked for comes with the network: {window.seen()[:1]}")
    verdict.expect(window.soon(lambda: window.notices() == []), f"and the notice goes: {window.notices()}")


def index_by_touch(verdict, window):
    window.open("/browse/Letters")
    window.soon(lambda: window.seen()[:1] == ["A 00"])
    box = window.run("const r = document.querySelector('.index').getBoundingClientRect(); return {x: r.x + r.width / 2, y: r.y, height: r.height}")

    def at(letter):
        return [{"x": box["x"], "y": box["y"] + box["height"] * (LETTERS.index(letter) + 0.5) / len(LETTERS)}]
    window.tell("Input.dispatchTouchEvent", type="touchStart", touchPoints=at("C"))
    verdict.expect(window.soon(lambda: "C 00" in window.seen()[:2]), f"a finger at C shows C: {window.seen()[:2]}")
    window.tell("Input.dispatchTouchEvent", type="touchMove", touchPoints=at("F"))
    verdict.expect(window.soon(lambda: "F 00" in window.seen()[:2]), f"it slides to F: {window.seen()[:2]}")
    window.tell("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    says = window.run("const e = document.querySelector('.index'); return [e.ariaValueText, e.ariaValueNow, e.ariaValueMax]")
    verdict.expect(says == ["F", "5", "7"], f"the slider says where it is: {says}")


def typing_ahead(verdict, window):
    window.open("/browse/Many")
    window.soon(lambda: window.seen()[:1] == ["Row 000"])
    window.focus_row("Row 000")
    window.keys("row 003")
    verdict.expect(window.soon(lambda: window.focused() == "Row 003"), f"typing goes to the row: {window.focused()}")
    window.open("/browse/Many")
    window.soon(lambda: window.seen()[:1])
    window.focus_row("Row 000")
    window.keys("zo")
    verdict.expect(window.soon(lambda: window.focused() == "Zoë"), f"and to one that was not read yet, accents aside: {window.focused()}")


def curl(verdict, window):
    window.open("/browse/Many?sort=-Title")
    window.soon(lambda: window.seen()[:1])
    # The browser's own clipboard needs a permission that it has no way to ask for here.
    window.run("navigator.clipboard.writeText = async text => { window.copied = text }")
    window.menu("More", "Copy as curl")
    verdict.expect(window.soon(lambda: window.notices() == ["The command is copied."]), f"copying is told: {window.notices()}")
    copied = window.run("return window.copied")
    verdict.expect(copied == f"curl '{window.origin}/levels/Many?sort=-Title'", f"the command is that of the level: {copied}")


def right_to_left(verdict, window):
    window.open("/")
    window.shows(TITLES)
    window.run("document.documentElement.dir = 'rtl'")
    window.focus_row("Many")
    window.keys(Keys.ARROW_LEFT)
    verdict.expect(window.is_at("/browse/Many"), f"from right to left the left arrow opens: {window.path}")
    window.soon(lambda: window.seen()[:1] == ["Row 000"])
    panes = window.run("return [...document.querySelectorAll('.pane')].map(e => e.getBoundingClientRect()).map(b => [b.left, b.right])")
    verdict.expect(all(one[0] >= other[1] for one, other in zip(panes, panes[1:])), f"the columns go from right to left: {panes}")
    arrow = window.run("const r = document.querySelector('.pane:not(.end) .row').getBoundingClientRect(), i = document.querySelector('.pane:not(.end) .row > .icon').getBoundingClientRect(); return [i.left - r.left, r.width]")
    verdict.expect(arrow[0] < arrow[1] / 4, f"a branch's arrow is at the left: {arrow}")
    verdict.expect(window.run("return document.documentElement.scrollWidth <= innerWidth"), "nothing is cut off sideways")
    found = window.axe()
    verdict.expect(found == [], f"axe finds {found}")
    window.keys(Keys.ARROW_RIGHT)
    verdict.expect(window.soon(lambda: window.focused() == "Many"), f"and the right arrow goes to the row that leads there: {window.focused()}")


def types(verdict, window):
    window.open("/browse/Types")
    wanted = {"Whole": "9223372036854775807", "Real": "0.5", "Yes": "✓", "Day": "February 29, 2024",
              "Bytes": "Data, 16 bytes", "List": "3 elements", "Fields": "2 fields"}
    verdict.expect(window.soon(lambda: window.fields() == wanted), f"each type as it is read: {window.fields()}")
    wanted |= {"Bytes": "Data, 16 bytes0000  00 01 02 03 04 05 06 07  ········\n0008  08 09 0a 0b 0c 0d 0e 0f  ········",
               "List": "3 elementsfirst21 fieldDeepinside", "Fields": "2 fieldsOne1Two2 elements12"}

    def is_open():
        window.run("for (const e of document.querySelectorAll('.detail-body details:not([open])')) e.open = true")
        return window.fields() == wanted
    verdict.expect(window.soon(is_open), f"and opened: {window.fields()}")
    found = window.axe()
    verdict.expect(found == [], f"axe finds {found}")


def look_inside(verdict, window):
    """Data that is a picture, and what is too long to be shown at once."""
    window.open("/browse/Large")
    window.soon(lambda: len(window.fields()) == 4)
    opened = """for (const e of document.querySelectorAll('.detail-body details:not([open])')) e.open = true
        const image = document.querySelector('.data img')
        return [image?.naturalWidth, ...[...document.querySelectorAll('.detail-body p')].map(e => e.textContent),
          document.querySelectorAll('.elements li').length, document.querySelectorAll('.nested .field').length]"""
    wanted = [64, "the first 256 bytes", "and 50 more", "and 50 more", 200, 200]
    verdict.expect(window.soon(lambda: window.run(opened) == wanted), f"the picture is shown, and the beginning of the rest: {window.run(opened)}")
    found = window.axe()
    verdict.expect(found == [], f"axe finds {found}")
    window.keys(Keys.HOME)


def footers(verdict, program, folder):
    """Footers of very many sections have one line each; the whole text is in a tip."""
    file, words = pathlib.Path(folder, "Footers.json"), "many words " * 40
    for number in (200, 201):
        file.write_text(json.dumps({"Title": "Footers", "Sections": [
            {"Title": f"Section {each}", "Footer": words, "Rows": [f"Row {each}"]} for each in range(number)]}))
        with Server(program, file) as server, Window(origin(server), NARROW) as window:
            window.open("/")
            window.soon(lambda: window.seen()[:1] == ["Row 0"])
            found = window.run("const e = document.querySelector('.section-footer'); return [e.title, e.textContent, e.offsetHeight > 60]")
            verdict.expect(found == (["", words, True] if number == 200 else [words, words, False]), f"footers of {number} sections: {found}")


MOVING = "return [...document.querySelectorAll('.item')].filter(e => e.getAnimations().length).length"
PLACES = """return [...document.querySelectorAll('.pane.end .item')].map(e => [e.querySelector('.title').textContent, e.getBoundingClientRect().top])
    .sort((a, b) => a[1] - b[1])"""


def motion(verdict, program, folder, is_reduced):
    """Rows that move do so with a short motion, and end where a fresh load shows them; without motion if that is wished."""
    file = pathlib.Path(folder, "Motion.json")
    rows = [f"Row {number}" for number in range(8)]
    save(file, rows)
    with Server(program, file) as server, Window(origin(server), WIDE, reduced_motion=is_reduced) as window:
        window.open("/")
        window.shows(rows)
        window.run("""window.most = 0
            const look = () => {
              most = Math.max(most, [...document.querySelectorAll('.item')].filter(e => e.getAnimations().length).length)
              requestAnimationFrame(look)
            }
            look()""")
        for change in (rows[3:] + rows[:3], ["New"] + rows[4:] + rows[:2], rows[::-1], rows):
            save(file, change)
            verdict.expect(window.shows(change), f"the rows change: {window.seen()}")
        verdict.expect(window.soon(lambda: window.run(MOVING) == 0), "every motion ends")
        most = window.run("return most")
        verdict.expect(most == 0 if is_reduced else most > 1, f"{'none' if is_reduced else 'some'} of the rows move, not {most}")
        places = window.run(PLACES)
        window.reload()
        window.shows(rows)
        verdict.expect(window.run(PLACES) == places, f"the rows end where a fresh load shows them: {places} and {window.run(PLACES)}")
        expect_no_complaints(verdict, window)


def save(file, rows):
    aside = file.with_suffix(".new")
    aside.write_text(json.dumps({"Title": "Motion", "Rows": rows}))
    os.replace(aside, file)


def dialogs(verdict, window):
    """Every dialog of the editor, looked at by axe."""
    window.open("/", token=TOKEN)
    window.soon(lambda: window.find(".edit-tools"))

    def look(name):
        verdict.expect(window.soon(lambda: window.find("dialog")), f"{name} asks")
        found = window.axe()
        verdict.expect(found == [], f"{name}: axe finds {found}")
        window.keys(Keys.ESCAPE)
        verdict.expect(window.soon(lambda: window.all("dialog") == []), f"{name} ends by Escape")
    window.click('.end [aria-label="Add an item"]')
    look("adding")
    window.focus_row("Many")
    window.keys(Keys.F2)
    look("renaming")
    window.open("/browse/Types")
    window.soon(lambda: window.find(".edit-form"))
    window.run("[...document.querySelectorAll('.edit-form .plain')].at(-1).click()")
    look("a new field")


def reading_token(verdict, server, window):
    window.open("/")
    verdict.expect(window.soon(lambda: window.text("dialog h2") == "This service needs a token"), "without the token it is asked for")
    found = window.axe()
    verdict.expect(found == [], f"the question for a token: axe finds {found}")
    window.soon(lambda: window.find("dialog input"))
    window.keys("wrong-token-wrong-token", Keys.ENTER)
    verdict.expect(window.soon(lambda: window.text("dialog .problem") == "That token is not right."), "a wrong token is told, and the dialog stays")
    window.keys(TOKEN, Keys.ENTER)
    verdict.expect(window.shows(TITLES), f"with the right one the level is shown: {window.seen()}")
    window.reload()
    verdict.expect(window.shows(TITLES) and window.all("dialog") == [], "it is kept for the tab")


def main():
    arguments = options(__doc__)
    with Verdict("conditions in the browser") as verdict, tempfile.TemporaryDirectory() as folder:
        file, token = pathlib.Path(folder, "Conditions.plist"), pathlib.Path(folder, "token")
        file.write_bytes(plistlib.dumps(DOCUMENT, sort_keys=False))
        token.write_text(TOKEN)
        with Server(arguments.server, file, "--edit-token-file", str(token)) as server:
            size(verdict, first_load(server))
            with Window(origin(server), WIDE) as window:
                for part in (network, typing_ahead, curl, right_to_left, types, look_inside, dialogs):
                    part(verdict, window)
                expect_no_complaints(verdict, window)
            with Window(origin(server), NARROW, touch=True) as window:
                index_by_touch(verdict, window)
                expect_no_complaints(verdict, window)
        with Server(arguments.server, file, "--read-token-file", str(token)) as server, Window(origin(server), WIDE) as window:
            reading_token(verdict, server, window)
        footers(verdict, arguments.server, folder)
        for is_reduced in (False, True):
            motion(verdict, arguments.server, folder, is_reduced)


if __name__ == "__main__":
    main()
