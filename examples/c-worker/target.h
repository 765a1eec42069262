// What the worker may use on this machine, and what it says about itself.
#ifndef TARGET_H
#define TARGET_H

#define WORKER        "c-worker"
#define BOARD         "a program under Linux"
#define EMULATED      0
#define MAX_LINE      65536u
#define MAX_MESSAGE   16777216u // the buffers take three times as much, and only what is used of it
#define MAX_CELLS     1024
#define MAX_LATENCY   4000
#define STACK_PAINT   0
#define ARENA_OFFSETS 1

#endif
