#ifndef DRILLDOWN_CFILES_SHIM_H
#define DRILLDOWN_CFILES_SHIM_H

/* Parts of glibc that its module for Swift leaves out: extended attributes, and what the headers declare only for
   _GNU_SOURCE. <fcntl.h> is not included here: it would make the type `stat` one of this module. */
#include <sys/vfs.h>
#include <sys/xattr.h>

int renameat2(int, const char *, int, const char *, unsigned int);

/* fcntl(2) takes leases and their signals by these numbers, which are the same on every machine. */
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
