// What a real board adds to the worker; the core calls it where target.h defines EXTRAS. Nothing of it runs while calls
// are timed. boards/common/extras.c is the implementation for boards.
#ifndef EXTRAS_H
#define EXTRAS_H

#include "cell.h"
#include "request.h"
#include "work.h"

#include <stdbool.h>

// Around the timed calls of a sample.
void extras_begin(void);
void extras_end(void);

// Further keys of the answers to `describe`, `sample` and `memory`.
void extras_worker(void);
void extras_sample(const struct cell *cell, const struct stretch *stretch, uint32_t iterations);
// `stack`: what the core found, in bytes, or STACK_UNKNOWN.
void extras_memory(uint32_t stack);

// Answers a request that only boards have; false: there is no such request.
bool extras_answer(struct request *request, const char *what);

#endif
