#ifndef DRILLDOWN_CSOCKETS_H
#define DRILLDOWN_CSOCKETS_H

#include <stdint.h>

/* The bytes that the peer of a TCP connection has acknowledged (tcpi_bytes_acked of tcp(7)'s TCP_INFO); -1 for another
   socket. */
int64_t drilldown_bytes_acknowledged(int descriptor);

#endif
