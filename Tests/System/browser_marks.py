#!/usr/bin/env python3
"""An edit in the browser is made of exactly the rows that are marked, however far apart they are, and in the level that is
open; while a level is being read, nothing of the level before can be edited."""

import json
import pathlib
import tempfile
import urllib.request

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import NARROW, TOKEN, WIDE, Window, origin, expect_no_complaints
from selenium.webdriver.common.keys import Keys

LONG = 2_203
ROWS = [f"Row {number:04}" for number in range(LONG)]
DOCUMENT = {"Title": "Marks", "Rows": [
    {"Title": "Long", "Children": ROWS},
    {"Title": "Branch", "Children": ["Twig"]},
    {"Title": "Other", "Children": ["Bud"]},
    {"Title": "Dup", "n": 1}, {"Title": "Dup", "n": 2}, {"Title": "Dup", "n": 3},
    "Leaf", {"Title": "Bough", "Sections": [{"Title": "A", "Rows": ["a"]}, {"Title": "B", "Rows": ["b1", "b2", "b3"]}]}]}
TITLES = [row if isinstance(row, str) else row["Title"] for row in DOCUMENT["Rows"]]

# Keeps what is sent, and lets a test hold requests back or answer them.
SENT = """
window.sent = []
window.held = []
window.holds = null
window.answers = []
const fetched = window.fetch
window.fetch = async (target, how = {}) => {
  if (how.method && how.method !== 'GET') sent.push([how.method, target, how.headers['If-Match'] ?? null, how.body])
  if (holds && target.startsWith(holds)) await new Promise(resolve => held.push(resolve))
  if (target === '/edits' && answers.length && !(answers[0]--)) {
    return new Response(JSON.stringify({detail: 'There is no space left.'}), {status: 507})
  }
  return fetched(target, how)
}
"""


class Case:
    """One document, one server, one window."""

    def __init__(self, verdict, server, window, file):
        self.verdict, self.server, self.window, self.file = verdict, server, window, file

    def begin(self, path="/", document=DOCUMENT):
        self.file.write_text(json.dumps(document))
        self.send("POST", "/reload")
        self.window.open(path, token=TOKEN)
        self.window.soon(lambda: self.window.find(".edit-tools, .edit-form"))
        self.window.run(SENT)

    def send(self, method, target, content=None):
        data = json.dumps(content).encode() if content is not None else None
        return urllib.request.urlopen(urllib.request.Request(origin(self.server) + target, data, method=method, headers={
            "Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"})).read()

    @property
    def rows(self):
        return json.loads(self.file.read_text())["Rows"]

    @property
    def titles(self):
        return [title(row) for row in self.rows]

    def below(self, name):
        """The titles of the rows of an item; of several sections a list for each."""
        item = next(row for row in self.rows if title(row) == name)
        return [[title(row) for row in section["Rows"]] for section in item["Sections"]] if "Sections" in item \
            else [title(row) for row in item.get("Children", [])]

    def expect(self, holds, what):
        self.verdict.expect(holds, what)

    def soon(self, question, what):
        self.verdict.expect(self.window.soon(question), what)

    def scroll_to(self, index, name=None):
        """Scrolls a level to a row, and waits until the row was read. Without a name, the rows are in their own order."""
        self.window.run("document.querySelector('.end .scroller').scrollTop = arguments[0] * 44", index)
        label = f"Mark {name or ROWS[index]}"
        self.soon(lambda: self.window.find(f'.end .mark[aria-label="{label}"]'), f"the row at {index} is there: {label}")

    def mark(self, name, index=0, shift=False):
        mark = lambda: self.window.all(f'.end .mark[aria-label="Mark {name}"]')[index]
        click = lambda: self.window.run("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, shiftKey: true}))", mark()) \
            if shift else mark().click()
        self.soon(lambda: click() is None, f"{name} can be marked")

    @property
    def scrolled(self):
        return self.window.run("return document.querySelector('.end .scroller').scrollTop")

    def marked(self):
        return self.window.text(".end .edit-tools .note")

    def tool(self, label):
        return self.window.click(f'.end .edit-tools [aria-label="{label}"]')

    def says(self, text):
        self.soon(lambda: text in self.window.notices(), f"it is said: {text}, not {self.window.notices()}")

    def undo(self):
        return self.window.click(".notice.offer button:not(.tool)")

    def hold(self, target):
        """Holds back the requests for this target; with None, lets them go."""
        self.window.run("window.holds = arguments[0]; if (!holds) for (const go of held.splice(0)) go()", target)

    def sent(self):
        return self.window.run("return sent")

    def expect_conditions(self):
        steps = [step for method, target, _, body in self.sent() if target == "/edits" and body[0] == "{" for step in json.loads(body)["edits"]]
        bare = [step for step in steps if ("delete" in step or "move" in step) and not step.get("ifMatch")]
        bare += [[method, target] for method, target, condition, _ in self.sent() if method in ("PATCH", "DELETE", "PUT") and target != "/detail/" and not condition]
        self.expect(bare == [], f"each deletion, move and change has a condition: {bare[:3]}")


def title(row):
    return row if isinstance(row, str) else row["Title"]


def far_apart(case):
    """Marks stay, although their rows have left the memory of the page."""
    case.begin("/browse/Long")
    case.mark(ROWS[0])
    case.scroll_to(600)
    case.mark(ROWS[603])
    case.scroll_to(1800)
    case.soon(lambda: case.marked() == "2 of 2,203", f"both are counted: {case.marked()}")
    # The page reads the level again, and forgets the rows at both marks.
    case.send("POST", "/levels/Long", {"Title": "Last"})
    case.soon(lambda: case.window.text(".end .head-line small") == "2,204", "a row is added elsewhere")
    case.soon(lambda: case.marked() == "2 of 2,204", f"the marks stay: {case.marked()}")
    case.expect(case.scrolled == 1800 * 44, f"the list stays where it is: {case.scrolled}")
    case.tool("Delete")
    wanted = [*(row for row in ROWS if row not in (ROWS[0], ROWS[603])), "Last"]
    case.says("2 items deleted.")
    case.soon(lambda: case.below("Long") == wanted, f"both are deleted, and nothing else: {len(case.below('Long'))}")
    case.undo()
    case.soon(lambda: case.below("Long") == [*ROWS, "Last"], "and they come back where they were")
    case.expect_conditions()


def far_moves(case):
    """Marks are moved, duplicated and cut in their order, wherever the list is scrolled to."""
    case.begin("/browse/Long")
    case.mark(ROWS[2])
    case.scroll_to(1500)
    case.mark(ROWS[1501])
    case.tool("Move up")
    wanted = [ROWS[0], ROWS[2], ROWS[1501], ROWS[1], *ROWS[3:1501], *ROWS[1502:]]
    case.soon(lambda: case.below("Long") == wanted, f"both are moved up: {case.below('Long')[:6]}")
    case.soon(lambda: case.marked() == "2 of 2,203", f"and stay marked: {case.marked()}")
    case.tool("Duplicate")
    copies = [f"{ROWS[2]} copy", f"{ROWS[1501]} copy"]
    case.soon(lambda: case.below("Long") == [*wanted[:3], *copies, *wanted[3:]], f"both are duplicated: {case.below('Long')[:6]}")
    case.tool("Cut")
    case.window.run("history.pushState({}, '', '/browse/Branch'); dispatchEvent(new PopStateEvent('popstate'))")
    case.window.shows(["Twig"])
    case.window.soon(lambda: next(each for each in case.window.all(".end .edit-tools button") if each.text == "Move 2 items here").click() is None)
    case.soon(lambda: case.below("Branch") == ["Twig", ROWS[2], ROWS[1501]], f"both are pasted: {case.below('Branch')}")
    case.expect_conditions()


def ranges(case):
    """Shift marks all rows between two marks, and more rows than one batch takes are edited in several."""
    case.begin("/browse/Long")
    case.mark(ROWS[0])
    case.scroll_to(LONG - 1)
    case.mark(ROWS[-1], shift=True)
    case.soon(lambda: case.marked() == "2,203 of 2,203", f"all rows are marked: {case.marked()}")
    case.scroll_to(1100)
    case.mark(ROWS[1100])
    case.soon(lambda: case.marked() == "2,202 of 2,203", f"one is not marked any more: {case.marked()}")
    case.tool("Delete")
    case.says("2,202 items deleted.")
    case.expect(case.below("Long") == [ROWS[1100]], f"all others are deleted: {len(case.below('Long'))}")
    case.expect([len(json.loads(body)["edits"]) for _, target, _, body in case.sent() if target == "/edits"] == [1000, 1000, 202], "in batches")
    case.expect_conditions()
    case.undo()
    case.says("Undone: 2,202 items deleted.")
    case.soon(lambda: case.below("Long") == ROWS, f"all are undone, in their order: {len(case.below('Long'))}")


def range_of_changed_rows(case):
    """A range is only what is between its two ends; the list stays where it is while rows are added elsewhere."""
    case.begin("/browse/Long?sort=-Title")
    case.mark(ROWS[-1])
    case.scroll_to(LONG - 1 - 1200, ROWS[1200])
    case.send("POST", "/levels/Long", {"Title": "Row 9999"})
    case.mark(ROWS[1200 - 5], shift=True)
    said = "Not marked: the rows have changed meanwhile. Mark the first row again."
    case.soon(lambda: said in case.window.notices() or case.marked().startswith("1,008 of "), f"the range is exact, or refused: {case.marked()}, {case.window.notices()}")
    case.soon(lambda: case.window.text(".end .head-line small") == "2,204", "the row is added elsewhere")
    case.expect(abs(case.scrolled - (LONG - 1 - 1200) * 44) <= 44, f"the list has not moved away: {case.scrolled}")
    focused = case.window.run("return document.activeElement.closest('.item')?.querySelector('.title').textContent ?? null")
    case.expect(focused in (None, ROWS[-1]), f"and no other row has the focus: {focused}")


def range_of_another_query(case):
    """A range that is still being read when other rows are asked for marks nothing."""
    case.begin("/browse/Long")
    case.mark(ROWS[0])
    case.hold("/levels/Long?fields")
    case.mark(ROWS[3], shift=True)
    case.soon(lambda: case.window.run("return held.length") == 1, "the range is being read")
    case.window.run("history.pushState({}, '', '/browse/Long?where=Title:Row 0001'); dispatchEvent(new PopStateEvent('popstate'))")
    case.soon(lambda: case.window.seen() == [ROWS[1]], "the other rows are there")
    case.hold(None)
    case.mark(ROWS[1])
    case.expect(case.marked().startswith("1 of "), f"only the row that is shown is marked: {case.marked()}")


def midway(case):
    """If a batch fails, what was done before is told, and the rest stays marked."""
    case.begin("/browse/Long")
    case.mark(ROWS[0])
    case.scroll_to(1499)
    case.mark(ROWS[1499], shift=True)
    case.soon(lambda: case.marked() == "1,500 of 2,203", f"marked: {case.marked()}")
    case.window.run("answers.push(1)")
    case.tool("Delete")
    case.says("Not saved: There is no space left. 1,000 of 1,500 items are deleted.")
    case.soon(lambda: case.marked() == "500 of 1,203", f"the others are still marked: {case.marked()}")
    case.expect(case.below("Long") == ROWS[:500] + ROWS[1500:], f"and are there: {len(case.below('Long'))}")
    case.window.click('.bar [aria-label="Undo"]')
    case.soon(lambda: case.below("Long") == ROWS, "what was done can be undone")


def same_names(case):
    """Of several rows with one name exactly the marked rows are edited."""
    numbers = lambda: [row["n"] for row in case.rows if title(row) == "Dup"]
    case.begin()
    case.mark("Dup", 0)
    case.mark("Dup", 1)
    case.tool("Delete")
    case.soon(lambda: numbers() == [3], f"the first two are deleted: {numbers()}")
    case.undo()
    case.soon(lambda: case.rows == DOCUMENT["Rows"], f"and come back: {case.titles}")
    inside = lambda: [row["n"] for row in next(row for row in case.rows if title(row) == "Branch")["Children"] if title(row) == "Dup"]
    case.begin()
    case.mark("Dup", 1)
    case.mark("Dup", 0)
    case.tool("Cut")
    case.window.click_row("Branch")
    case.window.soon(lambda: next(each for each in case.window.all(".end .edit-tools button") if each.text == "Move 2 items here").click() is None)
    case.soon(lambda: numbers() == [3] and inside() == [1, 2], f"the first two are moved, in their order: {numbers()}, {inside()}")
    case.window.click('.bar [aria-label="Undo"]')
    case.soon(lambda: case.rows == DOCUMENT["Rows"], f"and are moved back: {case.titles}")
    case.expect_conditions()


def moves_of_same_names(case):
    """Rows of one name are moved up and down in their order, also past other rows of their name, and back again."""
    titles = ["X", "A", "A", "B", "A", "A"]
    numbers = lambda: [row["n"] for row in case.rows]
    case.begin("/", {"Title": "Marks", "Rows": [{"Title": name, "n": index} for index, name in enumerate(titles)]})
    for index in (0, 1, 2):
        case.mark("A", index)
    wanted = [[0, 1, 2, 3, 4, 5]]
    for tool, order in [("Move up", [1, 2, 4, 0, 3, 5]), ("Move down", [0, 1, 2, 4, 3, 5]), ("Move down", [0, 3, 1, 2, 4, 5]),
                        ("Move down", [0, 3, 5, 1, 2, 4]), ("Move up", [0, 3, 1, 2, 4, 5])]:
        case.tool(tool)
        case.soon(lambda: numbers() == order, f"{tool}: {numbers()}, not {order}")
        case.soon(lambda: case.marked() == "3 of 6", f"they stay marked: {case.marked()}")
        wanted.append(order)
    for order in wanted[-2::-1]:
        case.window.click('.bar [aria-label="Undo"]:not([aria-disabled])')
        case.soon(lambda: numbers() == order, f"undone: {numbers()}, not {order}")
    case.expect_conditions()


def positions(case):
    """Rows are moved before and after others, to an end, and into other sections."""
    case.begin("/browse/Bough")
    for name in ("b2", "b3"):
        case.mark(name)
    for wanted in ([["a"], ["b2", "b3", "b1"]], [["a", "b2", "b3"], ["b1"]], [["b2", "b3", "a"], ["b1"]]):
        case.tool("Move up")
        case.soon(lambda: case.below("Bough") == wanted, f"moved up: {case.below('Bough')}, not {wanted}")
    for wanted in ([["a", "b2", "b3"], ["b1"]], [["a"], ["b2", "b3", "b1"]], [["a"], ["b1", "b2", "b3"]]):
        case.tool("Move down")
        case.soon(lambda: case.below("Bough") == wanted, f"moved down: {case.below('Bough')}, not {wanted}")
    for _ in range(6):
        case.window.click('.bar [aria-label="Undo"]:not([aria-disabled])')
        case.window.soon(lambda: case.window.find('.bar [aria-label="Redo"]:not([aria-disabled])'))
    case.soon(lambda: case.rows == DOCUMENT["Rows"], f"all is undone: {case.below('Bough')}")


def paste_into_open_level(case):
    """Ctrl+V moves rows into the level that is open, also if the focus is in another column."""
    case.begin()
    case.mark("Leaf")
    case.tool("Cut")
    case.window.click_row("Branch")
    case.window.shows(["Twig"])
    case.window.run("[...document.querySelectorAll('.pane:first-child .row')].find(row => row.textContent.startsWith('Other')).focus()")
    case.window.hold(Keys.CONTROL, "v")
    case.soon(lambda: case.below("Branch") == ["Twig", "Leaf"], f"pasted into the open level: {case.below('Branch')}, {case.titles}")


def drops(case):
    """A row is dropped into branches only; each drop shows its target first."""
    window = case.window
    case.begin()
    handles = {row: handle for row, handle in zip(window.seen(), window.all(".end .handle"))}
    window.drag(handles["Other"], handles["Leaf"], below=-4)
    case.soon(lambda: case.titles == ["Long", "Branch", "Dup", "Dup", "Dup", "Other", "Leaf", "Bough"], f"beside a leaf, never into it: {case.titles}")
    case.expect(case.rows[6] == "Leaf", f"which stays a leaf: {case.rows[6]}")
    window.shows(case.titles)
    handles = {row: handle for row, handle in zip(window.seen(), window.all(".end .handle"))}
    window.drag(handles["Leaf"], handles["Branch"])
    case.soon(lambda: case.below("Branch") == ["Twig", "Leaf"], f"into a branch: {case.below('Branch')}")
    window.soon(lambda: "Leaf" not in window.seen())
    handles = {row: handle for row, handle in zip(window.seen(), window.all(".end .handle"))}
    window.drag(handles["Branch"], window.find(".end .scroller"), below=300)
    case.soon(lambda: case.titles[-1] == "Branch", f"below the last row, to the end: {case.titles}")


def while_reading(case):
    """While a level is being read, what is still shown of another place cannot be edited."""
    window = case.window
    is_offered = "const e = document.querySelector(arguments[0]); return Boolean(e) && !e.closest('[inert]')"
    case.begin("/browse/Leaf")
    window.soon(lambda: window.find(".edit-form"))
    case.expect(window.run(is_offered, ".edit-form") and window.run(is_offered, '.detail [aria-label="Delete"]'), "a form and its tools are offered")
    # On a wide screen the form of the next item comes with its detail, beside its level.
    case.hold("/detail/Branch" if window.size == WIDE else "/levels/Branch")
    if window.size == WIDE:
        window.click_row("Branch")
    else:
        window.run("history.pushState({}, '', '/browse/Branch'); dispatchEvent(new PopStateEvent('popstate'))")
    case.soon(lambda: window.path == "/browse/Branch" and not window.run(is_offered, ".edit-form"), "not the form of the item before")
    case.expect(not window.run(is_offered, '.detail [aria-label="Delete"]'), "nor its Delete")
    case.hold(None)
    case.soon(lambda: window.seen() == ["Twig"] and window.run(is_offered, ".end .edit-tools"), "the tools of the new level are")
    case.begin()
    case.mark("Leaf")
    case.tool("Cut")
    case.hold("/levels/Branch")
    window.click_row("Branch")
    case.soon(lambda: window.path == "/browse/Branch" and not window.run(is_offered, ".end .edit-tools"), "no tools of the level above")
    window.run("[...document.querySelectorAll('.pane:first-child .row')].find(row => row.textContent.startsWith('Other'))?.focus()")
    window.hold(Keys.CONTROL, "v")
    case.hold(None)
    case.soon(lambda: window.seen() == ["Twig"] and window.run(is_offered, ".end .edit-tools"), "until the level is there")
    case.expect(case.titles == TITLES and case.below("Branch") == ["Twig"], f"nothing is pasted meanwhile: {case.titles}")


def while_asking(case):
    """While the rows of another order or search are read, and if the service refuses them, the rows cannot be edited."""
    window = case.window
    case.begin()
    case.mark("Leaf")
    case.hold("/levels/?where")
    window.run("history.pushState({}, '', '/browse/?where=Title~Dup'); dispatchEvent(new PopStateEvent('popstate'))")
    inert = "return Boolean(document.querySelector('.end .edit-tools').closest('[inert]'))"
    case.soon(lambda: window.run(inert), "no tools while the rows are those of before")
    window.focus_row("Leaf")
    window.keys(Keys.DELETE)
    case.hold(None)
    case.soon(lambda: window.seen() == ["Dup", "Dup", "Dup"] and not window.run(inert), "until the wanted rows are there")
    case.expect(case.titles == TITLES, f"nothing is deleted: {case.titles}")
    case.expect(case.marked() == "Mark rows to change them.", f"and a row that is not shown is not marked: {case.marked()}")


def same_controls(case):
    """The value of a control is stored in exactly its row, also if the service asks for the item's tag."""
    case.begin("/", {"Title": "Marks", "Rows": [{"Title": "Switch", "Type": "ToggleSwitch", "Value": False} for _ in range(2)]})
    case.window.run("""
        const fetched = window.fetch
        window.fetch = async (target, how = {}) => how.method === 'PATCH' && !how.headers['If-Match']
          ? new Response(JSON.stringify({detail: 'Name the item by its tag.'}), {status: 428}) : fetched(target, how)""")
    case.window.soon(lambda: case.window.all(".end .switch")[1].click() is None)
    case.soon(lambda: [row["Value"] for row in case.rows] == [False, True], f"the second of two equal controls is changed: {case.rows}")
    case.expect_conditions()


def one_name(case):
    """What concerns one row is not offered for several."""
    case.begin()
    case.mark("Leaf")
    case.mark("Branch")
    case.window.keys(Keys.F2)
    case.expect(not case.window.all("dialog"), "two rows cannot be renamed at once")
    case.mark("Leaf")
    case.window.keys(Keys.F2)
    case.soon(lambda: case.window.run("return document.querySelector('dialog input').value") == "Branch", "the marked row is renamed")
    case.window.keys(Keys.ESCAPE)


CASES = [far_apart, far_moves, ranges, range_of_changed_rows, range_of_another_query, midway, same_names, moves_of_same_names, positions, paste_into_open_level, drops, while_reading, while_asking, same_controls, one_name]
# What the size of the window does not matter for, or what needs a wide one.
WIDE_ALONE = [far_moves, ranges, range_of_changed_rows, range_of_another_query, midway, moves_of_same_names, paste_into_open_level, drops]


def main():
    arguments = options(__doc__)
    with Verdict("marks in the browser") as verdict, tempfile.TemporaryDirectory() as folder:
        file, token = pathlib.Path(folder, "Marks.json"), pathlib.Path(folder, "token")
        file.write_text(json.dumps(DOCUMENT))
        token.write_text(TOKEN)
        with Server(arguments.server, file, "--edit-token-file", str(token)) as server:
            for size in (WIDE, NARROW):
                with Window(origin(server), size) as window:
                    for each in CASES:
                        if size == NARROW and each in WIDE_ALONE:
                            continue
                        window.begin_anew()
                        each(Case(verdict, server, window, file))
                        expect_no_complaints(verdict, window, f"{each.__name__}: ")


if __name__ == "__main__":
    main()
