"""A PostgreSQL server of a test's own, in a temporary folder and on a free port; ended by its process id."""

import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile

from harness.client import wait_until
from harness.server import unused_port

ROLE = "drilldown"
DATABASE = "home"
# The role that may do everything.
OWNER = "postgres"
SMALL = ("shared_buffers=16MB", "max_connections=60", "max_wal_size=64MB", "min_wal_size=2MB")


class Refused(Exception):
    """A statement that the database does not take; the SQLSTATE or the reason."""


def tool(name):
    """The path of a program of the newest version that is installed."""
    paths = glob.glob(f"/usr/lib/postgresql/*/bin/{name}")
    if not paths:
        raise RuntimeError(f"'{name}' of PostgreSQL was not found; install the package 'postgresql'")
    return max(paths, key=lambda path: int(path.split("/")[4]))


class Postgres:
    """The server, with a database that belongs to the role `drilldown`; leaving the `with` block ends it.

    Without `is_durable` it does not wait for the disk: tests kill processes, and do not cut the power. With a `primary`
    it is its standby; `size` is that of a disk of its own, in MiB; `core` is the processor that it runs on.
    """

    def __init__(self, primary=None, size=None, folder=None, is_durable=False, core=None, settings=SMALL):
        # PostgreSQL refuses to run as root; Debian's package has this user.
        self.user = pwd.getpwnam("postgres") if os.getuid() == 0 else None
        self.pinned = ["taskset", "-c", str(core)] if core is not None else []
        self.settings = [*settings, f"fsync={'on' if is_durable else 'off'}"]
        self.folder = tempfile.mkdtemp(prefix="postgres-", dir=folder)
        self.data = os.path.join(self.folder, "data")
        self.port = unused_port()
        self.process = None
        self.size = size
        if size:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}m", "tmpfs", self.folder], check=True)
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        if primary:
            self.run("pg_basebackup", "-D", self.data, "-d", primary.connection(OWNER, "postgres"), "-R", "-X", "stream",
                     "-c", "fast")
        else:
            self.run("initdb", "-D", self.data, "-U", OWNER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N",
                     *([] if is_durable else ["--wal-segsize=1"]))
        self.start()
        if not primary:
            self.execute(f"CREATE ROLE {ROLE} LOGIN", f"CREATE DATABASE {DATABASE} OWNER {ROLE}", database="postgres")

    def as_user(self):
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}

    def run(self, name, *arguments):
        subprocess.run([tool(name), *arguments], check=True, cwd=self.folder, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, **self.as_user())

    def connection(self, role, database=DATABASE):
        """The address of a database for programs of PostgreSQL."""
        return f"postgres://{role}@127.0.0.1:{self.port}/{database}"

    def source(self, tree, port=None):
        """How `drilldown` names a tree, perhaps through another port."""
        return f"postgres://{ROLE}@127.0.0.1:{port or self.port}/{DATABASE}?tree={tree}"

    def execute(self, *statements, database=DATABASE):
        """Runs statements by themselves, each in a transaction of its own; the output."""
        commands = [part for statement in statements for part in ("-c", statement)]
        told = subprocess.run(
            [tool("psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", self.connection(OWNER, database), *commands],
            capture_output=True, text=True)
        if told.returncode:
            raise Refused(told.stderr.strip())
        return told.stdout

    # Its life

    def start(self):
        self.launch()
        if wait_until(self.is_ready, every=0.02) is None:
            raise RuntimeError(f"PostgreSQL does not start: {self.log()[-500:]}")

    def launch(self):
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [*self.pinned, tool("postgres"), "-D", self.data, "-p", str(self.port), "-k", self.folder, "-h",
                 "127.0.0.1", *(part for setting in self.settings for part in ("-c", setting))],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, **self.as_user())

    def is_ready(self):
        if self.process.poll() is not None:
            # After a kill, processes of the one before may hold its memory for a moment.
            self.launch()
        return not subprocess.run([tool("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode

    def log(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def kill(self):
        """Ends all its processes at once, as `kill -9` does."""
        for pid in [self.process.pid, *self.children()]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()

    def children(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            return [int(pid) for pid in file.read().split()]

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait()

    def promote(self):
        self.run("pg_ctl", "promote", "-w", "-D", self.data)

    def copy(self):
        """Keeps the data as they are, of a stopped server."""
        shutil.rmtree(self.data + ".copy", ignore_errors=True)
        self.copy_folder(self.data, self.data + ".copy")

    def put_back(self):
        """Puts the kept data in the place of the newer ones, of a stopped server."""
        shutil.rmtree(self.data)
        self.copy_folder(self.data + ".copy", self.data)

    def copy_folder(self, source, target):
        subprocess.run(["cp", "-a", source, target], check=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        if self.size:
            subprocess.run(["umount", "-l", self.folder], check=True)
        shutil.rmtree(self.folder)
