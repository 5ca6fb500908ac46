"""What a request costs: a cached level, a 304, and random levels of a document far larger than the cache."""

import os
import random

import programs
from harness.client import Connection
from harness.documents import Shape, write_xml
from harness.server import Server
from measure import SERVER_CORE, cpu_per_request, say


def server(bench, document, *options, environment=None, log_file=None):
    return Server(bench.arguments.server, document, "--threads", "1", *options, core=SERVER_CORE, start_within=300,
                  environment=environment, log_file=log_file)


def served_headers(answer):
    return {name: answer[name] for name in ("Cache-Control", "Vary")}


def compare(bench, what, costs):
    own = costs.pop("drilldown")
    for name, cost in costs.items():
        bench.row(what, f"{own:.1f} µs", name, f"{cost:.1f} µs", own / cost)


def cached_and_unchanged(bench):
    peers = programs.build(bench.folder)
    shape = Shape(1)
    shape.groups, shape.shelves, shape.leaves = 1, 1, 20
    document = os.path.join(bench.folder, "Twenty.plist")
    write_xml(document, shape)
    target = "/levels" + shape.path(0, 0)
    with server(bench, document) as own:
        with Connection(own.port) as connection:
            answer = connection.get(target)
        assert answer.status == 200 and len(answer.json()["rows"]) == 20
        with programs.Responder(peers["responder"], bench.folder, answer) as bare, \
                programs.Nginx(bench.folder, served_headers(answer)) as nginx:
            nginx.add("level", answer.body)
            with Connection(nginx.port) as connection:
                nginx_tag = connection.get("/level")["etag"]
            say(f"body of {len(answer.body)} bytes")
            rounds, seconds = bench.arguments.rounds, bench.arguments.seconds
            places = {
                "drilldown": (own.pid, own.port, target, answer["etag"]),
                "bare libmicrohttpd, one prepared answer": (bare.pid, bare.port, "/level", answer["etag"]),
                "nginx, static file": (nginx.pid, nginx.port, "/level", nginx_tag),
            }
            compare(bench, f"cached level of 20 rows, {len(answer.body)} bytes: CPU per request",
                    cpu_per_request({name: place[:3] for name, place in places.items()}, rounds, seconds))
            knowing = {
                name: (*place, {"headers": [f"If-None-Match: {tag}"]}) for name, (*place, tag) in places.items()}
            compare(bench, "the same level, unchanged (304): CPU per request",
                    cpu_per_request(knowing, rounds, seconds))


def random_levels(bench):
    peers = programs.build(bench.folder)
    shape = Shape(bench.arguments.items)
    document = bench.large("xml")
    size = os.path.getsize(document)
    with server(bench, document) as own:
        loaded = own.resident_bytes()
        paths = [shape.path(g, s) for g in range(shape.groups) for s in range(shape.shelves)]
        total = 0
        with Connection(own.port) as connection:
            answer = connection.get("/levels" + paths[0])
            with programs.Responder(peers["responder"], bench.folder, answer) as bare, \
                    programs.Nginx(bench.folder, served_headers(answer)) as nginx:
                for number, path in enumerate(paths):
                    body = connection.get("/levels" + path).body
                    total += len(body)
                    nginx.add(str(number), body)
                own_targets = listed(bench, "own-targets", ["/levels" + path for path in paths])
                nginx_targets = listed(bench, "nginx-targets", [f"/{number}" for number in range(len(paths))])
                what = (f"random level of {shape.leaves} rows, one of {len(paths):,} levels "
                        f"with {total / 1e6:.0f} MB of answers: CPU per request")
                compare(bench, what, cpu_per_request({
                    "drilldown": (own.pid, own.port, "/", {"targets": own_targets}),
                    f"bare libmicrohttpd, one prepared answer of {shape.leaves} rows": (
                        bare.pid, bare.port, "/", {"targets": own_targets}),
                    "nginx, static files": (nginx.pid, nginx.port, "/", {"targets": nginx_targets}),
                }, bench.arguments.rounds, bench.arguments.seconds))
        short_values(bench, own, shape, paths)
        bench.row(f"resident memory after loading {shape.items:,} items", f"{loaded / 1e6:.0f} MB",
                  "the XML file", f"{size / 1e6:.0f} MB", loaded / size)
        bench.row("resident memory after the requests for random levels", f"{own.resident_bytes() / 1e6:.0f} MB",
                  "the XML file", f"{size / 1e6:.0f} MB", own.resident_bytes() / size)


def short_values(bench, own, shape, paths):
    """What rows show without being asked, beside the names that older versions showed."""
    names = "Subtitle,Image,Kind,View,Tag,Value,Type"
    with Connection(own.port) as connection:
        short, named = (len(connection.get(f"/levels{paths[0]}{query}").body) for query in ("", f"?fields={names}"))
    costs = cpu_per_request({
        name: (own.pid, own.port, "/", {"targets": listed(bench, name, [f"/levels{path}{query}" for path in paths])})
        for name, query in (("short", ""), ("named", f"?fields={names}"))
    }, bench.arguments.rounds, bench.arguments.seconds)
    what = f"rows with short values, a random level of {shape.leaves} rows"
    bench.row(f"{what}: bytes", f"{short:,}", f"fields={names}", f"{named:,}", short / named)
    bench.row(f"{what}: CPU per request", f"{costs['short']:.1f} µs", f"fields={names}", f"{costs['named']:.1f} µs",
              costs["short"] / costs["named"])


def listed(bench, name, targets):
    path = os.path.join(bench.folder, name)
    random.Random(1).shuffle(targets)
    with open(path, "w") as file:
        file.write("\n".join(targets) + "\n")
    return path
