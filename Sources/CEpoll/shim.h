#ifndef DRILLDOWN_CEPOLL_SHIM_H
#define DRILLDOWN_CEPOLL_SHIM_H

/* Two headers that Swift's Glibc module leaves out; their functions need no wrappers. */
#include <sys/epoll.h>
#include <sys/eventfd.h>

#endif
