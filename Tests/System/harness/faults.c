// Makes system calls of a process fail or wait, or kills it at one, as a control file says; loaded by LD_PRELOAD.
//
// Only calls count that concern the folder FAULTS_FOLDER or what is in it. The control file, FAULTS_CONTROL, is an array
// of 32-bit integers that both processes map; harness/faults.py has the same constants.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum call { CREATE, WRITE, SYNC, RENAME, EXCHANGE, SYNC_FOLDER, REMOVE, TRUNCATE, ATTRIBUTE, READ, CALLS };
enum action { NOTHING, FAIL, SHORT, KILL_BEFORE, KILL_AFTER, PAUSE_BEFORE, PAUSE_AFTER };

struct control {
    // Which occurrence of which call, from 1, and every one from there on if `lasts`.
    int32_t call, occurrence, lasts;
    int32_t action, error;
    // A call that waits goes on when this is not 0.
    _Atomic int32_t released;
    // How often one has met its fault, and how often each was made.
    _Atomic int32_t hits;
    _Atomic int32_t made[CALLS];
};

static struct control *control;
static char folder[PATH_MAX];

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULTS_CONTROL"), *wanted = getenv("FAULTS_FOLDER");
    if (!path || !wanted || !realpath(wanted, folder)) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) control = mapped;
    syscall(SYS_close, file);
}

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

static bool is_within(const char *path) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static bool concerns_descriptor(int descriptor) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return false;
    path[length] = 0;
    return is_within(path);
}

static bool concerns(int base, const char *path) {
    char parent[PATH_MAX], resolved[PATH_MAX];
    if (path[0] != '/' && base != AT_FDCWD) return concerns_descriptor(base);
    snprintf(parent, sizeof parent, "%s", path);
    char *slash = strrchr(parent, '/');
    if (!slash) strcpy(parent, ".");
    else if (slash == parent) parent[1] = 0;
    else *slash = 0;
    return realpath(parent, resolved) && is_within(resolved);
}

static void pause_here(void) {
    atomic_fetch_add(&control->hits, 1);
    while (!atomic_load(&control->released)) usleep(200);
}

// What is to be done to this call.
static enum action meet(enum call call) {
    int32_t made = atomic_fetch_add(&control->made[call], 1) + 1;
    if (control->action == NOTHING || control->call != (int32_t)call) return NOTHING;
    if (made != control->occurrence && !(control->lasts && made > control->occurrence)) return NOTHING;
    if (control->action == PAUSE_BEFORE) pause_here();
    else if (control->action != PAUSE_AFTER) atomic_fetch_add(&control->hits, 1);
    if (control->action == KILL_BEFORE) raise(SIGKILL);
    if (control->action == FAIL) errno = control->error;
    return control->action;
}

// What is to be done behind a call.
static void leave(enum action action) {
    int saved = errno;
    if (action == KILL_AFTER) raise(SIGKILL);
    if (action == PAUSE_AFTER) pause_here();
    errno = saved;
}

#define INTERPOSE(type, name, parameters, arguments, concerned, call) \
    type name parameters { \
        static type(*real) parameters; \
        if (!real) real = next(#name); \
        if (!control || !(concerned)) return real arguments; \
        enum action action = meet(call); \
        if (action == FAIL) return -1; \
        type result = real arguments; \
        leave(action); \
        return result; \
    }

static enum call sync_call(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode) ? SYNC_FOLDER : SYNC;
}

INTERPOSE(int, fsync, (int file), (file), concerns_descriptor(file), sync_call(file))
INTERPOSE(int, fdatasync, (int file), (file), concerns_descriptor(file), sync_call(file))
INTERPOSE(int, rename, (const char *from, const char *to), (from, to), concerns(AT_FDCWD, to), RENAME)
INTERPOSE(int, renameat, (int base, const char *from, int other, const char *to), (base, from, other, to),
          concerns(other, to), RENAME)
INTERPOSE(int, renameat2, (int base, const char *from, int other, const char *to, unsigned flags),
          (base, from, other, to, flags), concerns(other, to), flags & RENAME_EXCHANGE ? EXCHANGE : RENAME)
INTERPOSE(int, linkat, (int base, const char *from, int other, const char *to, int flags),
          (base, from, other, to, flags), concerns(other, to), RENAME)
INTERPOSE(int, unlink, (const char *path), (path), concerns(AT_FDCWD, path), REMOVE)
INTERPOSE(int, unlinkat, (int base, const char *path, int flags), (base, path, flags), concerns(base, path), REMOVE)
INTERPOSE(int, fchmod, (int file, mode_t mode), (file, mode), concerns_descriptor(file), ATTRIBUTE)
INTERPOSE(int, fchown, (int file, uid_t user, gid_t group), (file, user, group), concerns_descriptor(file), ATTRIBUTE)
INTERPOSE(int, fsetxattr, (int file, const char *name, const void *value, size_t size, int flags),
          (file, name, value, size, flags), concerns_descriptor(file), ATTRIBUTE)
INTERPOSE(int, ftruncate, (int file, off_t size), (file, size), concerns_descriptor(file), TRUNCATE)
INTERPOSE(ssize_t, copy_file_range, (int from, off64_t *start, int to, off64_t *end, size_t size, unsigned flags),
          (from, start, to, end, size, flags), concerns_descriptor(to), WRITE)
INTERPOSE(ssize_t, sendfile, (int to, int from, off_t *start, size_t size), (to, from, start, size),
          concerns_descriptor(to), WRITE)
INTERPOSE(ssize_t, read, (int file, void *bytes, size_t size), (file, bytes, size), concerns_descriptor(file), READ)
INTERPOSE(ssize_t, pread, (int file, void *bytes, size_t size, off_t at), (file, bytes, size, at),
          concerns_descriptor(file), READ)

// A write may also be cut short: it takes half of the bytes.
#define INTERPOSE_WRITE(name, parameters, arguments, shorten) \
    ssize_t name parameters { \
        static ssize_t(*real) parameters; \
        if (!real) real = next(#name); \
        if (!control || !concerns_descriptor(file)) return real arguments; \
        enum action action = meet(WRITE); \
        if (action == FAIL) return -1; \
        if (action == SHORT || action == KILL_AFTER) { shorten; } \
        ssize_t result = real arguments; \
        leave(action); \
        return result; \
    }

INTERPOSE_WRITE(write, (int file, const void *bytes, size_t size), (file, bytes, size), size = (size + 1) / 2)
INTERPOSE_WRITE(pwrite, (int file, const void *bytes, size_t size, off_t at), (file, bytes, size, at),
                size = (size + 1) / 2)
INTERPOSE_WRITE(writev, (int file, const struct iovec *parts, int count), (file, parts, count),
                count = (count + 1) / 2)

// Opening counts if it may make or change a file; reading ones are counted by what is read.
static bool creates(int base, const char *path, int flags) {
    return control && (flags & (O_CREAT | O_WRONLY | O_RDWR)) && concerns(base, path);
}

#define INTERPOSE_OPEN(name, base, parameters, arguments) \
    int name parameters { \
        static int(*real) parameters; \
        if (!real) real = next(#name); \
        mode_t mode = 0; \
        if (flags & (O_CREAT | O_TMPFILE)) { \
            va_list list; \
            va_start(list, flags); \
            mode = va_arg(list, mode_t); \
            va_end(list); \
        } \
        if (!creates(base, path, flags)) return real arguments; \
        enum action action = meet(CREATE); \
        if (action == FAIL) return -1; \
        int result = real arguments; \
        leave(action); \
        return result; \
    }

INTERPOSE_OPEN(open, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
INTERPOSE_OPEN(open64, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
INTERPOSE_OPEN(openat, base, (int base, const char *path, int flags, ...), (base, path, flags, mode))
INTERPOSE_OPEN(openat64, base, (int base, const char *path, int flags, ...), (base, path, flags, mode))

// A program may also call renameat2 by its number.
long syscall(long number, ...) {
    static long (*real)(long, ...);
    if (!real) real = next("syscall");
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long), d = va_arg(list, long),
         e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    if (number == SYS_renameat2) return renameat2((int)a, (const char *)b, (int)c, (const char *)d, (unsigned)e);
    return real(number, a, b, c, d, e, f);
}
