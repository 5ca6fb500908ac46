#ifndef DRILLDOWN_CSOCKETS_H
#define DRILLDOWN_CSOCKETS_H

#include <stdint.h>

/* Returns the number of bytes that the peer of a TCP connection has acknowledged (tcpi_bytes_acked of tcp(7)'s
   TCP_INFO); -1 if the socket is not a TCP socket, or if the kernel does not report the number. */
int64_t drilldown_bytes_acknowledged(int descriptor);

#endif
