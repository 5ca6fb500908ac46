// Durable edits of a tree that drilldown has imported into SQLite: for each, the statements that a transaction needs.
//
// sqlite_edits FILE SECONDS: prints the edits a second, one transaction each, with synchronous=FULL.

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static sqlite3 *database;

static void require(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(database));
    exit(1);
}

static sqlite3_stmt *prepared(const char *text) {
    sqlite3_stmt *statement;
    require(sqlite3_prepare_v2(database, text, -1, &statement, NULL) == SQLITE_OK, text);
    return statement;
}

static void run(sqlite3_stmt *statement) {
    int result = sqlite3_step(statement);
    require(result == SQLITE_DONE || result == SQLITE_ROW, sqlite3_sql(statement));
    sqlite3_reset(statement);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
    require(count == 3 && sqlite3_open(arguments[1], &database) == SQLITE_OK, "usage: sqlite_edits FILE SECONDS");
    sqlite3_exec(database, "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL", NULL, NULL, NULL);
    sqlite3_stmt *head = prepared("SELECT revision, (SELECT max(id) FROM items) FROM head");
    require(sqlite3_step(head) == SQLITE_ROW, "head");
    long long revision = sqlite3_column_int64(head, 0), items = sqlite3_column_int64(head, 1);
    sqlite3_reset(head);
    sqlite3_stmt *begin = prepared("BEGIN IMMEDIATE"), *commit = prepared("COMMIT"),
        *look = prepared("SELECT head.revision, mark FROM head LEFT JOIN revisions ON revisions.revision = head.revision"),
        *foreign = prepared("SELECT 1 FROM changes WHERE revision IS NULL LIMIT 1"),
        *update = prepared("UPDATE items SET fields = json_set(fields, '$.Subtitle', ?1) WHERE id = ?2"),
        *log = prepared("INSERT INTO revisions (revision, mark, at, writer) "
                        "VALUES (?1, hex(randomblob(16)), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 'server')"),
        *number = prepared("UPDATE changes SET revision = ?1 WHERE revision IS NULL"),
        *counted = prepared("UPDATE head SET revision = ?1");
    double start = now(), end = start + atof(arguments[2]);
    long edits = 0;
    unsigned seed = 4711;
    while (now() < end) {
        char text[32];
        int size = snprintf(text, sizeof text, "edition %08ld", ++edits);
        revision++;
        run(begin);
        run(look);
        run(foreign);
        sqlite3_bind_text(update, 1, text, size, SQLITE_STATIC);
        sqlite3_bind_int64(update, 2, 1 + rand_r(&seed) % items);
        run(update);
        sqlite3_bind_int64(log, 1, revision);
        run(log);
        sqlite3_bind_int64(number, 1, revision);
        run(number);
        sqlite3_bind_int64(counted, 1, revision);
        run(counted);
        run(commit);
    }
    printf("%.1f\n", (double)edits / (now() - start));
    return 0;
}
