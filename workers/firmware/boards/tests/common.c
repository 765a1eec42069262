// Tests of boards/common without a board: `meter` and `page`, with a bus that this file plays. Prints a line for each
// test as test.py counts them; `common page` prints the page.
#include "board.h"
#include "meter.h"
#include "page.h"

#include <stdio.h>
#include <string.h>

// The registers of the one chip on the bus; reads of the meter's configuration after a reset give `at_reset`.
static struct {
    bool here;
    uint8_t address;
    uint16_t registers[256], at_reset, written;
    int transfers;
} bus;

bool board_i2c(uint8_t address, const uint8_t *bytes, size_t count, uint8_t *answer, size_t wanted) {
    bus.transfers++;
    if (!bus.here || address != bus.address)
        return false;
    if (count == 3) {
        bus.written = (uint16_t)(bytes[1] << 8 | bytes[2]);
        bus.registers[bytes[0]] = bus.written == 0x8000 ? bus.at_reset : bus.written;
    }
    if (wanted == 2) {
        answer[0] = (uint8_t)(bus.registers[bytes[0]] >> 8);
        answer[1] = (uint8_t)bus.registers[bytes[0]];
    }
    return true;
}

static void ina219(void) {
    memset(&bus, 0, sizeof bus);
    bus.here = true;
    bus.address = 0x40;
    bus.at_reset = 0x399f;
}

static void ina226(void) {
    memset(&bus, 0, sizeof bus);
    bus.here = true;
    bus.address = 0x40;
    bus.registers[0xfe] = 0x5449;
}

static int failed;

static void test(const char *name, bool right) {
    printf("%s %s\n", right ? "ok      " : "FAILED: ", name);
    failed += !right;
}

static void test_finding(void) {
    memset(&bus, 0, sizeof bus);
    test("no meter on the bus is none", !meter_open(0x40, 100) && !meter_name());
    ina219();
    test("a meter at another address is none", !meter_open(0x41, 100));
    test("an INA219 is known by its state after a reset", meter_open(0x40, 100) && !strcmp(meter_name(), "INA219"));
    bus.at_reset = 0x1234;
    test("another chip at the address is none", !meter_open(0x40, 100) && !meter_name());
    ina226();
    test("an INA226 is known by its maker", meter_open(0x40, 100) && !strcmp(meter_name(), "INA226"));
    test("a shunt of 0 is refused", !meter_open(0x40, 0));
}

static void test_ina219(void) {
    struct reading reading;
    ina219();
    meter_open(0x40, 100);
    meter_start();
    test("an INA219 averages 128 times, once", bus.written == 0x19fb);
    bus.registers[1] = 2500;          // 25 mV
    bus.registers[2] = 1250 << 3 | 2; // 5 V, ready
    test("250 mA at 5 V", meter_read(100000000, &reading) && reading.microamperes == 250000 &&
                              reading.microvolts == 5000000 && reading.samples == 128);
    test("250 mA for 0.1 s are 25 mC", meter_charge(&reading, 100000000) == 25000000);
    test("a reading counts once", !meter_read(100000000, &reading));
    meter_start();
    int before = bus.transfers;
    test("calls shorter than the conversion have no charge, and nothing is asked",
         !meter_read(METER_WINDOW_NS - 1, &reading) && bus.transfers == before);
    meter_start();
    bus.registers[2] = 1250 << 3;
    test("a conversion that is not complete is none", !meter_read(100000000, &reading));
    meter_start();
    bus.registers[1] = (uint16_t)-2500;
    bus.registers[2] = 1250 << 3 | 2;
    test("a shunt the wrong way round reads negative and has no charge",
         meter_read(100000000, &reading) && reading.microamperes == -250000 && meter_charge(&reading, 1000) == 0);
    meter_start();
    bus.here = false;
    test("a meter that was unplugged is absent", !meter_read(100000000, &reading));
}

static void test_ina226(void) {
    struct reading reading;
    ina226();
    meter_open(0x40, 100);
    meter_start();
    test("an INA226 averages 64 times, once", bus.written == 0x4623);
    bus.registers[1] = 1000; // 2.5 mV
    bus.registers[2] = 2640; // 3.3 V
    bus.registers[6] = 8;
    test("25 mA at 3.3 V", meter_read(100000000, &reading) && reading.microamperes == 25000 &&
                               reading.microvolts == 3300000 && reading.samples == 64);
}

static void put(const char *text, size_t length, void *to) {
    fwrite(text, 1, length, to);
}

// More cells than rows, then one that must not end up as markup.
static void print_page(void) {
    struct page_facts facts = {
        .board = "a <board> & \"more\"", .clock_hz = 160000000, .heap_free = 200000, .light = 12};
    for (uint32_t size = 1; size <= PAGE_ROWS + 3; size++)
        page_note("monocypher", "chacha20-poly1305", "soft", "seal", size, size * 123456, 10, 0);
    page_note("<script>alert('x')</script>", "aes-256-gcm", "a&b", "open", 16, 1000000, 3, 5000);
    page_note("<script>alert('x')</script>", "aes-256-gcm", "a&b", "open", 16, 2000000, 4, 6000);
    page_write(&facts, put, stdout);
}

int main(int count, char **words) {
    if (count > 1 && strcmp(words[1], "page") == 0) {
        print_page();
        return 0;
    }
    test_finding();
    test_ina219();
    test_ina226();
    return failed > 0;
}
