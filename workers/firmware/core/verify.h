// Known answers, which an algorithm must give on this very device before it is offered.
#ifndef VERIFY_H
#define VERIFY_H

#include "algorithms.h"
#include "component.h"

// The row of that name, or NULL.
const struct algorithm *algorithm_named(const char *name);

// The number of the first known answer that is wrong, from 1 on; 0: all are right.
uint8_t verify(const struct offer *offer);

#endif
