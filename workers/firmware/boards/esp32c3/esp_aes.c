// AES-GCM with the ESP32-C3's AES accelerator, block by block: src/aes.rs, offered to the core.
#include "component.h"
#include "target.h"

int esp_aes_set_up(const uint8_t *key, size_t length);
int esp_aes_seal(const uint8_t *nonce, const uint8_t *aad, size_t aad_length, uint8_t *text, size_t length,
                 uint8_t *tag);
int esp_aes_open(const uint8_t *nonce, const uint8_t *aad, size_t aad_length, uint8_t *text, size_t length,
                 uint8_t *tag);
#define STATE 68 // bytes of the cipher object; src/aes.rs fails to compile if it is another number

static enum outcome set_up_128(const uint8_t *key) {
    return (enum outcome)esp_aes_set_up(key, 16);
}

static enum outcome set_up_256(const uint8_t *key) {
    return (enum outcome)esp_aes_set_up(key, 32);
}

static enum outcome seal(const struct call *call) {
    return (enum outcome)esp_aes_seal(call->nonce, call->aad, call->aad_length, call->output, call->length, call->tag);
}

static enum outcome open_sealed(const struct call *call) {
    return (enum outcome)esp_aes_open(call->nonce, call->aad, call->aad_length, call->output, call->length, call->tag);
}

static void release(void) {
}

static const struct offer aes_128_gcm = {
    .algorithm = "aes-128-gcm",
    .path = "esp32c3-aes-block",
    .forms = IN_PLACE,
    .state = STATE,
    .set_up = set_up_128,
    .seal = seal,
    .open = open_sealed,
    .release = release,
};

static const struct offer aes_256_gcm = {
    .algorithm = "aes-256-gcm",
    .path = "esp32c3-aes-block",
    .forms = IN_PLACE,
    .state = STATE,
    .set_up = set_up_256,
    .seal = seal,
    .open = open_sealed,
    .release = release,
};

static const char *version(void) {
    return ESP_AES_VERSION;
}

static const struct offer *const offers[] = {&aes_128_gcm, &aes_256_gcm};

const struct component esp_aes = {
    .provider = "esp-aes",
    .version = version,
    .offers = offers,
    .count = sizeof offers / sizeof *offers,
};
