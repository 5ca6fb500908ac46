/* What each level of gzip and Brotli makes of a body, and in what time: the figures that the service's levels follow.
 *
 * codings BODY-FILE...    prints a line for each body, coding and level: name, bytes, coding, level, bytes, microseconds. */
#include <brotli/encode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static size_t gzip(int level, const unsigned char *body, size_t size, unsigned char *coded, size_t room) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) exit(1);
    stream.next_in = (unsigned char *)body;
    stream.avail_in = (unsigned)size;
    stream.next_out = coded;
    stream.avail_out = (unsigned)room;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) exit(1);
    size_t made = stream.total_out;
    deflateEnd(&stream);
    return made;
}

static size_t brotli(int level, const unsigned char *body, size_t size, unsigned char *coded, size_t room) {
    size_t made = room;
    if (!BrotliEncoderCompress(level, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, size, body, &made, coded)) exit(1);
    return made;
}

static void measure(const char *name, const char *coding, int level, const unsigned char *body, size_t size,
                    size_t (*code)(int, const unsigned char *, size_t, unsigned char *, size_t)) {
    size_t room = size * 2 + 4096, made = 0;
    unsigned char *coded = malloc(room);
    if (coded == NULL) exit(1);
    double best = 1e12;
    /* The least of many: whatever else ran on the machine only adds. */
    for (int round = 0; round < 40; round++) {
        double start = now();
        made = code(level, body, size, coded, room);
        double time = now() - start;
        if (time < best) best = time;
    }
    free(coded);
    printf("%s %zu %s %d %zu %.0f\n", name, size, coding, level, made, best);
}

int main(int count, char **arguments) {
    for (int index = 1; index < count; index++) {
        FILE *file = fopen(arguments[index], "rb");
        if (file == NULL) return 1;
        fseek(file, 0, SEEK_END);
        size_t size = (size_t)ftell(file);
        rewind(file);
        unsigned char *body = malloc(size + 1);
        if (body == NULL || fread(body, 1, size, file) != size) return 1;
        fclose(file);
        const char *slash = strrchr(arguments[index], '/');
        const char *name = slash ? slash + 1 : arguments[index];
        for (int level = 1; level <= 9; level++) measure(name, "gzip", level, body, size, gzip);
        for (int level = 0; level <= 9; level++) measure(name, "br", level, body, size, brotli);
        free(body);
    }
    return 0;
}
