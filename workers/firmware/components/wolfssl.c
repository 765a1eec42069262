// wolfSSL's wolfCrypt: here the one library in C that has Ascon as NIST standardized it. It is under the GPL (version
// 3), and so is an image that contains it.
#include "component.h"

#include <user_settings.h>

#include <wolfssl/version.h>
#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/ascon.h>
#include <wolfssl/wolfcrypt/chacha20_poly1305.h>
#include <wolfssl/wolfcrypt/error-crypt.h>

#include <string.h>

static Aes aes;

static enum outcome outcome_of(int result, int rejected) {
    return result == 0 ? DONE : result == rejected ? REJECTED : FAILED;
}

static enum outcome set_up_gcm(const uint8_t *key, word32 length) {
    int result = wc_AesInit(&aes, NULL, INVALID_DEVID);
    return outcome_of(result != 0 ? result : wc_AesGcmSetKey(&aes, key, length), 0);
}

static enum outcome seal_gcm(const struct call *call) {
    int result = wc_AesGcmEncrypt(&aes, call->output, call->input, (word32)call->length, call->nonce, 12, call->tag,
                                  TAG, call->aad, (word32)call->aad_length);
    return outcome_of(result, 0);
}

static enum outcome open_gcm(const struct call *call) {
    int result = wc_AesGcmDecrypt(&aes, call->output, call->input, (word32)call->length, call->nonce, 12, call->tag,
                                  TAG, call->aad, (word32)call->aad_length);
    return outcome_of(result, AES_GCM_AUTH_E);
}

static enum outcome set_up_ccm(const uint8_t *key, word32 length) {
    int result = wc_AesInit(&aes, NULL, INVALID_DEVID);
    return outcome_of(result != 0 ? result : wc_AesCcmSetKey(&aes, key, length), 0);
}

static enum outcome seal_ccm(const struct call *call) {
    int result = wc_AesCcmEncrypt(&aes, call->output, call->input, (word32)call->length, call->nonce, 12, call->tag,
                                  TAG, call->aad, (word32)call->aad_length);
    return outcome_of(result, 0);
}

static enum outcome open_ccm(const struct call *call) {
    int result = wc_AesCcmDecrypt(&aes, call->output, call->input, (word32)call->length, call->nonce, 12, call->tag,
                                  TAG, call->aad, (word32)call->aad_length);
    return outcome_of(result, AES_CCM_AUTH_E);
}

static void release_aes(void) {
    wc_AesFree(&aes);
}

static struct {
    ChaCha cipher;
    Poly1305 authenticator;
} chacha20;

static enum outcome set_up_chacha20(const uint8_t *key) {
    return outcome_of(wc_Chacha_SetKey(&chacha20.cipher, key, 32), 0);
}

static enum outcome seal_chacha20(const struct call *call) {
    int result = wc_ChaCha20Poly1305_Encrypt_ex(&chacha20.cipher, &chacha20.authenticator, call->output, call->input,
                                                (word32)call->length, call->nonce, call->tag, call->aad,
                                                (word32)call->aad_length);
    return outcome_of(result, 0);
}

static enum outcome open_chacha20(const struct call *call) {
    int result = wc_ChaCha20Poly1305_Decrypt_ex(&chacha20.cipher, &chacha20.authenticator, call->output, call->input,
                                                (word32)call->length, call->nonce, call->tag, call->aad,
                                                (word32)call->aad_length);
    return outcome_of(result, MAC_CMP_FAILED_E);
}

static void release_chacha20(void) {
    memset(&chacha20, 0, sizeof chacha20);
}

// The object takes the key anew for each message, and forgets it at the end.
static wc_AsconAEAD128 ascon;
static uint8_t ascon_key[16];

static enum outcome set_up_ascon(const uint8_t *key) {
    memcpy(ascon_key, key, sizeof ascon_key);
    return outcome_of(wc_AsconAEAD128_Init(&ascon), 0);
}

static int begin_ascon(const struct call *call) {
    int result = wc_AsconAEAD128_SetKey(&ascon, ascon_key);
    if (result == 0)
        result = wc_AsconAEAD128_SetNonce(&ascon, call->nonce);
    return result != 0 ? result : wc_AsconAEAD128_SetAD(&ascon, call->aad, (word32)call->aad_length);
}

static enum outcome seal_ascon(const struct call *call) {
    int result = begin_ascon(call);
    if (result == 0)
        result = wc_AsconAEAD128_EncryptUpdate(&ascon, call->output, call->input, (word32)call->length);
    return outcome_of(result != 0 ? result : wc_AsconAEAD128_EncryptFinal(&ascon, call->tag), 0);
}

static enum outcome open_ascon(const struct call *call) {
    int result = begin_ascon(call);
    if (result == 0)
        result = wc_AsconAEAD128_DecryptUpdate(&ascon, call->output, call->input, (word32)call->length);
    return outcome_of(result != 0 ? result : wc_AsconAEAD128_DecryptFinal(&ascon, call->tag), ASCON_AUTH_E);
}

static void release_ascon(void) {
    wc_AsconAEAD128_Clear(&ascon);
}

#define AES_OFFER(bits, mode)                                                                                          \
    static enum outcome set_up_##mode##_##bits(const uint8_t *key) {                                                   \
        return set_up_##mode(key, bits / 8);                                                                           \
    }                                                                                                                  \
    const struct offer wolfssl_aes_##bits##_##mode = {                                                                 \
        .algorithm = "aes-" #bits "-" #mode,                                                                           \
        .path = "soft",                                                                                                \
        .forms = INTO | IN_PLACE,                                                                                      \
        .state = sizeof aes,                                                                                           \
        .set_up = set_up_##mode##_##bits,                                                                              \
        .seal = seal_##mode,                                                                                           \
        .open = open_##mode,                                                                                           \
        .release = release_aes,                                                                                        \
    };

AES_OFFER(128, gcm)
AES_OFFER(256, gcm)
AES_OFFER(128, ccm)
AES_OFFER(256, ccm)

const struct offer wolfssl_chacha20_poly1305 = {
    .algorithm = "chacha20-poly1305",
    .path = "soft",
    .forms = INTO | IN_PLACE,
    .state = sizeof chacha20,
    .set_up = set_up_chacha20,
    .seal = seal_chacha20,
    .open = open_chacha20,
    .release = release_chacha20,
};

const struct offer wolfssl_ascon_aead128 = {
    .algorithm = "ascon-aead128",
    .path = "soft",
    .forms = INTO, // decrypting in place reads the ciphertext after it has overwritten it
    .inside = true,
    .state = sizeof ascon,
    .set_up = set_up_ascon,
    .seal = seal_ascon,
    .open = open_ascon,
    .release = release_ascon,
};

static const char *version(void) {
    return LIBWOLFSSL_VERSION_STRING;
}

static const struct offer *const offers[] = {&wolfssl_aes_128_gcm, &wolfssl_aes_256_gcm,       &wolfssl_aes_128_ccm,
                                             &wolfssl_aes_256_ccm, &wolfssl_chacha20_poly1305, &wolfssl_ascon_aead128};

const struct component wolfssl = {
    .provider = "wolfssl",
    .version = version,
    .offers = offers,
    .count = sizeof offers / sizeof *offers,
};
