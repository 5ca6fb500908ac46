#include <brotli/encode.h>
/* Only the tests decode, and link what that needs. */
#include <brotli/decode.h>
