// Known answers, which an algorithm must give on this very device before it is offered.
#ifndef VERIFY_H
#define VERIFY_H

#include "component.h"

// The number of the first known answer that is wrong, from 1 on; 0: all are right.
uint8_t verify(const struct offer *offer);

#endif
