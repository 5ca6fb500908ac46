"""A virtual environment with the packages that one test needs beside the system's own."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
BUILD = os.path.join(ROOT, ".build")


class Environment:
    """The packages of a list, installed below .build; made anew if the list or the interpreter is another."""

    def __init__(self, name):
        self.list = os.path.join(os.path.dirname(__file__), f"{name}.txt")
        self.folder = os.path.join(BUILD, "python", name)
        self.programs = os.path.join(self.folder, "bin")
        self.python = os.path.join(self.programs, "python3")
        self._mark = os.path.join(self.folder, "installed")

    def enter(self):
        """Goes on in the environment: starts this script again with its interpreter, unless it runs there already."""
        if sys.prefix == self.folder:
            return
        self.install()
        os.execv(self.python, [self.python, *sys.argv])

    def install(self):
        wanted = self._wanted()
        os.makedirs(os.path.dirname(self.folder), exist_ok=True)
        # Another test may need the same packages.
        with open(self.folder + ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if self._installed() != wanted:
                self._make(wanted)

    def _make(self, wanted):
        shutil.rmtree(self.folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", self.folder], check=True)
        subprocess.run(
            [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
             "--only-binary", ":all:", "--requirement", self.list], check=True)
        with open(self._mark, "w", encoding="utf-8") as file:
            file.write(wanted)

    def _wanted(self):
        with open(self.list, "rb") as file:
            return f"{sys.version} {hashlib.sha256(file.read()).hexdigest()}"

    def _installed(self):
        try:
            with open(self._mark, encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def run(self, *command, timeout, **more):
        """Runs a program of the environment; gives the result, with all that it printed."""
        path = f"{self.programs}:{os.environ['PATH']}"
        return subprocess.run(
            [os.path.join(self.programs, command[0]), *command[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", timeout=timeout, env=os.environ | {"PATH": path},
            **more)
