"""What TLS costs: a cached level on connections that are kept, and handshakes, beside nginx with the same cipher."""

import os
import re
import statistics
import subprocess

import programs
from harness.certificates import Authority
from harness.client import Connection
from harness.documents import Shape, write_xml
from harness.server import Server
from measure import CLIENT_CORE, SERVER_CORE, cpu_nanoseconds, cpu_per_request, say

CIPHER = "TLS_AES_128_GCM_SHA256"


def requests_and_handshakes(bench):
    shape = Shape(1)
    shape.groups, shape.shelves, shape.leaves = 1, 1, 20
    document = os.path.join(bench.folder, "Twenty.plist")
    write_xml(document, shape)
    target = "/levels" + shape.path(0, 0)
    authority = Authority(os.path.join(bench.folder))
    pair = authority.issue("benchmark", chain=False)
    rounds, seconds = bench.arguments.rounds, bench.arguments.seconds
    with Server(bench.arguments.server, document, "--threads", "1", core=SERVER_CORE) as plain:
        with Connection(plain.port) as connection:
            answer = connection.get(target)
    options = ["--threads", "1", "--tls-certificate", pair[0], "--tls-key", pair[1]]
    headers = {name: answer[name] for name in ("Cache-Control", "Vary")}
    with Server(bench.arguments.server, document, *options, core=SERVER_CORE) as own, \
            programs.Nginx(bench.folder, headers, pair) as nginx:
        nginx.add("level", answer.body)
        for port in (own.port, nginx.port):
            used = subprocess.run(
                ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-CAfile", authority.path],
                stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
            assert f"TLSv1.3, Cipher is {CIPHER}" in used and "Verify return code: 0" in used, used
        costs = cpu_per_request({
            "drilldown": (own.pid, own.port, target), "nginx": (nginx.pid, nginx.port, "/level"),
        }, rounds, seconds, scheme="https")
        bench.row(f"the cached level of 20 rows on an open TLS 1.3 connection (AES-128-GCM): CPU per request",
                  f"{costs['drilldown']:.1f} µs", "nginx, static file", f"{costs['nginx']:.1f} µs",
                  costs["drilldown"] / costs["nginx"])
        costs = cpu_per_handshake({"drilldown": (own.pid, own.port), "nginx": (nginx.pid, nginx.port)}, rounds, seconds)
        bench.row("TLS 1.3 handshakes with ECDSA P-256 and X25519, none resumed: number per second of CPU",
                  f"{1e6 / costs['drilldown']:.0f}", "nginx", f"{1e6 / costs['nginx']:.0f}",
                  costs["nginx"] / costs["drilldown"])


def cpu_per_handshake(peers, rounds, seconds):
    """Microseconds of processor time per handshake of each peer: the median of interleaved rounds."""
    found = {name: [] for name in peers}
    for turn in range(rounds + 1):
        for name, (pid, port) in peers.items():
            before = cpu_nanoseconds(pid)
            said = subprocess.run(
                ["taskset", "-c", str(CLIENT_CORE), "openssl", "s_time", "-connect", f"127.0.0.1:{port}", "-new",
                 "-tls1_3", "-time", str(1 if turn == 0 else seconds)],
                capture_output=True, text=True, check=True).stdout
            # The second count is that of whole seconds, the first of processor time.
            handshakes = int(re.search(r"(\d+) connections in \d+ real seconds", said).group(1))
            if turn > 0:
                found[name].append((cpu_nanoseconds(pid) - before) / handshakes / 1000)
                say(f"{name}: {handshakes} handshakes")
    return {name: statistics.median(times) for name, times in found.items()}
