#!/usr/bin/env python3
"""The web client on paper: the path and the whole of the last column, black on white, in both sizes, light and dark."""

# Covers: WebClient

import base64
import json
import pathlib
import re
import tempfile

from harness.server import Server
from harness.verdict import Verdict, options
from harness.web_client import NARROW, TOKEN, WIDE, Window, origin, expect_no_complaints

LONG = "a footer of many words " * 40
DOCUMENT = {"Title": "Paper", "Rows": [
    {"Title": "Many", "Children": [f"Row {number:03d}" for number in range(90)]},
    {"Title": "Sections", "Sections": [
        {"Title": letter, "Index": letter, "Footer": LONG, "Rows": [f"{letter} {number}" for number in range(20)]} for letter in "AB"]},
    {"Title": "Endless", "Children": [f"Row {number:04d}" for number in range(5000)]},
    {"Title": "Item", "Note": "one line\n" * 80, "List": ["first", {"Deep": "inside"}], "End": "the last field"}]}

# Prints as the browser does: its events, and the layout between them.
PRINTED = """
const hidden = [...document.querySelectorAll('.item, .section-header, .section-footer, .field, .text, .crumbs li, h2')].filter(each => {
  const box = each.getBoundingClientRect()
  if (!box.height) return false
  for (let above = each.parentElement; above; above = above.parentElement) {
    const outer = above.getBoundingClientRect()
    if (getComputedStyle(above).overflow !== 'visible' && (box.bottom > outer.bottom + 1 || box.right > outer.right + 1)) return true
  }
  return each.scrollHeight > each.clientHeight + 1 && getComputedStyle(each).overflow !== 'visible'
}).length
const lines = [...document.querySelectorAll('.title, .section-header, .section-footer, .field, .waiting')].filter(each => each.checkVisibility())
  .map(each => [each.getBoundingClientRect().top, each.closest('.waiting') ? '…' : each.textContent])
const ordered = lines.every(([top], index) => index === 0 || top >= lines[index - 1][0])
const seen = [...document.querySelectorAll('button, .tool, .index, .notice')].filter(each => each.checkVisibility()).length
const colour = getComputedStyle(document.querySelector('.title, .text')).color
return [document.querySelector('.crumbs').textContent, lines.map(([, text]) => text), hidden, ordered, seen, colour]
"""


def printed(window):
    """What is on paper: the path, the lines, how many of them are cut off, whether they are in order, how many tools are left, the colour."""
    window.tell("Emulation.setEmulatedMedia", media="print")
    window.run("dispatchEvent(new Event('beforeprint'))")
    found = window.run(PRINTED)
    window.run("dispatchEvent(new Event('afterprint'))")
    window.tell("Emulation.setEmulatedMedia", media="")
    return found


def pages(window):
    document = base64.b64decode(window.tell("Page.printToPDF")["data"])
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", document))


def on_paper(verdict, window, path, ready, wanted, least_pages, name):
    window.open(path, token=TOKEN if "editing" in name else None)
    window.soon(lambda: window.find(ready))
    before = window.run("return document.querySelectorAll('.item, details[open]').length")
    found = printed(window)
    verdict.expect(found == [*wanted, 0, True, 0, "rgb(0, 0, 0)"], f"{name} on paper: {json.dumps(found)[:600]}")
    count = pages(window)
    verdict.expect(count >= least_pages, f"{name} has {least_pages} pages at least, not {count}")
    verdict.expect(window.soon(lambda: window.run("return document.querySelectorAll('.item, details[open]').length") == before),
                   f"{name}: after printing it is shown as before")


def main():
    arguments = options(__doc__)
    with Verdict("printing in the browser") as verdict, tempfile.TemporaryDirectory() as folder:
        file, token = pathlib.Path(folder, "Paper.json"), pathlib.Path(folder, "token")
        file.write_text(json.dumps(DOCUMENT))
        token.write_text(TOKEN)
        many, sections, endless, item = DOCUMENT["Rows"]
        parts = [line for section in sections["Sections"] for line in (section["Title"], *section["Rows"], LONG)]
        fields = ["Note" + item["Note"], "List2 elementsfirst1 fieldDeepinside", "Deepinside", "Endthe last field"]
        with Server(arguments.server, file, "--edit-token-file", str(token)) as server:
            for size in (WIDE, NARROW):
                for dark in (False, True):
                    with Window(origin(server), size, dark=dark) as window:
                        name = f"at {size[0]}, {'dark' if dark else 'light'}"
                        rows = "PaperMany", many["Children"]
                        on_paper(verdict, window, "/browse/Many", ".pane.last .row", rows, 2, f"a level {name}")
                        on_paper(verdict, window, "/browse/Sections", ".pane.last .row", ("PaperSections", parts), 2, f"sections {name}")
                        on_paper(verdict, window, "/browse/Endless", ".pane.last .row", ("PaperEndless", [*endless["Children"][:100], "…"]), 2,
                                 f"a level that was read in part {name}")
                        on_paper(verdict, window, "/browse/Item", ".fields", ("PaperItem", fields), 2, f"a detail {name}")
                        on_paper(verdict, window, "/browse/Many", ".edit-tools", rows, 2, f"a level, editing, {name}")
                        expect_no_complaints(verdict, window)


if __name__ == "__main__":
    main()
