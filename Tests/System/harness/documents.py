"""Documents to serve: a small one that carries its version in every row, and a large tree."""

import os
import shutil
import struct
from xml.sax.saxutils import escape

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
    '<plist version="1.0">\n')
TAIL = "</plist>\n"
KINDS = ("Song", "Film", "Book", "Pins & Needles")


def versioned(version, rows=12):
    """A document whose first level has `rows` rows, each of which names the version."""
    items = "".join(
        f"\t\t<dict>\n\t\t\t<key>Title</key>\n\t\t\t<string>Row {row}</string>\n"
        f"\t\t\t<key>Subtitle</key>\n\t\t\t<string>version {version}</string>\n\t\t</dict>\n"
        for row in range(rows))
    return (f"{HEAD}<dict>\n\t<key>Title</key>\n\t<string>Versions</string>\n\t<key>Rows</key>\n\t<array>\n"
            f"{items}\t</array>\n</dict>\n{TAIL}").encode()


def version_of(answer, rows=12):
    """The one version that every row of an answer names; None if they differ or one is missing."""
    level = answer.json()
    versions = {row["fields"]["Subtitle"] for row in level["rows"]}
    if len(level["rows"]) != rows or level["count"] != rows or len(versions) != 1:
        return None
    return versions.pop().removeprefix("version ")


class Shape:
    """The large tree: groups of shelves of leaves. Titles and values follow from the numbers alone."""

    def __init__(self, items):
        self.leaves = max(1, min(100, round(items ** (1 / 3))))
        self.shelves = max(1, min(100, round((items / self.leaves) ** 0.5)))
        self.groups = max(1, round(items / (self.leaves * self.shelves + self.shelves + 1)))

    @property
    def items(self):
        return self.groups * (1 + self.shelves * (1 + self.leaves))

    def group(self, g):
        return f"Group {g:05d}"

    def shelf(self, s):
        return f"Shelf {s:03d}"

    def leaf(self, g, s, n):
        return f"Leaf {g:05d}-{s:03d}-{n:03d}"

    def path(self, g, s):
        return f"/Group%20{g:05d}/Shelf%20{s:03d}"

    def leaf_fields(self, g, s, n):
        number = (g * self.shelves + s) * self.leaves + n
        return [
            ("Title", self.leaf(g, s, n)),
            ("Subtitle", f"edition {0:08d}"),
            ("Kind", KINDS[number % 4]),
            ("Year", 1900 + number % 125),
            ("Price", number % 9973 / 100 + 0.5),
        ]


def write_xml(path, shape):
    """Writes the tree as XML; gives, for each (group, shelf), the offsets of its rows' edition numbers."""
    offsets = {}
    with open(path, "wb", buffering=1 << 20) as file:
        position = file.write(
            f"{HEAD}<dict>\n\t<key>Title</key>\n\t<string>Large</string>\n\t<key>Rows</key>\n\t<array>\n".encode())
        for g in range(shape.groups):
            position += file.write(_open_item(shape.group(g), 2))
            for s in range(shape.shelves):
                position += file.write(_open_item(shape.shelf(s), 4))
                marks = offsets[g, s] = []
                for n in range(shape.leaves):
                    entry = _leaf(shape.leaf_fields(g, s, n))
                    marks.append(position + entry.index(b"edition ") + len("edition "))
                    position += file.write(entry)
                position += file.write(b"\t\t\t\t\t</array>\n\t\t\t\t</dict>\n")
            position += file.write(b"\t\t\t</array>\n\t\t</dict>\n")
        file.write(f"\t</array>\n</dict>\n{TAIL}".encode())
    return offsets


def _open_item(title, depth):
    tabs = "\t" * depth
    return (f"{tabs}<dict>\n{tabs}\t<key>Title</key>\n{tabs}\t<string>{title}</string>\n"
            f"{tabs}\t<key>Children</key>\n{tabs}\t<array>\n").encode()


def _leaf(fields):
    tabs = "\t" * 6
    lines = [f"{tabs}<dict>"]
    for name, value in fields:
        lines.append(f"{tabs}\t<key>{name}</key>")
        match value:
            case str():
                lines.append(f"{tabs}\t<string>{escape(value)}</string>")
            case int():
                lines.append(f"{tabs}\t<integer>{value}</integer>")
            case float():
                lines.append(f"{tabs}\t<real>{value!r}</real>")
    lines.append(f"{tabs}</dict>\n")
    return "\n".join(lines).encode()


class BinaryWriter:
    """A binary property list whose references are all four bytes and whose offsets are all eight."""

    def __init__(self, path):
        self.file = open(path, "wb", buffering=1 << 20)
        self.position = self.file.write(b"bplist00")
        self.offsets = []

    def _object(self, data):
        self.offsets.append(self.position)
        self.position += self.file.write(data)
        return len(self.offsets) - 1

    @staticmethod
    def _marker(kind, count):
        if count < 15:
            return bytes([kind << 4 | count])
        return bytes([kind << 4 | 15, 0x12]) + struct.pack(">I", count)

    def string(self, text):
        if text.isascii():
            return self._object(self._marker(5, len(text)) + text.encode())
        units = text.encode("utf-16-be")
        return self._object(self._marker(6, len(units) // 2) + units)

    def array(self, objects):
        return self._object(self._marker(10, len(objects)) + struct.pack(f">{len(objects)}I", *objects))

    def dictionary(self, entries):
        count = len(entries)
        keys = struct.pack(f">{count}I", *(key for key, _ in entries))
        values = struct.pack(f">{count}I", *(value for _, value in entries))
        return self._object(self._marker(13, count) + keys + values)

    def finish(self, top):
        table = self.position
        self.file.write(struct.pack(f">{len(self.offsets)}Q", *self.offsets))
        self.file.write(struct.pack(">6xBBQQQ", 8, 4, len(self.offsets), top, table))
        self.file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()


class EditionedFile:
    """The large tree as XML, saved again and again with one shelf's rows renumbered."""

    def __init__(self, path, shape):
        self.path = path
        self.shape = shape
        self.offsets = write_xml(path, shape)

    def save(self, g, s, edition):
        """Replaces the file by one in which every row of the shelf names the edition."""
        aside = f"{self.path}.aside"
        shutil.copyfile(self.path, aside)
        with open(aside, "r+b") as file:
            for offset in self.offsets[g, s]:
                file.seek(offset)
                file.write(f"{edition:08d}".encode())
        os.replace(aside, self.path)
