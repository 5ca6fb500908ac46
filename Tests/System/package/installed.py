"""The installed service in its machine: its answers, its configuration, and how systemd sees it."""

import contextlib
import re

from harness.client import Closed, Connection, wait_until

PORT = 8080
CONFIGURATION = "/etc/drilldown/drilldown.plist"
DOCUMENT = "/var/lib/drilldown/Data.plist"
TOKEN = "0123456789abcdef"
# Where the operator's own settings of the units are.
DROP_INS = ["/etc/systemd/system/drilldown.service.d", "/etc/systemd/system/drilldown.socket.d"]


def answer(target, method="GET", port=PORT, tls=None, **headers):
    """The answer of the service; None while nothing listens."""
    body = headers.pop("body", b"")
    try:
        with Connection(port, tls=tls) as connection:
            return connection.request(target, method, headers, body)
    except (ConnectionError, Closed):
        return None


def is_answered(**options):
    """The answer of the service once there is one; None past the time."""
    found = None

    def asks():
        nonlocal found
        found = answer("/levels/", **options)
        return found is not None and found.status == 200

    return found if wait_until(asks, every=0.1) is not None else None


def edit(machine, text, **options):
    """The answer to an edit of the first item, with the token for edits."""
    body = f'{{"Text":"{text}"}}'.encode()
    return answer(
        "/detail/Item%201", "PATCH", body=body, Authorization=f"Bearer {TOKEN}",
        **{"Content-Type": "application/json"}, **options)


def property_of(machine, name, unit="drilldown.service"):
    return machine.run("systemctl", "show", "--property", name, "--value", unit).stdout.strip()


def state(machine):
    """How the service is, for a sentence."""
    return machine.run("systemctl", "--no-pager", "--full", "status", "drilldown.service").stdout


def log(machine):
    """What the service, and systemd about it, have logged."""
    return machine.run("journalctl", "--no-pager", "--output=cat", "--unit=drilldown.service").stdout


def severe(machine):
    """What the service itself has logged as an error."""
    lines = machine.run(
        "journalctl", "--no-pager", "--output=cat", "--priority=err", "--unit=drilldown.service",
        "SYSLOG_IDENTIFIER=drilldown").stdout
    return lines.splitlines()


def write_secret(machine, path, text):
    """Writes a file that root may change, the service may read, and nobody else may see."""
    machine.write(path, text)
    machine.run("chown", "root:drilldown", path)
    machine.run("chmod", "640", path)


def configure(machine, **entries):
    """Puts entries first in the configuration, in place of those of the same name, and restarts the service."""
    lines = "".join(f"\t<key>{key}</key>\n\t<string>{value}</string>\n" for key, value in entries.items())
    text = machine.read(CONFIGURATION)
    for key in entries:
        text = re.sub(rf"\t<key>{key}</key>\n\t<string>[^<]*</string>\n", "", text, count=1)
    # What is commented out keeps its place.
    text = text.replace("<dict>\n", f"<dict>\n{lines}", 1)
    machine.write(CONFIGURATION, text)
    return machine.run("systemctl", "restart", "drilldown.service")


@contextlib.contextmanager
def configured(machine, **entries):
    """The service with these entries; leaving the `with` block restores the configuration."""
    before = machine.read(CONFIGURATION)
    yield configure(machine, **entries)
    machine.write(CONFIGURATION, before)
    machine.run("systemctl", "restart", "drilldown.service")
    is_answered()


@contextlib.contextmanager
def unit_changed(machine, name, text):
    """The unit with a file of the operator's own, as `systemctl edit` makes it."""
    path = f"/etc/systemd/system/{name}.d/operator.conf"
    machine.write(path, text)
    machine.run("systemctl", "daemon-reload")
    yield
    machine.run("rm", path)
    machine.run("systemctl", "daemon-reload")
