#!/usr/bin/env python3
"""What the program prints for others: completions, tried in the shells themselves, and a manual page for groff."""

import os
import pty
import re
import select
import subprocess
import tempfile

from harness.client import DEADLINE, wait_until
from harness.server import clean_environment
from harness.verdict import Verdict, options

TEXTS = ["Data.plist", "Tracks.json", "My list.plist", "Notes.txt", "Folder/Inner.plist"]
# What is typed, and what the shell suggests. Whether a folder has a slash at its end is up to the shell.
CASES = [
    ("drilldown ", {"serve", "check", "import", "export", "browse", "completions", "manual"}),
    ("drilldown s", {"serve"}),
    ("drilldown --v", {"--version"}),
    ("drilldown serve --log", {"--log-format"}),
    ("drilldown serve --log-format ", {"text", "json"}),
    ("drilldown serve --log-format=j", {"json"}),
    ("drilldown serve Data.plist --shape ", {"auto", "items", "natural", "any", "tables"}),
    ("drilldown check Data.plist --shape=a", {"any", "auto"}),
    ("drilldown check --lo", set()),
    ("drilldown serve --connections", {"--connections", "--connections-per-address"}),
    ("drilldown serve --listen ", set()),
    ("drilldown serve --access-log D", {"Data.plist"}),
    ("drilldown serve T", {"Tracks.json"}),
    ("drilldown serve N", set()),
    ("drilldown serve F", {"Folder"}),
    ("drilldown serve Folder/", {"Folder/Inner.plist"}),
    ("drilldown serve M", {"My list.plist"}),
    ("drilldown serve --config N", {"Notes.txt"}),
    ("drilldown serve --config=D", {"Data.plist"}),
    ("drilldown check Data.plist T", {"Tracks.json"}),
    ("drilldown completions ", {"bash", "zsh", "fish"}),
    ("drilldown completions z", {"zsh"}),
    ("drilldown manual D", set()),
    ("drilldown browse --f", {"--follow"}),
    ("drilldown browse --token-file N", {"Notes.txt"}),
    ("drilldown browse --cache-folder F", {"Folder"}),
    ("drilldown browse D", set()),
]


class Terminal:
    """An interactive shell, in which a key writes the line as it is into a file."""

    def __init__(self, command, folder, environment):
        self.result = os.path.join(folder, "line")
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(os.path.join(folder, "documents"))
            os.execvpe(command[0], command, environment)
        self.printed = b""
        # What is typed before the shell reads keys would be the terminal's.
        if wait_until(self._has_prompt, every=0.01) is None:
            raise RuntimeError(f"the shell does not start: {self.printed}")

    def _has_prompt(self):
        self._drain()
        return b"> " in self.printed

    def _drain(self):
        """What the shell prints has to be read, or it waits."""
        while select.select([self.terminal], [], [], 0)[0]:
            self.printed += os.read(self.terminal, 65536)

    def completed(self, line):
        """The line after all suggestions were inserted into it."""
        if os.path.exists(self.result):
            os.remove(self.result)
        # The line before is cleared; then: insert all suggestions, write the line.
        os.write(self.terminal, b"\x15" + line.encode() + b"\x18a\x18p")

        def is_written():
            self._drain()
            return os.path.exists(self.result)

        if wait_until(is_written, every=0.01) is None:
            raise RuntimeError(f"the shell does not complete {line!r}")
        with open(self.result) as file:
            return file.read()

    def end(self):
        os.close(self.terminal)
        os.waitpid(self.process, 0)


def written(folder, program):
    """The scripts of the three shells, and the folder of documents."""
    for path in TEXTS:
        path = os.path.join(folder, "documents", path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "w").close()
    os.makedirs(os.path.join(folder, "functions"))
    for shell, name in {"bash": "drilldown.bash", "zsh": "functions/_drilldown", "fish": "drilldown.fish"}.items():
        with open(os.path.join(folder, name), "w") as file:
            subprocess.run([program, "completions", shell], stdout=file, check=True, timeout=DEADLINE)


def environment_of(folder):
    return clean_environment(
        {"HOME": folder, "ZDOTDIR": folder, "TERM": "dumb", "LINE": os.path.join(folder, "line"), "LC_ALL": "C.UTF-8"})


def bash(folder):
    with open(os.path.join(folder, "bashrc"), "w") as file:
        file.write(f"""PS1='> '
source {folder}/drilldown.bash
write_line() {{ printf %s "$READLINE_LINE" >$LINE.new; mv $LINE.new $LINE; }}
bind '"\\C-xa": insert-completions'
bind -x '"\\C-xp": write_line'
""")
    return Terminal(["bash", "--noprofile", "--rcfile", f"{folder}/bashrc", "-i"], folder, environment_of(folder))


def zsh(folder):
    with open(os.path.join(folder, ".zshrc"), "w") as file:
        file.write(f"""PS1='> '
fpath=({folder}/functions $fpath)
autoload -Uz compinit && compinit -u -d {folder}/zcompdump
zstyle ':completion:*' completer _complete
zstyle ':completion:all:*' completer _all_matches _complete
zstyle ':completion:all:*' insert true
zle -C all complete-word _generic
write-line() {{ print -rn -- "$BUFFER" >$LINE.new; mv $LINE.new $LINE }}
zle -N write-line
bindkey -e '^Xa' all
bindkey -e '^Xp' write-line
bindkey -e '^U' kill-whole-line
""")
    return Terminal(["zsh", "--no-globalrcs", "-i"], folder, environment_of(folder))


def words(line):
    """The words of a line; a blank after a backslash is part of one."""
    return [word.replace("\\", "") for word in re.findall(r"(?:\\.|\S)+", line)]


def value_of(word):
    """What is suggested behind an option's sign, or the option that is to have one."""
    name, _, value = word.rstrip("/").partition("=")
    return value or name


def suggested(before, after):
    """What a shell inserted, as words."""
    kept = words(before)
    if not before.endswith(" "):
        kept = kept[:-1]
    found = words(after)[len(kept):]
    start = words(before)[-1] if not before.endswith(" ") else ""
    # Nothing to insert leaves the line as it was.
    if found == [start]:
        found = []
    return {value_of(word) for word in found}


def completes(verdict, name, terminal):
    try:
        for line, wanted in CASES:
            found = suggested(line, terminal.completed(line))
            verdict.expect(found == wanted, f"{name} completes {line!r} with {sorted(wanted)}: {sorted(found)}")
    finally:
        terminal.end()


def completes_in_fish(verdict, folder):
    for line, wanted in CASES:
        result = subprocess.run(
            ["fish", "--no-config", "--command", f"source {folder}/drilldown.fish; complete --do-complete '{line}'"],
            cwd=os.path.join(folder, "documents"), env=environment_of(folder), capture_output=True, text=True,
            timeout=DEADLINE)
        found = {text.partition("\t")[0].replace("\\", "") for text in result.stdout.splitlines()}
        found = {value_of(text) for text in found}
        verdict.expect(
            found == wanted and not result.stderr,
            f"fish completes {line!r} with {sorted(wanted)}: {sorted(found)} {result.stderr}")


def prints_a_manual_page(verdict, program):
    page = subprocess.run([program, "manual"], capture_output=True, timeout=DEADLINE).stdout
    result = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-P-c"], input=page, capture_output=True, timeout=DEADLINE)
    verdict.expect(result.returncode == 0 and not result.stderr, f"groff has no warning: {result.stderr.decode()}")
    shown = re.sub(r".\x08", "", result.stdout.decode())
    help_text = subprocess.run([program, "serve", "--help"], capture_output=True, text=True, timeout=DEADLINE).stdout
    listed = re.findall(r"(?m)^  (--\S+(?: \S+)?)  ", help_text)
    verdict.expect(
        len(listed) > 20 and all(f"\n       {option.replace('…', '...')}" in shown for option in listed),
        f"the page has the options of the help: {[option for option in listed if option not in shown]}")


def main():
    arguments = options(__doc__)
    with Verdict("shells") as verdict, tempfile.TemporaryDirectory() as folder:
        written(folder, arguments.server)
        completes(verdict, "bash", bash(folder))
        completes(verdict, "zsh", zsh(folder))
        completes_in_fish(verdict, folder)
        prints_a_manual_page(verdict, arguments.server)


if __name__ == "__main__":
    main()
