#include <brotli/encode.h>
/* Only the tests decode; they link the decoder. */
#include <brotli/decode.h>
