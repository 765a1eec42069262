// Timer 1 counts every cycle and wraps after 65536. Timer 4 counts every 1024th and says where timer 1 is, to a few of
// its 64 steps; so no interrupt is needed to put the two together. Timer 4 itself wraps after 67 million cycles (4.2 s
// at 16 MHz), and its interrupt counts that. What the interrupt costs is found out at the start and taken off.
//
// Between two readings, everything takes as long whatever is read: no branch depends on a counter.
#include "counter.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/delay_basic.h>

static volatile uint32_t wraps; // of timer 4
static volatile uint32_t taken; // cycles that its interrupt took in all
static volatile uint8_t one;    // cycles that it takes once

ISR(TIMER4_OVF_vect) {
    wraps++;
    taken += one;
}

// The cycles of a delay that is longer than three steps of timer 4.
__attribute__((noinline, noclone)) static uint16_t time_delay(void) {
    uint16_t before = TCNT1;
    _delay_loop_2(900);
    return TCNT1 - before;
}

static void set(uint16_t coarse) {
    TCNT4 = coarse;
    TIFR4 = 1 << TOV4;
}

// Both times the same code runs; the second time timer 4 wraps meanwhile.
static uint8_t cost_of_interrupt(void) {
    set(0);
    uint16_t without = time_delay();
    set(UINT16_MAX - 1);
    return (uint8_t)(time_delay() - without);
}

void counter_start(void) {
    TCCR1A = TCCR4A = 0;
    TCCR1B = 1 << CS10;
    TCCR4B = 1 << CS42 | 1 << CS40;
    TIMSK4 = 1 << TOIE4;
    sei();
    uint8_t cost = cost_of_interrupt();
    cli();
    TCNT1 = 0;
    set(0);
    wraps = taken = 0;
    one = cost;
    sei();
}

// The carry of an addition, without the branch that a comparison would become.
static inline uint8_t carry(uint16_t a, uint16_t b, uint16_t sum) {
    return (uint16_t)((a & b) | ((a | b) & ~sum)) >> 15;
}

__attribute__((noinline, noclone)) uint64_t counter_cycles(void) {
    uint8_t state = SREG;
    cli();
    uint16_t fine = TCNT1, coarse = TCNT4;
    uint8_t waiting = TIFR4;
    uint32_t whole = wraps, own = taken;
    SREG = state;
    // A wrap whose interrupt has had no time yet.
    whole += waiting >> TOV4 & (uint8_t) ~(coarse >> 15) & 1;
    // The middle of timer 4's step, and how far from it timer 1 is; then bits 16 to 47 of the sum. Shifts by whole
    // bytes and few bits, because the compiler makes loops of others.
    uint16_t about = coarse << 10 | 512, beside = fine - about;
    uint32_t upper = (whole << 2) << 8 | (uint16_t)(((uint32_t)coarse << 2) >> 8);
    upper += (uint32_t)((int16_t)beside >> 15) + carry(about, beside, fine);
    union {
        struct {
            uint16_t low;
            uint32_t high;
            uint16_t top;
        } parts;
        uint64_t all;
    } cycles = {{fine, upper, 0}};
    return cycles.all - own;
}
