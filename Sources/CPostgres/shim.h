#ifndef DRILLDOWN_CPOSTGRES_SHIM_H
#define DRILLDOWN_CPOSTGRES_SHIM_H

/* Debian installs it in a folder of its own, which pkg-config would name. */
#include <postgresql/libpq-fe.h>

#endif
