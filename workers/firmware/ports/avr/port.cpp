// The five functions of port.h on an Arduino Mega 2560. It promises exact cycles: while the worker computes, nothing
// interrupts but timer 4, whose cost is taken off (counter.c). Serial's interrupts come when the harness sends and
// while an answer is on its way out, and port_get waits for the end of that.
#include <Arduino.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#include "counter.h"

extern "C" {
#include "port.h"

uint64_t port_ticks(void) {
    return counter_cycles();
}

struct port_unit port_unit(void) {
    struct port_unit unit = {"cycles", 1, 1};
    return unit;
}

void port_put(uint8_t byte) {
    Serial.write(byte);
}

// Sleeps until a byte is there. The simulator takes the sleep as the sign that the sketch wants one.
int port_get(void) {
    while (!Serial.available()) {
        Serial.flush();
        set_sleep_mode(SLEEP_MODE_IDLE);
        cli();
        if (!Serial.available()) {
            sleep_enable();
            sei(); // takes effect after the next instruction, so that no byte comes in between
            sleep_cpu();
            sleep_disable();
        }
        sei();
    }
    return Serial.read();
}

// Resets the board.
void port_exit(int) {
    Serial.flush();
    wdt_enable(WDTO_15MS);
    for (;;) {
    }
}
}
