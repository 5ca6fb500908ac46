"""A document that one client edits, in one file or in two, and all that can be seen of it: files, tree, revision."""

import json
import os

from harness.client import Connection
from harness.editors import TOKEN, token_file
from harness.items import Item, document, parsed
from harness.server import Server

AUTHOR = "author"


def rows(title, count=4):
    return Item({"Title": title}, [(None, tuple(Item({"Title": f"Row {n}", "Text": "as first"}) for n in range(count)))])


class EditedDocument:
    """One file, and an edit of one field of it; each edit names a number."""

    syntax = "xml"

    def __init__(self, folder):
        self.folder = os.path.join(folder, "document")
        os.mkdir(self.folder)
        self.tokens = token_file(os.path.join(folder, "tokens"), [AUTHOR])
        self.number = 0
        self.write_files()
        self.names = sorted(os.listdir(self.folder))

    @property
    def path(self):
        return os.path.join(self.folder, f"Tree.{self.syntax}")

    def write_files(self):
        self.write(self.path, Item({"Title": "Edited"}, [(None, (rows("One"), rows("Two")))]))

    def write(self, path, root):
        with open(path, "wb") as file:
            file.write(document(root, self.syntax))

    def serve(self, program, **options):
        return Server(program, self.path, "--edit-token-file", self.tokens, **options)

    def request(self):
        """The next edit: method, target, body."""
        self.number += 1
        return "PATCH", "/detail/One/Row%202", {"Text": f"edit {self.number}"}

    def is_done(self, content, number):
        """Whether the edit of a number is in the content of the files, parsed by name."""
        return content[os.path.basename(self.path)].at(("One", "Row 2")).fields["Text"] == f"edit {number}"

    def send(self, connection):
        method, target, body = self.request()
        headers = {"Authorization": f"Bearer {TOKEN.format(AUTHOR)}", "Content-Type": "application/json"}
        connection.send(target, method, headers, json.dumps(body).encode())

    def edit(self, port):
        with Connection(port) as connection:
            self.send(connection)
            return connection.receive()

    def files(self):
        """The bytes of all files in the folder, by their names."""
        found = {}
        for name in sorted(os.listdir(self.folder)):
            with open(os.path.join(self.folder, name), "rb") as file:
                found[name] = file.read()
        return found

    def content(self):
        """The trees in the document's own files, by name."""
        return {name: parsed(data) for name, data in self.files().items() if name in self.names}

    def strangers(self):
        """The names of files that were not there at first."""
        return sorted(set(os.listdir(self.folder)) - set(self.names))

    @staticmethod
    def served(port):
        """What the server shows: the document's bytes and tag, and the revision."""
        with Connection(port) as connection:
            shown = connection.get("/document")
            return shown.body, shown["etag"], connection.get("/readyz").json()["revision"]


class JSONDocument(EditedDocument):
    syntax = "json"


class BinaryDocument(EditedDocument):
    syntax = "binary"


class ValuesDocument(EditedDocument):
    """A settings page; the edits change its values document."""

    def write_files(self):
        slider = {"Type": "PSSliderSpecifier", "Title": "Volume", "Key": "volume", "MaximumValue": 100_000}
        for name, content in (("Tree.xml", {"PreferenceSpecifiers": [slider]}), ("Values.json", {"volume": 0})):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                json.dump(content, file)

    def serve(self, program, **options):
        values = os.path.join(self.folder, "Values.json")
        return Server(program, self.path, "--values", values, "--edit-token-file", self.tokens, **options)

    def request(self):
        self.number += 1
        return "PATCH", "/detail/volume", {"Value": self.number}

    def content(self):
        return {name: json.loads(data) for name, data in self.files().items() if name in self.names}

    def is_done(self, content, number):
        return content["Values.json"]["volume"] == number


class MountedDocument(EditedDocument):
    """A file that is mounted below the document, and is the one that the edits change."""

    def write_files(self):
        self.write(os.path.join(self.folder, "Part.plist"), rows("Part"))
        self.write(self.path, Item({"Title": "Mounts"}, [(None, (
            Item({"Title": "One", "Source": "Part.plist"}), rows("Two")))]))

    def is_done(self, content, number):
        return content["Part.plist"].at(("Row 2",)).fields["Text"] == f"edit {number}"
