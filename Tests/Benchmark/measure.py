"""Times, processor seconds and memory of other processes, taken in turns so that a noisy moment hits all alike."""

import os
import re
import statistics
import subprocess
import sys
import time

SERVER_CORE = 0
CLIENT_CORE = 1


class Run:
    """A program run to its end: wall time, processor time and peak memory."""

    def __init__(self, command, core=SERVER_CORE):
        begun = time.monotonic()
        process = subprocess.Popen(
            ["taskset", "-c", str(core), *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{command} exits {process.returncode}: {said.decode(errors='replace')[:500]}")
        self.wall = time.monotonic() - begun
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss * 1024


def cpu_nanoseconds(pid):
    """Processor time of all threads of a process, ended ones too, finer than the clock ticks of /proc/PID/stat."""
    # clock_getcpuclockid(3) makes a process's clock of its number in just this way.
    return time.clock_gettime_ns(~pid << 3 | 2)


def load_with_wrk(port, target, seconds, connections=32, headers=(), targets=None, script=None, arguments=(),
                  scheme="http"):
    """Lets wrk ask for `seconds`; gives how many answers it got.

    With `targets`, a file of them, at random; or with another script of the peers, which gets the arguments.
    """
    if targets:
        script, arguments = "targets.lua", [targets]
    command = ["taskset", "-c", str(CLIENT_CORE), "wrk", "--threads", "1", "--connections", str(connections),
               "--duration", f"{seconds}s"]
    for header in headers:
        command += ["--header", header]
    if script:
        command += ["--script", os.path.join(os.path.dirname(__file__), "peers", script)]
    command.append(f"{scheme}://127.0.0.1:{port}{target}")
    if script:
        command += ["--", *arguments]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    answers = int(re.search(r"(\d+) requests in", said).group(1))
    if answers == 0 or "Non-2xx or 3xx" in said or "Socket errors" in said:
        raise RuntimeError(f"not all answers are well: {said}")
    return answers


def cpu_per_request(peers, rounds, seconds, **load):
    """Microseconds of processor time per request of each peer: the median of interleaved rounds.

    `peers` maps a name to a (process id, port, target); what else wrk needs may follow as a dictionary.
    """
    found = {name: [] for name in peers}
    for turn in range(rounds + 1):
        for name, (pid, port, target, *own) in peers.items():
            before = cpu_nanoseconds(pid)
            requests = load_with_wrk(port, target, 1 if turn == 0 else seconds, **load, **(own[0] if own else {}))
            if turn > 0:
                found[name].append((cpu_nanoseconds(pid) - before) / requests / 1000)
    return {name: statistics.median(times) for name, times in found.items()}


def runs(commands, rounds, say):
    """Runs each command in turn; gives a name's `Run` of median processor time and its greatest peak."""
    found = {name: [] for name in commands}
    for turn in range(rounds):
        for name, command in commands.items():
            found[name].append(Run(command))
            say(f"{name}: {found[name][-1].wall:.2f} s")
    result = {}
    for name, done in found.items():
        done.sort(key=lambda run: run.cpu)
        result[name] = done[(len(done) - 1) // 2]
        result[name].peak = max(run.peak for run in done)
    return result


def say(text):
    """Progress goes to standard error: the table stands alone on standard output."""
    print(f"  {text}", file=sys.stderr, flush=True)
