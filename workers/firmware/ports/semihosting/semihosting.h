// The emulator's standard input and output, by semihosting: whole stretches of bytes, without loss, and the end of the
// input is seen. A port brings the call of its CPU.
#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H

#include <stdint.h>

// The call of the emulator, in the way of the port's CPU.
long semihosting(long operation, const void *arguments);
// Whether an emulator listens; only the ports define it that have another line, too.
int semihosting_is_on(void);

void semihosting_open(void);
void semihosting_put(uint8_t byte); // sent at the end of a line, and before a wait
int semihosting_get(void);          // waits; -1 at the end of the input

#endif
