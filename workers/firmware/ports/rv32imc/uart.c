#include "uart.h"

#define REGISTER8(address)  (*(volatile uint8_t *)(address))
#define REGISTER32(address) (*(volatile uint32_t *)(address))

#define DATA        REGISTER8(0x10000000)
#define INTERRUPTS  REGISTER8(0x10000001)
#define STATUS      REGISTER8(0x10000005)
#define RECEIVED    0x01
#define TRANSMITTED 0x20

// The interrupt controller knows the UART as source 10 and the hart's machine mode as context 0.
#define SOURCE        10
#define PLIC_PRIORITY REGISTER32(0x0c000000 + 4 * SOURCE)
#define PLIC_ENABLED  REGISTER32(0x0c002000)
#define PLIC_CLAIM    REGISTER32(0x0c200004)
#define MIE_EXTERNAL  (1 << 11)

// Without its FIFO: switching that on would drop what came before, and QEMU does not send more than the UART takes.
void uart_open(void) {
    INTERRUPTS = 1;
    PLIC_PRIORITY = 1;
    PLIC_ENABLED = 1 << SOURCE;
    __asm__ volatile("csrs mie, %0" : : "r"(MIE_EXTERNAL));
}

void uart_put(uint8_t byte) {
    while (!(STATUS & TRANSMITTED)) {
    }
    DATA = byte;
}

// Sleeps until a byte is there, so that an emulator that waits takes no CPU time from what is measured beside it. The
// interrupt wakes the hart and is not taken.
uint8_t uart_get(void) {
    while (!(STATUS & RECEIVED)) {
        __asm__ volatile("wfi");
        PLIC_CLAIM = PLIC_CLAIM;
    }
    return DATA;
}
