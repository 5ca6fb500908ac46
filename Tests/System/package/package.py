#!/usr/bin/env python3
"""The Debian package in a bare Debian made by debootstrap: installed, served by its unit, upgraded, removed and purged.

It needs root, debootstrap, systemd-container, and Debian's mirror. Every system call that the unit does not allow ends the
service here, so that none goes unnoticed.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from harness.client import Closed, Connection, get, wait_until  # noqa: E402
from harness.verdict import Verdict  # noqa: E402
from machine import Machine, bare_debian, run_bare  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
PORT = 8080
CONFIGURATION = "/etc/drilldown/drilldown.plist"
DOCUMENT = "/var/lib/drilldown/Data.plist"
TOKEN = "0123456789abcdef"
DROP_IN = "/etc/systemd/system/drilldown.service.d/test.conf"


def names(root):
    """Every file and folder that has the program's name."""
    skipped = {os.path.join(root, name) for name in ("proc", "sys", "dev", "tmp")}
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if os.path.join(folder, name) not in skipped]
        found += [os.path.join("/", os.path.relpath(os.path.join(folder, name), root))
                  for name in folders + files if "drilldown" in name]
    return sorted(found)


def users(root):
    found = []
    for name in ("passwd", "group", "shadow", "gshadow"):
        with open(os.path.join(root, "etc", name)) as file:
            found += [f"{name}: {line.strip()}" for line in file if "drilldown" in line]
    return found


def successor(package, version, folder, change=None):
    """The package as a later version would be; `change` is called with its root."""
    content = os.path.join(folder, version)
    subprocess.run(["dpkg-deb", "--raw-extract", package, content], check=True)
    control = os.path.join(content, "DEBIAN", "control")
    with open(control) as file:
        text = re.sub(r"(?m)^Version: .*$", f"Version: {version}", file.read())
    with open(control, "w") as file:
        file.write(text)
    if change:
        change(content)
    path = os.path.join(folder, f"drilldown_{version}.deb")
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", content, path], check=True, stdout=subprocess.DEVNULL)
    return path


def is_purged_from_bare(verdict, root, package):
    """Without a systemd that runs: as in the making of an image."""
    inside = os.path.join("/root", os.path.basename(shutil.copy(package, os.path.join(root, "root"))))
    run_bare(root, "apt-get", "update")
    result = run_bare(root, "apt-get", "install", "--yes", "--no-install-recommends", inside)
    verdict.expect(result.returncode == 0, f"apt installs it in a bare Debian: {result.stderr}")
    verdict.expect(
        os.path.islink(os.path.join(root, "etc/systemd/system/multi-user.target.wants/drilldown.service")),
        "the service is enabled")
    verdict.expect(
        not os.path.lexists(os.path.join(root, "etc/systemd/system/sockets.target.wants/drilldown.socket")),
        "the socket is not enabled")
    verdict.expect(
        [line.split(":")[0] for line in users(root)] == ["passwd", "group", "shadow", "gshadow"],
        f"it has a user and a group of its own: {users(root)}")
    result = run_bare(root, "drilldown", "--version")
    version = run_bare(root, "dpkg-query", "--show", "--showformat=${Version}", "drilldown").stdout
    verdict.expect(
        result.stdout == f"drilldown {version}\n", f"the program runs, and has the package's version: {result}")
    result = run_bare(root, "apt-get", "purge", "--yes", "drilldown")
    verdict.expect(result.returncode == 0, f"apt purges it: {result.stderr}")
    left = [name for name in names(root) if not name.startswith("/var/lib/apt/") and name != inside]
    verdict.expect(not left and not users(root), f"after purge nothing is left: {left} {users(root)}")


def answer(target, method="GET", **headers):
    """The answer of the service; None while nothing listens."""
    body = headers.pop("body", b"")
    try:
        with Connection(PORT) as connection:
            return connection.request(target, method, headers, body)
    except (ConnectionError, Closed):
        return None


def is_answered():
    """The answer of the service once there is one; None past the time."""
    found = None

    def asks():
        nonlocal found
        found = answer("/levels/")
        return found is not None and found.status == 200

    return found if wait_until(asks, every=0.1) is not None else None


def property_of(machine, name, unit="drilldown.service"):
    return machine.run("systemctl", "show", "--property", name, "--value", unit).stdout.strip()


def state(machine):
    """How the service is, for a sentence."""
    return machine.run("systemctl", "--no-pager", "--full", "status", "drilldown.service").stdout


def installs(verdict, machine, package):
    result = machine.run("dpkg", "--install", package)
    verdict.expect(result.returncode == 0, f"dpkg installs it where systemd runs: {result.stderr}")
    verdict.expect(
        property_of(machine, "ActiveState") == "active" and property_of(machine, "UnitFileState") == "enabled",
        f"the service is started and enabled: {state(machine)}")
    found = is_answered()
    verdict.expect(
        found and [row["title"] for row in found.json()["rows"]] == ["Item 1", "Item 2", "Item 3", "Item 4"],
        f"the sample document is served: {found and found.body}")


def is_confined(verdict, machine):
    status = dict(
        line.split(":\t", 1) for line in
        machine.run("cat", f"/proc/{property_of(machine, 'MainPID')}/status").stdout.splitlines() if ":\t" in line)
    user = machine.run("id", "--user", "drilldown").stdout.strip()
    verdict.expect(
        user and user != "0" and status["Uid"].split() == [user] * 4, f"it runs as its user {user}: {status['Uid']}")
    verdict.expect(
        (status["NoNewPrivs"], status["Seccomp"], int(status["CapBnd"], 16)) == ("1", "2", 0),
        f"it has no capability, and a filter of system calls: {status}")
    folder = os.stat(machine.path("/var/lib/drilldown"))
    verdict.expect(
        folder.st_mode & 0o7777 == 0o2770, f"the group may write the document's folder: {folder.st_mode:o}")


def configure(machine, **entries):
    """Puts entries before the end of the configuration, and restarts the service."""
    lines = "".join(f"\t<key>{key}</key>\n\t<string>{value}</string>\n" for key, value in entries.items())
    text = machine.read(CONFIGURATION)
    for key in entries:
        text = re.sub(rf"\t<key>{key}</key>\n\t<string>[^<]*</string>\n", "", text, count=1)
    # What is commented out keeps its place.
    text = text.replace("<dict>\n", f"<dict>\n{lines}", 1)
    machine.write(CONFIGURATION, text)
    return machine.run("systemctl", "restart", "drilldown.service")


def edits(verdict, machine):
    refused = answer("/detail/Item%201", "PATCH", body=b'{"Text":"New."}', **{"Content-Type": "application/json"})
    verdict.expect(refused and refused.status in (401, 403, 405), f"editing is off: {refused and refused.body}")
    machine.write("/etc/drilldown/tokens", f"alice {TOKEN}\n")
    machine.run("chown", "root:drilldown", "/etc/drilldown/tokens")
    machine.run("chmod", "640", "/etc/drilldown/tokens")
    configure(machine, EditTokenFile="/etc/drilldown/tokens")
    is_answered()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}

    def edit(text):
        return answer("/detail/Item%201", "PATCH", body=json.dumps({"Text": text}).encode(), **headers)

    found = edit("By a client.")
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
    found = edit("By a client again.")
    verdict.expect(
        found and found.status == 200, f"a client edits the author's file: {found and found.body}")
    group = machine.run("stat", "--format=%G %a", DOCUMENT).stdout.split()
    verdict.expect(group == ["drilldown", "664"], f"it keeps its group and permissions: {group}")


def reloads_and_recovers(verdict, machine):
    process = property_of(machine, "MainPID")
    result = machine.run("systemctl", "reload", "drilldown.service")
    verdict.expect(
        result.returncode == 0 and property_of(machine, "MainPID") == process and is_answered(),
        f"a reload keeps the process: {result.stderr} {state(machine)}")
    machine.run("systemctl", "kill", "--kill-whom=main", "--signal=KILL", "drilldown.service")
    restarted = wait_until(
        lambda: property_of(machine, "MainPID") not in ("0", process) and property_of(machine, "ActiveState") == "active")
    verdict.expect(restarted is not None and is_answered(), f"a process that dies is replaced: {state(machine)}")
    before = machine.read(CONFIGURATION)
    configure(machine, Threads="many")
    failed = wait_until(lambda: property_of(machine, "ActiveState") == "failed")
    verdict.expect(
        failed is not None and property_of(machine, "ExecMainStatus") == "2",
        f"wrong usage is not tried again: {state(machine)}")
    machine.write(CONFIGURATION, before)
    machine.run("systemctl", "restart", "drilldown.service")
    is_answered()


def serves_a_url(verdict, machine):
    before = machine.read(CONFIGURATION)
    machine.run(
        "systemd-run", "--unit=origin", "/usr/bin/drilldown", "serve", "/usr/share/drilldown/Data/Music.plist",
        "--listen", "127.0.0.1:9000")
    wait_until(lambda: machine.run("bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/9000").returncode == 0)
    configure(machine, Source="http://localhost:9000/document/", Cache="/var/cache/drilldown/Data.plist")
    found = is_answered()
    verdict.expect(
        found and found.body == get(9000, "/levels/").body, f"the document of a URL is served: {state(machine)}")
    verdict.expect(
        wait_until(lambda: os.path.exists(machine.path("/var/cache/drilldown/Data.plist"))) is not None,
        "its copy is kept")
    machine.run("systemctl", "stop", "origin.service")
    machine.write(CONFIGURATION, before)
    machine.run("systemctl", "restart", "drilldown.service")
    is_answered()


def installed(machine, package, version, folder, *options, change=None):
    """Installs the package as a later version."""
    later = successor(package, version, folder, change)
    return machine.run("dpkg", *options, "--install", os.path.join("/root", os.path.basename(later)))


def upgrades(verdict, machine, package, folder):
    configuration, document = machine.read(CONFIGURATION), machine.read(DOCUMENT)
    process = property_of(machine, "MainPID")

    result = installed(machine, package, "8.0.0", folder)
    verdict.expect(
        result.returncode == 0 and machine.read(CONFIGURATION) == configuration,
        f"an upgrade keeps the changed configuration: {result.stderr}")
    verdict.expect(
        is_answered() and property_of(machine, "MainPID") not in ("0", process)
        and property_of(machine, "ActiveState") == "active", f"an upgrade restarts the service: {state(machine)}")

    def add_line(content):
        with open(os.path.join(content, CONFIGURATION.lstrip("/")), "a") as file:
            file.write("<!-- new -->\n")

    result = installed(machine, package, "9.0.0", folder, "--force-confdef", change=add_line)
    verdict.expect(
        result.returncode == 0 and machine.read(CONFIGURATION) == configuration
        and "<!-- new -->" in machine.read(f"{CONFIGURATION}.dpkg-dist"),
        f"so does one to a package with another configuration, which is beside it: {result.stderr}")
    verdict.expect(machine.read(DOCUMENT) == document, "the document is unchanged")


def keeps_its_socket(verdict, machine, package, folder):
    """That of an operator who enabled it; it is stopped with the package."""
    verdict.expect(property_of(machine, "ActiveState", "drilldown.socket") == "inactive", "the socket is not started")
    machine.run("systemctl", "stop", "drilldown.service")
    machine.run("systemctl", "enable", "--now", "drilldown.socket")
    result = installed(machine, package, "10.0.0", folder, "--force-confdef")
    verdict.expect(
        result.returncode == 0 and property_of(machine, "ActiveState", "drilldown.socket") == "active",
        f"an upgrade leaves an enabled socket as it is: {result.stderr}")
    machine.run("dpkg", "--remove", "drilldown")
    verdict.expect(
        property_of(machine, "ActiveState", "drilldown.socket") == "inactive", "the socket goes with the package")
    machine.run("dpkg", "--force-confdef", "--install", f"/root/{os.path.basename(package)}")
    machine.run("systemctl", "disable", "--now", "drilldown.socket")
    machine.run("systemctl", "restart", "drilldown.service")
    is_answered()


def is_removed(verdict, machine, package):
    document = machine.read(DOCUMENT)
    result = machine.run("dpkg", "--remove", "drilldown")
    verdict.expect(
        result.returncode == 0 and answer("/levels/") is None and property_of(machine, "ActiveState") != "active",
        f"removing it stops the service: {result.stderr} {state(machine)}")
    verdict.expect(
        machine.read(DOCUMENT) == document and os.path.exists(machine.path(CONFIGURATION)),
        "removing it keeps the document and the configuration")
    # The version before has another configuration than the one that was removed: the changed one is kept again.
    machine.run("dpkg", "--force-confdef", "--install", package)
    verdict.expect(
        is_answered() and machine.read(DOCUMENT) == document, "installed again, it serves the same document")
    shutil.rmtree(os.path.dirname(machine.path(DROP_IN)))
    result = machine.run("dpkg", "--purge", "drilldown")
    left = [name for name in names(machine.root) if not name.startswith(("/root/", "/var/lib/apt/"))]
    verdict.expect(
        result.returncode == 0 and not left and not users(machine.root) and answer("/levels/") is None,
        f"after purge nothing is left: {left} {users(machine.root)} {result.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", required=True, type=os.path.abspath, help="the package to test")
    parser.add_argument("--suite", default="bookworm", help="the release of Debian")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian", help="where its packages come from")
    parser.add_argument(
        "--drop-in", type=argparse.FileType(), help="settings to add to the unit, such as those of another systemd")
    arguments = parser.parse_args()
    root = os.path.join(ROOT, ".build", f"debian-{arguments.suite}")
    with Verdict("package") as verdict:
        bare_debian(root, arguments.suite, arguments.mirror)
        is_purged_from_bare(verdict, root, arguments.package)
        folder = os.path.join(root, "root")
        with Machine(root) as machine:
            machine.write(DROP_IN, "[Service]\nSystemCallErrorNumber=kill\n" + (
                arguments.drop_in.read() if arguments.drop_in else ""))
            inside = os.path.join("/root", os.path.basename(arguments.package))
            installs(verdict, machine, inside)
            is_confined(verdict, machine)
            edits(verdict, machine)
            reloads_and_recovers(verdict, machine)
            serves_a_url(verdict, machine)
            upgrades(verdict, machine, arguments.package, folder)
            keeps_its_socket(verdict, machine, arguments.package, folder)
            is_removed(verdict, machine, inside)


if __name__ == "__main__":
    main()
