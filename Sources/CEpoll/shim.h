#ifndef DRILLDOWN_CEPOLL_SHIM_H
#define DRILLDOWN_CEPOLL_SHIM_H

/* Two parts of glibc that its module for Swift leaves out; all is called as it stands. */
#include <sys/epoll.h>
#include <sys/eventfd.h>

#endif
