// From reset to main.
#include "../semihosting/semihosting.h"
#include "board.h"
#include "port.h"

#include <stddef.h>
#include <string.h>

int main(void);

// From link.ld.
extern uint8_t data_in_flash[], data_begin[], data_end[], bss_begin[], bss_end[], stack_end[];

static void reset(void) {
    memcpy(data_begin, data_in_flash, (size_t)(data_end - data_begin));
    memset(bss_begin, 0, (size_t)(bss_end - bss_begin));
    counter_begin();
    semihosting_open();
    main();
}

// A library that faults must not look like one that is slow.
static void fault(void) {
    port_exit(70);
}

__attribute__((section(".vectors"), used)) static void *const vectors[16] = {
    stack_end, reset, fault, fault, fault, fault, fault,
};
