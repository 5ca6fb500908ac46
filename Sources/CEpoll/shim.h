#ifndef DRILLDOWN_CEPOLL_SHIM_H
#define DRILLDOWN_CEPOLL_SHIM_H

/* Two parts of glibc that its module for Swift leaves out; nothing is wrapped. */
#include <sys/epoll.h>
#include <sys/eventfd.h>

#endif
