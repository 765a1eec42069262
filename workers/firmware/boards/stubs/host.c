// The assembled worker as a program of this machine: standard input and output are its line, and a current meter that
// this file plays answers on the bus. What the accelerator would do fails, so that its provider must be reported
// absent.
#include <board.h>
#include <framework.h>
#include <port.h>

#include <esp_cpu.h>
#include <esp_heap_caps.h>
#include <esp_rom_sys.h>
#include <esp_system.h>
#include <esp_timer.h>
#include <freertos/task.h>
#include <mbedtls/gcm.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define METER 0x40

static int leds;            // how often the LED was switched
static uint16_t conversion; // what was last written to the meter's configuration
static int64_t started;     // when

int64_t esp_timer_get_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

esp_cpu_cycle_count_t esp_cpu_get_cycle_count(void) {
    return (esp_cpu_cycle_count_t)(esp_timer_get_time() * 240);
}

uint32_t esp_rom_get_cpu_ticks_per_us(void) {
    return 240;
}

size_t heap_caps_get_total_size(uint32_t caps) {
    return caps == MALLOC_CAP_DEFAULT ? 300000 : 0;
}

uint32_t esp_get_free_heap_size(void) {
    return 200000;
}

uint32_t esp_get_minimum_free_heap_size(void) {
    return 150000;
}

void esp_restart(void) {
    fflush(stdout);
    fprintf(stderr, "the LED was switched %d times\n", leds);
    exit(0);
}

// The one task runs at once; its stack has 1000 bytes left.
BaseType_t xTaskCreatePinnedToCore(TaskFunction_t code, const char *name, uint32_t stack, void *parameters,
                                   UBaseType_t priority, TaskHandle_t *task, BaseType_t core) {
    (void)name, (void)stack, (void)priority, (void)core;
    *task = (TaskHandle_t)task;
    code(parameters);
    return pdTRUE;
}

UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task) {
    (void)task;
    return 1000;
}

void framework_open(const struct ciphermeter_config *config) {
    (void)config;
}

void port_put(uint8_t byte) {
    putchar(byte);
    if (byte == '\n')
        fflush(stdout);
}

int port_get(void) {
    return getchar();
}

void board_led(bool lit) {
    (void)lit;
    leds++;
}

int board_light(void) {
    return 1234;
}

// An INA219 with 25 mV across its shunt of 0.1 ohm, 250 mA, at 5 V. A conversion takes 68.6 ms.
bool board_i2c(uint8_t address, const uint8_t *bytes, size_t count, uint8_t *answer, size_t wanted) {
    if (address != METER || getenv("NO_METER"))
        return false;
    if (count == 3) {
        uint16_t value = (uint16_t)(bytes[1] << 8 | bytes[2]);
        conversion = value == 0x8000 ? 0x399f : value;
        started = esp_timer_get_time();
    }
    if (wanted == 2) {
        uint16_t ready = esp_timer_get_time() - started > 68600 ? 2 : 0;
        uint16_t values[] = {conversion, 2500, (uint16_t)(1250 << 3 | ready)};
        uint16_t value = bytes[0] < 3 ? values[bytes[0]] : 0;
        answer[0] = (uint8_t)(value >> 8);
        answer[1] = (uint8_t)value;
    }
    return true;
}

const char *board_join(const char *name, const char *password) {
    return strcmp(name, "a network") == 0 && strcmp(password, "a password") == 0 ? "192.0.2.7" : NULL;
}

const char *board_network(void) {
    return NULL;
}

void mbedtls_gcm_init(mbedtls_gcm_context *ctx) {
    (void)ctx;
}

int mbedtls_gcm_setkey(mbedtls_gcm_context *ctx, mbedtls_cipher_id_t cipher, const unsigned char *key,
                       unsigned int keybits) {
    (void)ctx, (void)cipher, (void)key, (void)keybits;
    return -1;
}

int mbedtls_gcm_crypt_and_tag(mbedtls_gcm_context *ctx, int mode, size_t length, const unsigned char *iv, size_t iv_len,
                              const unsigned char *add, size_t add_len, const unsigned char *input,
                              unsigned char *output, size_t tag_len, unsigned char *tag) {
    (void)ctx, (void)mode, (void)length, (void)iv, (void)iv_len, (void)add, (void)add_len, (void)input, (void)output;
    (void)tag_len, (void)tag;
    return -1;
}

int mbedtls_gcm_auth_decrypt(mbedtls_gcm_context *ctx, size_t length, const unsigned char *iv, size_t iv_len,
                             const unsigned char *add, size_t add_len, const unsigned char *tag, size_t tag_len,
                             const unsigned char *input, unsigned char *output) {
    (void)ctx, (void)length, (void)iv, (void)iv_len, (void)add, (void)add_len, (void)tag, (void)tag_len, (void)input;
    (void)output;
    return -1;
}

void mbedtls_gcm_free(mbedtls_gcm_context *ctx) {
    (void)ctx;
}

int main(void) {
    static const struct ciphermeter_config config = {.led = 2, .light = -1, .sda = 21, .scl = 22};
    ciphermeter_run(&config);
    return 0;
}
