"""A bare Debian in a folder, and a machine that runs it: systemd-nspawn, with a network of its own that reaches nothing."""

import ctypes
import os
import shutil
import signal
import subprocess

from harness.client import DEADLINE, wait_until

CLONE_NEWNET = 0x40000000
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
# Packages take their time, and come from afar.
LONG = 900


def bare_debian(folder, suite, mirror):
    """A copy of a root that debootstrap made, once, beside it."""
    pristine = f"{folder}.bare"
    if not os.path.exists(pristine):
        shutil.rmtree(f"{pristine}.new", ignore_errors=True)
        subprocess.run(
            ["debootstrap", "--variant=minbase", suite, f"{pristine}.new", mirror], check=True,
            stdout=subprocess.DEVNULL, timeout=LONG)
        os.rename(f"{pristine}.new", pristine)
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["cp", "--archive", pristine, folder], check=True)


def run_bare(root, *command):
    """Runs a command in the root, where no systemd runs, with the network of this machine."""
    return subprocess.run(
        ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--pipe", f"--directory={root}",
         *(f"--setenv={name}={value}" for name, value in ENVIRONMENT.items()), *command],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONG)


class Machine:
    """The root with a systemd that runs; leaving the `with` block ends it."""

    def __init__(self, root):
        self.root = root
        self.network = os.open("/proc/self/ns/net", os.O_RDONLY)
        self.process = subprocess.Popen(
            ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "--console=passive",
             f"--directory={root}", "--boot"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.leader = None
        if wait_until(self._has_leader) is None or wait_until(self._is_up, every=0.2) is None:
            self.stop()
            raise RuntimeError("the machine does not start")
        self._enter(f"/proc/{self.leader}/ns/net")

    def _has_leader(self):
        """Finds the machine's first process."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as children:
            for child in children.read().split():
                with open(f"/proc/{child}/comm") as name:
                    if name.read().strip() == "systemd":
                        self.leader = int(child)
        return self.leader is not None

    def _is_up(self):
        state = self.run("systemctl", "is-system-running").stdout.strip()
        return state in ("running", "degraded")

    def _enter(self, network):
        """This thread's connections go to the machine from now on."""
        descriptor = network if isinstance(network, int) else os.open(network, os.O_RDONLY)
        if ctypes.CDLL(None, use_errno=True).setns(descriptor, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
        os.close(descriptor)

    def run(self, *command, stdin=None):
        return subprocess.run(
            ["nsenter", f"--target={self.leader}", "--all", "--", *command], input=stdin, capture_output=True,
            text=True, timeout=LONG, env=ENVIRONMENT)

    def path(self, path):
        return os.path.join(self.root, path.lstrip("/"))

    def read(self, path):
        with open(self.path(path)) as file:
            return file.read()

    def write(self, path, text):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        with open(self.path(path), "w") as file:
            file.write(text)

    def stop(self):
        # systemd-nspawn takes SIGRTMIN+3 to the machine's systemd, which shuts down.
        if self.leader is not None and self.process.poll() is None:
            os.kill(self.leader, signal.SIGRTMIN + 3)
        try:
            self.process.wait(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._enter(self.network)
        self.stop()
