// What the counter and the timed loop cost themselves.
#ifndef CLOCK_H
#define CLOCK_H

#include "request.h"

void answer_clock(struct request *request);

// One reading, in ns or in what is counted.
uint64_t clock_call(void);

#endif
