#!/usr/bin/env python3
"""Serves with a clock that is wrong by thousands of years, and files whose times are: reads and edits go on.

The clock is put wrong for the service alone, by a library that is loaded into it. The file is on a tmpfs, which keeps
every time, unless the test has no right to mount one.
"""

import ctypes
import json
import os
import subprocess
import tempfile

from harness.client import Closed, Connection, Cut
from harness.server import Server
from harness.verdict import Verdict, options

CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *result) {
    int (*real)(clockid_t, struct timespec *) =
        (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(clock, result);
    if (clock == CLOCK_REALTIME) result->tv_sec += atoll(getenv("CLOCK_AHEAD"));
    return status;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
"""
TOKEN = "0123456789abcdefghijklmnopqrstuvwxyzABCDEF"
ENDS = (-2**63, -2**63 + 1, -10**11, -62_135_596_801, 253_402_300_800, 10**11, 2**63 - 1)
# The last two are near the ends of 64 bits, as no system's own clock is.
CLOCKS = (10**11, -10**11, 9 * 10**18, -9 * 10**18)


class Time(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


def set_time(path, seconds):
    """Gives a file a time that Python's own functions do not take; returns the one that it then has."""
    times = (Time * 2)(Time(seconds, 999_999_999), Time(seconds, 999_999_999))
    if ctypes.CDLL(None, use_errno=True).utimensat(-100, os.fsencode(path), times, 0) != 0:
        raise OSError(ctypes.get_errno(), "utimensat", path)
    return os.stat(path).st_mtime


def prepared(folder):
    """A document, its asset, and a file with a token."""
    os.mkdir(os.path.join(folder, "assets"))
    for name, text in (("Data.json", '[{"Title": "a"}]'), ("tokens", f"alice {TOKEN}\n"), ("assets/a.txt", "hello")):
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text)
    os.chmod(os.path.join(folder, "tokens"), 0o600)
    return [os.path.join(folder, name) for name in ("Data.json", "tokens", "assets/a.txt")]


def answer_to(port, target, *arguments):
    """The status and the body; no status if the service has gone."""
    try:
        with Connection(port) as connection:
            answer = connection.request(target, *arguments)
            return answer.status, answer.body
    except (Closed, Cut, OSError) as error:
        return None, repr(error)


def wrong_files(verdict, program, folder):
    document, _, asset = prepared(folder)
    with Server(program, document) as server:
        for seconds in ENDS:
            for path in (asset, document):
                verdict.figure(f"{os.path.basename(path)} of {seconds} s has", set_time(path, seconds))
            answer = answer_to(server.port, "/assets/a.txt")
            if not verdict.expect(answer == (200, b"hello"), f"an asset of {seconds} s is served: {answer}"):
                return


def wrong_clock(verdict, program, folder, library, seconds):
    document, tokens, _ = prepared(folder)
    environment = {"LD_PRELOAD": library, "CLOCK_AHEAD": str(seconds)}
    with Server(program, document, "--edit-token-file", tokens, environment=environment) as server:
        fields = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        for title in ("b", "c"):
            # The file of tokens is looked at again, because it was changed since.
            with open(tokens, "a", encoding="ascii") as file:
                file.write(f"# {title}\n")
            status, body = answer_to(
                server.port, "/levels/", "POST", fields, f'{{"Title": "{title}"}}'.encode())
            if not verdict.expect(status == 201, f"an edit with the clock {seconds} s off: {status} {body}"):
                return
        revision = json.loads(answer_to(server.port, "/readyz")[1])["revision"]
        for target in ("/levels/", f"/changes?since={revision}", "/metrics", "/assets/a.txt"):
            status, body = answer_to(server.port, target)
            verdict.expect(status == 200, f"{target} with the clock {seconds} s off: {status} {body}")


def main():
    arguments = options(__doc__)
    with Verdict("wrong times") as verdict, tempfile.TemporaryDirectory() as folder:
        library, source = (os.path.join(folder, name) for name in ("clock.so", "clock.c"))
        with open(source, "w", encoding="ascii") as file:
            file.write(CLOCK)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        mount = os.path.join(folder, "tmpfs")
        os.mkdir(mount)
        is_mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "none", mount], check=False, stderr=subprocess.DEVNULL).returncode == 0
        try:
            wrong_files(verdict, arguments.server, mount)
        finally:
            if is_mounted:
                subprocess.run(["umount", mount], check=True)
        for number, seconds in enumerate(CLOCKS):
            place = os.path.join(folder, str(number))
            os.mkdir(place)
            wrong_clock(verdict, arguments.server, place, library, seconds)


if __name__ == "__main__":
    main()
