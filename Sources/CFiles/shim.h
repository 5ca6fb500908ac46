#ifndef DRILLDOWN_CFILES_SHIM_H
#define DRILLDOWN_CFILES_SHIM_H

/* Parts of glibc that Swift's Glibc module leaves out: extended attributes, and declarations that the headers make only
   for _GNU_SOURCE. <fcntl.h> is not included, because the type `stat` would then belong to this module. */
#include <sys/vfs.h>
#include <sys/xattr.h>

int renameat2(int, const char *, int, const char *, unsigned int);

/* Commands of fcntl(2) for leases and their signals, and flags of renameat2. Linux uses the same numbers on all
   processors that Swift supports. */
#ifndef F_SETSIG
#define F_SETSIG 10
#endif
#ifndef F_SETLEASE
#define F_SETLEASE 1024
#endif
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif
#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

#endif
