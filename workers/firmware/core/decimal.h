// Numbers as decimal text, without the C library.
#ifndef DECIMAL_H
#define DECIMAL_H

#include <stdint.h>

#define DECIMAL 21 // bytes of the longest number's text

// The number's text, which lies in `digits`.
static inline const char *decimal(uint64_t number, char digits[DECIMAL]) {
    char *at = digits + DECIMAL - 1;
    *at = 0;
    do
        *--at = (char)('0' + (uint8_t)(number % 10));
    while (number /= 10);
    return at;
}

#endif
