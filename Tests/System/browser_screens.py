#!/usr/bin/env python3
"""Every screen of the web client in a browser, on a phone and on a desktop, light or dark, and in forced colours: what axe-core
finds wrong with it, at 200 % too. With --all in four sizes and all colours, with --pictures FOLDER also a picture of each, with --picture FILE the one
of the manual, and with --million the times on a level of 1,000,000 rows. With --only NAME one screen alone."""

# Covers: WebClient

import itertools
import json
import os
import pathlib
import tempfile
import urllib.request

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import NARROW, ROOT, TOKEN, WIDE, Window, origin, expect_no_complaints
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

SIZES = [NARROW, (768, 1024), WIDE, (2560, 1440)]
# Light or dark, and whether the reader's system sets the colours.
THEMES = {"light": (False, False), "dark": (True, False), "forced": (False, True), "forced-dark": (True, True)}


def opening(button):
    """What opens a menu of the last column."""
    return lambda window: window.click(f'.pane.end .tools [aria-label="{button}"]') and window.soon(lambda: window.find(".panel"))


def keys(window):
    window.keys("?")
    window.soon(lambda: window.find("dialog .keys"))


def marking(window):
    for mark in window.all(".pane.end .mark")[1:3]:
        mark.click()
    window.soon(lambda: window.find('.edit-tools [aria-label="Cut"]'))


def cutting(window):
    marking(window)
    window.click('.edit-tools [aria-label="Cut"]')
    window.soon(lambda: window.find(".notice"))


def adding_a_field(window):
    window.run("[...document.querySelectorAll('.edit-form .plain')].at(-1).click()")
    window.soon(lambda: window.find("dialog[open]"))


def typing(window):
    window.soon(lambda: window.all(".edit-form textarea")[1].send_keys(", changed") is None)
    window.soon(lambda: window.find(".edit-form .main"))


# The name, the document, the address, whether with a token, and what is done there.
SCREENS = [
    ("level", "Catalog.plist", "/browse/Colours", False, None),
    ("root", "Meetings.plist", "/", False, None),
    ("detail", "Meetings.plist", "/browse/Meetings/weekly-10?show=", False, None),
    ("leaf", "Music.plist", "/browse/Marble%20Harbour/Low%20Water/Customs%20House", False, None),
    ("images", "Music.plist", "/", False, None),
    ("search", "Catalog.plist", "/browse/?q=in&in=*", False, None),
    ("nothing", "Catalog.plist", "/browse/?q=nowhere", False, None),
    ("groups", "Music.plist", "/browse/?group=initial", False, None),
    ("outline", "Catalog.plist", "/browse/?depth=1&expand=Colours", False, None),
    ("table", "Music.plist", "/browse/?columns=Founded,Members,Subtitle&sort=-Founded", False, None),
    ("columns", "Music.plist", "/browse/?columns=Founded,Subtitle&group=initial", True, None),
    ("settings", "Settings.bundle", "/", True, None),
    ("reading", "Settings.bundle", "/", False, None),
    ("missing", "Catalog.plist", "/browse/Colors", False, None),
    ("menu", "Music.plist", "/browse/Marble%20Harbour/Low%20Water", False, opening("More")),
    ("order", "Catalog.plist", "/browse/Colours?where=Title~r", False, opening("Sort, group, filter")),
    ("keys", "Catalog.plist", "/browse/Colours", True, keys),
    ("editing", "Catalog.plist", "/browse/Colours", True, None),
    ("marked", "Catalog.plist", "/browse/Colours", True, marking),
    ("cut", "Catalog.plist", "/browse/Colours", True, cutting),
    ("form", "Catalog.plist", "/browse/Colours/Ink", True, typing),
    ("field", "Catalog.plist", "/browse/Colours/Ink", True, adding_a_field),
]
# What is there when a screen is complete, if it is not the last column.
READY = {"settings": ".control", "reading": ".control"} | dict.fromkeys(("form", "field"), ".edit-form") \
    | dict.fromkeys(("editing", "marked", "cut", "keys", "columns"), ".edit-tools")

# Jumps anywhere, then scrolls for 200 frames: the time until rows are shown, and the time of each frame.
SCROLLING = """
const done = arguments[arguments.length - 1]
const list = document.querySelector('.scroller'), jumps = [], frames = []
const frame = () => new Promise(requestAnimationFrame)
const isShown = () => {
  const box = list.getBoundingClientRect()
  const seen = [...list.querySelectorAll('.item')].filter(item => {
    const {top, bottom} = item.getBoundingClientRect()
    return bottom > box.top && top < box.bottom
  })
  return seen.length > 5 && seen.every(item => item.querySelector('.title'))
}
const measure = async () => {
  let most = 0
  for (const share of [0.5, 0.9, 0.1, 1, 0.333, 0.777, 0.001, 0]) {
    const begun = performance.now()
    list.scrollTop = share * (list.scrollHeight - list.clientHeight)
    await frame()
    await frame()
    while (!isShown()) await frame()
    jumps.push(performance.now() - begun)
  }
  for (let count = 0, last = performance.now(); count < 200; count++) {
    list.scrollTop += 40 + count
    await frame()
    const now = performance.now()
    frames.push(now - last)
    last = now
    most = Math.max(most, document.querySelectorAll('.item').length)
  }
  list.scrollTop = list.scrollHeight
  while (!isShown()) await frame()
  await frame()
  return {jumps, frames, most, last: [...list.querySelectorAll('.title')].at(-1).textContent}
}
measure().then(done)
"""


def look(verdict, servers, screens, size, theme, pictures):
    dark, forced = THEMES[theme]
    with Window(None, size, dark=dark, forced_colours=forced) as window:
        for name, document, address, has_token, action in screens:
            window.origin = origin(servers[document])
            # What was typed is given up without a question.
            window.run("onbeforeunload = null; document.querySelector('.edit-form .button:not(.main)')?.click(); sessionStorage.clear()") \
                if window.driver.current_url.startswith("http") else None
            window.open(address, token=TOKEN if has_token else None)
            title = f"{name} at {size[0]}, {theme}"
            verdict.expect(window.soon(lambda: window.find(READY.get(name, ".pane.last"))), f"{title}: it is shown")
            if action:
                action(window)
            # The mouse is where it changes no colour.
            window.tell("Input.dispatchMouseEvent", type="mouseMoved", x=size[0] - 1, y=size[1] - 1)
            window.soon(lambda: window.run("return document.getAnimations().length === 0 && !document.querySelector('.waiting')"))
            if pictures:
                window.screenshot(os.path.join(pictures, f"{name}-{size[0]}-{theme}.png"))
            found = window.axe()
            verdict.expect(found == [], f"{title}: axe finds {found}")
            small = window.run("""return [...document.querySelectorAll('button, .row, .crumbs a, select, .panel a')]
                .filter(e => e.checkVisibility() && !e.disabled).map(e => [e.className, e.getBoundingClientRect()])
                .filter(([, box]) => box.width < 44 || box.height < 43).map(([name, box]) => `${name} ${box.width}x${box.height}`)""")
            verdict.expect(small == [], f"{title}: touch targets are large enough, but for {small}")
            apart = window.run("""const edges = selector => [...document.querySelectorAll(selector)].map(e => e.getBoundingClientRect().left)
                const values = edges('.rows .item:first-child .row > :is(.texts, .cell)')
                return edges('.columns:not([hidden]) > *').map((left, index) => left - values[index])""")
            verdict.expect(all(abs(each) < 1 for each in apart), f"{title}: names of columns are above their values, but for {apart}")
        expect_no_complaints(verdict, window)


def zoomed(verdict, server):
    """At 200 % a window of 780 by 844 has 390 by 422 pixels: nothing is cut off sideways, from right to left too."""
    fits = """return [document.documentElement, ...document.querySelectorAll('.pane, .pane-head, .head-line, .edit-tools, .detail-body, .panel')]
        .filter(e => e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().left < -1 || e.getBoundingClientRect().right > innerWidth + 1)
        .map(e => e.className)"""
    with Window(origin(server), (390, 422)) as window:
        for address, ready, menu in (("/browse/Colours", ".edit-tools", None), ("/browse/Colours/Ink", ".edit-form", None),
                                     ("/browse/?q=in", ".edit-tools", None), ("/browse/Colours?where=Title~r", ".edit-tools", "Sort, group, filter")):
            window.open(address, token=TOKEN)
            window.soon(lambda: window.find(ready))
            for direction in ("ltr", "rtl"):
                window.run("document.documentElement.dir = arguments[0]", direction)
                if menu:
                    window.click(f'.pane.end .tools [aria-label="{menu}"]')
                    verdict.expect(window.soon(lambda: window.find(".panel")), f"{address} has its menu at 200 %")
                wide = window.run(fits)
                verdict.expect(wide == [], f"{address} at 200 %, {direction}, needs no sideways scrolling, but for {wide}")
                found = window.axe()
                verdict.expect(found == [], f"{address} at 200 %, {direction}: axe finds {found}")
                window.keys(Keys.ESCAPE) if menu else None


def conflicts(verdict, program, folder, size, theme, pictures):
    """What is told of a conflict: of a form, and of a title."""
    file, token = pathlib.Path(folder, "Shelf.json"), pathlib.Path(folder, "token")
    file.write_text(json.dumps({"Title": "Shelf", "Rows": [{"Title": "One", "Note": "a note"}, {"Title": "Two"}]}))
    title, (dark, forced) = f"a conflict at {size[0]}, {theme}", THEMES[theme]
    with Server(program, file, "--edit-token-file", str(token)) as server, \
            Window(origin(server), size, dark=dark, forced_colours=forced) as window:

        def change(target, content):
            urllib.request.urlopen(urllib.request.Request(origin(server) + target, json.dumps(content).encode(), method="PATCH", headers={
                "Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"})).read()

        def look(name, selector, words):
            verdict.expect(window.soon(lambda: window.text(selector) == words), f"{title}: it tells about {name}")
            if pictures:
                window.screenshot(os.path.join(pictures, f"conflict-{name.split()[-1]}-{size[0]}-{theme}.png"))
            found = window.axe()
            verdict.expect(found == [], f"{title}: axe finds {found}")
            window.keys(Keys.ESCAPE)
            verdict.expect(window.soon(lambda: window.all("dialog") == []), f"{title}: it ends by Escape")

        window.open("/browse/One", token=TOKEN)
        window.soon(lambda: window.all(".edit-form textarea")[1].send_keys(", mine") is None)
        change("/detail/One", {"Note": "theirs, which is a longer one", "Other": 1})
        window.click(".edit-form .main")
        look("a form", "dialog h2", "It was changed meanwhile")
        window.open("/", token=TOKEN)
        window.soon(lambda: window.find(".edit-tools"))
        window.focus_row("Two")
        window.keys(Keys.F2)
        window.soon(lambda: window.find("dialog input"))
        # The item stays at its address by its key.
        change("/detail/Two", {"Title": "Second", "Key": "Two"})
        window.keys("Zwei", Keys.ENTER)
        look("a title", "dialog .problem", "Not saved: its title is “Second” now. Rename again to use yours.")
        expect_no_complaints(verdict, window)


def picture(verdict, server, file):
    """The picture that the README and the manual show."""
    with Window(origin(server), (1360, 560)) as window:
        window.open("/browse/Marble%20Harbour")
        verdict.expect(window.soon(lambda: window.find(".pane.end .row img")), "the picture shows rows with images")
        window.click_row("Low Water")
        window.soon(lambda: len(window.all(".pane.level")) == 3 and window.find(".pane.end .row"))
        window.click_row("Low Water")
        verdict.expect(window.soon(lambda: window.fields().get("Kind") == "Song"), "and a detail")
        # The mouse is on the edge of the new column, which is wide in the colour of the accent.
        ActionChains(window.driver).move_to_element(window.find(".brand")).perform()
        window.soon(lambda: window.run("return document.getAnimations().length === 0"))
        window.screenshot(file)


def million(verdict, program, folder):
    file = pathlib.Path(folder, "million.json")
    file.write_text(json.dumps({"Title": "Million", "Rows": [f"Row {number:07d}" for number in range(1_000_000)]}))
    with Server(program, file) as server, Window(origin(server), WIDE) as window:
        window.open("/")
        window.soon(lambda: window.seen()[:1] == ["Row 0000000"])
        # The second time the files are in the browser's cache, as they are for a reader who comes back.
        window.open("/")
        window.soon(lambda: window.seen()[:1] == ["Row 0000000"])
        painted = window.run("return performance.getEntriesByType('resource').filter(e => e.name.includes('/levels')).map(e => e.responseEnd)[0]")
        found = window.driver.execute_async_script(SCROLLING)
        frames = sorted(found["frames"])
        verdict.figure("the first rows arrived after", f"{painted:.0f} ms")
        verdict.figure("jumps", ", ".join(f"{time:.0f}" for time in found["jumps"]) + " ms")
        verdict.figure("frames: median, 95th of 100, slowest", f"{frames[100]:.0f}, {frames[190]:.0f}, {frames[-1]:.0f} ms")
        verdict.expect(painted < 300, f"the first rows arrive within 300 ms, not {painted:.0f}")
        verdict.expect(max(found["jumps"]) < 300, f"a jump shows its rows within 300 ms: {found['jumps']}")
        verdict.expect(frames[190] < 33, f"95 of 100 frames take less than 33 ms: {frames[190]:.0f}")
        verdict.expect(found["most"] <= 500, f"at most 500 rows are in the page: {found['most']}")
        verdict.expect(found["last"] == "Row 0999999", f"the end of the list is the last row: {found['last']}")


def main():
    arguments = options(__doc__, pictures="", picture="", only="", all=False, million=False)
    with Verdict("screens in the browser") as verdict, tempfile.TemporaryDirectory() as folder:
        token = pathlib.Path(folder, "token")
        token.write_text(TOKEN)
        if arguments.pictures:
            os.makedirs(arguments.pictures, exist_ok=True)
        servers = {document: Server(arguments.server, os.path.join(ROOT, "Data", document), "--edit-token-file", str(token),
                                    "--values", os.path.join(folder, "values.plist"))
                   for document in {screen[1] for screen in SCREENS}}
        screens = [screen for screen in SCREENS if arguments.only in ("", screen[0])]
        usual = [(WIDE, "light"), (NARROW, "dark"), (NARROW, "forced"), (WIDE, "forced-dark")]
        for size, theme in itertools.product(SIZES, THEMES) if arguments.all else usual:
            look(verdict, servers, screens, size, theme, arguments.pictures)
            if not arguments.only:
                conflicts(verdict, arguments.server, folder, size, theme, arguments.pictures)
        if not arguments.only:
            zoomed(verdict, servers["Catalog.plist"])
        if arguments.picture:
            picture(verdict, servers["Music.plist"], arguments.picture)
        for server in servers.values():
            server.stop()
        if arguments.million:
            million(verdict, arguments.server, folder)


if __name__ == "__main__":
    main()
