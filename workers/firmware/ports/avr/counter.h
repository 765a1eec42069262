// The cycles since the start, exactly, from timers 1 and 4.
#ifndef COUNTER_H
#define COUNTER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void counter_start(void);
uint64_t counter_cycles(void);

#ifdef __cplusplus
}
#endif
#endif
