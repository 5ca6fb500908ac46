"""What an operator does with the installed service: tokens, HTTPS, addresses, reloads, the watchdog and the socket."""

import contextlib
import tempfile
import threading

from harness.certificates import Authority
from harness.client import Connection, wait_until
from installed import (
    DOCUMENT, TOKEN, answer, configure, configured, edit, is_answered, log, property_of, severe, state, unit_changed,
    write_secret)

READ_TOKENS = "/etc/drilldown/read-tokens"
CERTIFICATE, KEY = "/etc/drilldown/tls.crt", "/etc/drilldown/tls.key"
SOCKET = "/run/drilldown/socket"
# Asks through a Unix domain socket; a bare Debian has no curl.
ASK = """
use IO::Socket::UNIX;
my $socket = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "$!\\n";
print $socket "GET /readyz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n";
print <$socket>;
"""


def edits(verdict, machine):
    refused = edit(machine, "New.")
    verdict.expect(refused and refused.status in (401, 403, 405), f"editing is off: {refused and refused.body}")
    write_secret(machine, "/etc/drilldown/tokens", f"alice {TOKEN}\n")
    configure(machine, EditTokenFile="/etc/drilldown/tokens")
    is_answered()
    found = edit(machine, "By a client.")
    verdict.expect(found and found.status == 200, f"a client with a token edits: {found and found.body}")
    verdict.expect("By a client." in machine.read(DOCUMENT), "the edit is in the document")
    # An author who is a member of the group writes a new file, as most programs do, and renames it over the old one.
    machine.run("useradd", "--groups", "drilldown", "--no-create-home", "author")
    text = machine.read(DOCUMENT).replace("By a client.", "By its author.")
    result = machine.run(
        "setpriv", "--reuid=author", "--regid=author", "--init-groups", "sh", "-c",
        f"umask 002; cat >{DOCUMENT}.mine && mv {DOCUMENT}.mine {DOCUMENT}", stdin=text)
    verdict.expect(result.returncode == 0, f"a member of the group writes the document: {result.stderr}")

    def is_seen():
        found = answer("/detail/Item%201")
        return found and found.json()["fields"]["Text"] == "By its author."

    verdict.expect(wait_until(is_seen) is not None, "what the author saved is served")
    found = edit(machine, "By a client again.")
    verdict.expect(
        found and found.status == 200, f"a client edits the author's file: {found and found.body}")
    group = machine.run("stat", "--format=%G %a", DOCUMENT).stdout.split()
    verdict.expect(group == ["drilldown", "664"], f"it keeps its group and permissions: {group}")
    left = machine.run("ls", "--almost-all", "/var/lib/drilldown").stdout.split()
    verdict.expect(left == ["Data.plist"], f"edits leave nothing beside the document: {left}")


def needs_a_read_token(verdict, machine):
    write_secret(machine, READ_TOKENS, f"app {TOKEN[::-1]}\n")
    with configured(machine, ReadTokenFile=READ_TOKENS):
        reader, editor = (f"Bearer {token}" for token in (TOKEN[::-1], TOKEN))
        found = is_answered(Authorization=reader)
        verdict.expect(found is not None, f"a read token reads: {state(machine)}")
        statuses = [
            (found := answer("/levels/", **headers)) and found.status
            for headers in ({}, {"Authorization": "Bearer 0000000000000000"}, {"Authorization": editor})]
        verdict.expect(
            statuses == [401, 401, 200], f"without a token and with a wrong one nobody reads, editors do: {statuses}")
        found = answer("/healthz")
        verdict.expect(found and found.status == 200, "/healthz needs none")
        write_secret(machine, READ_TOKENS, "app abcdefgh01234567\n")
        verdict.expect(
            is_answered(Authorization="Bearer abcdefgh01234567")
            and answer("/levels/", Authorization=reader).status == 401,
            "a changed file of tokens is used without a restart")
    verdict.expect("chmod 600" not in log(machine), "files that the group may read are not called exposed")


def speaks_tls(verdict, machine):
    with tempfile.TemporaryDirectory() as folder:
        authority = Authority(folder)
        context = authority.context()

        def issue(name):
            for path, place in zip(authority.issue(name), (CERTIFICATE, KEY)):
                with open(path) as file:
                    write_secret(machine, place, file.read())

        def subject():
            with Connection(8080, tls=context) as connection:
                return dict(part[0] for part in connection.socket.getpeercert()["subject"])["commonName"]

        issue("first")
        with configured(machine, TlsCertificate=CERTIFICATE, TlsKey=KEY):
            found = is_answered(tls=context)
            verdict.expect(found is not None and subject() == "first", f"the service speaks HTTPS: {state(machine)}")
            found = edit(machine, "Over TLS.", tls=context)
            verdict.expect(
                found and found.status == 200 and "Over TLS." in machine.read(DOCUMENT),
                f"a client edits over HTTPS: {found and found.body}")
            process = property_of(machine, "MainPID")
            issue("second")
            machine.run("systemctl", "reload", "drilldown.service")
            verdict.expect(
                wait_until(lambda: subject() == "second") is not None and property_of(machine, "MainPID") == process,
                f"a reload reads a renewed certificate: {state(machine)}")


def listens_on_a_unix_socket(verdict, machine):
    def asks(*identity):
        return machine.run("setpriv", *identity, "--", "perl", "-e", ASK, SOCKET)

    member = ("--reuid=author", "--regid=author", "--init-groups")
    with configured(machine, Listen=f"unix:{SOCKET}"):
        for how in ("a start", "a restart", "SIGKILL"):
            verdict.expect(
                wait_until(lambda: asks(*member).stdout.startswith("HTTP/1.1 200 "), every=0.2) is not None,
                f"after {how} a member of the group is served by {SOCKET}: {asks(*member)} {state(machine)}")
            mode = machine.run("stat", "--format=%U %G %a", SOCKET).stdout.split()
            verdict.expect(mode == ["drilldown", "drilldown", "660"], f"the socket is the group's: {mode}")
            if how == "a start":
                machine.run("systemctl", "restart", "drilldown.service")
            elif how == "a restart":
                machine.run("systemctl", "kill", "--kill-whom=main", "--signal=KILL", "drilldown.service")
        refused = asks("--reuid=nobody", "--regid=nogroup", "--clear-groups")
        verdict.expect(
            refused.returncode != 0 and refused.stderr == "Permission denied\n", f"others are refused: {refused}")
    verdict.expect(
        machine.run("test", "-e", SOCKET).returncode != 0, "the socket goes when the service listens elsewhere")


def reloads(verdict, machine):
    process = property_of(machine, "MainPID")
    lines = log(machine).count("reloaded the document")
    result = machine.run("systemctl", "reload", "drilldown.service")
    verdict.expect(
        result.returncode == 0
        and wait_until(lambda: log(machine).count("reloaded the document") > lines, every=0.1) is not None
        and wait_until(lambda: property_of(machine, "ActiveState") == "active", every=0.1) is not None,
        f"a reload reads the document again: {result.stderr} {state(machine)}")
    verdict.expect(
        property_of(machine, "MainPID") == process and is_answered(), f"a reload keeps the process: {state(machine)}")
    status = property_of(machine, "StatusText")
    verdict.expect(
        status.startswith(f"Serving {DOCUMENT}: ") and " items, revision " in status,
        f"systemd shows the status: {status}")


def is_replaced(machine, process):
    """Whether another process runs, and answers."""
    return wait_until(
        lambda: property_of(machine, "MainPID") not in ("0", process)
        and property_of(machine, "ActiveState") == "active", every=0.1) is not None and is_answered() is not None


def recovers(verdict, machine):
    verdict.expect(not severe(machine), f"no error was logged so far: {severe(machine)}")
    process = property_of(machine, "MainPID")
    machine.run("systemctl", "kill", "--kill-whom=main", "--signal=KILL", "drilldown.service")
    verdict.expect(is_replaced(machine, process), f"a process that dies is replaced: {state(machine)}")
    with configured(machine, Threads="many"):
        failed = wait_until(lambda: property_of(machine, "ActiveState") == "failed")
        verdict.expect(
            failed is not None and property_of(machine, "ExecMainStatus") == "2",
            f"wrong usage is not tried again: {state(machine)}")
        found = severe(machine)
        verdict.expect(
            any("Threads: " in line for line in found), f"the journal knows wrong usage as an error: {found}")
    with configured(machine, Source="/srv/nothing.plist"):
        verdict.expect(
            wait_until(lambda: any(
                line.startswith("drilldown: error: /srv/nothing.plist") for line in severe(machine)), every=0.2)
            is not None, f"the journal knows a document that cannot be read as an error: {severe(machine)}")
        write_secret(machine, "/srv/nothing.plist", machine.read(DOCUMENT))
        verdict.expect(is_answered() is not None, f"once it can be read, it is served: {state(machine)}")


def is_watched(verdict, machine):
    verdict.expect(property_of(machine, "WatchdogUSec") == "1min", "systemd watches the service")
    with unit_changed(machine, "drilldown.service", "[Service]\nWatchdogSec=6\n"):
        machine.run("systemctl", "restart", "drilldown.service")
        is_answered()
        process, restarts = (property_of(machine, name) for name in ("MainPID", "NRestarts"))
        for _ in range(3):
            before = property_of(machine, "WatchdogTimestampMonotonic")
            verdict.expect(
                wait_until(lambda: property_of(machine, "WatchdogTimestampMonotonic") != before, every=0.1) is not None,
                "the service gives signs of life")
        verdict.expect(
            (property_of(machine, "MainPID"), property_of(machine, "NRestarts")) == (process, restarts),
            f"a service that is well is left alone: {state(machine)}")
        machine.run("systemctl", "kill", "--kill-whom=main", "--signal=STOP", "drilldown.service")
        verdict.expect(is_replaced(machine, process), f"a process that stands still is replaced: {state(machine)}")
        verdict.expect("Watchdog timeout" in log(machine), f"by the watchdog: {log(machine)[-2000:]}")
    machine.run("systemctl", "restart", "drilldown.service")
    is_answered()


class Visitors:
    """Clients that come one after the other, each with a connection of its own, as long as the `with` block lasts."""

    def __init__(self):
        self.statuses = []
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._come)

    def _come(self):
        while not self.ended.is_set():
            found = answer("/levels/")
            self.statuses.append(found and found.status)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        before = len(self.statuses)
        wait_until(lambda: len(self.statuses) > before + 1)
        self.ended.set()
        self.thread.join()


@contextlib.contextmanager
def activated(machine):
    """The shipped socket in the service's place, enabled as the manual says."""
    machine.run("systemctl", "stop", "drilldown.service")
    yield machine.run("systemctl", "enable", "--now", "drilldown.socket")
    machine.run("systemctl", "disable", "--now", "drilldown.socket")
    machine.run("systemctl", "restart", "drilldown.service")
    is_answered()


def is_activated(verdict, machine):
    verdict.expect(property_of(machine, "ActiveState", "drilldown.socket") == "inactive", "the socket is not started")
    # The configuration's own address is not used: the socket replaces it.
    with configured(machine, Listen="127.0.0.1:8081"), activated(machine) as result:
        verdict.expect(
            result.returncode == 0 and property_of(machine, "ActiveState", "drilldown.socket") == "active"
            and property_of(machine, "ActiveState") == "inactive", f"the socket listens alone: {state(machine)}")
        found = answer("/levels/")
        verdict.expect(
            found and found.status == 200 and property_of(machine, "ActiveState") == "active",
            f"the first client starts the service, and is served: {found} {state(machine)}")
        verdict.expect(answer("/levels/", port=8081) is None, "nothing listens on the configuration's address")
        process = property_of(machine, "MainPID")
        with Visitors() as visitors:
            machine.run("systemctl", "restart", "drilldown.service")
        verdict.expect(
            set(visitors.statuses) == {200} and property_of(machine, "MainPID") != process,
            f"during a restart clients wait: {visitors.statuses}")
        machine.run("systemctl", "stop", "drilldown.service", "drilldown.socket")
        with unit_changed(machine, "drilldown.socket", "[Socket]\nListenStream=\nListenStream=127.0.0.1:80\n"):
            machine.run("systemctl", "start", "drilldown.socket", "drilldown.service")
            verdict.expect(is_answered(port=80), f"with the socket it is served on port 80: {state(machine)}")
            machine.run("systemctl", "stop", "drilldown.service", "drilldown.socket")
        with unit_changed(machine, "drilldown.socket", "[Socket]\nListenStream=\nListenStream=[::]:8082\n"):
            machine.run("systemctl", "start", "drilldown.socket", "drilldown.service")
            verdict.expect(is_answered(port=8082), f"a socket of both families serves: {state(machine)}")
            machine.run("systemctl", "stop", "drilldown.service", "drilldown.socket")


def keeps_its_socket(verdict, machine, upgrade):
    """That of an operator who enabled it; it is stopped with the package."""
    with activated(machine):
        verdict.expect(is_answered(), "the service is started by its socket")
        process = property_of(machine, "MainPID")
        with Visitors() as visitors:
            result = upgrade()
        verdict.expect(
            result.returncode == 0 and property_of(machine, "ActiveState", "drilldown.socket") == "active",
            f"an upgrade leaves an enabled socket as it is: {result.stderr}")
        verdict.expect(
            set(visitors.statuses) == {200} and property_of(machine, "MainPID") not in ("0", process),
            f"during an upgrade clients of the socket wait: {visitors.statuses}")


PARTS = [
    edits, needs_a_read_token, speaks_tls, listens_on_a_unix_socket, reloads, recovers, is_watched, is_activated]
