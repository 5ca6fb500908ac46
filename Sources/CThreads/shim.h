#ifndef DRILLDOWN_CTHREADS_SHIM_H
#define DRILLDOWN_CTHREADS_SHIM_H

/* Functions of glibc that Swift's Glibc module leaves out, because <pthread.h> declares them only for _GNU_SOURCE. */
#include <pthread.h>
#include <signal.h>

int pthread_setname_np(pthread_t, const char *);
int pthread_getname_np(pthread_t, char *, size_t);
int pthread_getattr_np(pthread_t, pthread_attr_t *);
int pthread_attr_setsigmask_np(pthread_attr_t *, const sigset_t *);

/* Swift's Glibc module leaves out <sys/signalfd.h>. A module that includes it would define sigset_t a second time. */
int signalfd(int descriptor, const sigset_t *signals, int flags);

#endif
