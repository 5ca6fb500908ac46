#ifndef DRILLDOWN_CGNUTLS_SHIM_H
#define DRILLDOWN_CGNUTLS_SHIM_H

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/* libmicrohttpd takes the callback as a plain pointer. Swift cannot convert a function pointer to a plain pointer. */
static inline void *
shim_certificate_callback(gnutls_certificate_retrieve_function2 *callback)
{
  return (void *) callback;
}

#endif
