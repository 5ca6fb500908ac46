#ifndef DRILLDOWN_CCURL_SHIM_H
#define DRILLDOWN_CCURL_SHIM_H

/* Turns off curl's macros that check the argument types of variadic functions. The functions below fix the types. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* Swift does not import CURL_GLOBAL_DEFAULT, because this macro is made of other macros. */
static inline CURLcode
shim_curl_prepare(void)
{
  return curl_global_init(CURL_GLOBAL_DEFAULT);
}

/* curl_easy_setopt is variadic. Sets an option that takes a string; curl copies the string. */
static inline CURLcode
shim_curl_set_text(CURL *handle, CURLoption option, const char *text)
{
  return curl_easy_setopt(handle, option, text);
}

/* curl_easy_setopt is variadic. Sets an option that takes a number. */
static inline CURLcode
shim_curl_set_number(CURL *handle, CURLoption option, long number)
{
  return curl_easy_setopt(handle, option, number);
}

/* curl_easy_setopt is variadic. Sets an option that takes an address; curl passes the address to a callback. */
static inline CURLcode
shim_curl_set_address(CURL *handle, CURLoption option, void *address)
{
  return curl_easy_setopt(handle, option, address);
}

/* curl_easy_setopt is variadic. Sets an option that takes a list; the list must live as long as the handle. */
static inline CURLcode
shim_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *list)
{
  return curl_easy_setopt(handle, option, list);
}

/* curl_easy_setopt is variadic. Sets a callback that takes received bytes. The callbacks for the body and for
   header lines have the same type. */
static inline CURLcode
shim_curl_set_receiver(CURL *handle, CURLoption option, curl_write_callback receiver)
{
  return curl_easy_setopt(handle, option, receiver);
}

/* curl_easy_setopt is variadic. Sets a callback that sees the address of the server before a request is sent. */
static inline CURLcode
shim_curl_set_check(CURL *handle, curl_prereq_callback check)
{
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, check);
}

/* curl_easy_getinfo is variadic. Returns a number, or 0 if the number is not known. */
static inline long
shim_curl_number(CURL *handle, CURLINFO info)
{
  long number = 0;
  return curl_easy_getinfo(handle, info, &number) == CURLE_OK ? number : 0;
}

/* curl_easy_getinfo is variadic. Returns a large number, or 0 if the number is not known. */
static inline curl_off_t
shim_curl_large_number(CURL *handle, CURLINFO info)
{
  curl_off_t number = 0;
  return curl_easy_getinfo(handle, info, &number) == CURLE_OK ? number : 0;
}

/* curl_easy_getinfo is variadic. Returns text that curl owns, or NULL if the text is not known. */
static inline const char *
shim_curl_text(CURL *handle, CURLINFO info)
{
  const char *text = NULL;
  return curl_easy_getinfo(handle, info, &text) == CURLE_OK ? text : NULL;
}

/* curl_multi_setopt is variadic. Sets the callback that receives the sockets to wait for, and its context. */
static inline CURLMcode
shim_curl_set_socket_watch(CURLM *loop, curl_socket_callback watch, void *address)
{
  CURLMcode code = curl_multi_setopt(loop, CURLMOPT_SOCKETDATA, address);
  return code == CURLM_OK ? curl_multi_setopt(loop, CURLMOPT_SOCKETFUNCTION, watch) : code;
}

#endif
