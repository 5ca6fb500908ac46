"""Every source of rows and of trees, each with a server: files, a URL, a settings bundle, databases, and mounts of these."""

import contextlib
import functools
import http.server
import json
import os
import plistlib
import shutil
import sqlite3
import subprocess
import threading
import urllib.parse

from harness.databases import PostgresTree, SQLiteTree
from harness.environment import ROOT
from harness.postgres import ROLE, Postgres
from harness.server import clean_environment

DATA = os.path.join(ROOT, "Data")
TOKEN = "extreme-0123456789abcdef"
# A table with more records is read in the order of an index.
ARRANGED = 600
LARGE, SMALL, PAIRS, EMPLOYEES = 30_000, 900, 6_000, 4_000
MOST = 2**63 - 1
TREE_BY = ("--tree-by", "emp=boss")
# A query has no index, by which a larger one would be drilled.
DRILLED = "SELECT id, name, n, kind FROM small WHERE id < 500"
LIMITS = ("--arranged-rows", str(ARRANGED), "--query-timeout", "10")


class Source:
    """What a server serves, the paths that requests begin with, and whether the source takes edits."""

    def __init__(self, name, source, paths, *options, is_editable=False, spoil=None):
        self.name = name
        self.source = source
        self.paths = [""] + ["/".join(urllib.parse.quote(key, safe="") for key in path) for path in paths]
        self.options = options
        self.is_editable = is_editable
        # Writes extreme numbers into the source by SQL, as another program does.
        self.spoil = spoil


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def web_server(folder):
    """The address of a server of the files in a folder."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def items():
    """A document with sections, nested levels, numbers of all sizes, and long levels."""
    numbers = [0, -1, 2**31, 2**53 + 1, MOST, -MOST - 1, 2**64 - 1, 0.5, 1e308, 5e-324]
    return {
        "Title": "Extremes", "Sections": [
            {"Title": "Few", "Rows": [{"Title": f"Few {n}", "N": number, "Kind": "ab"[n % 2]}
                                      for n, number in enumerate(numbers)]},
            {"Title": "Many", "Rows": [
                {"Title": "Long", "SortBy": "N", "Children": [
                    {"Title": f"Row {n}", "N": n % 1000, "Kind": f"kind {n % 7}"} for n in range(3000)]},
                {"Title": "Deep", "Children": [
                    {"Title": "Deeper", "Children": [{"Title": "Deepest", "Children": ["a", "b", "c"]}]}]},
                {"Title": "Field groups", "GroupBy": "Kind", "Children": [
                    {"Title": f"g{n % 5}", "Kind": f"kind {n % 3}", "N": n} for n in range(50)]}]},
            {"Title": "Controls", "Rows": [
                {"Title": "Switch", "Type": "ToggleSwitch", "Key": "switch", "Value": True},
                {"Title": "Slide", "Type": "Slider", "Key": "slide", "Value": 0.5}]}]}


ITEM_PATHS = (("Long",), ("Deep",), ("Deep", "Deeper"), ("Deep", "Deeper", "Deepest"), ("Field groups",), ("Few 1",),
              ("Long", "Row 7"))


def make_document(folder):
    path = os.path.join(folder, "Items.plist")
    with open(path, "wb") as file:
        plistlib.dump(items(), file, sort_keys=False)
    shutil.copytree(os.path.join(DATA, "assets"), os.path.join(folder, "assets"), dirs_exist_ok=True)
    return path


# MARK: Tables

# What both databases take, in one spelling.
COMMON = f"""
    CREATE TABLE big (id bigint PRIMARY KEY, name text, n bigint, kind text, price real, note text);
    CREATE INDEX big_n ON big (n, id);
    CREATE INDEX big_kind ON big (kind, id);
    CREATE INDEX big_name ON big (name, id);
    CREATE TABLE small (id bigint PRIMARY KEY, name text, n bigint, kind text, price real);
    CREATE TABLE pair (a text NOT NULL, b bigint NOT NULL, c bigint, PRIMARY KEY (a, b));
    CREATE TABLE emp (id bigint PRIMARY KEY, name text, boss bigint REFERENCES emp, big bigint REFERENCES big);
    CREATE INDEX emp_boss ON emp (boss, id);
    CREATE INDEX emp_big ON emp (big);
    CREATE VIEW seen AS SELECT id, name, n FROM big WHERE n < 500;
    CREATE VIEW few AS SELECT id, name, n FROM small;
    CREATE TABLE vacant (id bigint PRIMARY KEY, name text);
    CREATE TABLE ends (id bigint PRIMARY KEY, n bigint, name text);
    INSERT INTO ends VALUES ({-MOST - 1}, {MOST}, 'least'), (0, {-MOST - 1}, ''), (-1, NULL, NULL), ({MOST}, 0, 'most');
"""
SQLITE = f"""
    CREATE TABLE odd (k, name TEXT, v);
    CREATE TABLE real_key (k REAL PRIMARY KEY, name TEXT);
    WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < {LARGE})
      INSERT INTO big SELECT i, char(65 + i % 26) || 'name ' || i, CASE WHEN i % 11 THEN i % 1000 END, 'kind ' || i % 7,
        i / 3.0, NULL FROM s;
    INSERT INTO big VALUES ({MOST}, 'last', {MOST}, 'end', 9e999, 'x'), ({-MOST - 1}, 'first', {-MOST - 1}, NULL, -1, '');
    WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < 400)
      INSERT INTO odd SELECT CASE i % 4 WHEN 0 THEN i WHEN 1 THEN 't' || i WHEN 2 THEN x'00FF' || i END, 'o' || i, i FROM s;
    INSERT INTO real_key VALUES (0.5, 'half'), (9e999, 'inf'), (-9e999, 'minus'), (1e308, 'large'), (5e-324, 'small');
"""
POSTGRES = f"""
    INSERT INTO big SELECT i, chr(65 + i % 26) || 'name ' || i, CASE WHEN i % 11 > 0 THEN i % 1000 END, 'kind ' || i % 7,
        i / 3.0, NULL FROM generate_series(1, {LARGE}) AS i;
    INSERT INTO big VALUES ({MOST}, 'last', {MOST}, 'end', 'Infinity', 'x'), ({-MOST - 1}, 'first', {-MOST - 1}, NULL, 'NaN', '');
    CREATE TABLE kinds (u uuid PRIMARY KEY, name text, exact numeric, moment timestamptz, day date, whole int, small smallint,
      sure boolean, bytes bytea, notes jsonb, list int[], double double precision, money numeric(12, 2), plain timestamp);
    INSERT INTO kinds SELECT md5(i::text)::uuid, 'k' || i, i / 7.0, '2001-01-01'::timestamptz + i * interval '1 hour',
        '2001-01-01'::date + i % 9, i, i % 99, i % 2 = 0, decode('00ff', 'hex'), '{{"a": 1}}', '{{1,2}}', i / 9.0, i, now()
      FROM generate_series(1, 5000) AS i;
    INSERT INTO kinds VALUES
      ('ffffffff-ffff-ffff-ffff-ffffffffffff', 'end', ('1' || repeat('0', 400))::numeric, 'infinity', '-infinity',
        2147483647, 32767, NULL, '', '1e400', '{{}}', 'Infinity', 9999999999.99, 'infinity'),
      ('00000000-0000-0000-0000-000000000000', '', 'NaN', '4713-01-01 BC', '5874897-12-31', -2147483648, -32768, true, NULL,
        'null', NULL, 5e-324, -9999999999.99, NULL);
    CREATE INDEX kinds_exact ON kinds (exact, u);
    CREATE INDEX kinds_moment ON kinds (moment, u);
    CREATE INDEX kinds_day ON kinds (day, u);
    CREATE TABLE exact_key (k numeric PRIMARY KEY, name text);
    INSERT INTO exact_key SELECT i / 10.0, 'e' || i FROM generate_series(1, 3000) AS i;
    INSERT INTO exact_key VALUES ('NaN', 'nan'), (('1' || repeat('0', 300))::numeric, 'large'), (1e-300, 'small');
    CREATE TABLE moment_key (k timestamptz PRIMARY KEY, name text);
    INSERT INTO moment_key SELECT '2001-01-01'::timestamptz + i * interval '1 hour', 'm' || i FROM generate_series(1, 3000) AS i;
    INSERT INTO moment_key VALUES ('infinity', 'end'), ('-infinity', 'begin');
    GRANT SELECT ON ALL TABLES IN SCHEMA public TO {ROLE};
    ANALYZE;
"""
SEQUENCES = {"sqlite": "(WITH RECURSIVE s(i) AS (SELECT {} UNION ALL SELECT i + 1 FROM s WHERE i < {}) SELECT i FROM s)",
             "postgres": "generate_series({}, {}) AS s(i)"}
TABLE_PATHS = (
    ("big",), ("small",), ("pair",), ("emp",), ("emp", "1"), ("emp", "1", "2"), ("seen",), ("few",), ("vacant",), ("ends",),
    ("big", "1"), ("big", "1", "emp"), ("big", str(MOST)), ("big", str(-MOST - 1)), ("pair", "a,1"), ("ends", str(MOST)))
SQLITE_PATHS = (("odd",), ("real_key",), ("real_key", "0.5"))
POSTGRES_PATHS = (("kinds",), ("exact_key",), ("moment_key",), ("kinds", "00000000-0000-0000-0000-000000000000"),
                  ("exact_key", "0.5"))


def filling(database):
    """The statements that fill the tables which differ only in how a database counts."""
    numbers = SEQUENCES[database]
    small, pairs, emps = numbers.format(1, SMALL), numbers.format(1, PAIRS), numbers.format(1, EMPLOYEES)
    half = "i / 3.0"
    return f"""
        INSERT INTO small SELECT i, 'small ' || i, i % 100, 'kind ' || i % 5, {half} FROM {small};
        INSERT INTO pair SELECT CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'b' ELSE 'c,~' END, i, i % 50 FROM {pairs};
        INSERT INTO pair VALUES ('a', 1, 2), ('a', {MOST}, 1), ('', {-MOST - 1}, NULL);
        INSERT INTO emp SELECT i, 'emp ' || i, CASE WHEN i > 3 THEN 1 + i % 3 WHEN i > 1 THEN 1 END, i FROM {emps} ORDER BY i;
        INSERT INTO emp VALUES ({MOST}, 'last', {EMPLOYEES}, {MOST}), ({-MOST - 1}, 'loop', {-MOST - 1}, NULL);
    """


def make_sqlite_tables(path):
    database = sqlite3.connect(path)
    # In SQLite, only such a column is never NULL.
    script = (COMMON + filling("sqlite")).replace("id bigint PRIMARY KEY", "id INTEGER PRIMARY KEY")
    database.executescript(script + SQLITE + "ANALYZE;")
    database.close()


def make_postgres_tables(server):
    server.execute(*(COMMON + POSTGRES.replace("ANALYZE;", "") + filling("postgres") + "ANALYZE;").split(";\n"))


# MARK: Trees


def make_tree(program, document, tree):
    ended = subprocess.run([program, "import", document, tree.source], capture_output=True, text=True,
                           env=clean_environment())
    if ended.returncode:
        raise RuntimeError(f"the document is not imported: {ended.stderr}")


def spoil_sqlite(tree):
    """Extreme numbers in the columns that other programs write."""
    rows = ((MOST, 0, MOST, '"most"'), (MOST - 1, 0, -MOST - 1, '"least"'), (MOST - 2, 0, 0, '"zero"'))
    for identifier, parent, position, fields in rows:
        tree.rows(f"INSERT INTO items (id, parent, position, fields) VALUES ({identifier}, {parent}, {position}, '{fields}')")
    tree.rows(f"DELETE FROM items WHERE id = {MOST}")


def spoil_postgres(tree):
    for identifier, position, fields in ((MOST, MOST, '"most"'), (MOST - 1, -MOST - 1, '"least"'), (MOST - 2, 0, '"zero"')):
        tree.rows(f"INSERT INTO items (id, parent, position, fields) OVERRIDING SYSTEM VALUE "
                  f"SELECT {identifier}, min(id), {position}, '{fields}' FROM items WHERE parent IS NULL")
    tree.rows(f"DELETE FROM items WHERE id = {MOST}")


# MARK: All of them


def make_mounts(folder, postgres, address):
    """A document that mounts each other source, and items of databases of every form."""
    rows = [
        {"Title": "File", "Source": "Items.plist"}, {"Title": "Table", "Source": "Tracks.csv"},
        {"Title": "Remote", "Source": f"{address}/Items.plist"},
        {"Title": "Bundle", "Source": "Settings.bundle"},
        {"Title": "SQLite", "Database": "sqlite:Tables.sqlite"},
        {"Title": "Big", "Database": "sqlite:Tables.sqlite", "Table": "big", "TitleBy": "name"},
        {"Title": "Some", "Database": "sqlite:Tables.sqlite", "Table": "big", "Where": ["n<900"], "SortBy": "-n"},
        {"Title": "Drill", "Database": "sqlite:Tables.sqlite", "Query": DRILLED, "Key": ["id"], "DrillBy": ["kind", "n"]},
        {"Title": "Query", "Database": "sqlite:Tables.sqlite", "Query": "SELECT id, name, n FROM big", "Key": ["id"]},
        {"Title": "PostgreSQL", "Database": postgres}, {"Title": "PBig", "Database": postgres, "Table": "big"},
        {"Title": "PDrill", "Database": postgres, "Table": "big", "DrillBy": ["kind"]},
        {"Title": "PQuery", "Database": postgres, "Query": "SELECT u, name, exact, moment FROM kinds", "Key": ["u"]}]
    path = os.path.join(folder, "Mounts.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"Title": "Mounts", "Rows": rows}, file)
    paths = [[row["Title"]] for row in rows]
    paths += [["SQLite", *path] for path in TABLE_PATHS[:6]] + [["PostgreSQL", *path] for path in TABLE_PATHS[:6]]
    paths += [["File", *path] for path in ITEM_PATHS[:3]]
    paths += [["Drill", "kind 1"], ["Drill", "kind 1", "1"], ["PDrill", "kind 1"], ["Big", "1"], ["Query", str(MOST)]]
    return path, paths


@contextlib.contextmanager
def all_sources(program, folder):
    """The sources by name."""
    path = make_document(folder)
    tracks = os.path.join(folder, "Tracks.csv")
    shutil.copy(os.path.join(DATA, "Tracks.csv"), tracks)
    shutil.copytree(os.path.join(DATA, "Settings.bundle"), os.path.join(folder, "Settings.bundle"))
    tokens = os.path.join(folder, "tokens")
    with open(os.open(tokens, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
        file.write(f"extreme {TOKEN}\n")
    editable = ("--edit-token-file", tokens)
    served = os.path.join(folder, "served")
    os.mkdir(served)
    shutil.copy(path, served)
    edited = os.path.join(folder, "edited")
    os.mkdir(edited)
    tables = os.path.join(folder, "Tables.sqlite")
    make_sqlite_tables(tables)
    sqlite_tree = SQLiteTree(os.path.join(folder, "Tree.sqlite"))
    make_tree(program, path, sqlite_tree)
    with Postgres() as postgres, web_server(served) as address:
        make_postgres_tables(postgres)
        postgres_tree = PostgresTree(postgres, "extreme")
        make_tree(program, path, postgres_tree)
        mounts, mount_paths = make_mounts(folder, postgres.connection(ROLE), address)
        sources = [
            Source("file", make_document(edited), ITEM_PATHS, *editable, is_editable=True),
            Source("records", tracks, (("Hammer",),), *editable, is_editable=True),
            Source("url", f"{address}/Items.plist", ITEM_PATHS),
            Source("bundle", os.path.join(folder, "Settings.bundle"), (("quality",), ("account",), ("volume",)), "--values",
                   os.path.join(folder, "Values.plist"), *editable, is_editable=True),
            Source("sqlite-tree", sqlite_tree.source, ITEM_PATHS, *editable, is_editable=True,
                   spoil=lambda: spoil_sqlite(sqlite_tree)),
            Source("postgres-tree", postgres_tree.source, ITEM_PATHS, *editable, is_editable=True,
                   spoil=lambda: spoil_postgres(postgres_tree)),
            Source("sqlite-tables", f"sqlite:{tables}", TABLE_PATHS + SQLITE_PATHS, *TREE_BY, *LIMITS),
            Source("postgres-tables", postgres.connection(ROLE), TABLE_PATHS + POSTGRES_PATHS, "--shape", "tables", *TREE_BY, *LIMITS),
            Source("mounts", mounts, mount_paths, "--databases", "127.0.0.1", *TREE_BY, *LIMITS, *editable,
                   is_editable=True)]
        yield {source.name: source for source in sources}
