// Ciphermeter's worker on an Arduino Mega 2560: PROTOCOL.md over Serial, at 115200 baud unless the build says else (the
// simulator takes any rate, and a higher one spares it waiting).
//
// Timer 0, which ticks for millis() and delay(), is stopped: its interrupt would be in what is measured. Timers 1 and 4
// count cycles.
#include "counter.h"

#ifndef BAUD
#define BAUD 115200
#endif

extern "C" void worker_run(void);

void setup() {
    TIMSK0 = 0;
    Serial.begin(BAUD);
    counter_start();
}

void loop() {
    worker_run();
}
