#!/usr/bin/env python3
"""What the README shows: each request and its answer, the stream of a change, the document, the options."""

import http.client
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from urllib.parse import urlsplit

from harness.client import Connection
from harness.server import Server, clean_environment
from harness.verdict import Verdict, options

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
DATA = os.path.join(ROOT, "Data", "Data.plist")
TIME = re.compile(r'"at":"[^"]*",')
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fences_of(readme, title):
    """What is set apart in the section with this title."""
    _, _, rest = readme.partition(f"\n## {title}\n")
    section, _, _ = rest.partition("\n## ")
    return FENCE.findall(section)


def commands_of(fences):
    """What is typed, as words and as it stands there, with what is shown below it."""
    for _, text in fences:
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            yield shlex.split(command), command, shown.strip()


def asked(words):
    """The target and the header lines of a request."""
    url = urlsplit("//" + next(word for word in words if word.startswith("localhost:8080/")))
    target = url.path + ("?" + url.query if url.query else "")
    return target, [words[place + 1].split(": ", 1) for place, word in enumerate(words) if word == "-H"]


def answers_as_shown(verdict, program, fences):
    requests = list(commands_of(fences))
    verdict.expect(len(requests) == 5, f"the README shows five requests; it shows {len(requests)}")
    with Server(program, DATA) as server, Connection(server.port) as connection:
        for words, command, shown in requests:
            target, given = asked(words)
            answer = connection.request(target, headers=given)
            seen = str(answer.status) if "-w" in words else answer.body.decode().strip()
            verdict.expect(seen == shown, f"'{command}' is answered as shown; the answer is {seen}")


class Stream:
    """What comes from the service while other things are done."""

    def __init__(self, port, target, headers):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        self.connection.request("GET", target, headers=dict(headers))
        self.answer = self.connection.getresponse()

    def next(self):
        """All up to an empty line."""
        lines = []
        while (line := self.answer.readline().decode().rstrip("\n")):
            lines.append(line)
        return "\n".join(lines)


def refreshes_as_shown(verdict, program, fences, folder):
    """Each line in its turn, on a copy: only the name of the run and the time of the change are others."""
    document = os.path.join(folder, "Data.plist")
    shutil.copy(DATA, document)
    run = re.search(r"^id: (\w+)-1$", "".join(text for _, text in fences), re.MULTILINE)[1]
    stream = None
    with Server(program, document) as server, Connection(server.port) as connection:
        own_run, _, _ = connection.get("/changes").json()["revision"].partition("-")
        for words, command, shown in commands_of(fences):
            if words[0] == "sed":
                subprocess.run([*words[:-1], document], check=True)
                seen = stream.next()
            else:
                target, given = asked(words)
                target = target.replace(run, own_run)
                if "-N" in words:
                    stream = Stream(server.port, target, given)
                    seen = stream.next()
                else:
                    seen = connection.request(target, headers=given).body.decode().strip()
            as_shown = shown.replace(run, own_run)
            verdict.expect(
                TIME.sub("", seen) == TIME.sub("", as_shown), f"'{command}' is answered as shown; the answer is {seen}")
        stream.connection.close()


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
        answers_as_shown(verdict, arguments.server, fences_of(readme, "Five requests"))
        refreshes_as_shown(verdict, arguments.server, fences_of(readme, "How a client refreshes"), folder)
        accepts_the_document(verdict, arguments.server, fences, folder)
        lists_every_option(verdict, arguments.server, readme)


if __name__ == "__main__":
    main()
