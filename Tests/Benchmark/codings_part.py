"""What gzip and Brotli cost: an answer that is kept, one that is made anew, and each level of the two by itself."""

import os
import plistlib
import subprocess

import programs
from harness.client import Connection
from harness.documents import Shape, write_xml
from harness.server import Server
from measure import SERVER_CORE, cpu_per_request

ASKED = {"gzip": "gzip", "Brotli": "gzip, deflate, br"}


def server(bench, document, *options):
    return Server(bench.arguments.server, document, "--threads", "1", *options, core=SERVER_CORE)


def get(own, target, headers=()):
    with Connection(own.port) as connection:
        return connection.request(target, headers=headers)


def generated(bench, rows):
    shape = Shape(1)
    shape.groups, shape.shelves, shape.leaves = 1, 1, rows
    document = os.path.join(bench.folder, f"Rows{rows}.plist")
    write_xml(document, shape)
    return document, "/levels" + shape.path(0, 0)


def detail_of(bench, size):
    """A document with a detail whose answer has just so many bytes."""
    document = os.path.join(bench.folder, f"Detail{size}.plist")
    text = ""
    for _ in range(2):
        with open(document, "wb") as file:
            plistlib.dump({"Rows": [{"Title": "Detail", "Text": text}]}, file)
        with server(bench, document) as own:
            text += "x" * (size - len(get(own, "/detail/Detail").body))
    return document


def kept(bench):
    document, target = generated(bench, 20)
    rounds, seconds = bench.arguments.rounds, bench.arguments.seconds
    with server(bench, document) as own:
        for name, field in ASKED.items():
            size = len(get(own, target, {"Accept-Encoding": field}).body)
            with server(bench, detail_of(bench, size)) as other:
                assert len(get(other, "/detail/Detail").body) == size
                costs = cpu_per_request({
                    "coded": (own.pid, own.port, target, {"headers": [f"Accept-Encoding: {field}"]}),
                    "plain": (other.pid, other.port, "/detail/Detail"),
                }, rounds, seconds)
            bench.row(f"cached level of 20 rows as {name}, {size} bytes: CPU per request", f"{costs['coded']:.1f} µs",
                      "a cached plain answer of the same size", f"{costs['plain']:.1f} µs",
                      costs["coded"] / costs["plain"])


def made_anew(bench):
    for rows in (20, 1_000):
        document, target = generated(bench, rows)
        with server(bench, document, "--cache-bytes", "0") as own:
            costs = cpu_per_request({
                name: (own.pid, own.port, target, {"headers": [f"Accept-Encoding: {field}"]})
                for name, field in {"plain": "identity", **ASKED}.items()
            }, bench.arguments.rounds, bench.arguments.seconds, connections=8)
        for name in ASKED:
            bench.row(f"level of {rows} rows as {name}, not cached: CPU per request", f"{costs[name]:.0f} µs",
                      "plain, not cached", f"{costs['plain']:.0f} µs", costs[name] / costs["plain"])


def levels(bench):
    program = programs.build(bench.folder)["codings"]
    for rows in (20, 1_000):
        document, target = generated(bench, rows)
        body = os.path.join(bench.folder, f"Rows{rows}.json")
        with server(bench, document) as own, open(body, "wb") as file:
            file.write(get(own, target).body)
        command = ["taskset", "-c", str(SERVER_CORE), program, body]
        for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
            _, size, coding, level, coded, time = line.split()
            bench.row(f"level of {rows} rows, {size} bytes, coded by the library alone: {coding} {level}",
                      f"{time} µs", "bytes after coding", coded, int(coded) / int(size))


def codings(bench):
    kept(bench)
    made_anew(bench)
    levels(bench)
