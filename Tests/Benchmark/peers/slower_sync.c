// Preloaded (ld.so(8)), makes each sync of a program take a millisecond longer: the disk that it is measured on may be
// a virtual one that syncs faster than the disks of others.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <time.h>

static void wait_longer(void) {
    struct timespec millisecond = {0, 1000000};
    nanosleep(&millisecond, NULL);
}

int fsync(int descriptor) {
    static int (*system_fsync)(int);
    if (!system_fsync) system_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    int result = system_fsync(descriptor);
    wait_longer();
    return result;
}

// What waits for the disk counts as a sync, too.
int sync_file_range(int descriptor, off64_t start, off64_t size, unsigned flags) {
    static int (*system_sync)(int, off64_t, off64_t, unsigned);
    if (!system_sync) system_sync = (int (*)(int, off64_t, off64_t, unsigned))dlsym(RTLD_NEXT, "sync_file_range");
    int result = system_sync(descriptor, start, size, flags);
    if (flags & SYNC_FILE_RANGE_WAIT_AFTER) wait_longer();
    return result;
}
