"""A disk whose every write is kept, so that it can be put together as a power cut would have left it.

FUSE shows files, and loop devices make disks of them: each write and each flush of a disk's cache comes in order. It needs
root, and the packages btrfs-progs, e2fsprogs, fuse3, python3-fusepy and xfsprogs.
"""

import contextlib
import errno
import os
import stat
import subprocess
import threading
from dataclasses import dataclass

import fusepy as fuse

from harness.client import wait_until

# What a disk writes wholly or not at all, in bytes; with 512, half a superblock would be left, whose checksum is wrong.
SECTOR = 4_096
DATA, JOURNAL = "data", "journal"


@dataclass
class FileSystem:
    """A kind of file system, and how it is made, mounted and repaired."""

    kind: str
    make: tuple = ()
    mount: str = ""
    # Whether it is repaired before it is mounted again, as at the start of a machine; one without a journal needs it.
    repairs: bool = False
    # Whether its journal is on a disk of its own.
    has_journal_disk: bool = False
    megabytes: int = 48

    @property
    def disks(self):
        """The names of its disks, and how large they are."""
        sizes = {DATA: self.megabytes << 20}
        if self.has_journal_disk:
            sizes[JOURNAL] = 16 << 20
        return sizes

    def format(self, devices):
        """Makes the file system on devices."""
        options = list(self.make)
        if self.has_journal_disk:
            call("mke2fs", "-q", "-F", "-b", "4096", "-O", "journal_dev", devices[JOURNAL])
            options += ["-b", "4096", "-J", f"device={devices[JOURNAL]}"]
        call(f"mkfs.{self.kind}", "-q", "-F" if self.kind == "ext4" else "-f", *options, devices[DATA])

    def repair(self, devices):
        if self.repairs:
            # Exits 1 if it has repaired something.
            subprocess.run(["e2fsck", "-fy", devices[DATA]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def attach(self, devices, place):
        """Mounts the file system."""
        if self.kind == "btrfs":
            # It knows a file system by its number, and takes an older state of it for a mistake.
            call("btrfs", "device", "scan", "--forget")
        options = [self.mount] if self.mount else []
        if self.has_journal_disk:
            options.append(f"journal_path={devices[JOURNAL]}")
        call("mount", "-t", self.kind, *(["-o", ",".join(options)] if options else []), devices[DATA], place)


class SimulatedDisk(fuse.Operations):
    """Disks with a file system, mounted at `place` in the `with` block; `record` has what happened to them."""

    def __init__(self, folder, system):
        self.folder, self.system = folder, system
        self.place, self.shown, kept = (os.path.join(folder, name) for name in ("mounted", "shown", "kept"))
        for path in (self.place, self.shown, kept):
            os.mkdir(path)
        # What the disks have now, and what they had at first; both have holes.
        self.current, self.first = ({name: os.path.join(kept, f"{name}-{state}") for name in system.disks}
                                    for state in ("current", "first"))
        for name, size in system.disks.items():
            with open(self.current[name], "wb") as file:
                file.truncate(size)
        with loop_devices(self.current) as devices:
            system.format(devices)
        copy(self.current, self.first)
        self.files = {name: os.open(path, os.O_RDWR) for name, path in self.current.items()}
        # Writes as (disk, place, bytes), flushes as the disk's name, and whatever `note` was given.
        self.record = []
        self.recording = threading.Lock()

    def note(self, mark):
        """Keeps a mark between what the disks have done and what they will do."""
        with self.recording:
            self.record.append(mark)

    def __enter__(self):
        threading.Thread(target=self._show, daemon=True).start()
        shown = {name: os.path.join(self.shown, name) for name in self.files}
        if wait_until(lambda: os.path.exists(shown[DATA]), 30, every=0.05) is None:
            raise RuntimeError("FUSE shows no file")
        with contextlib.ExitStack() as stack:
            stack.callback(call, "umount", "--lazy", self.shown)
            devices = stack.enter_context(loop_devices(shown))
            self.system.attach(devices, self.place)
            stack.callback(call, "umount", self.place)
            self.mounted = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.mounted.close()

    def _show(self):
        fuse.FUSE(self, self.shown, foreground=True, nothreads=True)

    # What the system asks of the files

    def getattr(self, path, handle=None):
        if path == "/":
            return {"st_mode": stat.S_IFDIR | 0o700, "st_nlink": 2}
        if path[1:] not in self.files:
            raise fuse.FuseOSError(errno.ENOENT)
        return {"st_mode": stat.S_IFREG | 0o600, "st_nlink": 1, "st_size": self.system.disks[path[1:]]}

    def read(self, path, size, offset, handle):
        return os.pread(self.files[path[1:]], size, offset)

    def write(self, path, data, offset, handle):
        with self.recording:
            self.record.append((path[1:], offset, bytes(data)))
            return os.pwrite(self.files[path[1:]], data, offset)

    def fsync(self, path, only_data, handle):
        self.note(path[1:])
        return 0

    # Power cuts

    def cuts(self, moments, dice):
        """The disks as they may have been left at some moments, each with the marks before it, mounted again.

        What was written to a disk before its last flush is there; each later sector is there or not.
        """
        lasting, cut = ({name: os.path.join(self.folder, f"{name}-{state}") for name in self.files}
                        for state in ("lasting", "cut"))
        copy(self.first, lasting)
        later, marks, position = {name: [] for name in self.files}, [], 0
        for moment in sorted(moments):
            for entry in self.record[position:moment]:
                if isinstance(entry, str):
                    put(lasting[entry], later[entry])
                    later[entry] = []
                elif isinstance(entry, tuple):
                    later[entry[0]].append(entry[1:])
                else:
                    marks.append(entry)
            position = moment
            copy(lasting, cut)
            for name, writes in later.items():
                share = dice.choice((0, 0.3, 0.5, 0.7, 1))
                put(cut[name], [(offset + start, data[start:start + SECTOR]) for offset, data in writes
                                for start in range(0, len(data), SECTOR) if dice.random() < share])
            with self._restarted(cut) as place:
                yield moment, place, list(marks)

    @contextlib.contextmanager
    def _restarted(self, images):
        """Mounts what a power cut has left, as the next start of the machine does."""
        with loop_devices(images) as devices:
            self.system.repair(devices)
            self.system.attach(devices, self.place)
            try:
                yield self.place
            finally:
                call("umount", self.place)


@contextlib.contextmanager
def loop_devices(paths):
    """Devices for files, by the same names."""
    with contextlib.ExitStack() as stack:
        devices = {}
        for name, path in paths.items():
            devices[name] = call("losetup", "--find", "--show", path).strip()
            stack.callback(call, "losetup", "--detach", devices[name])
        yield devices


def copy(sources, targets):
    for name, source in sources.items():
        call("cp", "--sparse=always", source, targets[name])


def put(path, writes):
    with open(path, "r+b", buffering=0) as file:
        for offset, data in writes:
            os.pwrite(file.fileno(), data, offset)


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout
