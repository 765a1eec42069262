// A worker for a C library, here libsodium: replace its calls by your library's, in three functions an algorithm.
// README.md says how to build, check and measure it.
#include "component.h"
#include "hash.h"

#include <sodium.h>
#include <string.h>

// ChaCha20-Poly1305. libsodium's call takes the key each time, so set_up only keeps it, and the offer is `inside`.
static uint8_t key_of_chacha20[crypto_aead_chacha20poly1305_ietf_KEYBYTES];

static enum outcome set_up_chacha20(const uint8_t *key) {
    memcpy(key_of_chacha20, key, sizeof key_of_chacha20);
    return DONE;
}

static enum outcome seal_chacha20(const struct call *call) {
    int failed = crypto_aead_chacha20poly1305_ietf_encrypt_detached(call->output, call->tag, NULL, call->input,
                                                                    call->length, call->aad, call->aad_length, NULL,
                                                                    call->nonce, key_of_chacha20);
    return failed ? FAILED : DONE;
}

static enum outcome open_chacha20(const struct call *call) {
    int failed =
        crypto_aead_chacha20poly1305_ietf_decrypt_detached(call->output, NULL, call->input, call->length, call->tag,
                                                           call->aad, call->aad_length, call->nonce, key_of_chacha20);
    return failed ? REJECTED : DONE;
}

static void release_chacha20(void) {
    sodium_memzero(key_of_chacha20, sizeof key_of_chacha20);
}

static const struct offer chacha20 = {
    .algorithm = "chacha20-poly1305",
    .path = "unknown", // libsodium does not say which code it chose
    .forms = INTO | IN_PLACE,
    .inside = true,
    .set_up = set_up_chacha20,
    .seal = seal_chacha20,
    .open = open_chacha20,
    .release = release_chacha20,
};

// AES-256-GCM has an object: set_up makes it, once for many messages, and `key-setup` is measured, too. Where the CPU
// lacks AES instructions, libsodium does not have it; set_up fails then, and the algorithm is reported as absent.
static crypto_aead_aes256gcm_state aes;

static enum outcome set_up_aes(const uint8_t *key) {
    if (!crypto_aead_aes256gcm_is_available())
        return FAILED;
    return crypto_aead_aes256gcm_beforenm(&aes, key) ? FAILED : DONE;
}

static enum outcome seal_aes(const struct call *call) {
    int failed = crypto_aead_aes256gcm_encrypt_detached_afternm(
        call->output, call->tag, NULL, call->input, call->length, call->aad, call->aad_length, NULL, call->nonce, &aes);
    return failed ? FAILED : DONE;
}

static enum outcome open_aes(const struct call *call) {
    int failed = crypto_aead_aes256gcm_decrypt_detached_afternm(
        call->output, NULL, call->input, call->length, call->tag, call->aad, call->aad_length, call->nonce, &aes);
    return failed ? REJECTED : DONE;
}

static void release_aes(void) {
    sodium_memzero(&aes, sizeof aes);
}

static const struct offer aes_256_gcm = {
    .algorithm = "aes-256-gcm",
    .path = "aesni",
    .forms = INTO | IN_PLACE,
    .state = sizeof aes,
    .set_up = set_up_aes,
    .seal = seal_aes,
    .open = open_aes,
    .release = release_aes,
};

static const char *start(void) {
    return sodium_init() < 0 ? "sodium_init failed" : NULL;
}

// The provider's name is what `--provider` takes.
static const struct offer *const offers[] = {&chacha20, &aes_256_gcm};
static const struct component mine = {"mine", sodium_version_string, start, offers, 2};
static const struct component *const components[] = {&mine};
const struct table table = {components, 1, NULL, 0};

// The worker itself needs SHA-256. If your library has none, link another one for this.
static crypto_hash_sha256_state sha256;

void hash_begin(void) {
    crypto_hash_sha256_init(&sha256);
}

void hash_add(const void *bytes, size_t length) {
    crypto_hash_sha256_update(&sha256, bytes, length);
}

void hash_end(uint8_t digest[HASH]) {
    crypto_hash_sha256_final(&sha256, digest);
}
