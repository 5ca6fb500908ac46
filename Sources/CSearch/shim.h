#ifndef DRILLDOWN_CSEARCH_SHIM_H
#define DRILLDOWN_CSEARCH_SHIM_H

#include <stddef.h>

/* Before 2.41 glibc declares it under _GNU_SOURCE only, and Swift's Glibc module is built without. From then on its
   pointers must not be null. */
void *memmem(const void *haystack, size_t haystack_length, const void *needle, size_t needle_length);

#endif
