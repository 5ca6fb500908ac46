"""A PostgreSQL server of a test's own, in a temporary folder and on a free port; ended by its process id."""

import glob
import os
import shutil
import subprocess
import tempfile

from harness.client import wait_until
from harness.server import unused_port

# PostgreSQL refuses to run as root; Debian's package has this user.
AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []


def tool(name):
    """The path of a program of the newest version that is installed."""
    paths = glob.glob(f"/usr/lib/postgresql/*/bin/{name}")
    if not paths:
        raise RuntimeError("PostgreSQL is not installed: apt-get install postgresql")
    return max(paths, key=lambda path: int(path.split("/")[4]))


class Postgres:
    """The server, with the database `home`, which belongs to the role `drilldown`; leaving the `with` block ends it.

    Without `is_durable` it does not wait for the disk: the power is not cut.
    """

    def __init__(self, folder=None, is_durable=False, core=None, settings=()):
        self.folder = tempfile.mkdtemp(prefix="postgres-", dir=folder)
        self.port = unused_port()
        if AS_POSTGRES:
            shutil.chown(self.folder, "postgres", "postgres")
        data = os.path.join(self.folder, "data")
        self._run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
        options = ["listen_addresses=127.0.0.1", f"port={self.port}", f"unix_socket_directories={self.folder}",
                   f"fsync={'on' if is_durable else 'off'}", *settings]
        command = [*AS_POSTGRES, tool("postgres"), "-D", data]
        for option in options:
            command += ["-c", option]
        if core is not None:
            command = ["taskset", "-c", str(core), *command]
        with open(os.path.join(self.folder, "log"), "w") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            if wait_until(self.answers, every=0.05) is None:
                with open(os.path.join(self.folder, "log"), encoding="utf-8") as log:
                    raise RuntimeError(f"PostgreSQL does not start: {log.read()}")
            self.sql("CREATE ROLE drilldown LOGIN", database="postgres")
            self.sql("CREATE DATABASE home OWNER drilldown", database="postgres")
        except BaseException:
            self.__exit__()
            raise

    def _run(self, name, *arguments):
        result = subprocess.run(
            [*AS_POSTGRES, tool(name), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            cwd=self.folder)
        if result.returncode:
            raise RuntimeError(f"{name}: {result.stdout}{result.stderr}")

    @property
    def pid(self):
        return self.process.pid

    def answers(self):
        command = [tool("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(command, stdin=subprocess.DEVNULL).returncode == 0

    def address(self, tree, database="home"):
        """The address of a tree for drilldown."""
        return f"postgres://drilldown@127.0.0.1:{self.port}/{database}?tree={tree}"

    def sql(self, text, database="home", role="postgres"):
        """Runs statements as psql does; gives what they print, without headings."""
        return subprocess.run(
            [tool("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port),
             "-U", role, "-d", database], input=text, capture_output=True, text=True, check=True).stdout.rstrip("\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # SIGINT ends it without waiting for its clients.
        self.process.send_signal(2)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
