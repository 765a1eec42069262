// Ciphermeter's worker for ESP32 boards. It answers the harness on the serial line and never returns control:
//
//     struct ciphermeter_config config = {.led = 2, .light = 34, .sda = 21, .scl = 22};
//     ciphermeter_run(&config);
//
// The line must be the worker's alone: print nothing else.
#ifndef CIPHERMETER_H
#define CIPHERMETER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Pins; -1: nothing is connected.
struct ciphermeter_config {
    int led;          // lit while a sample runs
    bool led_inverse; // lit at a low level
    int light;        // a light sensor, on a pin of ADC 1
    int sda, scl;     // an INA219 or INA226
    // The network, and with it the page, is off without a name. It takes time and current of what is measured.
    const char *network, *password;
};

// Starts the worker in a task of its own. `config` and its texts must stay valid.
void ciphermeter_run(const struct ciphermeter_config *config);

#ifdef __cplusplus
}
#endif

#endif
