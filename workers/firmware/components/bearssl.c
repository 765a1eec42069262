// BearSSL: constant-time AES (bitsliced) and GHASH, ChaCha20 and Poly1305, each in the variant that BearSSL's own rule
// picks for the CPU (src/ssl/ssl_engine_default_*.c), without vector instructions. It works in place only.
#include "component.h"

#include <inner.h>

#if BR_64
#define AES        br_aes_ct64_ctr_vtable
#define AES_SET_UP br_aes_ct64_ctr_init
#define AES_KEYS   br_aes_ct64_ctr_keys
#define AES_PATH   "ct64"
#else
#define AES        br_aes_ct_ctr_vtable
#define AES_SET_UP br_aes_ct_ctr_init
#define AES_KEYS   br_aes_ct_ctr_keys
#define AES_PATH   "ct"
#endif
#if BR_LOMUL
#define GHASH    br_ghash_ctmul32
#define POLY1305 br_poly1305_ctmul32_run
#elif BR_64
#define GHASH    br_ghash_ctmul64
#define POLY1305 br_poly1305_ctmul_run
#else
#define GHASH    br_ghash_ctmul
#define POLY1305 br_poly1305_ctmul_run
#endif

static struct {
    AES_KEYS keys;
    br_gcm_context gcm;
} aes;

static enum outcome set_up_aes(const uint8_t *key, size_t length) {
    AES_SET_UP(&aes.keys, key, length);
    br_gcm_init(&aes.gcm, &aes.keys.vtable, GHASH);
    return DONE;
}

static enum outcome set_up_aes_128(const uint8_t *key) {
    return set_up_aes(key, 16);
}

static enum outcome set_up_aes_256(const uint8_t *key) {
    return set_up_aes(key, 32);
}

static void run_aes(const struct call *call, int encrypt) {
    br_gcm_reset(&aes.gcm, call->nonce, 12);
    br_gcm_aad_inject(&aes.gcm, call->aad, call->aad_length);
    br_gcm_flip(&aes.gcm);
    br_gcm_run(&aes.gcm, encrypt, call->output, call->length);
}

static enum outcome seal_aes(const struct call *call) {
    run_aes(call, 1);
    br_gcm_get_tag(&aes.gcm, call->tag);
    return DONE;
}

static enum outcome open_aes(const struct call *call) {
    run_aes(call, 0);
    return br_gcm_check_tag(&aes.gcm, call->tag) ? DONE : REJECTED;
}

// BearSSL's objects hold nothing that has to be given back.
static void release(void) {
}

static uint8_t chacha20_key[32];

static enum outcome set_up_chacha20(const uint8_t *key) {
    memcpy(chacha20_key, key, sizeof chacha20_key);
    return DONE;
}

static void run_chacha20(const struct call *call, uint8_t *tag, int encrypt) {
    POLY1305(chacha20_key, call->nonce, call->output, call->length, call->aad, call->aad_length, tag,
             br_chacha20_ct_run, encrypt);
}

static enum outcome seal_chacha20(const struct call *call) {
    run_chacha20(call, call->tag, 1);
    return DONE;
}

// The library leaves comparing the tag to its caller.
static enum outcome open_chacha20(const struct call *call) {
    uint8_t tag[TAG], different = 0;
    run_chacha20(call, tag, 0);
    for (uint8_t i = 0; i < TAG; i++)
        different |= tag[i] ^ call->tag[i];
    return different ? REJECTED : DONE;
}

const struct offer bearssl_aes_128_gcm = {
    .algorithm = "aes-128-gcm",
    .path = AES_PATH,
    .forms = IN_PLACE,
    .state = sizeof aes,
    .set_up = set_up_aes_128,
    .seal = seal_aes,
    .open = open_aes,
    .release = release,
};

const struct offer bearssl_aes_256_gcm = {
    .algorithm = "aes-256-gcm",
    .path = AES_PATH,
    .forms = IN_PLACE,
    .state = sizeof aes,
    .set_up = set_up_aes_256,
    .seal = seal_aes,
    .open = open_aes,
    .release = release,
};

const struct offer bearssl_chacha20_poly1305 = {
    .algorithm = "chacha20-poly1305",
    .path = "ct",
    .forms = IN_PLACE,
    .inside = true, // one call takes key, nonce and message
    .state = sizeof chacha20_key,
    .set_up = set_up_chacha20,
    .seal = seal_chacha20,
    .open = open_chacha20,
    .release = release,
};

static const char *version(void) {
    return VERSION;
}

static const struct offer *const offers[] = {&bearssl_aes_128_gcm, &bearssl_aes_256_gcm, &bearssl_chacha20_poly1305};

const struct component bearssl = {
    .provider = "bearssl",
    .version = version,
    .offers = offers,
    .count = sizeof offers / sizeof *offers,
};
