#!/usr/bin/env python3
"""What the README shows, as pasted: a document, requests, a table, links; and the manual's two clients, through a kill and
restart."""

import os
import re
import subprocess
import tempfile

from harness.browser import Browser
from harness.pasted import ADDRESS, FENCE, ROOT, Desk, commands_of, section
from harness.server import Server
from harness.terminal import Terminal
from harness.verdict import Verdict, options

CLIENTS = os.path.join("Sources", "drilldown", "drilldown.docc", "Clients.md")
MOST_WORDS = 900


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
    """The document that the README writes, served, gives the answers that it shows."""
    blocks = [text for language, text in fences if language == "sh"]
    document, _, serve = next(text for text in blocks if "<<'END'" in text).rpartition("END\n")
    desk.paste(document + "END\n")
    name = serve.split()[-1]
    requests = typed_in(fences)
    verdict.expect(len(requests) == 3, f"the section shows three requests; it shows {len(requests)}")
    with desk.start(os.path.join(desk.folder, name)):
        for command, shown in requests:
            seen = desk.paste(command).strip()
            verdict.expect(seen == shown, f"'{command}' prints what the README shows, not: {seen}")


def serves_the_table(verdict, program, fences, desk):
    """The command for a table serves it drilled."""
    command = next(text for language, text in fences if "Tracks.csv" in text).split()
    with desk.start(os.path.join(desk.folder, command[2]), *command[3:]):
        seen = desk.paste("curl localhost:8080/levels/")
        verdict.expect('"title":"Tin Orchard"' in seen, f"the table is a level of artists: {seen}")


def begins_with_make(verdict):
    """The first block shows the targets that do all the set-up, each with what it does; the server is where it says."""
    def read(name):
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            return file.read()

    language, text = FENCE.findall(read("README.md"))[0]
    shown = dict(re.findall(r"^make ([a-z-]+) +# (.+)$", text, re.MULTILINE))
    verdict.expect(language == "sh" and list(shown) == ["run", "test"], f"the README begins with make run and make test: {text}")
    makefile = read("Makefile")
    for target in shown:
        verdict.expect(re.search(rf"^{target}:.*## ", makefile, re.MULTILINE), f"'make {target}' is a target with an explanation")
    document, port = (re.search(rf"^{name} \?= (.*)$", makefile, re.MULTILINE)[1] for name in ("DOCUMENT", "LISTEN"))
    address = f"http://localhost:{port.rpartition(':')[2]}/"
    verdict.expect(
        document in shown.get("run", "") and address in shown.get("run", ""), f"it says what is served where: {shown}")


def is_short(verdict):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        words = len(file.read().split())
    verdict.expect(words <= MOST_WORDS, f"the README has at most {MOST_WORDS} words; it has {words}")


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
        begins_with_make(verdict)
        is_short(verdict)
        for check, page, title in (
                (answers_as_shown, "README.md", "Try it"),
                (serves_the_table, "README.md", "Try it"),
                (page_survives, CLIENTS, "A web page"),
                (app_survives, CLIENTS, "A Swift program")):
            with tempfile.TemporaryDirectory() as folder:
                check(verdict, arguments.server, fences_of(page, title), Desk(folder, arguments.server))


if __name__ == "__main__":
    main()
