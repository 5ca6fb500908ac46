"""What a text shows as pasted into a shell: its blocks, the commands in them, and a folder in which they run."""

import os
import re
import shutil
import subprocess

from harness.client import DEADLINE
from harness.server import Server, clean_environment

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
# Where the texts say that the service is.
ADDRESS = "localhost:8080"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A backslash before the line's end continues a command, and a document follows `<<'END'`.
COMMAND = re.compile(r"^\$ (.*<<'END'\n(?:.*\n)*?END|(?:.*\\\n)*.*)\n", re.MULTILINE)


def section(text, title):
    """The part of a text below a heading of the second level."""
    _, _, rest = text.partition(f"\n## {title}\n")
    return rest.partition("\n## ")[0]


def commands_of(block):
    """What is typed in a block, with what is shown below it."""
    starts = list(COMMAND.finditer(block))
    ends = [start.start() for start in starts[1:]] + [len(block)]
    for start, end in zip(starts, ends):
        yield start[1], block[start.end():end].strip("\n")


class Desk:
    """A folder with `Data/` in it, and a shell in which `drilldown` is the program and curl finds the service.

    The text names the addresses of services; the services listen on free ports.
    """

    def __init__(self, folder, program):
        self.folder = folder
        self.program = program
        self.document = os.path.join(folder, "Data", "Data.plist")
        # Actual ports by the ports that the text names.
        self.ports = {}
        shutil.copytree(os.path.join(ROOT, "Data"), os.path.join(folder, "Data"))
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(program, os.path.join(folder, "bin", "drilldown"))

    def start(self, source, *options, port=8080, **settings):
        """Starts the service that a text says is on a port of this machine."""
        server = Server(self.program, source, *options, **settings)
        self.ports[port] = server.port
        with open(os.path.join(self.folder, ".curlrc"), "w", encoding="utf-8") as file:
            file.write("silent\n")
            for shown, actual in self.ports.items():
                file.write(f'connect-to = "localhost:{shown}:127.0.0.1:{actual}"\n')
        return server

    def shell(self, command):
        """The arguments of `subprocess.run` for a command."""
        path = os.path.join(self.folder, "bin") + os.pathsep + os.environ["PATH"]
        return {"args": ["bash", "-c", command], "cwd": self.folder, "stdin": subprocess.DEVNULL,
                "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT,
                "env": clean_environment({"CURL_HOME": self.folder, "PATH": path})}

    def rename(self, old, new):
        """Edits `Data/Data.plist` as an author does."""
        with open(self.document, encoding="utf-8") as file:
            text = file.read()
        with open(self.document, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))

    def paste(self, command):
        """What a command prints."""
        return subprocess.run(**self.shell(command), timeout=DEADLINE).stdout.decode()


class Stream:
    """A command that goes on printing while other things are done."""

    def __init__(self, desk, command):
        self.process = subprocess.Popen(**desk.shell("exec " + command.removesuffix("&")))

    def next(self):
        """All up to an empty line."""
        lines = []
        while (line := self.process.stdout.readline().decode().rstrip("\n")):
            lines.append(line)
        return "\n".join(lines)

    def close(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
