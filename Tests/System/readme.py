#!/usr/bin/env python3
"""What the README shows, as pasted: requests, a stream, edits, a document, links; and the manual's two clients, through a
kill and restart."""

import os
import re
import subprocess
import tempfile

from harness.browser import Browser
from harness.client import DEADLINE
from harness.pasted import ADDRESS, FENCE, ROOT, Desk, Stream, commands_of, section
from harness.server import Server, clean_environment
from harness.terminal import Terminal
from harness.verdict import Verdict, options

CLIENTS = os.path.join("Sources", "drilldown", "drilldown.docc", "Clients.md")
TIME = re.compile(r'"at":"[^"]*",')
REVISION = re.compile(r'(?<="revision":")\w+')


def fences_of(page, title):
    """The blocks in the section with this title: pairs of language and text."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return FENCE.findall(section(file.read(), title))


def only(verdict, fences, language):
    """The text of the only block in a language."""
    texts = [text for found, text in fences if found == language]
    verdict.expect(len(texts) == 1, f"the section shows one block of {language}; it shows {len(texts)}")
    return texts[0]


def typed_in(fences):
    """What is typed in some blocks, with what is shown below it."""
    return [command for _, text in fences for command in commands_of(text)]


def answers_as_shown(verdict, program, fences, desk):
    requests = typed_in(fences)
    verdict.expect(len(requests) == 5, f"the section shows five requests; it shows {len(requests)}")
    with desk.start(desk.document):
        for command, shown in requests:
            seen = desk.paste(command).strip()
            verdict.expect(seen == shown, f"'{command}' prints what the README shows, not: {seen}")


def edits_as_shown(verdict, program, fences, desk):
    """Each line in its turn, on a service with the token that is shown: only the name of the run is another."""
    token = re.search(r"DRILLDOWN_EDIT_TOKEN='([^']*)'", only(verdict, fences, "sh"))[1]
    requests = typed_in(fences)
    verdict.expect(requests, "the section shows edits")
    with desk.start(desk.document, environment={"DRILLDOWN_EDIT_TOKEN": token}):
        for command, shown in requests:
            seen = desk.paste(command).strip()
            verdict.expect(
                REVISION.sub("", seen) == REVISION.sub("", shown),
                f"'{command}' prints what the README shows, not: {seen}")


def refreshes_as_shown(verdict, program, fences, desk):
    """Each line in its turn: only the name of the run and the time of the change are others."""
    lines = typed_in(fences)
    run = re.search(r"^id: (\w+)-1$", lines[0][1], re.MULTILINE)[1]
    with desk.start(desk.document), Stream(desk, lines[0][0]) as stream:
        seen = stream.next()
        own_run = re.search(r"^id: (\w+)-1$", seen, re.MULTILINE)[1]
        for place, (command, shown) in enumerate(lines):
            if place > 0:
                seen = desk.paste(command.replace(run, own_run)).strip()
            if command.startswith("sed"):
                seen = stream.next()
            as_shown = shown.replace(run, own_run)
            verdict.expect(
                TIME.sub("", seen) == TIME.sub("", as_shown), f"'{command}' prints what the README shows, not: {seen}")


def survives(verdict, name, screen, program, desk, server, *options):
    """A client shows the level, a change of it, one made while the server was killed, and one after that."""
    def expect(title, when):
        verdict.expect(screen.shows(title), f"{name} shows '{title}' {when}; it has shown {screen.texts}")

    expect("Screen A", "at first")
    desk.rename("Screen A", "Screen B")
    expect("Screen B", "once it is saved")
    server.kill()
    desk.rename("Screen B", "Screen C")
    with Server(program, desk.document, *options, port=server.port):
        expect("Screen C", "that was saved while the server was down")
        desk.rename("Screen C", "Screen D")
        expect("Screen D", "that is saved after the restart")


def page_survives(verdict, program, fences, desk):
    """The web page, unchanged, in a browser and from another origin, which the commands name."""
    page = only(verdict, fences, "html")
    commands = "".join(text for language, text in fences if language == "sh")
    origin = re.search(r"DRILLDOWN_CORS_ORIGINS=(\S+) make run", commands)[1]
    verdict.expect(
        f"http.server {origin.rpartition(':')[2]} " in commands, f"the manual serves the page at {origin}: {commands}")
    allowed = ["--cors-origins", origin]
    with desk.start(desk.document, *allowed) as server:
        with Browser(page, origin, {ADDRESS: server.port}) as browser:
            survives(verdict, "the web page", browser.screen, program, desk, server, *allowed)


def app_survives(verdict, program, fences, desk):
    """The Swift program, unchanged but for the port, compiled, at a terminal."""
    text = only(verdict, fences, "swift")
    verdict.expect(text.count(ADDRESS) == 1, "the Swift program contains the address once")
    with desk.start(desk.document) as server:
        with open(os.path.join(desk.folder, "client.swift"), "w", encoding="utf-8") as file:
            file.write(text.replace(ADDRESS, f"localhost:{server.port}"))
        compiled = subprocess.run(
            ["swiftc", "-warnings-as-errors", "client.swift"], cwd=desk.folder, capture_output=True, text=True,
            timeout=300)
        if verdict.expect(compiled.returncode == 0, f"the Swift program compiles: {compiled.stderr}"):
            with Terminal([os.path.join(desk.folder, "client")]) as terminal:
                survives(verdict, "the Swift program", terminal.screen, program, desk, server)


def accepts_the_document(verdict, program, fences, desk):
    path = os.path.join(desk.folder, "shown.plist")
    with open(path, "w", encoding="utf-8") as file:
        file.write(only(verdict, fences, "xml"))
    result = subprocess.run(
        [program, "check", path], capture_output=True, text=True, timeout=DEADLINE, env=clean_environment())
    verdict.expect(
        result.returncode == 0 and " 0 warnings" in result.stdout + result.stderr,
        f"the document shown is read without a warning: {result.stdout}{result.stderr}")


def leads_to_files(verdict):
    """Each link to a file leads to one, and each name of a link is defined and used."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        text = re.sub(r"`[^`]*`", "", FENCE.sub("", file.read()))
    targets = dict(re.findall(r"^\[(\w+)\]: (\S+)$", text, re.MULTILINE))
    used = set(re.findall(r"\[(\w+)\](?![(:\[])", text))
    verdict.expect(used == set(targets), f"the names of links are defined and used, but not {used ^ set(targets)}")
    for target in [*targets.values(), *re.findall(r"\]\(([^)#]+)\)", text)]:
        if not target.startswith("https:"):
            verdict.expect(os.path.isfile(os.path.join(ROOT, target)), f"the link leads to a file: {target}")


def main():
    arguments = options(__doc__)
    with Verdict("readme") as verdict:
        leads_to_files(verdict)
        for check, page, title in (
                (answers_as_shown, "README.md", "Five requests"),
                (refreshes_as_shown, "README.md", "How a client refreshes"),
                (edits_as_shown, "README.md", "Editing"),
                (page_survives, CLIENTS, "A web page"),
                (app_survives, CLIENTS, "A Swift program"),
                (accepts_the_document, "README.md", "Writing a document")):
            with tempfile.TemporaryDirectory() as folder:
                check(verdict, arguments.server, fences_of(page, title), Desk(folder, arguments.server))


if __name__ == "__main__":
    main()
