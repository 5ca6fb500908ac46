#!/usr/bin/env python3
"""The Debian packages in a bare Debian made by debootstrap: the service installed, run by its unit, upgraded, removed and
purged, and the terminal client beside it.

It needs root, debootstrap, systemd-container, and Debian's mirror. Every system call that the unit does not allow ends the
service here, so that none goes unnoticed.
"""

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import operation  # noqa: E402
from harness.client import get, wait_until  # noqa: E402
from harness.verdict import Verdict  # noqa: E402
from installed import (  # noqa: E402
    CONFIGURATION, DOCUMENT, DROP_INS, answer, configured, is_answered, property_of, state)
from machine import Machine, bare_debian, run_bare  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
# The exposure of a service that cannot be attacked is 0, of one without any protection 96.
EXPOSURE = 15
# The packages of the libraries that the programs use directly, of any version.
LIBRARIES = {
    "libbrotli1", "libc6", "libcurl4", "libgcc-s1", "libgnutls30", "libmicrohttpd12", "libpq5", "libsqlite3-0", "libstdc++6", "libutf8proc2",
    "libxxhash0", "zlib1g"}
BROWSE_LIBRARIES = {"libc6", "libcurl4", "libgcc-s1", "libstdc++6"}


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


def depends_on_its_libraries(verdict, package, libraries):
    """The names of some change from one Debian to the next; those are of Debian 12."""
    field = subprocess.run(
        ["dpkg-deb", "--field", package, "Depends"], check=True, capture_output=True, text=True).stdout
    found = {name.split()[0] for name in field.split(", ") if " | " not in name}
    verdict.expect(found == libraries, f"the package depends on the libraries of the program: {sorted(found)}")


def put_inside(root, package):
    """Copies a package into the root; returns its path there."""
    return os.path.join("/root", os.path.basename(shutil.copy(package, os.path.join(root, "root"))))


def is_purged_from_bare(verdict, root, inside, browse_inside):
    """Without a systemd that runs: as in the making of an image."""
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
    result = run_bare(root, "apt-get", "install", "--yes", "--no-install-recommends", browse_inside)
    verdict.expect(result.returncode == 0, f"apt installs the terminal client: {result.stderr}")
    result = run_bare(root, "drilldown-browse", "--version")
    verdict.expect(
        result.stdout == f"drilldown-browse {version}\n", f"its program runs, and has the same version: {result}")
    with gzip.open(os.path.join(root, "usr/share/man/man1/drilldown-browse.1.gz"), "rt") as file:
        described = set(re.findall(r"--[a-z-]+", file.read().replace("\\-", "-")))
    usage = run_bare(root, "drilldown-browse", "--help").stdout.splitlines()[0]
    taken = {"--help", "--version", *re.findall(r"--[a-z-]+", usage)}
    verdict.expect(described == taken, f"its manual page describes the options that it takes: {described ^ taken}")
    result = run_bare(root, "apt-get", "purge", "--yes", "drilldown", "drilldown-browse")
    verdict.expect(result.returncode == 0, f"apt purges both: {result.stderr}")
    left = [name for name in names(root) if not name.startswith("/var/lib/apt/") and name not in (inside, browse_inside)]
    verdict.expect(not left and not users(root), f"after purge nothing is left: {left} {users(root)}")


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


def is_browsed(verdict, machine, browse_package):
    """By a user without rights, with the terminal client from its package."""
    def browse():
        return machine.run("setpriv", "--reuid=nobody", "--clear-groups", "drilldown", "browse", "http://localhost:8080")

    missing = browse()
    verdict.expect(
        missing.returncode == 1 and "browse needs the program drilldown-browse" in missing.stderr,
        f"without the package of the terminal client, the command says what it needs: {missing}")
    result = machine.run("dpkg", "--install", browse_package)
    verdict.expect(result.returncode == 0, f"dpkg installs the terminal client: {result.stderr}")
    shown = browse()
    rows = [f"Item {number}\t1\thttp://localhost:8080/levels/Item%20{number}" for number in range(1, 5)]
    verdict.expect(
        (shown.returncode, shown.stdout.splitlines(), shown.stderr) == (0, rows, ""),
        f"the terminal client prints what the service has: {shown}")


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
    result = machine.run("systemd-analyze", "security", "--no-pager", f"--threshold={EXPOSURE}", "drilldown.service")
    verdict.expect(
        result.returncode == 0, f"systemd computes an exposure of {EXPOSURE / 10} at most: {result.stdout[-200:]}")


def serves_a_url(verdict, machine):
    machine.run(
        "systemd-run", "--unit=origin", "/usr/bin/drilldown", "serve", "/usr/share/drilldown/Data/Music.plist",
        "--listen", "127.0.0.1:9000")
    wait_until(lambda: machine.run("bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/9000").returncode == 0)
    with configured(machine, Source="http://localhost:9000/document/", Cache="/var/cache/drilldown/Data.plist"):
        found = is_answered()
        verdict.expect(
            found and found.body == get(9000, "/levels/").body, f"the document of a URL is served: {state(machine)}")
        verdict.expect(
            wait_until(lambda: os.path.exists(machine.path("/var/cache/drilldown/Data.plist"))) is not None,
            "its copy is kept")
        machine.run("systemctl", "stop", "origin.service")


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


def is_removed(verdict, machine, package):
    document = machine.read(DOCUMENT)
    machine.run("systemctl", "stop", "drilldown.service")
    machine.run("systemctl", "enable", "--now", "drilldown.socket")
    is_answered()
    result = machine.run("dpkg", "--remove", "drilldown")
    verdict.expect(
        result.returncode == 0 and answer("/levels/") is None and property_of(machine, "ActiveState") != "active"
        and property_of(machine, "ActiveState", "drilldown.socket") != "active",
        f"removing it stops the service and the socket: {result.stderr} {state(machine)}")
    verdict.expect(
        machine.read(DOCUMENT) == document and os.path.exists(machine.path(CONFIGURATION)),
        "removing it keeps the document and the configuration")
    # The version before has another configuration than the one that was removed: the changed one is kept again.
    machine.run("dpkg", "--force-confdef", "--install", package)
    verdict.expect(
        is_answered() and machine.read(DOCUMENT) == document, "installed again, it serves the same document")
    verdict.expect(
        property_of(machine, "ActiveState", "drilldown.socket") == "active",
        f"installed again, an enabled socket listens: {state(machine)}")
    for folder in DROP_INS:
        shutil.rmtree(machine.path(folder))
    result = machine.run("dpkg", "--purge", "drilldown", "drilldown-browse")
    left = [name for name in names(machine.root) if not name.startswith(("/root/", "/var/lib/apt/"))]
    left += machine.run("find", "/run", "-name", "*drilldown*").stdout.split()
    verdict.expect(
        result.returncode == 0 and not left and not users(machine.root) and answer("/levels/") is None,
        f"after purge nothing is left: {left} {users(machine.root)} {result.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", required=True, type=os.path.abspath, help="the package of the service")
    parser.add_argument(
        "--browse-package", required=True, type=os.path.abspath, help="the package of the terminal client")
    parser.add_argument("--suite", default="bookworm", help="the release of Debian")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian", help="where its packages come from")
    parser.add_argument(
        "--drop-in", type=argparse.FileType(), help="settings to add to the unit, such as those of another systemd")
    arguments = parser.parse_args()
    root = os.path.join(ROOT, ".build", f"debian-{arguments.suite}")
    with Verdict("package") as verdict:
        if arguments.suite == "bookworm":
            depends_on_its_libraries(verdict, arguments.package, LIBRARIES)
            depends_on_its_libraries(verdict, arguments.browse_package, BROWSE_LIBRARIES)
        bare_debian(root, arguments.suite, arguments.mirror)
        inside, browse_inside = (put_inside(root, package) for package in (arguments.package, arguments.browse_package))
        is_purged_from_bare(verdict, root, inside, browse_inside)
        folder = os.path.join(root, "root")
        with Machine(root) as machine:
            machine.write(f"{DROP_INS[0]}/test.conf", "[Service]\nSystemCallErrorNumber=kill\n" + (
                arguments.drop_in.read() if arguments.drop_in else ""))
            installs(verdict, machine, inside)
            is_browsed(verdict, machine, browse_inside)
            is_confined(verdict, machine)
            for part in operation.PARTS:
                part(verdict, machine)
            serves_a_url(verdict, machine)
            upgrades(verdict, machine, arguments.package, folder)
            operation.keeps_its_socket(
                verdict, machine, lambda: installed(machine, arguments.package, "10.0.0", folder, "--force-confdef"))
            is_removed(verdict, machine, inside)


if __name__ == "__main__":
    main()
