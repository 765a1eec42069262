/* What a board must give: five functions. Everything else is the same on every board. */
#ifndef PORT_H
#define PORT_H
#include <stdint.h>

/* What a tick is worth. counts: "instructions", "cycles", or 0 where ticks are time; count (or ns) = ticks * numerator
   / denominator, rounded to the nearest. */
struct port_unit {
    const char *counts;
    uint32_t numerator, denominator;
};

uint64_t port_ticks(void); /* the counter, never going back */
struct port_unit port_unit(void);
void port_put(uint8_t byte); /* to the harness */
int port_get(void);          /* from the harness; waits; -1 at the end of the input, where there can be one */
void port_exit(int code);    /* ends the emulator, or resets the board */

// Where target.h defines PORT_CYCLES: the CPU's cycles modulo 2^32, beside ticks that are time.
uint32_t port_cycles(void);

#endif
