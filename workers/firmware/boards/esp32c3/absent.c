// What this image lacks of board.h: a heap, a light sensor, a network. The core finds the stack's depth itself.
#include "board.h"

struct board_heap board_heap(void) {
    return (struct board_heap){0, 0, 0};
}

uint32_t board_stack(void) {
    return 0;
}

uint32_t board_clock(void) {
    return 160000000; // src/main.rs sets it
}

int board_light(void) {
    return -1;
}

const char *board_join(const char *name, const char *password) {
    (void)name;
    (void)password;
    return 0;
}

const char *board_network(void) {
    return 0;
}
