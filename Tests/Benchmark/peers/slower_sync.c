// Preloaded (ld.so(8)), makes each sync of a program take a millisecond longer: the disk that it is measured on may be
// a virtual one that syncs faster than the disks of others.

#define _GNU_SOURCE
#include <dlfcn.h>
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
