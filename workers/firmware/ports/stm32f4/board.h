// What port.c gives to start.c.
#ifndef BOARD_H
#define BOARD_H

#define USART2_POSITION 38 // in the vector table, "Interrupts and events" in RM0383 and RM0090

// Starts the serial line and the counters.
void board_begin(void);

// The interrupt of USART2.
void usart2_received(void);

#endif
