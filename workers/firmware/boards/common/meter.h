// The current through the board, by an INA219 or INA226 on its I2C bus.
//
// The chip averages by itself. A conversion starts right before the timed calls and takes METER_WINDOW_NS; it is read
// after them, so no byte goes over the bus while calls are timed. The reading counts only if the calls took longer than
// the conversion: then all of it lies within them.
#ifndef METER_H
#define METER_H

#include <stdbool.h>
#include <stdint.h>

// Nanoseconds: the longest conversion of either chip, with the most that its oscillator may be slow (10 %).
#define METER_WINDOW_NS 90000000u

struct reading {
    int32_t microamperes;
    uint32_t microvolts; // of the supply
    uint32_t samples;    // of the current, which the chip averaged
};

// Looks for a chip at `address`, with a shunt of `milliohms`. False: none answers.
bool meter_open(uint8_t address, uint32_t milliohms);

// Its name; NULL: there is none.
const char *meter_name(void);

// Starts a conversion.
void meter_start(void);

// The conversion's result, if it is complete; `passed` is how long the calls took, in ns.
bool meter_read(uint64_t passed, struct reading *reading);

// What flowed in that time, in nC.
uint64_t meter_charge(const struct reading *reading, uint64_t passed);

#endif
