#!/usr/bin/env python3
"""What the README shows: each request and its answer, the document, the options and their variables."""

import os
import re
import shlex
import subprocess
import tempfile
from urllib.parse import urlsplit

from harness.client import Connection
from harness.server import Server, clean_environment
from harness.verdict import Verdict, options

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
DATA = os.path.join(ROOT, "Data", "Data.plist")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def answers_as_shown(verdict, program, fences):
    requests = [part for _, text in fences for part in text.strip().split("\n\n") if part.startswith("$ curl ")]
    verdict.expect(len(requests) == 5, f"the README shows five requests; it shows {len(requests)}")
    with Server(program, DATA) as server, Connection(server.port) as connection:
        for part in requests:
            command, _, shown = part.partition("\n")
            words = shlex.split(command.removeprefix("$ "))
            url = urlsplit("//" + next(word for word in words if word.startswith("localhost:8080/")))
            target = url.path + ("?" + url.query if url.query else "")
            given = [words[place + 1].split(": ", 1) for place, word in enumerate(words) if word == "-H"]
            answer = connection.request(target, headers=given)
            seen = str(answer.status) if "-w" in words else answer.body.decode().strip()
            verdict.expect(seen == shown, f"'{command}' is answered as shown; the answer is {seen}")


def accepts_the_document(verdict, program, fences, folder):
    documents = [text for language, text in fences if language == "xml"]
    verdict.expect(len(documents) == 1, f"the README shows one document; it shows {len(documents)}")
    for text in documents:
        path = os.path.join(folder, "shown.plist")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        result = subprocess.run(
            [program, "check", path], capture_output=True, text=True, timeout=20, env=clean_environment())
        verdict.expect(
            result.returncode == 0 and " 0 warnings" in result.stdout + result.stderr,
            f"the document shown is without fault: {result.stdout}{result.stderr}")


def lists_every_option(verdict, program, readme):
    usage = subprocess.run(
        [program, "serve", "--help"], capture_output=True, text=True, timeout=20, env=clean_environment()).stdout
    shown = set(re.findall(r"^\| `(--[a-z-]+)", readme, re.MULTILINE)) | {"--config"}
    known = set(re.findall(r"--[a-z-]+", usage)) - {"--help"}
    verdict.expect(shown == known, f"the table has the options of --help; only one of them has {sorted(shown ^ known)}")


def main():
    arguments = options(__doc__)
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    fences = FENCE.findall(readme)
    with Verdict("readme") as verdict, tempfile.TemporaryDirectory() as folder:
        answers_as_shown(verdict, arguments.server, fences)
        accepts_the_document(verdict, arguments.server, fences, folder)
        lists_every_option(verdict, arguments.server, readme)


if __name__ == "__main__":
    main()
