// Monocypher. Its calls take the key each time, because ChaCha20 has no key schedule: set-up is inside every call.
#include "component.h"

#include <monocypher.h>

#include <string.h>

static uint8_t current[32];

static enum outcome set_up(const uint8_t *key) {
    memcpy(current, key, sizeof current);
    return DONE;
}

static void release(void) {
    crypto_wipe(current, sizeof current);
}

// RFC 8439's construction is the first message of this stream. The object holds the key of the next one afterwards.
static enum outcome seal_chacha20(const struct call *call) {
    crypto_aead_ctx stream;
    crypto_aead_init_ietf(&stream, current, call->nonce);
    crypto_aead_write(&stream, call->output, call->tag, call->aad, call->aad_length, call->input, call->length);
    crypto_wipe(&stream, sizeof stream);
    return DONE;
}

static enum outcome open_chacha20(const struct call *call) {
    crypto_aead_ctx stream;
    crypto_aead_init_ietf(&stream, current, call->nonce);
    int wrong =
        crypto_aead_read(&stream, call->output, call->tag, call->aad, call->aad_length, call->input, call->length);
    crypto_wipe(&stream, sizeof stream);
    return wrong ? REJECTED : DONE;
}

static enum outcome seal_xchacha20(const struct call *call) {
    crypto_aead_lock(call->output, call->tag, current, call->nonce, call->aad, call->aad_length, call->input,
                     call->length);
    return DONE;
}

static enum outcome open_xchacha20(const struct call *call) {
    int wrong = crypto_aead_unlock(call->output, call->tag, current, call->nonce, call->aad, call->aad_length,
                                   call->input, call->length);
    return wrong ? REJECTED : DONE;
}

const struct offer monocypher_chacha20_poly1305 = {
    .algorithm = "chacha20-poly1305",
    .path = "soft",
    .forms = INTO | IN_PLACE,
    .inside = true,
    .state = sizeof(crypto_aead_ctx),
    .set_up = set_up,
    .seal = seal_chacha20,
    .open = open_chacha20,
    .release = release,
};

const struct offer monocypher_xchacha20_poly1305 = {
    .algorithm = "xchacha20-poly1305",
    .path = "soft",
    .forms = INTO | IN_PLACE,
    .inside = true,
    .state = sizeof(crypto_aead_ctx),
    .set_up = set_up,
    .seal = seal_xchacha20,
    .open = open_xchacha20,
    .release = release,
};

static const char *version(void) {
    return VERSION;
}

static const struct offer *const offers[] = {&monocypher_chacha20_poly1305, &monocypher_xchacha20_poly1305};

const struct component monocypher = {
    .provider = "monocypher",
    .version = version,
    .offers = offers,
    .count = sizeof offers / sizeof *offers,
};
