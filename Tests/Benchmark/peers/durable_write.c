// What a durable edit costs at least: a file is written aside, synced, renamed over, and its folder is synced.
//
// durable_write FILE SECONDS: replaces a copy of FILE, beside it, by the same bytes again and again; prints how often.

#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void require(int holds, const char *what) {
    if (holds) return;
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static char *content(const char *path, size_t *size) {
    int file = open(path, O_RDONLY);
    struct stat status;
    require(file >= 0 && fstat(file, &status) == 0, path);
    *size = status.st_size;
    char *bytes = malloc(*size);
    for (size_t done = 0; done < *size;) {
        ssize_t piece = read(file, bytes + done, *size - done);
        require(piece > 0, "read");
        done += piece;
    }
    close(file);
    return bytes;
}

static void replace(const char *aside, const char *path, int folder, const char *bytes, size_t size) {
    int file = open(aside, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    require(file >= 0, aside);
    for (size_t done = 0; done < size;) {
        ssize_t piece = write(file, bytes + done, size - done);
        require(piece > 0, "write");
        done += piece;
    }
    require(fsync(file) == 0, "fsync");
    close(file);
    require(rename(aside, path) == 0, "rename");
    require(fsync(folder) == 0, "fsync of the folder");
}

int main(int count, char **arguments) {
    require(count == 3, "usage: durable_write FILE SECONDS");
    size_t size;
    char *bytes = content(arguments[1], &size), path[4096], aside[4096];
    snprintf(path, sizeof path, "%s.copy", arguments[1]);
    snprintf(aside, sizeof aside, "%s.aside", arguments[1]);
    int folder = open(dirname(strdup(arguments[1])), O_RDONLY | O_DIRECTORY);
    require(folder >= 0, "the folder");
    replace(aside, path, folder, bytes, size);
    double begun = now(), end = begun + atof(arguments[2]);
    long writes = 0;
    while (now() < end) {
        replace(aside, path, folder, bytes, size);
        writes++;
    }
    printf("%.1f\n", writes / (now() - begun));
    unlink(path);
    return 0;
}
