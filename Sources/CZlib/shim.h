#ifndef DRILLDOWN_CZLIB_SHIM_H
#define DRILLDOWN_CZLIB_SHIM_H

#include <zlib.h>

/* Swift does not import the macro deflateInit2. The macro adds the version and the size of the structure. */
static inline int
shim_deflate_init(z_stream *stream, int level, int window_bits, int memory_level)
{
  return deflateInit2(stream, level, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY);
}

/* inflateInit2 is a macro of the same kind. */
static inline int
shim_inflate_init(z_stream *stream, int window_bits)
{
  return inflateInit2(stream, window_bits);
}

#endif
