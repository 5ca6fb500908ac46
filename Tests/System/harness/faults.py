"""System calls of a server that fail, wait, or at which it is killed, by a library that is loaded into it."""

import errno
import mmap
import os
import struct
import subprocess

# As in faults.c.
CALLS = ("create", "write", "sync", "rename", "exchange", "sync folder", "remove", "truncate", "attribute",
         "read")
ACTIONS = ("nothing", "fail", "short", "kill before", "kill after", "pause before", "pause after")
# The call, its occurrence, whether those after it count too, the action, the error, and whether a pause is over.
SETTINGS = struct.Struct("6i")
HITS = struct.Struct("i")
COUNTS = struct.Struct(f"{len(CALLS)}i")
SIZE = SETTINGS.size + HITS.size + COUNTS.size


class Faults:
    """What is to happen at the calls of a server that concern a folder; one call at a time."""

    def __init__(self, scratch, folder):
        self.folder = folder
        self.library = os.path.join(scratch, "faults.so")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faults.c")
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", self.library, source, "-ldl"],
            check=True)
        self.path = os.path.join(scratch, "faults")
        with open(self.path, "w+b") as file:
            file.truncate(SIZE)
            self.control = mmap.mmap(file.fileno(), SIZE)

    @property
    def environment(self):
        return {"LD_PRELOAD": self.library, "FAULTS_FOLDER": self.folder, "FAULTS_CONTROL": self.path}

    def arm(self, call, action, occurrence=1, error="EIO", lasts=False):
        """From now on the calls are counted anew, and one of them meets a fault."""
        self.control[:] = bytes(SIZE)
        SETTINGS.pack_into(self.control, 0, CALLS.index(call), occurrence, lasts, ACTIONS.index(action),
                           getattr(errno, error), 0)

    def disarm(self):
        self.arm(CALLS[0], "nothing")

    @property
    def made(self):
        """How often each call was made since."""
        return dict(zip(CALLS, COUNTS.unpack_from(self.control, SETTINGS.size + HITS.size)))

    @property
    def hits(self):
        """How often a call has met its fault since."""
        return HITS.unpack_from(self.control, SETTINGS.size)[0]

    def release(self):
        """Lets a call that waits go on."""
        struct.pack_into("i", self.control, SETTINGS.size - 4, 1)
