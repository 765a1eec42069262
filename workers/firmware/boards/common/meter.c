// Registers and figures are those of the data sheets: INA219 (SBOS448, July 2015 and later), INA226 (SBOS547).
#include "meter.h"

#include "board.h"

enum register_address {
    CONFIGURATION = 0x00,
    SHUNT_VOLTAGE = 0x01,
    BUS_VOLTAGE = 0x02,
    INA226_MASK = 0x06,
    INA226_MANUFACTURER = 0xfe,
};

#define TEXAS_INSTRUMENTS 0x5449
#define INA219_AT_RESET   0x399f
#define RESET             0x8000

struct chip {
    const char *name;
    uint16_t conversion;      // what CONFIGURATION starts one with: shunt and bus, triggered
    uint32_t samples;         // of the shunt's voltage, which are averaged
    uint32_t shunt_nanovolts; // a step of the shunt's voltage
    uint32_t bus_microvolts;  // a step of the supply's
    uint8_t bus_shift;        // bits below the supply's voltage
    uint8_t ready_register;   // where the end of a conversion is seen
    uint16_t ready_bit;
};

// INA219: 16 V, +-320 mV, supply 12 bits once (0.53 ms), shunt 128 samples of 12 bits (68.1 ms).
// INA226: 64 times shunt (1.1 ms) and supply (0.14 ms): 79.4 ms.
static const struct chip chips[] = {
    {"INA219", 0x1800 | 0x3 << 7 | 0xf << 3 | 0x3, 128, 10000, 4000, 3, BUS_VOLTAGE, 0x0002},
    {"INA226", 0x4000 | 0x3 << 9 | 0x0 << 6 | 0x4 << 3 | 0x3, 64, 2500, 1250, 0, INA226_MASK, 0x0008},
};

static const struct chip *chip; // NULL: none
static uint8_t chip_address;
static uint32_t shunt_milliohms;
static bool started;

static bool read_register(uint8_t address, uint8_t which, uint16_t *value) {
    uint8_t bytes[2];
    if (!board_i2c(address, &which, 1, bytes, sizeof bytes))
        return false;
    *value = (uint16_t)(bytes[0] << 8 | bytes[1]);
    return true;
}

static bool write_register(uint8_t address, uint8_t which, uint16_t value) {
    uint8_t bytes[3] = {which, (uint8_t)(value >> 8), (uint8_t)value};
    return board_i2c(address, bytes, sizeof bytes, 0, 0);
}

// An INA226 says who made it; an INA219 is known by its configuration after a reset.
bool meter_open(uint8_t address, uint32_t milliohms) {
    uint16_t value;
    chip = 0;
    if (milliohms == 0 || !read_register(address, CONFIGURATION, &value))
        return false;
    if (read_register(address, INA226_MANUFACTURER, &value) && value == TEXAS_INSTRUMENTS)
        chip = &chips[1];
    else if (write_register(address, CONFIGURATION, RESET) && read_register(address, CONFIGURATION, &value) &&
             value == INA219_AT_RESET)
        chip = &chips[0];
    chip_address = address;
    shunt_milliohms = milliohms;
    return chip != 0;
}

const char *meter_name(void) {
    return chip ? chip->name : 0;
}

void meter_start(void) {
    started = chip && write_register(chip_address, CONFIGURATION, chip->conversion);
}

bool meter_read(uint64_t passed, struct reading *reading) {
    uint16_t ready, shunt, bus;
    bool was_started = started;
    started = false;
    if (!was_started || passed < METER_WINDOW_NS)
        return false;
    // The bit is read first: reading the INA226's clears it.
    if (!read_register(chip_address, chip->ready_register, &ready) || !(ready & chip->ready_bit) ||
        !read_register(chip_address, SHUNT_VOLTAGE, &shunt) || !read_register(chip_address, BUS_VOLTAGE, &bus))
        return false;
    // nV / milliohm = uA
    int64_t nanovolts = (int64_t)(int16_t)shunt * chip->shunt_nanovolts;
    reading->microamperes = (int32_t)(nanovolts / (int64_t)shunt_milliohms);
    reading->microvolts = (uint32_t)(bus >> chip->bus_shift) * chip->bus_microvolts;
    reading->samples = chip->samples;
    return true;
}

// uA * ns = 10^-15 C
uint64_t meter_charge(const struct reading *reading, uint64_t passed) {
    uint64_t microamperes = reading->microamperes > 0 ? (uint64_t)reading->microamperes : 0;
    return (microamperes * (passed / 1000) + 500) / 1000;
}
