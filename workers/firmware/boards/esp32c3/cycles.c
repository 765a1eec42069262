// The ESP32-C3's performance counter, mpccr; src/clock.rs lets it count cycles.
#include "port.h"

uint32_t port_cycles(void) {
    uint32_t cycles;
    __asm__ volatile("csrr %0, 0x7e2" : "=r"(cycles));
    return cycles;
}
