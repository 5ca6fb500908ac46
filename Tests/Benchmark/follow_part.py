"""What clients that follow cost the service, with and without a cache, and how soon the last of them has a change."""

import gc
import json
import os
import re
import statistics
import zlib

from harness.caches import CachingNginx, NoCache, Varnish
from harness.client import get
from harness.crowd import Crowd, poll, request
from harness.edits import save
from harness.server import allow_descriptors, settle
from harness.verdict import milliseconds
from measure import cpu_nanoseconds
from requests_part import server
from waiting_part import BUSY, PATIENCE, document

CACHED = 1_000
ANSWERED = re.compile(r'^drilldown_http_requests_total\{route="/levels",[^}]*\} (\d+)$', re.MULTILINE)


class Followers:
    """A crowd that shows one level, and waits for the next change of it."""

    def __init__(self, crowd, count):
        self.crowd = crowd
        self.members = crowd.join(count)
        for member in self.members:
            member.ask(coded(BUSY))
        self.follow(0)

    def follow(self, edition):
        """Reads until all have an edition and wait again; gives the seconds from the first that has it to the last."""
        waiting, times = set(self.members), []
        while waiting:
            left = self.crowd.read_all(waiting, lambda member: member.is_answered())
            if left:
                raise RuntimeError(f"{len(left)} clients are not told of edition {edition}")
            # The next links are asked when all answers are here, so that no request stands behind an answer.
            for member in list(waiting):
                level = body(member)
                if f'"edition {edition}"' in level:
                    waiting.discard(member)
                    times.append(member.arrived)
                member.ask(coded(json.loads(level)["follow"]))
        return max(times) - min(times)


def coded(target):
    return request(target, "Accept-Encoding: gzip")


def body(member):
    """The level that a member has got."""
    head, _, content = bytes(member.received).partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"a client that follows is answered {head[:300]}")
    return (zlib.decompress(content, 31) if b"ontent-Encoding: gzip" in head else content).decode()


def through_caches(bench):
    """Requests and processor time for a change that many clients follow."""
    allow_descriptors(CACHED + 200)
    changes = bench.arguments.changes
    found = {"without a cache": cost(bench, NoCache, CACHED, changes)}
    alone = cost(bench, NoCache, 1, changes)[1]
    for name, cache in (("Varnish", Varnish), ("nginx", CachingNginx)):
        found[f"through {name}"] = cost(bench, cache, CACHED, changes)
    requests, time = found.pop("without a cache")
    what = f"{CACHED} clients follow a level that changes"
    for name, (own_requests, own_time) in found.items():
        bench.row(f"{what}, {name}: requests at the service for each change", f"{own_requests:.1f}",
                  "without a cache", f"{requests:.0f}")
        bench.row(f"{what}, {name}: CPU of the service for each change", milliseconds(own_time),
                  "without a cache", milliseconds(time), own_time / time)
    bench.row(f"{what}, without a cache: CPU of the service for each change", milliseconds(time),
              "one client follows it", milliseconds(alone), time / alone)


def cost(bench, cache, count, changes):
    """Requests at the service, and seconds of its processor time, for each change."""
    folder = os.path.join(bench.folder, f"follow-{cache.__name__}-{count}")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "Followed.plist")
    save(path, document())
    settings = ("--waiters", str(2 * CACHED), "--idle-timeout", "300")
    with server(bench, path, *settings) as own, cache(folder, own.port) as front, Crowd(front.port) as crowd:
        followers = Followers(crowd, count)
        # The first change brings all to the same link.
        change(own, path, followers, 1)
        answered, begun = answers(own), cpu_nanoseconds(own.pid)
        for edition in range(2, changes + 2):
            change(own, path, followers, edition)
        spent = cpu_nanoseconds(own.pid) - begun
        return (answers(own) - answered) / changes, spent / 1e9 / changes


def change(own, path, followers, edition):
    save(path, document(edition))
    followers.follow(edition)
    settle(own)


def answers(own):
    return sum(map(int, ANSWERED.findall(get(own.port, "/metrics").body.decode())))


def crowds(bench):
    """A large crowd without a cache, of clients that follow and of long polls: memory, and the way of a change to all."""
    count = bench.arguments.followers
    allow_descriptors(count + 200)
    follow_each, follow_spans = crowd_of(bench, "Followers", count, lambda crowd, _: Followers(crowd, count))
    poll_each, poll_spans = crowd_of(bench, "Polls", count, lambda crowd, own: Polls(crowd, count, own))
    bench.row(f"resident memory of each of {count} clients that follow a level", f"{follow_each / 1024:.1f} KiB",
              "long poll", f"{poll_each / 1024:.1f} KiB", follow_each / poll_each)
    follow, polls = statistics.median(follow_spans), statistics.median(poll_spans)
    bench.row(f"from the first client that receives a change to the last of {count} that follow a level",
              milliseconds(follow), f"of {count} long polls", milliseconds(polls), follow / polls)


class Polls:
    """A crowd whose long polls have a condition."""

    def __init__(self, crowd, count, own):
        self.crowd, self.own = crowd, own
        self.members = crowd.join(count)
        # Like clients that follow, each has had an answer before it waits.
        for member in self.members:
            member.ask(coded(BUSY))
        self.read(0)
        self.wait()

    def wait(self):
        tag = get(self.own.port, BUSY)["etag"]
        for member in self.members:
            member.ask(poll(BUSY, tag, PATIENCE))

    def follow(self, edition):
        self.read(edition)
        times = [member.arrived for member in self.members]
        self.wait()
        return max(times) - min(times)

    def read(self, edition):
        left = self.crowd.read_all(self.members, lambda member: member.is_answered())
        if left:
            raise RuntimeError(f"{len(left)} clients are not told of edition {edition}")


def crowd_of(bench, name, count, begin):
    """The bytes of memory of each, and the seconds from the first that has a change to the last, for some changes."""
    path = os.path.join(bench.folder, f"{name}.plist")
    save(path, document())
    settings = ("--waiters", str(count + 100), "--idle-timeout", "300")
    with server(bench, path, *settings) as own, Crowd(own.port) as crowd:
        settle(own)
        before = own.resident_bytes()
        members = begin(crowd, own)
        settle(own)
        each = (own.resident_bytes() - before) / count
        spans = []
        for edition in range(1, 1 + bench.arguments.rounds):
            gc.collect()
            save(path, document(edition))
            spans.append(members.follow(edition))
            settle(own)
        return each, spans
