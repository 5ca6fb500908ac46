#!/usr/bin/env python3
"""The files of the Debian package that need no package: the unit, its configuration, and what is shipped beside them."""

import os
import re
import subprocess
import tempfile

from harness.client import DEADLINE
from harness.server import clean_environment
from harness.verdict import Verdict, options

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
SYSTEMD = os.path.join(ROOT, "Config", "systemd")
DEBIAN = os.path.join(ROOT, "Config", "debian")
# The exposure of a service that cannot be attacked is 0, of one without any protection 9.6.
EXPOSURE = 1.5


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, env=clean_environment())


def is_hardened(verdict):
    result = run("systemd-analyze", "security", "--offline=true", os.path.join(SYSTEMD, "drilldown.service"))
    found = re.search(r"Overall exposure level for drilldown\.service: ([\d.]+)", result.stdout)
    verdict.expect(
        found and float(found[1]) <= EXPOSURE, f"the exposure of the unit is {EXPOSURE} at most: {result.stdout[-300:]}")
    verdict.figure("exposure", found and found[1])


def is_understood(verdict, program):
    """With the program where it is now, systemd has nothing to say."""
    with tempfile.TemporaryDirectory() as folder:
        for name in os.listdir(SYSTEMD):
            with open(os.path.join(SYSTEMD, name)) as file:
                text = file.read()
            with open(os.path.join(folder, name), "w") as file:
                file.write(text.replace("/usr/bin/drilldown", program))
        units = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        result = run("systemd-analyze", "verify", "--man=no", *units)
        words = [line for line in (result.stdout + result.stderr).splitlines() if "drilldown" in line]
        verdict.expect(
            result.returncode == 0 and not words and len(units) == 2, f"systemd understands the units: {words}")


def is_configured(verdict, program):
    """As it is, and with every option that it has as a comment."""
    path = os.path.join(DEBIAN, "drilldown.plist")
    with open(path) as file:
        text = file.read()
    verdict.expect(
        re.findall(r"<key>(Source|Listen)</key>\s*<string>(.*)</string>", text)
        == [("Source", "/var/lib/drilldown/Data.plist"), ("Listen", "127.0.0.1:8080")],
        f"the service serves its own folder, to this machine: {text}")
    with tempfile.TemporaryDirectory() as folder:
        every = os.path.join(folder, "every.plist")
        with open(every, "w") as file:
            # The comment of an option ends before its key; one comment has two.
            file.write(re.sub(r"\n((?:\t<key>\w+</key>\n\t.*\n)+)\t-->", r" -->\n\1", text))
        for configuration, keys in [(path, 2), (every, 11)]:
            with open(configuration) as file:
                uncommented = re.sub(r"(?s)<!--.*?-->", "", file.read())
            result = run(program, "check", os.path.join(ROOT, "Data", "Data.plist"), "--config", configuration)
            verdict.expect(
                result.returncode == 0 and uncommented.count("<key>") == keys,
                f"the configuration with {keys} keys is understood: {result.stderr}")


def has_one_version(verdict, program):
    with open(os.path.join(DEBIAN, "changelog")) as file:
        newest = re.match(r"(\S+) \((\S+)\) ", file.read())
    verdict.expect(
        run(program, "--version").stdout == f"{newest[1]} {newest[2]}\n",
        f"the newest entry of the changelog is of the program's version: {newest[0]}")


def scripts_can_be_read(verdict):
    for name in ("drilldown.postinst", "drilldown.prerm", "drilldown.postrm"):
        result = run("sh", "-n", os.path.join(DEBIAN, name))
        verdict.expect(result.returncode == 0, f"sh can read {name}: {result.stderr}")


def main():
    arguments = options(__doc__)
    with Verdict("unit") as verdict:
        is_hardened(verdict)
        is_understood(verdict, arguments.server)
        is_configured(verdict, arguments.server)
        has_one_version(verdict, arguments.server)
        scripts_can_be_read(verdict)


if __name__ == "__main__":
    main()
