#ifndef DRILLDOWN_CMICROHTTPD_SHIM_H
#define DRILLDOWN_CMICROHTTPD_SHIM_H

#include <microhttpd.h>
#include <stdint.h>

/* MHD_start_daemon is variadic, so Swift cannot call it. Starts the daemon, always with the same options. */
static inline struct MHD_Daemon *
shim_start_daemon(unsigned int threads, int listening_socket, size_t memory, unsigned int connections,
                  unsigned int per_address, int strict, MHD_AccessHandlerCallback handler,
                  void *(*request_line)(void *context, const char *target, struct MHD_Connection *connection),
                  size_t (*unescape)(void *context, struct MHD_Connection *connection, char *text),
                  MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback connection, void *context,
                  const char *tls_priorities, void *tls_certificate)
{
  struct MHD_OptionItem pool[] = {
    /* Without a pool, the daemon's own thread serves. The library ignores a pool of one thread and logs a warning. */
    { threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t) threads, NULL },
    { MHD_OPTION_END, 0, NULL }
  };
  struct MHD_OptionItem tls[] = {
    { tls_priorities ? MHD_OPTION_HTTPS_PRIORITIES : MHD_OPTION_END, 0, (void *) tls_priorities },
    { MHD_OPTION_HTTPS_CERT_CALLBACK, 0, tls_certificate },
    { MHD_OPTION_END, 0, NULL }
  };
  return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME
                            | (tls_priorities ? MHD_USE_TLS : 0),
                          0, NULL, NULL, handler, context,
                          MHD_OPTION_LISTEN_SOCKET, listening_socket,
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
                          MHD_OPTION_CONNECTION_LIMIT, connections,
                          MHD_OPTION_PER_IP_CONNECTION_LIMIT, per_address,
                          /* The library's time-out would cost a lock and two clock readings per request;
                             `Reaper` watches the deadlines. */
                          MHD_OPTION_CONNECTION_TIMEOUT, 0u,
                          MHD_OPTION_STRICT_FOR_CLIENT, strict,
                          MHD_OPTION_URI_LOG_CALLBACK, request_line, context,
                          MHD_OPTION_UNESCAPE_CALLBACK, unescape, context,
                          MHD_OPTION_NOTIFY_COMPLETED, completed, context,
                          MHD_OPTION_NOTIFY_CONNECTION, connection, context,
                          MHD_OPTION_ARRAY, tls,
                          MHD_OPTION_ARRAY, pool,
                          MHD_OPTION_END);
}

/* MHD_get_daemon_info is variadic. Returns the number of connections that count for the daemon's limit. */
static inline unsigned int
shim_daemon_connections(struct MHD_Daemon *daemon)
{
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
  return info ? info->num_connections : 0;
}

/* MHD_get_connection_info is variadic. Returns the pointer that the NOTIFY_CONNECTION callback stored for this
   connection, or NULL. */
static inline void *
shim_connection_context(struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/* MHD_get_connection_info is variadic. Returns the connection's socket, or -1. */
static inline int
shim_connection_socket(struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/* MHD_get_connection_info is variadic. Returns the connection's GnuTLS session, or NULL. */
static inline void *
shim_connection_session(struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  return info ? info->tls_session : NULL;
}

/* MHD_get_connection_info is variadic. Returns the client's address, or NULL. */
static inline const struct sockaddr *
shim_connection_address(struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

/* MHD_get_connection_info is variadic. Returns the size of the request line and the header, or 0 if not known. */
static inline size_t
shim_connection_header_size(struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

/* Swift names the constants of MHD_FEATURE differently from one version of the library to the next. */
static inline enum MHD_Result
shim_supports_tls(void)
{
  return MHD_is_feature_supported(MHD_FEATURE_TLS);
}

/* Swift does not import MHD_SIZE_UNKNOWN, because this macro contains a cast. */
static inline uint64_t
shim_size_unknown(void)
{
  return MHD_SIZE_UNKNOWN;
}

/* MHD_set_response_options is variadic. Makes the library close the connection after the response. Without this option,
   it sends the final chunk of a chunked body after the response to a HEAD request, which has no body. */
static inline enum MHD_Result
shim_end_by_closing(struct MHD_Response *response)
{
  return MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

#endif
