"""A disk whose every write is kept, so that it can be put together as a power cut would have left it.

FUSE shows one file, and a loop device makes a disk of it: each write and each flush of the disk's cache comes in order. It
needs root, and the packages python3-fusepy, fuse3 and e2fsprogs.
"""

import contextlib
import errno
import os
import stat
import subprocess
import threading

import fusepy as fuse

from harness.client import wait_until

# What a disk writes wholly or not at all, in bytes; with 512, half a superblock would be left, whose checksum is wrong.
SECTOR = 4_096
NAME = "disk"


class SimulatedDisk(fuse.Operations):
    """A disk with an ext4 file system, mounted at `place` in the `with` block; `record` has what happened to it."""

    def __init__(self, folder, size=48 << 20, features=()):
        self.place, self.shown, self.image = (os.path.join(folder, name) for name in ("mounted", "shown", "image"))
        for path in (self.place, self.shown):
            os.mkdir(path)
        with open(self.image, "wb") as file:
            file.truncate(size)
        call("mkfs.ext4", "-q", "-F", *features, self.image)
        with open(self.image, "rb") as file:
            self.first = file.read()
        self.content = bytearray(self.first)
        # Writes as (place, bytes), flushes as None, and whatever `note` was given.
        self.record = []
        self.recording = threading.Lock()

    def note(self, mark):
        """Keeps a mark between what the disk has done and what it will do."""
        with self.recording:
            self.record.append(mark)

    def __enter__(self):
        threading.Thread(target=self._show, daemon=True).start()
        file = os.path.join(self.shown, NAME)
        if wait_until(lambda: os.path.exists(file), 30, every=0.05) is None:
            raise RuntimeError("FUSE shows no file")
        self.device = call("losetup", "--find", "--show", file).strip()
        call("mount", "-t", "ext4", self.device, self.place)
        return self

    def __exit__(self, *_):
        call("umount", self.place)
        call("losetup", "--detach", self.device)
        call("umount", "--lazy", self.shown)

    def _show(self):
        fuse.FUSE(self, self.shown, foreground=True, nothreads=True)

    # What the system asks of the file

    def getattr(self, path, handle=None):
        if path == "/":
            return {"st_mode": stat.S_IFDIR | 0o700, "st_nlink": 2}
        if path != "/" + NAME:
            raise fuse.FuseOSError(errno.ENOENT)
        return {"st_mode": stat.S_IFREG | 0o600, "st_nlink": 1, "st_size": len(self.content)}

    def read(self, path, size, offset, handle):
        return bytes(self.content[offset:offset + size])

    def write(self, path, data, offset, handle):
        with self.recording:
            self.content[offset:offset + len(data)] = data
            self.record.append((offset, bytes(data)))
        return len(data)

    def fsync(self, path, only_data, handle):
        self.note(None)
        return 0

    # Power cuts

    def cuts(self, moments, dice):
        """The disk as it may have been left at some moments, each with the marks before it.

        What was written before the last flush is there; each later sector is there or not.
        """
        lasting, later, marks, position = bytearray(self.first), [], [], 0
        for moment in sorted(moments):
            for entry in self.record[position:moment]:
                if entry is None:
                    for offset, data in later:
                        lasting[offset:offset + len(data)] = data
                    later = []
                elif isinstance(entry, tuple):
                    later.append(entry)
                else:
                    marks.append(entry)
            position = moment
            content, share = bytearray(lasting), dice.choice((0, 0.3, 0.5, 0.7, 1))
            for offset, data in later:
                for start in range(0, len(data), SECTOR):
                    if dice.random() < share:
                        sector = data[start:start + SECTOR]
                        content[offset + start:offset + start + len(sector)] = sector
            yield moment, content, list(marks)

    @contextlib.contextmanager
    def restarted(self, content, repairs):
        """Mounts what a power cut has left, as the next start of the machine does; gives the folder.

        - repairs: whether the file system is repaired first, which one without a journal needs.
        """
        with open(self.image, "wb") as file:
            file.write(content)
        if repairs:
            # Exits 1 if it has repaired something.
            subprocess.run(["e2fsck", "-fy", self.image], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        call("mount", "-t", "ext4", "-o", "loop", self.image, self.place)
        try:
            yield self.place
        finally:
            call("umount", self.place)


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout
