// What a board gives beside port.h: memory, LED, light sensor, I2C bus, network. Each may be missing, and says so.
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes; `total` is 0 where there is no heap.
struct board_heap {
    uint32_t total, free, least_free; // the least that was free since the start
};

struct board_heap board_heap(void);

// The deepest use of the worker's stack since the start, in bytes; 0: not known.
uint32_t board_stack(void);

// The CPU's clock now, in Hz.
uint32_t board_clock(void);

void board_led(bool lit);

// The light sensor's reading, 0 to 4095; -1 where none is connected.
int board_light(void);

// Writes `count` bytes to a chip on the bus, then reads `wanted`, if any. False: nothing answers.
bool board_i2c(uint8_t address, const uint8_t *bytes, size_t count, uint8_t *answer, size_t wanted);

// Joins a network and begins to serve the page. The board's address, or NULL: there is no network, or it refuses.
// Afterwards board_network is the address until the board is reset.
const char *board_join(const char *name, const char *password);
const char *board_network(void);

// What the page says now; extras.c.
void extras_page(void (*put)(const char *text, size_t length, void *to), void *to);

#endif
