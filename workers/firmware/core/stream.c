#include "stream.h"

#include "decimal.h"
#include "hash.h"

#include <string.h>

#define PERIOD 4093u

static void add_flash(flash_text text) {
    for (; *text; text++) {
        char letter = *text;
        hash_add(&letter, 1);
    }
}

static void add_number(uint64_t number) {
    char digits[DECIMAL];
    const char *text = decimal(number, digits);
    hash_add(text, strlen(text));
}

void stream(flash_text label, uint64_t seed, uint8_t *bytes, size_t length) {
    size_t hashed = length < PERIOD ? length : PERIOD;
    for (size_t at = 0; at < hashed; at += HASH) {
        uint8_t block[HASH];
        hash_begin();
        add_flash(TEXT("ciphermeter "));
        add_flash(label);
        add_flash(TEXT(" "));
        add_number(seed);
        add_flash(TEXT(" "));
        add_number(at / HASH);
        hash_end(block);
        memcpy(bytes + at, block, hashed - at < HASH ? hashed - at : HASH);
    }
    for (size_t at = hashed; at < length; at++)
        bytes[at] = bytes[at - PERIOD];
}
