#pragma once
#include <Arduino.h>
class TwoWire {
  public:
    bool begin(int sda, int scl, uint32_t frequency);
    void beginTransmission(uint8_t address);
    size_t write(const uint8_t *bytes, size_t count);
    uint8_t endTransmission(bool stop);
    size_t requestFrom(uint8_t address, size_t count, bool stop = true);
    int read();
};
extern TwoWire Wire;
