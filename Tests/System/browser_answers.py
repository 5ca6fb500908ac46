#!/usr/bin/env python3
"""The web client in a browser, with answers that are not what it hoped for, and with a width that changes."""

import os
import pathlib
import plistlib
import tempfile

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import NARROW, ROOT, TOKEN, WIDE, Window, expect_no_complaints, origin
from selenium.webdriver.common.keys import Keys

FOOTER = "This footer is a long text. " * 14
EDIT_TOKEN = "edit-token-for-this-test"
DOCUMENT = {"Title": "Feet", "Sections": [
    {"Title": "One", "Footer": FOOTER, "Rows": [{"Title": "First", "Children": ["x"]}, "Second"]},
    {"Title": "Empty", "Rows": []},
    {"Title": "Two", "Rows": ["Third"]},
    {"Title": "Last", "Rows": []},
]}
ROWS = ["First", "Second", "Third"]
CUT = "const foot = document.querySelector('.section-footer'); return foot.scrollHeight - foot.clientHeight"
OVERLAPS = """
const boxes = [...document.querySelectorAll('.pane:first-child .item')].map(item => item.getBoundingClientRect()).sort((a, b) => a.top - b.top)
return boxes.filter((box, index) => index && box.top < boxes[index - 1].bottom - 1).length
"""


def addresses(verdict, server, window):
    before = len(server.log)
    window.open("/browse/?format=plist&limit=1&wait=5")
    verdict.expect(window.shows(ROWS), f"names that are the client's own are not passed on: {window.seen()}")
    asked = [line for line in server.log[before:] if "format=plist" in line and "/levels" in line]
    verdict.expect(asked == [], f"none is asked for: {asked}")
    window.open("/browse/Nope/Deeper")
    words = "return [...document.querySelectorAll('.apology p:first-of-type')].map(e => e.textContent)"
    verdict.expect(window.soon(lambda: window.run(words) == ["There is no “Nope” in this document."]), f"a wrong address is told once: {window.run(words)}")
    verdict.expect(window.soon(lambda: window.text(".crumbs li") == "Feet"), f"the path begins with the document's title: {window.text('.crumbs li')}")


def other_answer(verdict, window):
    """An answer that is no JSON is asked for a few times, in case what is in the way goes; then it is told."""
    window.open("/")
    window.shows(ROWS)
    # The page follows the changes, and has begun to read once more what it shows.
    window.soon(lambda: window.run("return performance.getEntriesByType('resource').some(e => e.name.endsWith('/readyz'))"))
    window.run("""
        const fetched = window.fetch
        window.asked = 0
        window.fetch = async (target, ...rest) => {
          if (!target.startsWith('/levels/First')) return fetched(target, ...rest)
          window.asked++
          return new Response('<plist/>')
        }""")
    window.run("history.pushState(null, '', '/browse/First'); dispatchEvent(new PopStateEvent('popstate'))")
    words = "The answer is not what was asked for."
    verdict.expect(window.soon(lambda: window.text(".apology p") == words), f"it is told: {window.text('.apology p')}")
    verdict.expect(window.run("return window.asked") == 4, f"it is asked for four times, not {window.run('return window.asked')} times")


def heights(verdict, window):
    window.open("/")
    verdict.expect(window.shows(ROWS), f"an empty section has no row: {window.seen()}")
    window.click_row("First")
    verdict.expect(window.soon(lambda: len(window.all(".pane.level")) == 2 and window.run(CUT) <= 0), f"a footer in a narrower column is as high as its text: {window.run(CUT)}")
    window.run("document.documentElement.style.fontSize = '32px'")
    verdict.expect(window.soon(lambda: window.run(OVERLAPS) == 0), f"rows do not overlap with larger text: {window.run(OVERLAPS)}")
    verdict.expect(window.soon(lambda: window.run(CUT) <= 0), f"nor are footers cut: {window.run(CUT)}")


def reading_token(verdict, program, token):
    with Server(program, os.path.join(ROOT, "Data", "Music.plist"), "--read-token-file", str(token)) as server, Window(origin(server), NARROW) as window:
        window.open("/")
        window.soon(lambda: window.find("dialog input"))
        window.keys("wrong-token-wrong-token", Keys.ENTER)
        verdict.expect(window.soon(lambda: window.text("dialog .problem") == "That token is not right."), f"a wrong token is told: {window.text('dialog .problem')}")
        window.keys(Keys.ESCAPE)
        verdict.expect(window.soon(lambda: window.text(".apology") == "A token is neededEnter a token"), f"and then what is needed: {window.text('.apology')}")
        window.click(".apology button")
        window.soon(lambda: window.find("dialog input"))
        window.keys(TOKEN, Keys.ENTER)
        widths = "return [...document.querySelectorAll('.row img')].map(e => e.naturalWidth)"
        verdict.expect(window.soon(lambda: window.run(widths) and min(window.run(widths)) > 0), f"images are read with the token: {window.run(widths)}")
        window.menu("More", "JSON")
        verdict.expect(window.soon(lambda: len(window.driver.window_handles) == 2), "JSON opens in a tab of its own")
        window.driver.switch_to.window(window.driver.window_handles[-1])
        verdict.expect(window.soon(lambda: (window.text("body") or "").startswith('{"title":"Music"')), "and is what the token may read")
        expect_no_complaints(verdict, window)


def both_tokens(verdict, program, folder, token):
    """Where reading and editing have tokens of their own, the one for reading survives a reload."""
    document, edit_token = folder / "Own.plist", folder / "edit-token"
    document.write_bytes(plistlib.dumps(DOCUMENT, sort_keys=False))
    edit_token.write_text(EDIT_TOKEN)
    with Server(program, document, "--read-token-file", str(token), "--edit-token-file", str(edit_token)) as server, Window(origin(server), NARROW) as window:
        window.open("/")
        window.soon(lambda: window.find("dialog input"))
        window.keys(TOKEN, Keys.ENTER)
        verdict.expect(window.shows(ROWS), f"rows are read with the token: {window.seen()}")
        window.driver.refresh()
        verdict.expect(window.shows(ROWS), f"and after a reload: {window.seen()}")
        checked = "return performance.getEntriesByName(location.origin + '/detail/').length"
        verdict.expect(window.soon(lambda: window.run(checked) == 1), "whether the token allows edits is asked")
        window.driver.refresh()
        verdict.expect(window.shows(ROWS), f"and after another one: {window.seen()}")
        kept = window.run("return sessionStorage.getItem('token')")
        verdict.expect(kept == TOKEN and not window.all("dialog"), f"the token is kept: {kept}")


def main():
    arguments = options(__doc__)
    with Verdict("answers in the browser") as verdict, tempfile.TemporaryDirectory() as folder:
        file, token = pathlib.Path(folder, "Feet.plist"), pathlib.Path(folder, "token")
        file.write_bytes(plistlib.dumps(DOCUMENT, sort_keys=False))
        token.write_text(TOKEN)
        with Server(arguments.server, file, "--access-log") as server, Window(origin(server), WIDE) as window:
            addresses(verdict, server, window)
            other_answer(verdict, window)
            heights(verdict, window)
            expect_no_complaints(verdict, window)
        reading_token(verdict, arguments.server, token)
        both_tokens(verdict, arguments.server, pathlib.Path(folder), token)


if __name__ == "__main__":
    main()
