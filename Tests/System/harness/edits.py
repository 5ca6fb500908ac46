"""A tree that is edited at random, one edit a save: rows come, go, move, change, and are divided into sections."""

import os
import plistlib
import random

TITLES = ("Alpha", "Beta", "Gamma", "Delta", "A/B", "50 %", "Zoë", "Pins & Needles", "Alpha~2", "..", "日本")


class Node:
    def __init__(self, title, number):
        self.fields = {"Title": title, "Subtitle": f"edition {number}", "Text": f"text {number}", "Price": number}
        # Pairs of a title and rows; one pair without a title is a plain level.
        self.sections = [(None, [])]

    @property
    def rows(self):
        return [row for _, rows in self.sections for row in rows]

    def dictionary(self, rows_key="Children"):
        if len(self.sections) == 1 and self.sections[0][0] is None:
            rows = [row.dictionary() for row in self.sections[0][1]]
            return self.fields | ({rows_key: rows} if rows else {})
        return self.fields | {"Sections": [
            {"Title": title or "", "Rows": [row.dictionary() for row in rows]} for title, rows in self.sections]}


class EditedTree:
    """A tree of some items; `edit` changes one thing, and `document` is all of it as a property list.

    The items that are `kept` stay where they are, under their titles, at the first level.
    """

    def __init__(self, seed, items=60, kept=()):
        self.dice = random.Random(seed)
        self.wanted = items
        self.number = 0
        self.root = self._node("Tree")
        self.kept = [self._node(title) for title in kept]
        self.root.sections[0][1].extend(self.kept)
        while len(self.nodes()) < items:
            self._insert()

    def _node(self, title=None):
        self.number += 1
        return Node(title or self.dice.choice(TITLES), self.number)

    def nodes(self):
        """All items but the root."""
        found, waiting = [], [self.root]
        while waiting:
            rows = waiting.pop().rows
            found += rows
            waiting += rows
        return found

    def _parents(self):
        return [self.root, *self.nodes()]

    def _rows_to_grow(self):
        # Few long levels rather than many short ones, and those that are looked at rather than others.
        parents = self._parents()
        [parent] = self.dice.choices(parents, [1 + len(node.rows) + 9 * (node in self.kept) for node in parents])
        return self.dice.choice(parent.sections)[1]

    def _insert(self, node=None):
        rows = self._rows_to_grow()
        rows.insert(self.dice.randint(0, len(rows)), node or self._node())

    def _take_out(self):
        node = self.dice.choice([node for node in self.nodes() if node not in self.kept])
        for parent in self._parents():
            for _, rows in parent.sections:
                if node in rows:
                    rows.remove(node)
                    return node
        raise LookupError("an item without a parent")

    def edit(self):
        """Changes one thing; says what."""
        self.number += 1
        count = len(self.nodes())
        if count > 1.3 * self.wanted:
            self._take_out()
            return "delete"
        if count < 0.7 * self.wanted:
            self._insert()
            return "insert"
        kind = self.dice.choice(["change"] * 4 + ["insert", "delete", "move", "rename", "divide"])
        match kind:
            case "change":
                field = self.dice.choice(["Subtitle", "Text", "Price"])
                value = self.number if field == "Price" else f"{field.lower()} {self.number}"
                self.dice.choice(self._parents()).fields[field] = value
            case "insert": self._insert()
            case "delete": self._take_out()
            case "move":
                node = self._take_out()
                node.fields["Text"] = f"moved {self.number}"
                self._insert(node)
            case "rename":
                node = self.dice.choice([node for node in self._parents() if node not in self.kept])
                node.fields["Title"] = f"{self.dice.choice(TITLES)}{self.dice.choice(['', '', f' {self.number}'])}"
                node.fields["Text"] = f"renamed {self.number}"
            case "divide": self._divide(self.dice.choice(self._parents()))
        return kind

    def _divide(self, node):
        rows = node.rows
        node.fields["Text"] = f"divided {self.number}"
        if len(node.sections) > 1 or len(rows) < 2:
            node.sections = [(None, rows)]
        else:
            at = self.dice.randint(1, len(rows) - 1)
            node.sections = [(f"First {self.number}", rows[:at]), ("Rest", rows[at:])]

    def document(self):
        return plistlib.dumps(self.root.dictionary("Rows"), sort_keys=False)

    def save(self, path):
        save(path, self.document())


def save(path, data):
    """Replaces a file as a whole."""
    with open(path + ".new", "wb") as file:
        file.write(data)
    os.replace(path + ".new", path)
