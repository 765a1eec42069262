// BearSSL's SHA-256: small, portable, and without a name that another library here has.
#include "hash.h"

#include <bearssl_hash.h>

static br_sha256_context context;

void hash_begin(void) {
    br_sha256_init(&context);
}

void hash_add(const void *bytes, size_t length) {
    br_sha256_update(&context, bytes, length);
}

void hash_end(uint8_t digest[HASH]) {
    br_sha256_out(&context, digest);
}
