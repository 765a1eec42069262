#include "ticks.h"

#include "port.h"

bool ticks_are_counts(void) {
    return port_unit().counts != 0;
}

uint64_t ticks_worth(uint64_t ticks) {
    struct port_unit unit = port_unit();
    // Divided first, because a product of 64 bits may overflow within seconds.
    uint64_t whole = ticks / unit.denominator * unit.numerator, rest = ticks % unit.denominator * unit.numerator;
    return whole + (rest + unit.denominator / 2) / unit.denominator;
}

flash_text ticks_key(void) {
    const char *counts = port_unit().counts;
    return !counts ? TEXT("ns") : *counts == 'i' ? TEXT("instructions") : TEXT("cycles");
}
