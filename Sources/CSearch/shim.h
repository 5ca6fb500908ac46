#ifndef DRILLDOWN_CSEARCH_SHIM_H
#define DRILLDOWN_CSEARCH_SHIM_H

#include <stddef.h>

/* glibc before 2.41 declares memmem only for _GNU_SOURCE, which Swift's Glibc module does not define. Since 2.41 the
   visible declaration requires pointers that are not null. */
void *memmem(const void *haystack, size_t haystack_length, const void *needle, size_t needle_length);

#endif
