// Durable commits of SQLite: one row a transaction, with synchronous=FULL.
//
// sqlite_commits FILE JOURNAL WRITERS SECONDS: JOURNAL is "wal" or "delete"; each writer is a thread with a connection of
// its own that updates one of 1,000 rows at a time; prints the commits a second of all together.

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROWS = 1000 };

static const char *path, *journal;
static atomic_bool is_over;
static atomic_long commits;

static void require(int holds, sqlite3 *database, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s: %s\n", what, database ? sqlite3_errmsg(database) : "failed");
    exit(1);
}

static void run(sqlite3 *database, const char *statement) {
    require(sqlite3_exec(database, statement, NULL, NULL, NULL) == SQLITE_OK, database, statement);
}

static sqlite3 *connect(void) {
    sqlite3 *database;
    require(sqlite3_open(path, &database) == SQLITE_OK, database, path);
    sqlite3_busy_timeout(database, 60000);
    char pragma[64];
    snprintf(pragma, sizeof pragma, "PRAGMA journal_mode=%s", journal);
    run(database, pragma);
    run(database, "PRAGMA synchronous=FULL");
    return database;
}

static void *write_rows(void *number) {
    sqlite3 *database = connect();
    sqlite3_stmt *update;
    require(sqlite3_prepare_v2(database, "UPDATE items SET text = ?1 WHERE id = ?2", -1, &update, NULL) == SQLITE_OK,
            database, "prepare");
    unsigned seed = (unsigned)(size_t)number;
    char text[64];
    for (long edit = 0; !atomic_load(&is_over); edit++) {
        int size = snprintf(text, sizeof text, "edit %ld of %u", edit, seed);
        sqlite3_bind_text(update, 1, text, size, SQLITE_STATIC);
        sqlite3_bind_int(update, 2, rand_r(&seed) % ROWS);
        require(sqlite3_step(update) == SQLITE_DONE, database, "update");
        sqlite3_reset(update);
        atomic_fetch_add(&commits, 1);
    }
    sqlite3_finalize(update);
    sqlite3_close(database);
    return NULL;
}

int main(int count, char **arguments) {
    require(count == 5, NULL, "usage: sqlite_commits FILE JOURNAL WRITERS SECONDS");
    path = arguments[1];
    journal = arguments[2];
    int writers = atoi(arguments[3]);
    sqlite3 *database = connect();
    run(database, "CREATE TABLE items (id INTEGER PRIMARY KEY, text TEXT)");
    run(database, "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 1000) "
                  "INSERT INTO items SELECT i, 'as first' FROM n");
    pthread_t threads[writers];
    for (size_t number = 0; number < (size_t)writers; number++)
        require(pthread_create(&threads[number], NULL, write_rows, (void *)number) == 0, NULL, "pthread_create");
    struct timespec time = {atoi(arguments[4]), 0};
    nanosleep(&time, NULL);
    printf("%.1f\n", (double)atomic_load(&commits) / atoi(arguments[4]));
    atomic_store(&is_over, 1);
    for (int number = 0; number < writers; number++) pthread_join(threads[number], NULL);
    sqlite3_close(database);
    return 0;
}
