"""What the tables of a SQLite file cost: pages at any depth and size, beside Datasette and the statement in C."""

import json
import os
import random
import sqlite3
import statistics
import subprocess
import threading
import time

import programs
from harness.client import Closed, Connection, Cut, get, wait_until
from harness.crowd import Crowd, poll
from harness.server import allow_descriptors, unused_port
from harness.verdict import milliseconds
from measure import SERVER_CORE, cpu_nanoseconds, cpu_per_request, say
from requests_part import listed, server

GENRES = 25
PAGE = 100
# So many different pages that few are still kept when they are asked for again.
PLACES = 3_000
FIELDS = "TrackId, Name, AlbumId, GenreId, Milliseconds, UnitPrice"
STATEMENTS = {
    "page": f"SELECT {FIELDS} FROM Track WHERE TrackId > ?1 ORDER BY TrackId LIMIT {PAGE + 1}",
    "filtered": f"SELECT {FIELDS} FROM Track WHERE GenreId = 7 AND TrackId > ?1 ORDER BY TrackId LIMIT {PAGE + 1}",
}


def make_tables(bench, power):
    """A file with ten to the power tracks, made when first asked for."""
    path = os.path.join(bench.folder, f"Tracks{power}.sqlite")
    if os.path.exists(path):
        return path
    say(f"writing {path}")
    database = sqlite3.connect(path + ".new")
    database.executescript(f"""
        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
        CREATE TABLE Genre (GenreId INTEGER PRIMARY KEY, Name TEXT);
        CREATE TABLE Track (TrackId INTEGER PRIMARY KEY, Name TEXT NOT NULL, AlbumId INTEGER NOT NULL,
          GenreId INTEGER NOT NULL, Milliseconds INTEGER NOT NULL, UnitPrice REAL);
        WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {GENRES})
          INSERT INTO Genre SELECT i, 'Genre ' || i FROM n;
        WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {10 ** power})
          INSERT INTO Track SELECT i, 'Track ' || (i * 7919 % 1000003), i / 10, i * 31 % {GENRES} + 1,
            i * 104729 % 600000, 0.99 FROM n;
        CREATE INDEX Track_Genre ON Track (GenreId, TrackId);
        CREATE INDEX Track_Milliseconds ON Track (Milliseconds, TrackId);
        PRAGMA journal_mode = WAL;
    """)
    database.close()
    os.rename(path + ".new", path)
    return path


def deep_pages(own, target, count, name, bench):
    """The links to pages at random depths, in a file: they continue after a record, as the links of a walk do."""
    places = random.Random(7)
    links = []
    with Connection(own.port) as connection:
        total = connection.get(target + "&limit=1").json()["count"]
        for _ in range(count):
            answer = connection.get(f"{target}&limit={PAGE}&start={places.randrange(total - 2 * PAGE)}")
            links.append(answer.json()["next"])
    return listed(bench, name, links)


class Datasette(programs.Peer):
    """Datasette of PyPI, with time enough for what it would break off."""

    def __init__(self, path):
        program = programs.from_pypi("datasette")
        self.port = unused_port()
        self.name = os.path.basename(path).removesuffix(".sqlite")
        command = [program, "serve", path, "--port", str(self.port)]
        for setting in ("sql_time_limit_ms", "facet_time_limit_ms"):
            command += ["--setting", setting, "60000"]
        self.process = subprocess.Popen(
            ["taskset", "-c", str(SERVER_CORE), *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            if wait_until(self._answers, 60, every=0.1) is None:
                raise RuntimeError("Datasette does not start")
        except BaseException:
            self.__exit__()
            raise

    def _answers(self):
        try:
            return get(self.port, "/-/versions.json").status == 200
        except OSError:
            return False

    def target(self, query):
        return f"/{self.name}/Track.json?_shape=objects&_size={PAGE}&{query}"

    def cost(self, query, count):
        """Microseconds of processor time for a request; each is made once before."""
        with Connection(self.port, timeout=300) as connection:
            times = []
            for number in range(count + 1):
                begun = cpu_nanoseconds(self.pid)
                answer = connection.get(self.target(query))
                if answer.status != 200 or len(answer.json()["rows"]) != PAGE:
                    raise RuntimeError(f"Datasette answers {answer.status}: {answer.body[:300]}")
                if number:
                    times.append((cpu_nanoseconds(self.pid) - begun) / 1000)
        return statistics.median(times)


def loop(bench, path, statement, largest):
    program = programs.build(bench.folder)["table_pages"]
    said = subprocess.run(
        ["taskset", "-c", str(SERVER_CORE), program, path, STATEMENTS[statement], str(largest), "20000"],
        capture_output=True, text=True, check=True)
    return float(said.stdout)


def make_records(bench, path):
    """A document with records of the table, so that its pages have the same fields."""
    document = os.path.join(bench.folder, "Tracks.json")
    if not os.path.exists(document):
        database = sqlite3.connect(path)
        rows = database.execute(f"SELECT {FIELDS} FROM Track LIMIT 200000").fetchall()
        database.close()
        records = [dict(zip(FIELDS.split(", "), row)) for row in rows]
        with open(document, "w") as file:
            json.dump({"Title": "Track", "TitleBy": "Name", "DrillBy": [], "Records": records}, file)
    return document


def rendering(bench, path):
    """What the same page costs without a database: the records are in memory, and the answer is not in the cache."""
    with server(bench, make_records(bench, path), "--cache-bytes", "1000000") as own:
        links = deep_pages(own, "/levels/?fields=*", PLACES, "table-rendering", bench)
        peers = {"own": (own.pid, own.port, "/", {"targets": links})}
        return cpu_per_request(peers, bench.arguments.rounds, bench.arguments.seconds)["own"]


def pages(bench):
    """Pages of 100 records of the largest table, beside Datasette and the statement in C."""
    power = bench.arguments.table_power
    path = make_tables(bench, power)
    count = 10 ** power
    what = f"of {count:,} records: CPU per request"
    rounds, seconds = bench.arguments.rounds, bench.arguments.seconds
    with server(bench, f"sqlite:{path}") as own, Datasette(path) as datasette:
        def cost(name, target):
            links = deep_pages(own, target, PLACES, f"table-{name}", bench)
            return cpu_per_request({"own": (own.pid, own.port, "/", {"targets": links})}, rounds, seconds)["own"]

        deep = cost("deep", "/levels/Track?fields=*")
        # The records of a condition are put in order when they are first asked for.
        with Connection(own.port) as connection:
            for target in ("where=GenreId:7&limit=1", "group=GenreId&limit=100&fields=*"):
                wait_until(lambda: connection.get(f"/levels/Track?{target}").status == 200)
        filtered = cost("filtered", "/levels/Track?fields=*&where=GenreId:7")
        rendered = rendering(bench, path)
        kept = cpu_per_request({"own": (own.pid, own.port, "/levels/Track?limit=100")}, rounds, seconds)["own"]
        facet = cpu_per_request(
            {"own": (own.pid, own.port, "/levels/Track?group=GenreId&limit=100&fields=*")}, rounds, seconds)["own"]
        middle = count // 2
        for name, mine, statement, query in (
                ("a page of 100 at a random depth", deep, "page", f"_next={middle}&_nofacet=1"),
                ("a page of 100 of one genre, at a random depth", filtered, "filtered",
                 f"GenreId=7&_next={middle}&_nofacet=1")):
            bare = loop(bench, path, statement, count - 10 * PAGE * GENRES)
            bench.row(f"{name} {what}", f"{mine:.0f} µs", "the statement in C", f"{bare:.0f} µs", mine / bare)
            most = 2 * bare + rendered
            bench.row(f"{name} {what}", f"{mine:.0f} µs", "twice the statement in C, and the page of a tree",
                      f"{most:.0f} µs", mine / most)
            theirs = datasette.cost(query, 10 * rounds)
            bench.row(f"{name} {what}", f"{mine:.0f} µs", "Datasette", f"{theirs:.0f} µs", mine / theirs)
        theirs = datasette.cost("_facet=GenreId", 1)
        bench.row(f"a page of 100 with the number of each genre, asked for again {what}", f"{facet:.0f} µs", "Datasette, a facet",
                  f"{theirs:.0f} µs", facet / theirs)
        bench.row(f"a page of 100, asked for again {what}", f"{kept:.0f} µs")


def growth(bench):
    """The same pages of tables of other sizes."""
    costs = {}
    rounds, seconds = bench.arguments.rounds, bench.arguments.seconds
    for power in range(4, bench.arguments.table_power + 1):
        with server(bench, f"sqlite:{make_tables(bench, power)}") as own:
            links = deep_pages(own, "/levels/Track?fields=*", PLACES, f"table-{power}", bench)
            costs[power] = cpu_per_request({"own": (own.pid, own.port, "/", {"targets": links})}, rounds, seconds)["own"]
            with Connection(own.port) as connection:
                starts = [connection.get(f"/levels/Track?limit=100&start={10 ** power // 2 + n}") for n in range(21)]
            times = [answer.done for answer in starts]
            median = statistics.median(after - before for before, after in zip(times, times[1:]))
            say(f"{10 ** power:,} records: {costs[power]:.0f} µs, a page in the middle by 'start' {milliseconds(median)}")
    for power, cost in costs.items():
        bench.row(f"a page of 100 at a random depth of {10 ** power:,} records: CPU per request", f"{cost:.0f} µs",
                  f"of {10 ** min(costs):,} records", f"{costs[min(costs)]:.0f} µs", cost / costs[min(costs)])


class Busy(threading.Thread):
    """A client that asks one dear query after another."""

    def __init__(self, port, targets):
        super().__init__(daemon=True)
        self.port, self.targets = port, targets
        self.answers = {}
        self.is_over = False

    def run(self):
        while not self.is_over:
            try:
                with Connection(self.port, timeout=300) as connection:
                    status = connection.get(next(self.targets)).status
            except (OSError, Closed, Cut):
                # The service has been ended.
                return
            self.answers[status] = self.answers.get(status, 0) + 1


def beside(bench):
    """Ordinary pages and details of a small table while 32 clients ask the dearest queries that are allowed."""
    path = make_tables(bench, min(6, bench.arguments.table_power))
    places = random.Random(7)

    def dear():
        while True:
            # No index has the name, so all records are read and put in order, anew for each.
            yield f"/levels/Track?limit=100&sort=Name&where=Milliseconds<{places.randrange(500_000, 600_000)}"

    with server(bench, f"sqlite:{path}") as own:
        links = [link for number in range(1, GENRES) for link in (
            f"/detail/Genre/{number}", f"/levels/Genre?limit=10&start={number}", f"/levels/Genre?where=GenreId>{number}")]
        crowd = [Busy(own.port, dear()) for _ in range(32)]
        with Connection(own.port) as connection:
            def times(count):
                found = []
                for _ in range(count):
                    begun = time.monotonic()
                    answer = connection.get(places.choice(links))
                    if answer.status != 200:
                        raise RuntimeError(f"an ordinary answer is {answer.status}: {answer.body[:300]}")
                    found.append(time.monotonic() - begun)
                    time.sleep(0.02)
                return sorted(found)

            alone = times(200)
            for client in crowd:
                client.start()
            time.sleep(2)
            busy = times(300)
            for client in crowd:
                client.is_over = True
        for name, share in (("median", 50), ("99 of 100", 99)):
            bench.row(f"an answer about a small table while 32 clients ask queries that read 1,000,000 records: {name}",
                      milliseconds(busy[len(busy) * share // 100]), "nobody asks them",
                      milliseconds(alone[len(alone) * share // 100]))
        say(f"the answers of the 32: {[client.answers for client in crowd][:3]}…")


def waiting(bench):
    """Clients that wait on many pages: a commit costs one look at each page, however many wait for it."""
    count = bench.arguments.table_waiters
    allow_descriptors(count + 1_000)
    path = os.path.join(bench.folder, "Waited.sqlite")
    for ending in ("", "-wal", "-shm"):
        if os.path.exists(path + ending):
            os.remove(path + ending)
    writer = sqlite3.connect(path, isolation_level=None)
    writer.executescript("PRAGMA journal_mode = WAL; CREATE TABLE Thing (Id INTEGER PRIMARY KEY, Name TEXT);"
                         "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000) "
                         "INSERT INTO Thing SELECT i, 'Thing ' || i FROM n;")
    settings = ("--waiters", str(count + 100), "--idle-timeout", "300")
    costs = {}
    for number in (count // 100, count):
        with server(bench, f"sqlite:{path}", *settings) as own, Crowd(own.port) as crowd:
            pages = [f"/levels/Thing?limit=100&start={100 * page}" for page in range(100)]
            tags = [get(own.port, page)["etag"] for page in pages]
            members = crowd.join(number)
            for place, member in enumerate(members):
                member.ask(poll(pages[place % 100], tags[place % 100], 290))
            wait_until(lambda: not own.is_runnable(), 5)
            spent = []
            for turn in range(10):
                begun = cpu_nanoseconds(own.pid)
                # One page differs; those that wait for it are answered, and the others are looked at.
                writer.execute("UPDATE Thing SET Name = ? WHERE Id = 50", [f"{number} {turn}"])
                first = members[::100]
                left = crowd.read_all(first, lambda member: member.is_answered())
                if left:
                    raise RuntimeError(f"{len(left)} clients are not answered")
                crowd.listen(0.5)
                spent.append((cpu_nanoseconds(own.pid) - begun) / 1000)
                tag = get(own.port, pages[0])["etag"]
                for member in first:
                    member.ask(poll(pages[0], tag, 290))
                crowd.listen(0.2)
            costs[number] = statistics.median(spent)
    bench.row(f"a commit while {count:,} clients wait for 100 pages: CPU", f"{costs[count] / 1000:.1f} ms",
              f"while {count // 100} do", f"{costs[count // 100] / 1000:.1f} ms", costs[count] / costs[count // 100])
