"""Databases with a tree, as another program sees them: a SQLite file, and PostgreSQL started for a test."""

import glob
import os
import pwd
import shutil
import signal
import sqlite3
import subprocess
import tempfile

from harness.client import wait_until
from harness.server import unused_port

ROLE = "drilldown"
DATABASE = "trees"


class Refused(Exception):
    """A statement that the database does not take; the SQLSTATE or the reason."""


class Away(Exception):
    """The connection to the database is lost."""


def literal(text):
    """A text in a statement."""
    return "'" + text.replace("'", "''") + "'"


class SQLiteTree:
    """A tree in a SQLite file."""

    # Its triggers do not know who writes.
    author = "database"

    def __init__(self, path):
        self.path = path
        self.source = f"sqlite:{path}"

    def session(self, role=None):
        return SQLiteSession(self.path)

    def rows(self, statement):
        session = self.session()
        try:
            return session.rows(statement)
        finally:
            session.close()


class SQLiteSession:
    # Takes the lock of the tree.
    begin = ("BEGIN IMMEDIATE",)

    def __init__(self, path):
        self.connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
        self.connection.execute("PRAGMA foreign_keys = ON")

    def rows(self, statement):
        try:
            return [tuple("" if value is None else str(value) for value in row)
                    for row in self.connection.execute(statement).fetchall()]
        except sqlite3.Error as error:
            raise Refused(str(error)) from None

    def close(self):
        self.connection.close()


class PostgresTree:
    """A tree in a schema of a PostgreSQL database."""

    def __init__(self, server, name):
        self.server = server
        self.name = name
        self.source = server.source(name)

    def session(self, role=ROLE):
        return PostgresSession(self.server, role, self.name)

    def rows(self, statement):
        session = self.session()
        try:
            return session.rows(statement)
        finally:
            session.close()

    def allow(self, role):
        """Lets a role write to the tree, as other programs do."""
        self.server.execute(
            f"CREATE ROLE {role} LOGIN", f"GRANT USAGE ON SCHEMA {self.name} TO {role}",
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {self.name} TO {role}")


class PostgresSession:
    """A connection of another program, by psql; one statement after the other."""

    begin = ("BEGIN", "SELECT 1 FROM head FOR UPDATE")
    # Characters that no text of a test has.
    COLUMN, ROW, END = "\x1f", "\x1e", "\x1d"

    def __init__(self, server, role=ROLE, schema=None, port=None):
        self.process = subprocess.Popen(
            [server.tool("psql"), "-XqAt", "-F", self.COLUMN, "-R", self.ROW, "-h", "127.0.0.1", "-p",
             str(port or server.port), "-U", role, DATABASE],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if schema:
            self.rows(f"SET search_path = {schema}")

    def rows(self, statement):
        """Runs one statement; the texts of its rows."""
        try:
            self.process.stdin.write(f"{statement};\n\\echo {self.END}:SQLSTATE\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Away() from None
        told = ""
        while self.END not in told:
            line = self.process.stdout.readline()
            if not line:
                raise Away()
            told += line
        text, _, state = told.partition(self.END)
        if state.strip() != "00000":
            raise Refused(state.strip())
        text = text.removesuffix("\n")
        return [tuple(row.split(self.COLUMN)) for row in text.split(self.ROW)] if text else []

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Postgres:
    """A PostgreSQL server in a temporary folder; leaving the `with` block ends it.

    It does not wait for the disk: tests kill processes, and do not cut the power.
    """

    def __init__(self, primary=None, size=None):
        self.user = pwd.getpwnam("postgres") if os.getuid() == 0 else None
        self.folder = tempfile.mkdtemp(prefix="drilldown-pg-")
        self.data = os.path.join(self.folder, "data")
        self.port = unused_port()
        self.process = None
        self.size = size
        if size:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}m", "tmpfs", self.folder], check=True)
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        if primary:
            self.run("pg_basebackup", "-D", self.data, "-d", primary.address("postgres"), "-R", "-X", "stream", "-c",
                     "fast")
        else:
            self.run("initdb", "-D", self.data, "-U", ROLE, "-A", "trust", "-E", "UTF8", "--locale=C", "-N",
                     "--wal-segsize=1")
        self.start()
        if not primary:
            self.execute(f"CREATE DATABASE {DATABASE}", database="postgres")

    @staticmethod
    def tool(name):
        found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))
        if not found:
            raise RuntimeError(f"'{name}' of PostgreSQL was not found; install the package 'postgresql'")
        return found[-1]

    def as_user(self):
        """PostgreSQL refuses to run as root."""
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}

    def run(self, name, *arguments):
        subprocess.run([self.tool(name), *arguments], check=True, cwd=self.folder, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, **self.as_user())

    def address(self, database=DATABASE):
        return f"postgres://{ROLE}@127.0.0.1:{self.port}/{database}"

    def source(self, tree, port=None):
        """How `drilldown` names a tree, perhaps through another port."""
        return f"postgres://{ROLE}@127.0.0.1:{port or self.port}/{DATABASE}?tree={tree}"

    def execute(self, *statements, database=DATABASE):
        """Runs statements by themselves, each in a transaction of its own; the output."""
        commands = [part for statement in statements for part in ("-c", statement)]
        told = subprocess.run([self.tool("psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", self.address(database), *commands],
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
        settings = {"fsync": "off", "shared_buffers": "16MB", "max_connections": 60, "max_wal_size": "64MB",
                    "min_wal_size": "2MB"}
        with open(os.path.join(self.folder, "log"), "ab") as log:
            self.process = subprocess.Popen(
                [self.tool("postgres"), "-D", self.data, "-p", str(self.port), "-k", self.folder, "-h", "127.0.0.1",
                 *(part for name, value in settings.items() for part in ("-c", f"{name}={value}"))],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, **self.as_user())

    def is_ready(self):
        if self.process.poll() is not None:
            # After a kill, processes of the one before may hold its memory for a moment.
            self.launch()
        return not subprocess.run([self.tool("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode

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
