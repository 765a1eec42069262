// QEMU's boards mps2-an385 (Cortex-M3) and mps2-an386 (Cortex-M4): ARM's MPS2 boards with the CMSDK peripherals. Places
// and bits are those of ARM's application notes AN385 and AN386 and of the CMSDK's technical reference manual.
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))

// Starts the counters; start.c calls it. While the CPU waits for a request it is in a call of the emulator, in which no
// virtual time passes.
void counter_begin(void);

#endif
