// How deep the stack goes: it is painted below a place, and scanned later for the deepest byte that has changed.
//
// Nothing here runs while calls are counted. target.h says with STACK_PAINT how many bytes below worker_run may be
// painted; 0: the stack is not looked at.
#ifndef STACK_H
#define STACK_H

#include <stdint.h>

#define STACK_UNKNOWN UINT32_MAX

// The stack pointer of the function that this is inlined into.
static inline __attribute__((always_inline)) uintptr_t stack_pointer(void) {
    uintptr_t pointer;
#if defined(__arm__) || defined(__aarch64__)
    __asm__ volatile("mov %0, sp" : "=r"(pointer));
#elif defined(__riscv)
    __asm__ volatile("mv %0, sp" : "=r"(pointer));
#elif defined(__xtensa__)
    __asm__ volatile("mov %0, a1" : "=r"(pointer));
#elif defined(__AVR__)
    __asm__ volatile("in %A0, __SP_L__\n\tin %B0, __SP_H__" : "=r"(pointer));
#else
    pointer = (uintptr_t)__builtin_frame_address(0);
#endif
    return pointer;
}

// Called by worker_run, whose frame is where counting begins.
void stack_begin(uintptr_t pointer);

// Paints everything below the caller's frame.
void stack_paint(void);

// The deepest use since then, in bytes below `pointer`; STACK_UNKNOWN if it went beyond what is painted.
uint32_t stack_used(uintptr_t pointer);

// The deepest use since the latest reset, below worker_run's frame; a reset begins anew.
uint32_t stack_peak(int reset);

#endif
