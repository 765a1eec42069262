// The five functions of port.h on QEMU's machine virt, for a hart with the ESP32-C3's instruction set, RV32IMC. It
// promises exact counts: `minstret` counts the instructions that were executed, if QEMU runs with `-icount shift=0`
// (one instruction is one nanosecond of its clock), and no interrupt is ever taken.
//
// The harness is at QEMU's standard input and output if QEMU has `-semihosting-config enable=on,target=native`, and
// else at the UART.
#include "port.h"

#include "../semihosting/semihosting.h"
#include "uart.h"

// The device that ends the emulator: 0x5555 with exit code 0, 0x3333 with the code in the upper half.
#define TEST_DEVICE (*(volatile uint32_t *)0x00100000)

static int semihosted;

void port_start(void) {
    semihosted = semihosting_is_on();
    if (semihosted)
        semihosting_open();
    else
        uart_open();
}

// Takes as many instructions whatever it reads: there is no branch. The upper half may change between the three reads;
// if the lower one is small, it changed before that was read, if at all.
uint64_t port_ticks(void) {
    uint32_t before, low, after;
    __asm__ volatile("csrr %0, minstreth\n csrr %1, minstret\n csrr %2, minstreth"
                     : "=&r"(before), "=&r"(low), "=&r"(after));
    uint32_t low_is_small = ~(uint32_t)((int32_t)low >> 31);
    uint32_t high = before ^ ((before ^ after) & low_is_small);
    return (uint64_t)high << 32 | low;
}

struct port_unit port_unit(void) {
    return (struct port_unit){.counts = "instructions", .numerator = 1, .denominator = 1};
}

void port_put(uint8_t byte) {
    if (semihosted)
        semihosting_put(byte);
    else
        uart_put(byte);
}

int port_get(void) {
    return semihosted ? semihosting_get() : uart_get();
}

void port_exit(int code) {
    TEST_DEVICE = code == 0 ? 0x5555 : (uint32_t)code << 16 | 0x3333;
    for (;;) {
    }
}
