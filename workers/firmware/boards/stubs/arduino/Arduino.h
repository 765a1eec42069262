#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <sdkconfig.h>
#include <freertos/FreeRTOS.h>
#define INPUT  0x01
#define OUTPUT 0x03
#define LOW    0x0
#define HIGH   0x1
class String {
  public:
    const char *c_str() const;
};
class HardwareSerial {
  public:
    void begin(unsigned long baud);
    size_t setRxBufferSize(size_t size);
    int read();
    size_t write(uint8_t byte);
};
extern HardwareSerial Serial;
extern "C" {
void pinMode(uint8_t pin, uint8_t mode);
void digitalWrite(uint8_t pin, uint8_t level);
uint16_t analogRead(uint8_t pin);
void analogReadResolution(uint8_t bits);
void delay(uint32_t ms);
unsigned long millis();
size_t strlcpy(char *to, const char *from, size_t size) noexcept;
}
void disableCore0WDT();
void disableCore1WDT();
void setup();
void loop();
