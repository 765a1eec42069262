// The harness at QEMU's standard input and output, and the end of the emulator, by ARM's semihosting.
#include "../semihosting/semihosting.h"

#include "port.h"

#define SYS_EXIT_EXTENDED 0x20
#define APPLICATION_EXIT  0x20026

long semihosting(long operation, const void *arguments) {
    register long result __asm__("r0") = operation;
    register const void *block __asm__("r1") = arguments;
    __asm__ volatile("bkpt 0xab" : "+r"(result) : "r"(block) : "memory");
    return result;
}

void port_put(uint8_t byte) {
    semihosting_put(byte);
}

int port_get(void) {
    return semihosting_get();
}

void port_exit(int code) {
    uint32_t arguments[] = {APPLICATION_EXIT, (uint32_t)code};
    for (;;)
        semihosting(SYS_EXIT_EXTENDED, arguments);
}
