// Ciphermeter's worker on an ESP32 or ESP32-C3. Flash it, close the serial monitor, and measure:
//
//     ciphermeter device /dev/ttyUSB0
//     ciphermeter run iot --device /dev/ttyUSB0
#include <Ciphermeter.h>

// What is connected; -1: nothing. The pins are those of an ESP32 DevKit, or of an ESP32-C3 Super Mini.
static const ciphermeter_config config = {
#if CONFIG_IDF_TARGET_ESP32C3
    .led = 8,
    .led_inverse = true,
    .light = 0,
    .sda = 5,
    .scl = 6,
#else
    .led = 2,
    .led_inverse = false,
    .light = 34,
    .sda = 21,
    .scl = 22,
#endif
    // With a name here, the board joins the network and serves its latest figures. Leave it off while you measure.
    .network = nullptr,
    .password = nullptr,
};

void setup() {
    ciphermeter_run(&config);
}

void loop() {
    delay(1000);
}
