"""A file system as an installer makes it, whatever the disk of this machine has."""

import contextlib
import os
import subprocess

SIZE = 1 << 30


@contextlib.contextmanager
def journaled_disk(folder):
    """The path of an ext4 file system with a journal, in a file in a folder; its writes go past the page cache."""
    image, place = os.path.join(folder, "image"), os.path.join(folder, "mounted")
    with open(image, "wb") as file:
        # Without holes, so that a write changes nothing in the file system below.
        for _ in range(SIZE >> 20):
            file.write(bytes(1 << 20))
        os.fsync(file.fileno())
    run("mkfs.ext4", "-q", "-F", image)
    os.mkdir(place)
    device = run("losetup", "--find", "--show", "--direct-io=on", image).strip()
    try:
        run("mount", "-t", "ext4", device, place)
        try:
            yield place
        finally:
            run("umount", place)
    finally:
        run("losetup", "--detach", device)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
