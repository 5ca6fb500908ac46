/* What a statement for a page costs without a service: it is stepped to its end, and each value is read.
 *
 * table_pages DATABASE STATEMENT LARGEST ROUNDS    binds a random number below LARGEST to ?1, and prints the microseconds
 * of processor time for one run. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

int main(int count, char **arguments) {
    if (count != 5) return 2;
    sqlite3 *database;
    sqlite3_stmt *statement;
    if (sqlite3_open_v2(arguments[1], &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) return 1;
    if (sqlite3_prepare_v2(database, arguments[2], -1, &statement, NULL) != SQLITE_OK) return 1;
    long largest = atol(arguments[3]), rounds = atol(arguments[4]);
    size_t bytes = 0, rows = 0;
    double start = 0;
    srandom(7);
    for (long round = -rounds / 10; round < rounds; round++) {
        if (round == 0) start = now();
        sqlite3_bind_int64(statement, 1, random() % largest);
        while (sqlite3_step(statement) == SQLITE_ROW) {
            rows++;
            for (int column = 0; column < sqlite3_column_count(statement); column++) {
                if (sqlite3_column_text(statement, column) != NULL)
                    bytes += (size_t)sqlite3_column_bytes(statement, column);
            }
        }
        if (sqlite3_reset(statement) != SQLITE_OK) return 1;
    }
    printf("%.2f\n", (now() - start) / (double)rounds);
    return rows > 0 && bytes > 0 ? 0 : 1;
}
