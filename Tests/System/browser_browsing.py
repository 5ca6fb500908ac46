#!/usr/bin/env python3
"""The web client in a browser is browsed by the arrow keys alone: the next column or the detail follows the row that has the
keyboard, one entry of the history holds the whole walk, and what was asked for on the way is given up. A column appears at
once, with the title and the number of its rows, and nothing moves when it opens. On a wide screen, an inspector shows the
chosen item, or the document, whatever is opened; the first columns become strips."""

# Covers: WebClient

import json
import pathlib
import tempfile
import urllib.request

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import TOKEN, WIDE, Window, expect_no_complaints, origin
from selenium.webdriver.common.keys import Keys

ALBUMS = {f"Album {letter}": [f"Song {letter}{number}" for number in range(1, 6)] for letter in "ABC"}
DOCUMENT = {"Title": "Music", "Rows": [
    *({"Title": album, "Year": 1984, "Children": [{"Title": song, "Text": f"words of {song}"} for song in songs]} for album, songs in ALBUMS.items()),
    {"Title": "Many", "Children": [f"Row {number:05d}" for number in range(5000)]},
    {"Title": "Calm", "Bytes": 8_300_000, "Milliseconds": 233_000, "Duration": 3723, "Yes": True, "No": False,
     "At": "2024-02-29T00:00:00Z", "Year": 1984}, {"Title": "Alone", "List": ["one", "two"]},
    {"Title": "Deep", "Children": [{"Title": "Deeper", "Children": [{"Title": "Still deeper", "Children": [
        {"Title": "Deepest", "Children": ["Bottom"]}]}]}]}]}
ROWS = [*ALBUMS, "Many", "Calm", "Alone", "Deep"]

# Keeps what is asked for, and holds back the answers whose address has these words.
ASKED = """
const original = fetch
window.asked = []
window.holds = null
window.held = []
window.fetch = async (target, options) => {
  const entry = {target: String(target)}
  asked.push(entry)
  options?.signal?.addEventListener('abort', () => entry.isGivenUp = true)
  const answer = await original(target, options)
  if (holds && entry.target.includes(holds)) await new Promise(resolve => held.push(resolve))
  return answer
}
"""
TITLES = "return [...document.querySelectorAll('.pane.level')].map(e => e.querySelector('h2 bdi').textContent)"
# The edges of the columns and the size of the page.
PLACES = """return [[document.documentElement.scrollWidth, document.documentElement.scrollHeight, document.querySelector('main').scrollLeft],
  ...[...document.querySelectorAll('.pane')].slice(0, -1).map(e => Math.round(e.getBoundingClientRect().left))]"""


def walk(verdict, window):
    """A whole album by the arrow keys."""
    window.open("/")
    window.shows(ROWS)
    window.focus_row("Album A")
    before = window.run("return history.length")
    window.keys(Keys.ARROW_DOWN)
    verdict.expect(window.is_at("/browse/Album%20B"), f"the row with the keyboard is opened: {window.path}")
    verdict.expect(window.shows(ALBUMS["Album B"]), f"its level is beside it: {window.seen()}")
    verdict.expect(window.focused() == "Album B", f"and the keyboard stays: {window.focused()}")
    window.keys(Keys.ARROW_RIGHT)
    verdict.expect(window.soon(lambda: window.focused() == "Song B1"), f"the right arrow enters: {window.focused()}")
    for song in ALBUMS["Album B"][1:]:
        window.keys(Keys.ARROW_DOWN)
        verdict.expect(window.soon(lambda: window.fields().get("Text") == f"words of {song}"), f"the detail of {song} is there: {window.fields()}")
        verdict.expect((window.focused(), window.driver.title) == (song, song), f"the keyboard and the title too: {window.focused()}, {window.driver.title}")
    verdict.expect(window.run("return history.length") == before + 1, "the walk is one entry of the history")
    window.keys(Keys.ENTER)
    verdict.expect(window.soon(lambda: window.run("return document.activeElement.tagName") == "H2"), "Enter goes to the detail")
    window.keys(Keys.ARROW_LEFT)
    verdict.expect(window.soon(lambda: window.focused() == "Song B5"), f"the left arrow goes back to the row: {window.focused()}")
    window.keys(Keys.ARROW_UP)
    verdict.expect(window.is_at("/browse/Album%20B/Song%20B4"), f"the walk goes on: {window.path}")
    verdict.expect(window.run("return history.length") == before + 2, "what was opened by Enter stays in the history")
    window.keys(Keys.ARROW_LEFT)
    verdict.expect(window.is_at("/browse/Album%20B") and window.soon(lambda: window.focused() == "Album B"), f"out of the album: {window.path}, {window.focused()}")
    window.keys(Keys.ESCAPE)
    verdict.expect(window.is_at("/") and window.soon(lambda: window.focused() == "Album B"), f"and up: {window.path}, {window.focused()}")
    window.back()
    window.back()
    verdict.expect(window.is_at("/browse/Album%20B/Song%20B5"), f"back leads to what was opened: {window.path}")
    window.back()
    verdict.expect(window.is_at("/"), f"and then to where the walk began: {window.path}")


def given_up(verdict, window):
    """Of rows that are passed quickly, only the last is read; what was being read before is given up."""
    window.open("/")
    window.shows(ROWS)
    window.run(ASKED)
    window.focus_row("Album A")
    window.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    verdict.expect(window.is_at("/browse/Album%20C"), f"the last row is opened: {window.path}")
    asked = lambda words: window.run("return asked.filter(e => e.target.includes(arguments[0])).map(e => Boolean(e.isGivenUp))", words)
    verdict.expect(asked("/levels/Album%20B") == [], f"the row between was not read: {asked('/levels/Album%20B')}")
    window.run("window.holds = '/levels/Album%20B'")
    window.keys(Keys.ARROW_UP)
    verdict.expect(window.soon(lambda: asked("/levels/Album%20B") == [False]), "a level is being read")
    window.keys(Keys.ARROW_UP)
    verdict.expect(window.soon(lambda: asked("/levels/Album%20B") == [True]), "and is given up when the next row is chosen")
    verdict.expect(window.shows(ALBUMS["Album A"]), f"whose rows are there: {window.seen()}")


def far(verdict, window):
    """The end of a long level is browsed when its row has arrived."""
    window.open("/browse/Many")
    window.soon(lambda: window.seen()[:1] == ["Row 00000"])
    window.focus_row("Row 00000")
    window.keys(Keys.END)
    verdict.expect(window.title_is("Row 04999") and window.focused() == "Row 04999", f"the last row is shown: {window.driver.title}, {window.focused()}")
    window.keys("row 00012")
    verdict.expect(window.title_is("Row 00012"), f"and what is typed ahead: {window.driver.title}")


def at_once(verdict, window):
    """A column is there before it is read; the deeper ones are not; nothing else moves."""
    window.open("/browse/Album%20A/Song%20A2")
    window.soon(lambda: window.fields())
    window.run(ASKED)
    window.run("window.holds = '/levels/Album'")
    places = window.run(PLACES)
    found = window.run("""
        const row = [...document.querySelectorAll('.pane:first-child .row')].find(e => e.textContent.startsWith('Album C'))
        row.click()
        const end = document.querySelector('.pane.end')
        return [location.pathname, document.title, document.querySelectorAll('.pane.level').length,
          ...[...end.querySelectorAll('h2 > *')].map(e => e.textContent), end.querySelectorAll('.item').length,
          document.querySelector('.crumbs [aria-current]').textContent]""")
    verdict.expect(found == ["/browse/Album%20C", "Album C", 2, "Album C", "5", 0, "Album C"], f"a click shows what is known: {found}")
    verdict.expect(window.soon(lambda: window.find(".pane.end .skeleton i").is_displayed()), "a skeleton follows")
    after = window.run(PLACES)
    verdict.expect(after == places[:len(after)], f"nothing moves: {places}, {after}")
    window.run("window.holds = null; for (const go of held.splice(0)) go()")
    verdict.expect(window.shows(ALBUMS["Album C"]), f"the rows come: {window.seen()}")
    verdict.expect(window.run(TITLES) == ["Music", "Album C"] and window.all(".skeleton") == [], f"in their columns: {window.run(TITLES)}")
    verdict.expect(window.run(PLACES)[:len(after)] == after, "and nothing moves then")


def laid_out(verdict, window):
    """Opening a column makes the browser lay out the page once for each thing that arrives: the column, its rows and its detail."""
    window.open("/")
    window.soon(lambda: window.fields() or window.text(".facts"))
    window.tell("Performance.enable")
    layouts = lambda: next(each["value"] for each in window.tell("Performance.getMetrics")["metrics"] if each["name"] == "LayoutCount")
    for title, rows in (("Album C", ALBUMS["Album C"]), ("Album B", ALBUMS["Album B"])):
        before = layouts()
        # The click of the driver would lay out the page, too.
        window.run("[...document.querySelectorAll('.pane:first-child .row')].find(e => e.textContent.startsWith(arguments[0])).click()", title)
        window.soon(lambda: window.fields().get("Year"))
        verdict.expect(window.soon(lambda: window.run(TITLES) == ["Music", title] and window.all(".pane.end .item .title")), f"a column opens: {window.run(TITLES)}")
        after = layouts()
        verdict.expect(window.shows(rows) and after - before <= 3, f"the page is laid out at most three times: {after - before}")
    window.tell("Performance.disable")


INSPECTED = """return [...document.querySelectorAll('.pane.detail')].map(e => [e.querySelector('h2 bdi').textContent, e.querySelector('h2 small').textContent,
  innerWidth - e.getBoundingClientRect().right, e.getBoundingClientRect().width])"""
FACTS = "return Object.fromEntries([...document.querySelectorAll('.facts .field')].map(e => [...e.children].map(e => e.textContent)))"


def inspector(verdict, window):
    """The inspector shows the document, then the branch or the leaf that is chosen, at the edge of the page."""
    window.open("/")
    expect = lambda title, rows, what: verdict.expect(
        window.soon(lambda: window.run(INSPECTED) == [[title, rows, 0, 352]]), f"{what}: {window.run(INSPECTED)}")
    expect("Music", "7 rows", "the document is inspected")
    facts = lambda: window.run(FACTS)
    verdict.expect(window.soon(lambda: facts()["Size"] == "5,026 items"), f"with its size: {facts()}")
    verdict.expect(facts()["Editing"] == "With a token" and facts()["Source"].endswith("Music.json"), f"its source, and who may edit: {facts()}")
    urllib.request.urlopen(urllib.request.Request(window.origin + "/detail/Album%20C", json.dumps({"Year": 1985}).encode(), method="PATCH", headers={
        "Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"})).read()
    verdict.expect(window.soon(lambda: facts()["Last change"].endswith(", by alice")), f"and who changed it: {facts()}")
    window.click_row("Album B")
    expect("Album B", "5 rows", "a branch is inspected")
    verdict.expect(window.soon(lambda: window.fields().get("Year") == "1984"), f"with its fields: {window.fields()}")
    verdict.expect(window.shows(ALBUMS["Album B"]), f"beside its level: {window.seen()}")
    window.click_row("Song B2")
    expect("Song B2", "", "so is a leaf")
    window.back()
    expect("Album B", "5 rows", "and the branch again")
    window.open("/browse/?q=song")
    window.soon(lambda: "Song B1" in window.seen())
    window.focus_row("Song B1")
    window.keys(Keys.ARROW_DOWN)
    expect("Song B2", "", "a hit is inspected")
    verdict.expect("Song B1" in window.seen(), f"beside the hits: {window.seen()}")


def on_a_phone(verdict, window):
    """On a phone, the detail of the document fills the screen, and so does that of a leaf."""
    window.tell("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=False)
    window.open("/?show=")
    verdict.expect(window.soon(lambda: window.run(FACTS)["Size"] == "5,026 items"), f"the facts about the document: {window.run(FACTS)}")
    found = window.axe()
    verdict.expect(found == [], f"the facts: axe finds {found}")
    window.click(".pane.last .back")
    verdict.expect(window.is_at("/") and window.shows(ROWS), f"back to its level: {window.path}")
    window.click_row("Calm")
    verdict.expect(window.soon(lambda: window.fields()["Year"] == "1984"), f"a leaf: {window.fields()}")
    window.tell("Emulation.setDeviceMetricsOverride", width=WIDE[0], height=WIDE[1], deviceScaleFactor=1, mobile=False)
    verdict.expect(window.soon(lambda: window.seen() == ROWS and window.fields()["Year"] == "1984"), f"the same place on a wide screen: {window.seen()}")


def calm(verdict, window):
    """Values have the form that is read most easily; the exact value is a tooltip."""
    window.open("/browse/Calm")
    wanted = {"Bytes": "8.3 MB", "Milliseconds": "3:53", "Duration": "1:02:03", "Yes": "✓", "No": "–", "At": "February 29, 2024", "Year": "1984"}
    verdict.expect(window.soon(lambda: window.fields() == wanted), f"values in larger units: {window.fields()}")
    hints = window.run("return [...document.querySelectorAll('.detail dd')].map(e => e.title)")
    verdict.expect(hints == ["Whole number: 8300000", "Whole number: 233000", "Whole number: 3723", "Yes or no", "Yes or no",
                             "Text: 2024-02-29T00:00:00Z", "Whole number"], f"and exactly: {hints}")
    window.open("/browse/Alone")
    verdict.expect(window.soon(lambda: window.fields() == {"List": "2 elementsonetwo"}), f"a list that is alone is open: {window.fields()}")


STRIPS = "return [...document.querySelectorAll('.pane.level')].map(e => [e.matches('.strip') ? e.querySelector('.spine').innerText : '', e.clientWidth < 60])"


def strips(verdict, window):
    window.open("/browse/Deep/Deeper/Still%20deeper/Deepest/Bottom")
    wanted = [["Music", True], ["Deep", True], ["", False], ["", False], ["", False]]
    verdict.expect(window.soon(lambda: window.run(STRIPS) == wanted), f"the first columns are strips: {window.run(STRIPS)}")
    fits = "return [document.documentElement.scrollWidth, document.querySelector('main').scrollWidth]"
    verdict.expect(window.run(fits) == [WIDE[0], WIDE[0]], f"nothing is cut off: {window.run(fits)}")
    found = window.axe()
    verdict.expect(found == [], f"strips: axe finds {found}")
    window.tell("Emulation.setDeviceMetricsOverride", width=1024, height=768, deviceScaleFactor=1, mobile=False)
    verdict.expect(window.soon(lambda: window.run(STRIPS)[2] == ["Deeper", True]), f"more of them if the window is smaller: {window.run(STRIPS)}")
    window.click(".strip:nth-of-type(2) .spine")
    verdict.expect(window.is_at("/browse/Deep") and window.shows(["Deeper"]), f"a strip leads to its level: {window.path}, {window.seen()}")
    verdict.expect(window.soon(lambda: window.run(STRIPS) == [["", False], ["", False]]), f"which has room again: {window.run(STRIPS)}")


def main():
    arguments = options(__doc__)
    with Verdict("browsing in the browser") as verdict, tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "Music.json")
        file.write_text(json.dumps(DOCUMENT))
        token = pathlib.Path(folder, "token")
        token.write_text(f"alice {TOKEN}")
        with Server(arguments.server, file, "--edit-token-file", str(token)) as server, Window(origin(server), WIDE) as window:
            for part in (walk, given_up, far, at_once, laid_out, inspector, on_a_phone, calm, strips):
                part(verdict, window)
                expect_no_complaints(verdict, window, f"{part.__name__}: ")


if __name__ == "__main__":
    main()
