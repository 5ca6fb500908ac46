/* Compiled as C, because <linux/tcp.h> and glibc's <netinet/tcp.h> exclude each other. Swift's Glibc module has the
   header of glibc, whose struct tcp_info ends before the counts of bytes. */
#include "CSockets.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

int64_t
drilldown_bytes_acknowledged(int descriptor)
{
  struct tcp_info info;
  socklen_t size = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0
      || size < offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked)
    return -1;
  return (int64_t) info.tcpi_bytes_acked;
}
