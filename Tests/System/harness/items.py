"""Immutable trees of items, as the manual defines documents: what edits are held against.

A state of a document is its root item. An edit makes new items on the way to the root and shares all others, so that
thousands of states fit in memory, and two states are compared by their digests.
"""

import hashlib
import json
import plistlib
import unicodedata
import urllib.parse

STRUCTURE = ("Rows", "Children", "Sections")


class Item:
    """An item: its own fields, and its rows, divided into sections; an item without rows has none."""

    __slots__ = ("fields", "sections", "_digest", "_keys")

    def __init__(self, fields, sections=()):
        self.fields = fields
        # Pairs of a title and rows. A level that the document does not divide is one section without a title.
        self.sections = () if len(sections) == 1 and sections[0][0] is None and not sections[0][1] else tuple(sections)
        self._digest = None
        self._keys = None

    @property
    def title(self):
        return self.fields["Title"]

    @property
    def rows(self):
        return [row for _, rows in self.sections for row in rows]

    @property
    def digest(self):
        """Equal for equal items with equal items below them; the order of fields does not count."""
        if self._digest is None:
            own = hashlib.blake2b(json.dumps(self.fields, sort_keys=True).encode(), digest_size=16)
            for title, rows in self.sections:
                own.update(f"[{title!r}".encode())
                for row in rows:
                    own.update(row.digest)
            self._digest = own.digest()
        return self._digest

    @property
    def keys(self):
        """The keys of the rows, in their order."""
        if self._keys is None:
            self._keys = keys_of([natural_key(row.fields) for row in self.rows])
        return self._keys

    def row(self, key):
        """The row with a key; None if there is none."""
        return self.rows[self.keys.index(key)] if key in self.keys else None

    def at(self, path):
        """The item at a path of keys; None if it leads nowhere."""
        item = self
        for key in path:
            item = item and item.row(key)
        return item

    def place(self, key):
        """The section of the row with a key, and its number there."""
        return self._place(self.keys.index(key))

    def _place(self, number):
        for section, (_, rows) in enumerate(self.sections):
            if number < len(rows):
                return section, number
            number -= len(rows)
        raise LookupError(number)

    def with_rows(self, section, rows):
        """The item with other rows in one section."""
        sections = list(self.sections) or [(None, ())]
        sections[section] = (sections[section][0], tuple(rows))
        return Item(self.fields, sections)

    def numbers(self, path):
        """The numbers of the rows on a path of keys, each on its level."""
        above = [self.at(path[:depth]) for depth in range(len(path))]
        return [item.keys.index(key) for item, key in zip(above, path)]

    def numbered(self, numbers):
        """The item to which numbers lead."""
        item = self
        for number in numbers:
            item = item.rows[number]
        return item

    def replacing(self, numbers, new):
        """The tree with other items (none or one) in place of the one to which numbers lead."""
        if not numbers:
            return new[0]
        section, number = self._place(numbers[0])
        rows = self.sections[section][1]
        below = new if len(numbers) == 1 else (rows[number].replacing(numbers[1:], new),)
        return self.with_rows(section, (*rows[:number], *below, *rows[number + 1:]))

    def walk(self):
        """All items with their paths, each before those below it."""
        waiting = [((), self)]
        while waiting:
            path, item = waiting.pop()
            yield path, item
            waiting += [((*path, key), row) for key, row in zip(item.keys, item.rows)]


def natural_key(fields):
    key = unicodedata.normalize("NFC", fields.get("Key", fields["Title"]))
    return key + "~1" if key in ("", ".", "..") else key


def keys_of(naturals):
    """The keys of siblings: one that came before gets the smallest number that none of them has."""
    taken, keys = set(naturals), []
    seen = set()
    for key in naturals:
        if key in seen:
            number = 2
            while f"{key}~{number}" in taken:
                number += 1
            key = f"{key}~{number}"
            taken.add(key)
        seen.add(key)
        keys.append(key)
    return keys


def parsed(data):
    """The root item of a document in any syntax."""
    if data.startswith(b"{"):
        return item(json.loads(data))
    return item(plistlib.loads(data))


def item(value):
    """The item of a document's value: a text is an item that has a title alone."""
    if isinstance(value, str):
        return Item({"Title": value})
    fields = {name: field for name, field in value.items() if name not in STRUCTURE}
    if "Sections" in value:
        sections = [(section.get("Title"), tuple(map(item, section["Rows"]))) for section in value["Sections"]]
    else:
        sections = [(None, tuple(map(item, value.get("Rows", value.get("Children", [])))))]
    return Item(fields, sections)


def value(item, rows_key="Children"):
    """The document's value of an item."""
    if not item.sections:
        return dict(item.fields)
    if len(item.sections) == 1 and item.sections[0][0] is None:
        return item.fields | {rows_key: [value(row) for row in item.sections[0][1]]}
    return item.fields | {"Sections": [
        ({} if title is None else {"Title": title}) | {"Rows": [value(row) for row in rows]}
        for title, rows in item.sections]}


def document(root, syntax):
    """A file's bytes of a tree; an author's XML and JSON have a line for each value."""
    content = value(root, "Rows")
    match syntax:
        case "json":
            return json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n"
        case "binary":
            return plistlib.dumps(content, fmt=plistlib.FMT_BINARY, sort_keys=False)
        case _:
            return plistlib.dumps(content, sort_keys=False)


def path_of(link):
    """The keys of a link to a level or a detail."""
    return tuple(urllib.parse.unquote(part) for part in link.split("/")[2:] if part)


def link_of(kind, path):
    return f"/{kind}/" + "/".join(urllib.parse.quote(key, safe="") for key in path)


def short_values(fields):
    """The fields of an item that its row shows unasked: numbers, booleans and short texts, but neither title nor key."""
    return {name: field for name, field in fields.items() if name not in ("Title", "Key") and (
        isinstance(field, (bool, int, float)) or isinstance(field, str) and len(field.encode()) <= 256)}


def level(root, path):
    """What a level's answer with all fields tells of the document's content; None if there is no such item."""
    owner = root.at(path)
    if owner is None:
        return None
    sections, start = [], 0
    for title, rows in owner.sections:
        sections.append([title, start, len(rows)])
        start += len(rows)
    return {
        "title": owner.title, "ancestors": titles_above(root, path), "count": start,
        # A level of empty sections alone is a leaf's.
        "sections": sections if start else [[None, 0, 0]],
        "rows": [[key, row.title, len(row.rows), row.fields] for key, row in zip(owner.keys, owner.rows)]}


def answered_level(answer):
    """The same of an answer's body."""
    return {
        "title": answer["title"], "ancestors": [above["title"] for above in answer["ancestors"]],
        "count": answer["count"],
        "sections": [[section["title"], section["start"], section["count"]] for section in answer["sections"]],
        "rows": [[row["key"], row["title"], row["count"], row["fields"]] for row in answer["rows"]]}


def detail(root, path):
    """What a detail's answer tells of the document's content; None if there is no such item."""
    shown = root.at(path)
    if shown is None:
        return None
    siblings, number, section = [shown.title], 0, 0
    if path:
        above = root.at(path[:-1])
        siblings, number = [row.title for row in above.rows], above.keys.index(path[-1])
        section, _ = above.place(path[-1])
    rows = [row.title for row in shown.rows]
    return {
        "title": shown.title, "ancestors": titles_above(root, path), "count": len(rows),
        "position": [number, len(siblings), section],
        "previous": siblings[number - 1] if number else None,
        "next": siblings[number + 1] if number + 1 < len(siblings) else None,
        "firstChild": rows[0] if rows else None, "lastChild": rows[-1] if rows else None, "fields": shown.fields}


def content(root, path):
    """The same without what follows from the level above."""
    shown = detail(root, path)
    return shown and {name: shown[name] for name in shown if name not in ("position", "previous", "next")}


def answered_detail(answer):
    """The same of an answer's body."""
    position = answer["position"]
    neighbours = {name: answer[name] and answer[name]["title"]
                  for name in ("previous", "next", "firstChild", "lastChild")}
    return {
        "title": answer["title"], "ancestors": [above["title"] for above in answer["ancestors"]],
        "count": answer["count"], "position": [position["index"], position["of"], position["section"]],
        **neighbours, "fields": answer["fields"]}


def titles_above(root, path):
    return [root.at(path[:depth]).title for depth in range(len(path))]
