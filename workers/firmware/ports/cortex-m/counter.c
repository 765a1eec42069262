// Ticks from the board's timers at 25 MHz. With `-icount shift=10`, QEMU lets each instruction take 1024 ns of its
// virtual time, so an instruction is 25.6 ticks, and a count of ticks gives the exact number of instructions.
//
// One timer of 32 bits wraps after 167 million instructions. A second one, 256 times slower, says how often it has.
#include "board.h"
#include "port.h"

#define TIMER_CONTROL REGISTER(0x40000000)
#define TIMER_VALUE   REGISTER(0x40000004)
#define TIMER_RELOAD  REGISTER(0x40000008)
#define TIMER_ENABLE  1u

#define DUAL_LOAD         REGISTER(0x40002000)
#define DUAL_VALUE        REGISTER(0x40002004)
#define DUAL_CONTROL      REGISTER(0x40002008)
#define DUAL_32_BITS      2u
#define DUAL_PRESCALE_256 8u
#define DUAL_ENABLE       0x80u
#define SLOWER            256u

// Both count down from 2^32 - 1.
void counter_begin(void) {
    TIMER_RELOAD = UINT32_MAX;
    TIMER_VALUE = UINT32_MAX;
    DUAL_CONTROL = DUAL_32_BITS | DUAL_PRESCALE_256;
    DUAL_LOAD = UINT32_MAX;
    DUAL_CONTROL = DUAL_32_BITS | DUAL_PRESCALE_256 | DUAL_ENABLE;
    TIMER_CONTROL = TIMER_ENABLE;
}

// The low 32 bits from the fast timer, the rest from the slow one, which may be a few
// ticks off.
uint64_t port_ticks(void) {
    uint64_t slow = (uint64_t)(UINT32_MAX - DUAL_VALUE) * SLOWER;
    uint32_t fast = UINT32_MAX - TIMER_VALUE;
    int32_t behind = (int32_t)(fast - (uint32_t)slow);
    return slow + (uint64_t)(int64_t)behind;
}

struct port_unit port_unit(void) {
    return (struct port_unit){"instructions", 5, 128}; // 25.6 ticks each
}
