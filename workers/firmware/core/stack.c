#include "stack.h"

#include "target.h"

#define PAINT 0xa5

#if STACK_PAINT > 0

static uintptr_t base;   // worker_run's stack pointer
static uintptr_t lowest; // the deepest use before the stack was painted anew

// Plain stores below the stack pointer: nothing lies there, and no interrupt is enabled that would use it.
__attribute__((noinline)) void stack_paint(void) {
    stack_peak(0);
    volatile uint8_t *end = (volatile uint8_t *)stack_pointer();
    for (volatile uint8_t *at = (volatile uint8_t *)(base - STACK_PAINT); at < end; at++)
        *at = PAINT;
}

static uintptr_t deepest(void) {
    const volatile uint8_t *at = (const volatile uint8_t *)(base - STACK_PAINT);
    while ((uintptr_t)at < base && *at == PAINT)
        at++;
    return (uintptr_t)at;
}

void stack_begin(uintptr_t pointer) {
    base = lowest = pointer;
    // The first painting has nothing to look at.
    volatile uint8_t *end = (volatile uint8_t *)stack_pointer();
    for (volatile uint8_t *at = (volatile uint8_t *)(base - STACK_PAINT); at < end; at++)
        *at = PAINT;
}

uint32_t stack_used(uintptr_t pointer) {
    uintptr_t at = deepest();
    return at == base - STACK_PAINT ? STACK_UNKNOWN : (uint32_t)(pointer - at);
}

uint32_t stack_peak(int reset) {
    uintptr_t at = deepest();
    if (at < lowest)
        lowest = at;
    uint32_t peak = lowest == base - STACK_PAINT ? STACK_UNKNOWN : (uint32_t)(base - lowest);
    if (reset) {
        lowest = base;
        stack_paint();
        lowest = base;
    }
    return peak;
}

#else

void stack_begin(uintptr_t pointer) {
    (void)pointer;
}

void stack_paint(void) {
}

uint32_t stack_used(uintptr_t pointer) {
    (void)pointer;
    return STACK_UNKNOWN;
}

uint32_t stack_peak(int reset) {
    (void)reset;
    return STACK_UNKNOWN;
}

#endif
