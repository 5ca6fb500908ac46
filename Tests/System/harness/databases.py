"""Databases with a tree, as another program sees them: a SQLite file, and a schema of PostgreSQL."""

import sqlite3
import subprocess

from harness.postgres import DATABASE, ROLE, Refused, tool


class Away(Exception):
    """The connection to the database is lost."""


def literal(text):
    """A text in a statement."""
    return "'" + text.replace("'", "''") + "'"


class Tree:
    def rows(self, statement):
        """The texts of the rows of one statement, in a session of its own."""
        session = self.session()
        try:
            return session.rows(statement)
        finally:
            session.close()


class SQLiteTree(Tree):
    """A tree in a SQLite file."""

    # Its triggers do not know who writes.
    author = "database"

    def __init__(self, path):
        self.path = path
        self.source = f"sqlite:{path}"

    def session(self, role=None):
        return SQLiteSession(self.path)


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


class PostgresTree(Tree):
    """A tree in a schema of a PostgreSQL database."""

    def __init__(self, server, name):
        self.server = server
        self.name = name
        self.source = server.source(name)

    def session(self, role=ROLE):
        return PostgresSession(self.server, role, self.name)

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
            [tool("psql"), "-XqAt", "-F", self.COLUMN, "-R", self.ROW, "-h", "127.0.0.1", "-p",
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
