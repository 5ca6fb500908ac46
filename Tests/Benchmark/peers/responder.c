/* The least that libmicrohttpd can do: one prepared answer for every request, and a 304 for whoever knows it.
 *
 * responder BODY-FILE ETAG [HEADER VALUE]...    prints its port and answers until it is killed. */
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct MHD_Response *whole, *unchanged;
static const char *tag;

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *body, size_t *body_size, void **request) {
    static int seen;
    (void)context, (void)url, (void)method, (void)version, (void)body, (void)body_size;
    /* A response queued in the first call would close the connection after it. */
    if (*request == NULL) {
        *request = &seen;
        return MHD_YES;
    }
    const char *known = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-None-Match");
    if (known != NULL && strcmp(known, tag) == 0)
        return MHD_queue_response(connection, MHD_HTTP_NOT_MODIFIED, unchanged);
    return MHD_queue_response(connection, MHD_HTTP_OK, whole);
}

static char *contents(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    if (bytes != NULL && fread(bytes, 1, *size, file) != *size) *size = 0;
    fclose(file);
    return bytes;
}

int main(int count, char **arguments) {
    size_t size = 0;
    char *bytes = count < 3 ? NULL : contents(arguments[1], &size);
    if (bytes == NULL) {
        fputs("usage: responder BODY-FILE ETAG [HEADER VALUE]...\n", stderr);
        return 2;
    }
    tag = arguments[2];
    whole = MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_PERSISTENT);
    unchanged = MHD_create_response_from_buffer(0, bytes, MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(whole, "ETag", tag);
    MHD_add_response_header(unchanged, "ETag", tag);
    for (int index = 3; index + 1 < count; index += 2) {
        MHD_add_response_header(whole, arguments[index], arguments[index + 1]);
        if (strcmp(arguments[index], "Content-Type") != 0)
            MHD_add_response_header(unchanged, arguments[index], arguments[index + 1]);
    }
    signal(SIGPIPE, SIG_IGN);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, &answer, NULL, MHD_OPTION_CONNECTION_LIMIT, 1000u, MHD_OPTION_END);
    if (daemon == NULL) {
        fputs("responder: the daemon does not start\n", stderr);
        return 1;
    }
    printf("%u\n", (unsigned)MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    for (;;) pause();
}
