#!/usr/bin/env python3
"""Sources that are deep, endless, enormous or that block: each is refused in a clear sentence.

For `check` and `serve` alike: exit status 1, an explanation on standard error that names what is wrong, no crash, and
bounded memory and time however little the file costs its author.
"""

import os
import plistlib
import resource
import select
import shutil
import socket
import struct
import subprocess
import tempfile

from harness.client import DEADLINE
from harness.documents import HEAD, TAIL, BinaryWriter
from harness.server import clean_environment
from harness.verdict import Verdict, megabytes, options

NOBODY = 65534
ANY = ("--shape", "any")
CRASH_WORDS = ("Fatal error", "Crash", "Stack dump", "Backtrace", "Traceback", "Thread 0")


class Outcome:
    """How a run ended: its status (minus the signal's number), what it said, its time and peak memory."""

    def __init__(self, command, address_space, seconds, user=None):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if user is not None:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)

        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=limit, env=clean_environment())
            self.timed_out = not self._wait(process.pid, seconds)
            if self.timed_out:
                process.kill()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.status = process.returncode
            self.peak = usage.ru_maxrss * 1024
            log.seek(0)
            self.said = log.read(100_000).decode(errors="replace")

    @staticmethod
    def _wait(pid, seconds):
        """Whether the process ended in time; it is left to be collected."""
        descriptor = os.pidfd_open(pid)
        try:
            return bool(select.select([descriptor], [], [], seconds)[0])
        finally:
            os.close(descriptor)


class Sources:
    """Makes the files; each method gives a path, words of which the explanation must have one, and options."""

    def __init__(self, folder):
        self.folder = folder

    def _file(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return path

    # Depth

    def xml_arrays_100000_deep(self):
        text = HEAD + "<array>" * 100_000 + "</array>" * 100_000 + TAIL
        return self._file("arrays.plist", text), ("deep", "nest"), *ANY

    def xml_items_100000_deep(self):
        item = "<dict><key>Title</key><string>x</string><key>Children</key><array>"
        items = "<array>" + item * 100_000 + "</array></dict>" * 100_000 + "</array>"
        return self._file("items.plist", HEAD + items + TAIL), ("deep", "nest")

    def xml_field_100000_deep(self):
        field = "<array>" * 100_000 + "</array>" * 100_000
        item = f"<dict><key>Title</key><string>x</string><key>Odd</key>{field}</dict>"
        return self._file("field.plist", f"{HEAD}<array>{item}</array>{TAIL}"), ("deep", "nest")

    def xml_open_dictionaries_100000_deep(self):
        return self._file("open.plist", HEAD + "<dict><key>a</key>" * 100_000), ("deep", "nest")

    def json_arrays_100000_deep(self):
        return self._file("arrays.json", "[" * 100_000 + "]" * 100_000), ("deep", "nest"), *ANY

    def json_items_100000_deep(self):
        return self._file("items.json", '[{"Title":"x","Children":' * 100_000 + "[]" + "}]" * 100_000), ("deep", "nest")

    def binary_arrays_100000_deep(self):
        path = os.path.join(self.folder, "arrays.bin")
        with BinaryWriter(path) as out:
            inner = out.array([])
            for _ in range(100_000):
                inner = out.array([inner])
            out.finish(inner)
        return path, ("deep", "nest"), *ANY

    # Size

    def binary_of_two_to_the_40_items(self):
        path = os.path.join(self.folder, "shared-items.bin")
        with BinaryWriter(path) as out:
            title, children, name = out.string("Title"), out.string("Children"), out.string("x")
            item = name
            for _ in range(40):
                item = out.dictionary([(title, name), (children, out.array([item, item]))])
            out.finish(out.array([item, item]))
        return path, ("items", "values", "limit", "many")

    def binary_of_two_to_the_40_values_in_a_field(self):
        path = os.path.join(self.folder, "shared-values.bin")
        with BinaryWriter(path) as out:
            title, odd, value = out.string("Title"), out.string("Odd"), out.string("x")
            for _ in range(40):
                value = out.array([value, value])
            out.finish(out.array([out.dictionary([(title, title), (odd, value)])]))
        return path, ("values", "items", "limit", "many", "large", "bytes")

    def binary_item_that_holds_itself(self):
        path = os.path.join(self.folder, "cycle.bin")
        with BinaryWriter(path) as out:
            out.finish(out.array([0]))
        return path, ("itself", "cycle", "deep"), *ANY

    def binary_value_that_holds_itself(self):
        path = os.path.join(self.folder, "field-cycle.bin")
        with BinaryWriter(path) as out:
            title, odd = out.string("Title"), out.string("Odd")
            value = out.array([2])
            out.finish(out.array([out.dictionary([(title, title), (odd, value)])]))
        return path, ("itself", "cycle")

    def binary_with_a_count_beyond_its_end(self):
        data = plistlib.dumps(["a"], fmt=plistlib.FMT_BINARY)
        data = data[:8] + b"\xaf\x13" + struct.pack(">Q", 1 << 62) + data[10:]
        return self._file("count.bin", data), ("byte",)

    def binary_with_a_trailer_beyond_its_end(self):
        data = bytearray(plistlib.dumps(["a"], fmt=plistlib.FMT_BINARY))
        data[-8:] = struct.pack(">Q", 1 << 60)
        return self._file("trailer.bin", bytes(data)), ("offset", "table", "trailer", "byte")

    def sparse_file_of_10_gigabytes(self):
        path = self._file("sparse.plist", b"")
        os.truncate(path, 10 << 30)
        return path, ("bytes", "large", "big", "limit")

    def sparse_file_below_the_limit(self):
        path = self._file("sparse-small.plist", b"")
        os.truncate(path, 1 << 30)
        return path, ("property list", "zero")

    def entity_bomb(self):
        entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 30))
        text = f'<!DOCTYPE plist [<!ENTITY e0 "ha">{entities}]><plist><array><string>&e29;</string></array></plist>'
        return self._file("bomb.plist", text), ("entit", "DOCTYPE", "internal subset")

    def entity_that_names_a_file(self):
        entity = '<!ENTITY e SYSTEM "file:///etc/passwd">'
        text = f'<!DOCTYPE plist [{entity}]><plist><array><string>&e;</string></array></plist>'
        return self._file("outside.plist", text), ("entit", "DOCTYPE", "internal subset")

    # What is no file

    def fifo(self):
        path = os.path.join(self.folder, "fifo.plist")
        os.mkfifo(path)
        return path, ("regular file", "FIFO", "pipe", "fifo")

    def device_without_end(self):
        return "/dev/zero", ("regular file", "device")

    def unreadable_file(self):
        path = self._file("unreadable.plist", plistlib.dumps(["a"]))
        os.chmod(path, 0)
        return path, ("permi", "denied", "allowed")

    def all(self):
        names = [name for name in dir(self) if not name.startswith("_") and name not in ("all", "folder")]
        return [getattr(self, name) for name in names]


def names_one(said, words):
    """Whether one of the words is there; letter case counts where the word has capitals."""
    return any(word in said if word != word.lower() else word in said.lower() for word in words)


def refuse(verdict, name, command, words, arguments, user=None, status=1):
    outcome = Outcome(command, arguments.address_space_mb << 20, arguments.seconds, user)
    if arguments.verbose:
        print(f"    {name}: {outcome.said.strip()[:400]}")
    said = outcome.said.strip()
    shown = repr(said[:300])
    verdict.expect(not outcome.timed_out, f"{name} ends within {arguments.seconds} s; it says {shown}")
    if not outcome.timed_out:
        verdict.expect(outcome.status == status, f"{name} exits {status}; it exits {outcome.status}: {shown}")
    # The source's own name does not count as an explanation.
    explained = said.replace(command[2], "SOURCE").replace(os.path.basename(command[2]), "SOURCE")
    verdict.expect(names_one(explained, words), f"{name} names one of {words}: {shown}")
    verdict.expect(not any(word in said for word in CRASH_WORDS), f"{name} shows no crash: {shown}")
    verdict.expect("root:" not in said, f"{name} does not show the content of another file: {shown}")
    verdict.expect(
        len(said) < 2000 and said.count("\n") < 5, f"{name} prints a sentence or two: {len(said)} characters")
    verdict.expect(
        outcome.peak <= arguments.memory_mb << 20,
        f"{name} needs at most {arguments.memory_mb} MB: {megabytes(outcome.peak)}")
    return outcome


def main():
    arguments = options(__doc__, address_space_mb=4096, memory_mb=256, seconds=DEADLINE, only="", verbose=False)
    with Verdict("hostile_sources") as verdict, tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        sources = Sources(folder)
        good = sources._file("good.plist", plistlib.dumps(["one", "two"]))
        # A user without rights must still be able to start the program.
        program = shutil.copy(arguments.server, os.path.join(folder, "drilldown"))
        outcome = Outcome([program, "check", good], arguments.address_space_mb << 20, arguments.seconds)
        verdict.expect(outcome.status == 0, f"a good document passes under the same limits: {outcome.said}")
        largest = None
        for make in sources.all():
            if arguments.only not in make.__name__:
                continue
            path, words, *extra = make()
            user = NOBODY if make.__name__ == "unreadable_file" and os.geteuid() == 0 else None
            for command in (
                [program, "check", path, *extra],
                [program, "serve", path, *extra, "--listen", "127.0.0.1:0"],
            ):
                name = f"{command[1]} of {make.__name__.replace('_', ' ')}"
                outcome = refuse(verdict, name, command, words, arguments, user)
                largest = max(largest or (0, ""), (outcome.peak, name))
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            refuse(
                verdict,
                "serve on a port in use",
                [program, "serve", good, "--listen", f"127.0.0.1:{port}"],
                (str(port),),
                arguments)
        if largest:
            verdict.figure("largest", f"{megabytes(largest[0])}, {largest[1]}")


if __name__ == "__main__":
    main()
