// A stand-in for the ESP32-C3's Rust half, so that the very archive that its image links runs on the emulated RV32IMC.
// There is no accelerator, so the provider that needs it must be reported absent.
#include "board.h"

int esp_aes_set_up(const uint8_t *key, size_t length);
int esp_aes_seal(const uint8_t *nonce, const uint8_t *aad, size_t aad_length, uint8_t *text, size_t length,
                 uint8_t *tag);
int esp_aes_open(const uint8_t *nonce, const uint8_t *aad, size_t aad_length, uint8_t *text, size_t length,
                 uint8_t *tag);

int esp_aes_set_up(const uint8_t *key, size_t length) {
    (void)key, (void)length;
    return 2;
}

int esp_aes_seal(const uint8_t *nonce, const uint8_t *aad, size_t aad_length, uint8_t *text, size_t length,
                 uint8_t *tag) {
    (void)nonce, (void)aad, (void)aad_length, (void)text, (void)length, (void)tag;
    return 2;
}

int esp_aes_open(const uint8_t *nonce, const uint8_t *aad, size_t aad_length, uint8_t *text, size_t length,
                 uint8_t *tag) {
    (void)nonce, (void)aad, (void)aad_length, (void)text, (void)length, (void)tag;
    return 2;
}

void board_led(bool lit) {
    (void)lit;
}

bool board_i2c(uint8_t address, const uint8_t *bytes, size_t count, uint8_t *answer, size_t wanted) {
    (void)address, (void)bytes, (void)count, (void)answer, (void)wanted;
    return false;
}

// The machine has no such counter.
uint32_t port_cycles(void) {
    return 0;
}
