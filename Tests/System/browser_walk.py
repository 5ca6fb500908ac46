#!/usr/bin/env python3
"""Tasks of a reader from beginning to end in a browser, each with its number of clicks and key presses: the dearest track of a genre, a
record's artist and the way back, a link that is shared, three cells of a table, and 5,003 rows that are moved. With --firefox in
Firefox; with --pictures FOLDER also a picture of each end."""

# Covers: WebClient

import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import NARROW, ROOT, TOKEN, WIDE, Window, origin
from selenium.webdriver.common.keys import Keys

SMALL = (1024, 768)
LONG = 5_003
PRICES = {"Coat": 100, "Shirt": 20, "Hat": 15, "Scarf": 10}
SHOP = {"Title": "Shop", "Rows": [
    {"Title": "Clothes", "Children": [{"Title": title, "Price": price, "Kind": "worn", "Left": 5} for title, price in PRICES.items()]},
    {"Title": "Long", "Children": [f"Row {number:04}" for number in range(LONG)]}, {"Title": "Other", "Children": ["First"]}]}


class Hand:
    """Clicks and presses keys in a window, and counts both."""

    def __init__(self, verdict, window, name):
        self.verdict, self.window, self.name, self.count = verdict, window, name, 0

    def expect(self, question, what):
        self.verdict.expect(self.window.soon(question), f"{self.name}: {what}: {self.window.path}, {self.window.seen()[:3]}")

    def click(self, selector):
        self.count += 1
        self.window.click(selector)

    def row(self, title):
        self.count += 1
        self.window.click_row(title)

    def press(self, *keys):
        self.count += sum(map(len, keys))
        self.window.keys(*keys)

    def hold(self, key):
        self.count += 1
        self.window.hold(Keys.CONTROL, key)

    def choose(self, label, text):
        """Opens a field of choices and takes one."""
        self.count += 2
        self.window.choose(label, text)


def read(server, target):
    return json.load(urllib.request.urlopen(origin(server) + target))


def dearest(hand, server):
    hand.window.open("/")
    hand.row("Genre")
    hand.row("Science Fiction")
    hand.click(".pane.end .section-header a")
    hand.expect(lambda: hand.window.title_is("Track"), "the head leads to all tracks of the genre")
    hand.click('.pane.end .tools [aria-label="Sort, group, filter"]')
    hand.choose("Sort by", "UnitPrice")
    hand.click('.panel [aria-label="Descending"]')
    first = read(server, "/levels/Genre/18/Track?sort=-UnitPrice&limit=1")["rows"][0]["title"]
    hand.press(Keys.ESCAPE)
    hand.expect(lambda: hand.window.seen()[0] == first, f"the dearest is '{first}'")
    price = "return [...document.querySelector('.pane.end .row').querySelectorAll('.cell, .value')].at(-1)?.textContent"
    hand.expect(lambda: hand.window.run(price) == "1.99", f"with its price: {hand.window.run(price)}")


def links(hand, title):
    script = "return [...document.querySelectorAll('.pane.detail .record')].find(e => e.textContent === arguments[0])?.getAttribute('href')"
    hand.window.soon(lambda: hand.window.run(script, title))
    return hand.window.run(script, title)


def artist_and_back(hand, server):
    hand.window.open("/browse/Track/1")
    hand.window.soon(lambda: hand.window.seen())
    if hand.window.size == NARROW:
        hand.click('.pane.end .tools [aria-label="Detail"]')
    for title in ("For Those About To Rock We Salute You", "AC/DC"):
        hand.click(f'.pane.detail .record[href="{links(hand, title)}"]')
        hand.expect(lambda: hand.window.title_is(title), f"a link leads to {title}")
        if title != "AC/DC" and hand.window.size == NARROW:
            hand.click('.pane.end .tools [aria-label="Detail"]')
    while hand.window.path.split("?")[0] != "/browse/Track/1":
        hand.count += 1
        hand.window.back()
    hand.expect(lambda: hand.window.title_is("For Those About To Rock (We Salute You)"), "and back")


def share(hand, _):
    hand.window.open("/browse/Artist/1")
    hand.expect(lambda: "Let There Be Rock" in hand.window.seen(), "the albums of an artist")
    hand.row("Let There Be Rock")
    hand.window.title_is("Let There Be Rock")
    # The browser's own clipboard needs a permission that it has no way to ask for here.
    hand.window.run("navigator.clipboard.writeText = async text => { window.copied = text }")
    hand.count += 1
    hand.click('.pane.end .tools [aria-label="More"]')
    hand.window.soon(lambda: next(each for each in hand.window.all(".panel .menu-item") if each.text == "Copy address").click() is None)
    hand.expect(lambda: hand.window.run("return window.copied"), "the address is copied")
    hand.window.open(hand.window.run("return window.copied").removeprefix(hand.window.origin))
    hand.expect(lambda: hand.window.title_is("Let There Be Rock") and hand.window.seen()[0] == "Go Down", "it leads to the same")


def three_cells(hand, server):
    hand.window.open("/browse/Clothes", token=TOKEN)
    hand.window.soon(lambda: hand.window.find(".edit-tools"))
    for title, price in (("Coat", "99"), ("Hat", "14"), ("Scarf", "9")):
        hand.row(title)
        hand.window.soon(lambda: hand.window.text(".pane.detail h2 bdi") == title and hand.window.find(".edit-form input"))
        hand.click(".edit-form [data-type$=umber] + input")
        hand.window.hold(Keys.CONTROL, "a")
        hand.press(price, Keys.ENTER)
        hand.expect(lambda: read(server, f"/detail/Clothes/{title}")["fields"]["Price"] == int(price), f"{title} is corrected")
        if hand.window.size == NARROW:
            hand.click(".pane.last .back")
    hand.expect(lambda: hand.window.run("return [...document.querySelectorAll('.pane.level .row')].map(e => e.textContent).join()").count("99") == 1, "and shown")


def move(hand, server):
    hand.window.open("/browse/Long", token=TOKEN)
    hand.window.soon(lambda: hand.window.find(".end .edit-tools"))
    hand.window.soon(lambda: next(each for each in hand.window.all(".end .edit-tools .plain") if each.text == "Select all").click() is None)
    hand.count += 1
    hand.expect(lambda: hand.window.text(".end .edit-tools .note") == "5,003 of 5,003", "all rows are marked")
    hand.click('.end .edit-tools [aria-label="Cut"]')
    hand.click(".pane.level .row[href$=Other]")
    hand.expect(lambda: hand.window.seen()[:1] == ["First"], "another level is open")
    hand.window.soon(lambda: next(each for each in hand.window.all(".end .edit-tools .plain") if each.text == "Move 5,003 items here").click() is None)
    hand.count += 1
    counts = lambda: [row["count"] for row in read(server, "/levels/")["rows"]]
    hand.expect(lambda: counts() == [4, 0, LONG + 1], f"they are moved: {counts()}")


# The tasks of each document, with their clicks and key presses at each width. One width is enough for many edits.
TASKS = {
    "Chinook": [(dearest, (8, 8, 8)), (artist_and_back, (4, 4, 7)), (share, (3, 3, 3))],
    "Shop": [(three_cells, (14, 14, 17)), (move, (4, None, None))]}


def main():
    arguments = options(__doc__, firefox=False, pictures="")
    if arguments.firefox:
        from harness.engines import Firefox as Browser
    else:
        Browser = Window
    with Verdict("tasks in the browser") as verdict, tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        subprocess.run([sys.executable, pathlib.Path(ROOT, "Data", "Chinook", "make.py"), folder / "Chinook.sqlite"], check=True, stdout=subprocess.DEVNULL)
        (folder / "token").write_text(TOKEN)
        for number, size in enumerate((WIDE, SMALL, NARROW)):
            (folder / "Shop.json").write_text(json.dumps(SHOP))
            for document, tasks in TASKS.items():
                source = [f"sqlite:{folder}/Chinook.sqlite"] if document == "Chinook" else [folder / "Shop.json", "--edit-token-file", str(folder / "token")]
                with Server(arguments.server, *source) as server, Browser(origin(server), size) as window:
                    for task, counts in tasks:
                        if counts[number] is None:
                            continue
                        hand = Hand(verdict, window, f"{task.__name__} at {size[0]}")
                        task(hand, server)
                        verdict.expect(hand.count == counts[number], f"{hand.name}: {hand.count} clicks and key presses")
                        if arguments.pictures:
                            window.screenshot(f"{arguments.pictures}/{task.__name__}-{size[0]}.png")


if __name__ == "__main__":
    main()
