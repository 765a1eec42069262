// What the port's ticks are worth.
#ifndef TICKS_H
#define TICKS_H

#include "text.h"

#include <stdbool.h>
#include <stdint.h>

// Whether the counter counts instructions or cycles and not time.
bool ticks_are_counts(void);

// Nanoseconds, instructions or cycles, rounded to the nearest.
uint64_t ticks_worth(uint64_t ticks);

// The key of a sample under which they stand.
flash_text ticks_key(void);

#endif
