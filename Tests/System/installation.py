#!/usr/bin/env python3
"""The files around the program: make targets that need no build, and a container's defaults and health check."""

import os
import re
import shutil
import subprocess
import tempfile

from harness.certificates import Authority
from harness.client import DEADLINE, get, wait_until
from harness.server import Server, clean_environment, unused_port
from harness.verdict import Verdict, options

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
DATA = os.path.join(ROOT, "Data", "Data.plist")
HEALTH_CHECK = os.path.join(ROOT, "Config", "health-check")


def make(*arguments, environment=None, folder=ROOT, user=None):
    return subprocess.run(
        ["make", "--no-print-directory", *arguments], cwd=folder, capture_output=True, text=True, timeout=DEADLINE,
        stdin=subprocess.DEVNULL, env=environment, user=user)


def installs(verdict, program, folder):
    """The program is taken as it is: that it is built and stripped is a matter of minutes."""
    target = os.path.join(folder, "root")
    browse = os.path.join(os.path.dirname(program), "drilldown-browse")
    places = [f"PROGRAM={program}", f"BROWSE_PROGRAM={browse}", f"DESTDIR={target}", "PREFIX=/opt/drilldown"]
    places += ["--assume-old", program, "--assume-old", browse]
    result = make("install", *places)
    verdict.expect(result.returncode == 0, f"make install succeeds: {result.stderr}")
    installed = sorted(
        os.path.relpath(os.path.join(path, name), target) for path, _, names in os.walk(target) for name in names)
    shares, share = "opt/drilldown/share", "opt/drilldown/share/drilldown"
    wanted = ["opt/drilldown/bin/drilldown", "opt/drilldown/bin/drilldown-browse", f"{share}/Config/drilldown.plist", f"{share}/Config/health-check",
              f"{shares}/man/man1/drilldown-browse.1"]
    wanted += [f"{share}/{os.path.relpath(os.path.join(path, name), ROOT)}"
               for path, _, names in os.walk(os.path.join(ROOT, "Data")) for name in names]
    printed = {
        f"{shares}/man/man1/drilldown.1": ["manual"],
        f"{shares}/bash-completion/completions/drilldown": ["completions", "bash"],
        f"{shares}/zsh/site-functions/_drilldown": ["completions", "zsh"],
        f"{shares}/fish/vendor_completions.d/drilldown.fish": ["completions", "fish"],
    }
    verdict.expect(
        installed == sorted(wanted + list(printed)),
        f"make install installs both programs, manual pages, completions, configuration and documents: {installed}")
    for name, arguments in printed.items():
        with open(os.path.join(target, name)) as file:
            content = file.read()
        shown = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=DEADLINE).stdout
        verdict.expect(content == shown and "listen" in content, f"{name} is what {arguments} prints")
    data = os.path.join(target, share, "Data")
    documents = sorted(name for name in os.listdir(data) if name.endswith((".plist", ".bundle")))
    checked = subprocess.run(
        [os.path.join(target, "opt/drilldown/bin/drilldown"), "check", *(os.path.join(data, name) for name in documents)],
        capture_output=True, text=True, timeout=DEADLINE, env=clean_environment())
    reports = (checked.stdout + checked.stderr).splitlines()
    verdict.expect(
        checked.returncode == 0 and "Settings.bundle" in documents and len(reports) == 3 * len(documents)
        and all(line.endswith(", 0 warnings") for line in reports[2::3]),
        f"the installed program has no warnings about the installed documents: {reports}")
    for word in ("drilldown", "drilldown-browse"):
        shown = subprocess.run(
            [os.path.join(target, "opt/drilldown/bin", word), *(["browse"] if word == "drilldown" else []), "--version"],
            capture_output=True, text=True, timeout=DEADLINE, env=clean_environment())
        verdict.expect(shown.returncode == 0 and shown.stdout.startswith("drilldown"), f"{word} runs: {shown}")
    result = make("uninstall", *places)
    left = [name for _, _, names in os.walk(target) for name in names]
    verdict.expect(result.returncode == 0 and not left, f"make uninstall leaves nothing: {left}")


def cleans(verdict, folder):
    project = os.path.join(folder, "project")
    os.makedirs(os.path.join(project, ".build", "release"))
    os.makedirs(os.path.join(project, "Sources"))
    shutil.copy(os.path.join(ROOT, "Makefile"), project)
    result = make("clean", folder=project)
    verdict.expect(
        result.returncode == 0 and sorted(os.listdir(project)) == ["Makefile", "Sources"],
        f"make clean removes what was built, and nothing else: {os.listdir(project)} {result.stderr}")


def tells_what_to_run(verdict, folder):
    """Neither root nor sudo, and a package that is missing: stubs stand for the system's programs."""
    stubs = os.path.join(folder, "stubs")
    os.makedirs(stubs)
    for name, line in {
        "id": "echo 1000", "apt-get": "exit 1",
        "dpkg-query": 'for package; do :; done; test "$package" = zlib1g-dev || echo installed',
    }.items():
        path = os.path.join(stubs, name)
        with open(path, "w") as file:
            file.write(f"#!/bin/sh\n{line}\n")
        os.chmod(path, 0o755)
    for name in ("sh", "find", "make"):
        os.symlink(shutil.which(name), os.path.join(stubs, name))
    result = make("deps", environment={"PATH": stubs})
    verdict.expect(result.returncode != 0, "make deps fails if only root can install packages")
    verdict.expect(
        "Run this as root, then run make again:\n"
        "  apt-get update && apt-get install --yes --no-install-recommends zlib1g-dev\n" in result.stderr,
        f"make deps prints the command to paste: {result.stderr}")


def takes_rights_of_owner(verdict, folder):
    """Files go into a folder of root with sudo, which a stub stands for."""
    place = os.path.join(folder, "owner")
    os.makedirs(place)
    shutil.copy(os.path.join(ROOT, "Makefile"), place)
    stub = os.path.join(place, "sudo")
    with open(stub, "w") as file:
        file.write('#!/bin/sh\necho "rights of root for: $*"\n')
    os.chmod(stub, 0o755)
    os.chmod(folder, 0o755)
    environment = {"PATH": f"{place}:{os.environ['PATH']}"}
    result = make("uninstall", "PREFIX=/usr/lib/drilldown", environment=environment, folder=place,
                  user=65534 if os.geteuid() == 0 else None)
    verdict.expect(
        result.stdout == "/usr/lib is not yours: sudo make uninstall-files\n"
        "rights of root for: make --no-print-directory PREFIX=/usr/lib/drilldown uninstall-files\n",
        f"make uninstall asks for the rights of root: {result.stdout}{result.stderr}")
    result = make("uninstall", f"PREFIX={place}/own", environment=environment, folder=place)
    verdict.expect("rights of root" not in result.stdout, f"in a folder of this user's, it does not: {result.stdout}")


def tells_another_document(verdict, program):
    port = unused_port()
    process = subprocess.Popen(
        ["make", "--no-print-directory", "run", f"SERVER={program}", "SWIFT=true", f"LISTEN=127.0.0.1:{port}"],
        cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env=clean_environment())
    try:
        lines = [process.stdout.readline() for _ in range(3)]
        verdict.expect(
            "  make run DOCUMENT=path/to/Your.plist LISTEN=127.0.0.1:8081\n" in lines,
            f"make run says how to serve another document: {lines}")

        def answers():
            try:
                return get(port, "/healthz").status == 200
            except ConnectionError:
                return False

        verdict.expect(wait_until(answers) is not None, "make run serves")
        taken = make("run", f"SERVER={program}", "SWIFT=true", f"LISTEN=127.0.0.1:{port}")
        verdict.expect(
            f"choose another: --listen 127.0.0.1:{port + 1}.\n" in taken.stderr
            and "LISTEN=127.0.0.1:8081" in taken.stdout,
            f"a port in use is refused with the option, below the variable of make run: {taken.stdout}{taken.stderr}")
    finally:
        # The recipe's shell gives way to the service, which is make's only child.
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as children:
            for child in children.read().split():
                os.kill(int(child), 15)
        process.wait(timeout=DEADLINE)
        process.stdout.close()


def health(server, **environment):
    return subprocess.run(
        ["bash", HEALTH_CHECK, str(server.pid)], capture_output=True, timeout=DEADLINE,
        env=clean_environment(environment)).returncode


def image_defaults():
    """The variables that the image sets."""
    with open(os.path.join(ROOT, "Dockerfile")) as file:
        return dict(re.findall(r"(DRILLDOWN_\w+)=(\S+)", file.read()))


def checks_health(verdict, program):
    defaults = image_defaults()
    verdict.expect(
        defaults.get("DRILLDOWN_LISTEN") == "0.0.0.0:8080" and "DRILLDOWN_SOURCE" in defaults,
        f"the image sets the address and the document: {defaults}")
    # The harness names the address as an option, which wins over the image's variable.
    with Server(program, DATA, environment=defaults, port=unused_port()) as server:
        verdict.expect(health(server, **defaults) == 0, "a service on the port given by an option is healthy")
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Authority(folder).issue("service")
        pair = ["--tls-certificate", certificate, "--tls-key", key]
        with Server(program, DATA, *pair, port=unused_port()) as server:
            verdict.expect(health(server) == 0, "a service that speaks HTTPS is healthy")
            verdict.expect(
                health(server, DRILLDOWN_LISTEN="127.0.0.1:1", DRILLDOWN_TLS_CERTIFICATE=certificate) == 0,
                "options win over variables")
    port = unused_port()
    process = subprocess.Popen(
        [program, "serve"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env=clean_environment({"DRILLDOWN_LISTEN": f"127.0.0.1:{port}", "DRILLDOWN_SOURCE": DATA}))
    try:
        for line in process.stderr:
            if " at http://" in line:
                break
        verdict.expect(
            health(process, DRILLDOWN_LISTEN=f"127.0.0.1:{port}") == 0,
            "a service on the port given by a variable is healthy")
        verdict.expect(
            health(process, DRILLDOWN_LISTEN=f"0.0.0.0:{port}") == 0,
            "a service on all addresses is asked at 127.0.0.1")
        verdict.expect(
            health(process, DRILLDOWN_LISTEN=f"127.0.0.1:{unused_port()}") != 0,
            "a port on which nothing listens is not healthy")
    finally:
        process.terminate()
        process.wait(timeout=DEADLINE)
        process.stderr.close()


def main():
    arguments = options(__doc__)
    with Verdict("installation") as verdict, tempfile.TemporaryDirectory() as folder:
        installs(verdict, arguments.server, folder)
        cleans(verdict, folder)
        tells_what_to_run(verdict, folder)
        takes_rights_of_owner(verdict, folder)
        tells_another_document(verdict, arguments.server)
        checks_health(verdict, arguments.server)


if __name__ == "__main__":
    main()
