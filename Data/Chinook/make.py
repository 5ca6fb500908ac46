#!/usr/bin/env python3
"""Makes the Chinook database, a music shop, as a SQLite file: make.py FILE

Chinook_Sqlite.sql.xz is the script that its author publishes (github.com/lerocha/chinook-database, version 1.4.5,
commit 7f67772), with the licence in LICENSE.md. A file that exists is left as it is.
"""

import lzma
import os
import sqlite3
import sys

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Chinook_Sqlite.sql.xz")


def make(path):
    """Makes the database beside its place first, so that an interrupted run leaves none."""
    with lzma.open(SCRIPT, "rt", encoding="utf-8-sig") as file:
        script = file.read()
    unfinished = path + ".new"
    if os.path.exists(unfinished):
        os.remove(unfinished)
    database = sqlite3.connect(unfinished)
    database.executescript(f"BEGIN; {script} COMMIT;")
    tables = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    records = sum(database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables)
    database.close()
    os.rename(unfinished, path)
    return f"{path}: {len(tables)} tables, {records} records"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make.py FILE")
    path = sys.argv[1]
    print(f"{path} exists" if os.path.exists(path) else make(path))


if __name__ == "__main__":
    main()
