// The SHA-256 of `ciphermeter <label> <seed> <i>` for i = 0, 1, …, one after another, repeated after 4093 bytes.
#include "stream.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>

bool stream_period(uint8_t period[PERIOD], const char *label, uint64_t seed) {
    for (unsigned at = 0; at < PERIOD; at += SHA256_DIGEST_LENGTH) {
        char text[96];
        uint8_t hash[SHA256_DIGEST_LENGTH];
        int length =
            snprintf(text, sizeof text, "ciphermeter %s %" PRIu64 " %u", label, seed, at / SHA256_DIGEST_LENGTH);
        if (EVP_Digest(text, (size_t)length, hash, NULL, EVP_sha256(), NULL) != 1)
            return false;
        unsigned left = PERIOD - at;
        memcpy(period + at, hash, left < sizeof hash ? left : sizeof hash);
    }
    return true;
}

void stream_fill(uint8_t *buffer, uint64_t bytes, const uint8_t period[PERIOD], uint64_t from) {
    uint64_t place = from % PERIOD;
    while (bytes > 0) {
        uint64_t run = PERIOD - place < bytes ? PERIOD - place : bytes;
        memcpy(buffer, period + place, run);
        buffer += run;
        bytes -= run;
        place = 0;
    }
}
