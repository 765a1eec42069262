// From reset to main, and the table of vectors up to the serial line's.
#include "board.h"
#include "port.h"

#include <stddef.h>
#include <string.h>

int main(void);

// From link.ld.
extern uint8_t data_in_flash[], data_begin[], data_end[], bss_begin[], bss_end[], stack_end[];

// The FPU stays off: nothing here uses it.
static void reset(void) {
    memcpy(data_begin, data_in_flash, (size_t)(data_end - data_begin));
    memset(bss_begin, 0, (size_t)(bss_end - bss_begin));
    board_begin();
    main();
}

// A library that faults must not look like one that is slow.
static void fault(void) {
    port_exit(70);
}

__attribute__((section(".vectors"), used)) static void *const vectors[16 + USART2_POSITION + 1] = {
    stack_end, reset, fault, fault, fault, fault, fault, [16 + USART2_POSITION] = usart2_received,
};
