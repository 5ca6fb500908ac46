#ifndef DRILLDOWN_CPOSTGRES_SHIM_H
#define DRILLDOWN_CPOSTGRES_SHIM_H

/* Debian installs this header in a subfolder of /usr/include. With the subfolder in the path, the build works without
   pkg-config. */
#include <postgresql/libpq-fe.h>

#endif
