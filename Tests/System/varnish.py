#!/usr/bin/env python3
"""The manual's rules for Varnish (Caches), in Varnish as Debian has it: reads are cached, and long polls wait.

The same rules without the one for long polls show what it is for, so that this test is known to notice.
"""

# Covers: LevelsAPI HTTPServer drilldown

import os
import re
import subprocess
import tempfile
import time

from harness.client import Connection, get, wait_until
from harness.events import EventStream
from harness.server import Server, settle, unused_port
from harness.verdict import Verdict, options

from deployment import ROOT, Proxy, request, write

PAGE = os.path.join(ROOT, "Sources", "drilldown", "drilldown.docc", "Caches.md")
# The rule that lets long polls pass by the cache.
RULE = re.compile(r"^ *if \(req\.http\.Authorization .*$\n", re.MULTILINE)


class Varnish(Proxy):
    """Varnish with some rules, on a port of its own; leaving the `with` block ends it."""

    def __init__(self, folder, rules, parameters, service_port):
        os.mkdir(folder)
        self.port = unused_port()
        if rules.count('.port = "8080";') != 1:
            raise RuntimeError("the manual's rules do not name the port 8080 once")
        path = os.path.join(folder, "rules.vcl")
        with open(path, "w", encoding="utf-8") as file:
            file.write(rules.replace('"8080"', f'"{service_port}"'))
        with open(os.path.join(folder, "log"), "wb") as log:
            self.process = subprocess.Popen(
                ["/usr/sbin/varnishd", "-F", "-n", folder, "-j", "none", "-T", "none", "-s", "malloc,16m",
                 "-a", f"127.0.0.1:{self.port}", "-f", path, *parameters], stdout=log, stderr=log)
        if wait_until(self.answers) is None:
            self.process.kill()
            with open(os.path.join(folder, "log"), encoding="utf-8") as log:
                raise RuntimeError(f"Varnish does not answer: {log.read()}")


def is_hit(answer):
    """Whether the answer has the numbers of two requests: its own, and the one that filled the cache."""
    return len(answer["X-Varnish"].split()) == 2


def requests(server):
    """The lines of the access log about levels."""
    return [line for line in server.log if " GET /levels/" in line]


def caches(verdict, server, cache, document):
    direct = get(server.port, "/levels/")
    first, second = get(cache.port, "/levels/"), get(cache.port, "/levels/")
    verdict.expect(not is_hit(first) and is_hit(second), f"the second answer is the cache's: {second.headers}")
    verdict.expect(
        (second.body, second["ETag"]) == (direct.body, direct["ETag"]), "with the body and the tag of the service")
    coded = [request(cache.port, "/levels/", Accept_Encoding="gzip") for _ in range(2)]
    own = request(server.port, "/levels/", Accept_Encoding="gzip")
    verdict.expect(
        all((answer.body, answer["ETag"]) == (own.body, own["ETag"]) for answer in coded) and is_hit(coded[1]),
        f"and the gzip form is kept apart, with its own: {[answer.headers for answer in coded]}")
    confirmed = wait_until(lambda: any(" GET /levels/ 304 0 bytes" in line for line in server.log)
                           or get(cache.port, "/levels/") is None, every=0.2)
    verdict.expect(confirmed is not None, "after a second the cache asks, and the service confirms with 304")
    write(document, ["A", "B", "C"])
    saved = time.monotonic()
    wait_until(lambda: b'"title":"C"' in get(cache.port, "/levels/").body)
    late = time.monotonic() - saved
    verdict.expect(late < 2, f"a change is seen within two seconds: {late:.2f} s")


def waits(verdict, server, cache, document):
    tag = get(cache.port, "/levels/")["ETag"]
    with Connection(cache.port) as poll, EventStream(cache.port) as stream:
        before = len(requests(server))
        poll.send("/levels/?wait=60", headers={"If-None-Match": tag})
        verdict.expect(not poll.is_answered(within=1.5), "a long poll waits behind the cache")
        verdict.expect(len(requests(server)) == before, "and is one request for the service, which is in progress")
        write(document, ["A", "B", "C", "D"])
        answer = poll.receive()
        verdict.expect(
            answer.status == 200 and b'"title":"D"' in answer.body and not is_hit(answer),
            f"it is answered by the change: {answer.status} {answer.headers}")
        event = stream.next()
        while event is not None and event.name != "change":
            event = stream.next()
        verdict.expect(event is not None, f"a stream's event passes at once: {event}")


def expires(verdict, server, cache):
    settle(server)
    tag = get(server.port, "/levels/")["ETag"]
    with Connection(cache.port) as poll:
        # Only the version says what the client has: no condition that Varnish could keep to itself.
        began = time.monotonic()
        answer = poll.get(f"/levels/?since={tag.strip(chr(34))}&wait=1")
        took = time.monotonic() - began
        verdict.expect(
            answer.status == 200 and answer.json()["updated"] == [] and took >= 0.9,
            f"a wait with 'since' alone that ends is 200: {answer.status} after {took:.2f} s {answer.body[:200]}")
        answer = poll.request("/levels/", headers={"If-None-Match": tag, "Prefer": "wait=1"})
        verdict.expect(answer.status == 304, f"a wait with a condition that ends is 304: {answer.status}")


def busy(verdict, server, cache):
    """Without the rule a long poll does not wait."""
    tag = get(cache.port, "/levels/?wait=60")["ETag"]
    with Connection(cache.port) as poll:
        poll.send("/levels/?wait=60", headers={"If-None-Match": tag})
        verdict.expect(poll.is_answered(within=1.5), "without the rule a long poll is answered at once")
        verdict.expect(poll.receive().status == 304, "by the cache")


def bridges(verdict, server, cache):
    get(cache.port, "/levels/")
    server.stop()
    # The probe notices within two rounds; until then the cache still asks.
    seen = wait_until(lambda: get(cache.port, "/levels/").status == 200)
    verdict.expect(seen is not None and seen < 5, f"the cache answers {seen} s after the service has ended")


def main():
    arguments = options(__doc__)
    with open(PAGE, encoding="utf-8") as page:
        text = page.read()
    rules = re.search(r"^```vcl\n(.*?)^```$", text, re.MULTILINE | re.DOTALL).group(1)
    parameters = re.search(r"`(-p http_\S+)`", text).group(1).split()
    less = RULE.sub("", rules)
    with Verdict("Varnish") as verdict, tempfile.TemporaryDirectory() as folder:
        verdict.expect(less != rules, "the manual has the rule")
        document = os.path.join(folder, "Data.json")
        write(document, ["A", "B"])
        with Server(arguments.server, document, "--access-log") as server:
            with Varnish(os.path.join(folder, "less"), less, parameters, server.port) as cache:
                busy(verdict, server, cache)
            with Varnish(os.path.join(folder, "whole"), rules, parameters, server.port) as cache:
                caches(verdict, server, cache, document)
                waits(verdict, server, cache, document)
                expires(verdict, server, cache)
                bridges(verdict, server, cache)


if __name__ == "__main__":
    main()
