// Facts about clocks and memory, each known or absent, never guessed.
#ifndef FACTS_H
#define FACTS_H

#include <stdbool.h>
#include <stdint.h>

// The monotonic clock that times samples.
uint64_t now_ns(void);

// The calling thread's CPU time.
uint64_t thread_cpu_ns(void);

// The cost of one reading of the monotonic clock.
uint64_t clock_call_ns(void);

// The memory that may be allocated without swapping, in bytes; false: the system does not say.
bool free_memory(uint64_t *bytes);

#endif
