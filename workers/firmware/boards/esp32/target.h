// The worker's limits on an ESP32 of any kind, under Arduino or ESP-IDF.
#ifndef TARGET_H
#define TARGET_H

#include "sdkconfig.h"

#ifdef ARDUINO
#define BOARD CONFIG_IDF_TARGET ", Arduino"
#else
#define BOARD CONFIG_IDF_TARGET ", ESP-IDF"
#endif
#define EMULATED    0
#define CODE_IN     "flash"
#define MAX_LINE    16896
#define MAX_MESSAGE 4096
#define MAX_CELLS   96
#define MAX_LATENCY 1000
// On Xtensa, registers are spilled below the stack pointer, so that painting there would destroy them. FreeRTOS says
// how deep the stack went, see board_stack.
#define STACK_PAINT 0
#define EXTRAS      1
#define PORT_CYCLES 1

// The current meter: both address pins low, and the shunt on the usual modules.
#ifndef METER_ADDRESS
#define METER_ADDRESS 0x40
#endif
#ifndef METER_MILLIOHMS
#define METER_MILLIOHMS 100
#endif

#endif
