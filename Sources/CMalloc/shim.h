#ifndef DRILLDOWN_CMALLOC_SHIM_H
#define DRILLDOWN_CMALLOC_SHIM_H

/* Swift's Glibc module leaves out this header, which declares mallopt and malloc_trim. */
#include <malloc.h>

#endif
