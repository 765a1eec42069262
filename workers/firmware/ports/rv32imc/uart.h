// The 16550 of QEMU's machine virt, for a serial line or TCP. Its input has no end.
#ifndef UART_H
#define UART_H

#include <stdint.h>

void uart_open(void);
void uart_put(uint8_t byte);
uint8_t uart_get(void);

#endif
