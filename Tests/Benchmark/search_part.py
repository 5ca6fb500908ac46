"""What a search costs in the large tree, beside grep over its titles as a text, and SQLite over them as a table."""

import os
import random
import resource
import sqlite3
import statistics
import subprocess
import time

from harness.client import Connection
from harness.documents import HEAD, TAIL
from measure import SERVER_CORE, cpu_nanoseconds
from requests_part import server

COLOURS = "amber azure beige coral crimson cyan ebony emerald fawn ivory jade khaki lilac maroon ochre olive".split()
THINGS = "anchor basket candle drum feather goblet hammer kettle lantern mirror needle pillow ribbon saddle".split()
# A word of every sixteenth title, one letter of most, one number alone, and nothing at all.
TERMS = {"a common word": "crimson", "one letter": "e", "a rare text": "drum 4321", "a text in no title": "zzz"}
PAGE = 100


def titles(count):
    dice = random.Random(1)
    return [f"{dice.choice(COLOURS)} {dice.choice(THINGS)} {number}" for number in range(count)]


def write_tree(path, names):
    """Ten items below each item, as deep as it takes, in document order."""
    size = 10
    while size * 10 < len(names):
        size *= 10
    names = iter(names)
    with open(path, "w", buffering=1 << 20) as file:
        file.write(f"{HEAD}<dict><key>Rows</key>\n")
        write_level(file.write, names, size)
        file.write(f"</dict>\n{TAIL}")


def write_level(write, names, below):
    write("<array>\n")
    for _ in range(10):
        if (name := next(names, None)) is None:
            break
        write(f"<dict><key>Title</key><string>{name}</string><key>Text</key><string>All about {name}.</string>\n")
        if below > 1:
            write("<key>Children</key>\n")
            write_level(write, names, below // 10)
        write("</dict>\n")
    write("</array>\n")


def tables(names):
    """The titles in a plain table and in one with an index of trigrams, both in memory."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE plain(title)")
    database.executemany("INSERT INTO plain VALUES (?)", ((name,) for name in names))
    database.execute("CREATE VIRTUAL TABLE indexed USING fts5(title, tokenize='trigram')")
    database.execute("INSERT INTO indexed SELECT title FROM plain")
    return database


def processor_time():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def spent(work, clock=processor_time):
    """Seconds of processor time."""
    before = clock()
    work()
    return clock() - before


def search(bench):
    names = titles(bench.arguments.items)
    document = os.path.join(bench.folder, "Search.plist")
    write_tree(document, names)
    # On Linux /dev/shm is in memory.
    text = os.path.join("/dev/shm" if os.path.isdir("/dev/shm") else bench.folder, f"titles-{os.getpid()}")
    with open(text, "w") as file:
        file.writelines(f"{name}\n" for name in names)
    try:
        with server(bench, document, "--cache-bytes", "0") as own, Connection(own.port) as connection:
            measure(bench, own, connection, document, text, tables(names))
    finally:
        os.unlink(text)


def measure(bench, own, connection, document, text, database):
    loaded = own.resident_bytes()

    def ask(term):
        assert connection.get(f"/levels/?q={term.replace(' ', '%20')}&limit={PAGE}").status == 200

    first = spent(lambda: ask("zzz"), lambda: cpu_nanoseconds(own.pid) / 1e9)
    bench.row("first search, which also folds the titles: CPU time", f"{1000 * first:.0f} ms")
    size = os.path.getsize(document)
    bench.row("resident memory added by the first search", f"{(own.resident_bytes() - loaded) / 1e6:.0f} MB",
              "the XML file", f"{size / 1e6:.0f} MB", (own.resident_bytes() - loaded) / size)
    for what, term in TERMS.items():
        compare(bench, what, term, {
            "drilldown": lambda: spent(lambda: ask(term), lambda: cpu_nanoseconds(own.pid) / 1e9),
            "grep -c -i -F": lambda: spent(lambda: grep(term, text)),
            "SQLite, LIKE": lambda: spent(lambda: query(database, "plain", "title LIKE '%' || ? || '%'", term)),
            "SQLite, FTS5 with trigrams": lambda: spent(
                lambda: query(database, "indexed", "indexed MATCH '\"' || ? || '\"'", term)),
        })


def compare(bench, what, term, peers):
    if len(term) < 3:
        del peers["SQLite, FTS5 with trigrams"]
    times = {name: [] for name in peers}
    for _ in range(4 * bench.arguments.rounds + 1):
        for name, measured in peers.items():
            times[name].append(measured())
    medians = {name: statistics.median(found[1:]) for name, found in times.items()}
    own = medians.pop("drilldown")
    for name, other in medians.items():
        bench.row(f"first page of a search for {what}: CPU time", f"{1000 * own:.1f} ms", name,
                  f"{1000 * other:.1f} ms", own / other)


def grep(term, text):
    # Into a pipe: where nobody reads the count, grep stops at the first hit.
    subprocess.run(
        ["taskset", "-c", str(SERVER_CORE), "grep", "-c", "-i", "-F", term, text], stdout=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C"}, check=False)


def query(database, table, condition, term):
    """The number of all hits, and a page of them, as the service's answer has both."""
    database.execute(f"SELECT count(*) FROM {table} WHERE {condition}", (term,)).fetchall()
    database.execute(f"SELECT title FROM {table} WHERE {condition} LIMIT {PAGE}", (term,)).fetchall()
