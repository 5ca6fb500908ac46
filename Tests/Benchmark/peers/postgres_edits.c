// Durable edits of a tree that drilldown has imported into PostgreSQL: for each, the statements that a transaction needs,
// in one round trip (libpq's pipeline mode).
//
// postgres_edits CONNECTION TREE SECONDS: prints the edits a second, one transaction each.

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static PGconn *connection;

static void require(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s: %s\n", what, PQerrorMessage(connection));
    exit(1);
}

static long asked(const char *query) {
    PGresult *result = PQexec(connection, query);
    require(PQresultStatus(result) == PGRES_TUPLES_OK, query);
    long value = atol(PQgetvalue(result, 0, 0));
    PQclear(result);
    return value;
}

static void send(const char *name, int count, const char *const *values) {
    require(PQsendQueryPrepared(connection, name, count, values, NULL, NULL, 0), name);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    connection = PQconnectdb(arguments[1]);
    require(PQstatus(connection) == CONNECTION_OK, arguments[1]);
    char path[128];
    snprintf(path, sizeof path, "SELECT 1 FROM set_config('search_path', '%s', false)", arguments[2]);
    asked(path);
    static const char *const statements[][2] = {
        {"begin", "BEGIN ISOLATION LEVEL READ COMMITTED"},
        {"own", "SELECT set_config('drilldown.writer', 'server', true)"},
        {"count", "UPDATE head SET revision = revision + 1 WHERE revision = $1::bigint"},
        {"log", "INSERT INTO revisions (revision, writer) VALUES ($1::bigint + 1, 'server')"},
        {"update", "UPDATE items SET fields = $2::json WHERE id = $1::bigint"},
        {"change", "INSERT INTO changes (revision, item, parent, section, position, fields) "
                   "SELECT $1::bigint + 1, id, parent, section, position, fields FROM items WHERE id = $2::bigint"},
        {"notify", "SELECT pg_notify('drilldown', $1)"},
        {"commit", "COMMIT"},
    };
    enum { STATEMENTS = sizeof statements / sizeof *statements };
    for (int index = 0; index < STATEMENTS; index++) {
        PGresult *result = PQprepare(connection, statements[index][0], statements[index][1], 0, NULL);
        require(PQresultStatus(result) == PGRES_COMMAND_OK, statements[index][0]);
        PQclear(result);
    }
    long revision = asked("SELECT revision FROM head"), items = asked("SELECT max(id) FROM items"), edits = 0;
    require(PQenterPipelineMode(connection), "pipeline");
    double start = now(), end = start + atof(arguments[3]);
    unsigned seed = 4711;
    for (; now() < end; revision++) {
        char number[24], item[24], fields[96], payload[96];
        snprintf(number, sizeof number, "%ld", revision);
        snprintf(item, sizeof item, "%ld", 1 + rand_r(&seed) % items);
        snprintf(fields, sizeof fields, "{\"Title\":\"Item %s\",\"Subtitle\":\"edition %08ld\",\"Price\":1.5}", item, ++edits);
        snprintf(payload, sizeof payload, "%.64s %ld", arguments[2], revision + 1);
        send("begin", 0, NULL);
        send("own", 0, NULL);
        send("count", 1, (const char *const[]){number});
        send("log", 1, (const char *const[]){number});
        send("update", 2, (const char *const[]){item, fields});
        send("change", 2, (const char *const[]){number, item});
        send("notify", 1, (const char *const[]){payload});
        send("commit", 0, NULL);
        require(PQpipelineSync(connection), "sync");
        for (int ended = 0; ended <= STATEMENTS;) {
            PGresult *result = PQgetResult(connection);
            ExecStatusType status = PQresultStatus(result);
            require(!result || status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_PIPELINE_SYNC,
                    "edit");
            // Each statement ends with a null pointer, and the pipeline with a result of its own.
            ended += !result || status == PGRES_PIPELINE_SYNC;
            PQclear(result);
        }
    }
    printf("%.1f\n", (double)edits / (now() - start));
    PQfinish(connection);
    return 0;
}
