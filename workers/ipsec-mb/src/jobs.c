// What knows the library's structures, compiled with the library's header: their layout is that of the version that the
// header names, and library.rs refuses to run with another one.

#define _GNU_SOURCE
// Without names such as GCM and CBC.
#define NO_COMPAT_IMB_API_053
#include <intel-ipsec-mb.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The order is that of `Cipher` in jobs.rs.
enum cipher { GCM, CCM, CHACHA20_POLY1305, CBC };

struct session {
    _Alignas(64) struct gcm_key_data gcm;
    struct gcm_context_data context;
    _Alignas(16) uint8_t schedules[2][16 * 15];
    uint8_t raw[32];
    IMB_CIPHER_MODE mode;
    IMB_CIPHER_DIRECTION direction;
    IMB_HASH_ALG hash;
    IMB_CHAIN_ORDER order;
    const void *encrypting, *decrypting;
    uint64_t key_len, tag_len;
};

const char *jobs_version(void) {
    return IMB_VERSION_STR;
}

// The code of the manager by its kind: the library's init_mb_mgr_*, in lib/*/mb_mgr_*.c.
int jobs_arch(const IMB_MGR *manager) {
    return (int)manager->used_arch;
}

int jobs_has_vaes(const IMB_MGR *manager) {
    return (manager->features & IMB_CPUFLAGS_AVX512_T2) == IMB_CPUFLAGS_AVX512_T2;
}

void jobs_release(struct session *session) {
    explicit_bzero(session, sizeof *session);
    free(session);
}

// From a raw key to an object ready for use; NULL without memory.
struct session *jobs_session(IMB_MGR *manager, int cipher, int opens, const uint8_t *key, size_t key_len,
                             size_t tag_len) {
    struct session *session = aligned_alloc(64, (sizeof *session + 63) / 64 * 64);
    if (session == NULL)
        return NULL;
    uint8_t(*schedules)[16 * 15] = session->schedules;
    const int is_short = key_len == 16;
    session->key_len = key_len;
    session->tag_len = tag_len;
    session->direction = opens ? IMB_DIR_DECRYPT : IMB_DIR_ENCRYPT;
    session->order = opens ? IMB_ORDER_HASH_CIPHER : IMB_ORDER_CIPHER_HASH;
    session->hash = IMB_AUTH_NULL;
    session->encrypting = schedules[0];
    session->decrypting = schedules[0];
    switch ((enum cipher)cipher) {
    case GCM:
        session->mode = IMB_CIPHER_GCM;
        session->hash = IMB_AUTH_AES_GMAC;
        session->encrypting = session->decrypting = &session->gcm;
        if (is_short)
            IMB_AES128_GCM_PRE(manager, key, &session->gcm);
        else
            IMB_AES256_GCM_PRE(manager, key, &session->gcm);
        return session;
    case CHACHA20_POLY1305:
        session->mode = IMB_CIPHER_CHACHA20_POLY1305;
        session->hash = IMB_AUTH_CHACHA20_POLY1305;
        session->encrypting = session->decrypting = session->raw;
        memcpy(session->raw, key, sizeof session->raw);
        return session;
    case CCM:
        session->mode = IMB_CIPHER_CCM;
        session->hash = IMB_AUTH_AES_CCM;
        session->order = opens ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
        break;
    case CBC:
        session->mode = IMB_CIPHER_CBC;
        session->decrypting = schedules[1];
        break;
    }
    if (is_short)
        IMB_AES_KEYEXP_128(manager, key, schedules[0], schedules[1]);
    else
        IMB_AES_KEYEXP_256(manager, key, schedules[0], schedules[1]);
    return session;
}

uint32_t jobs_next(IMB_MGR *manager, uint32_t count, IMB_JOB **jobs) {
    return IMB_GET_NEXT_BURST(manager, count, jobs);
}

void jobs_fill(IMB_JOB *job, const struct session *session, const uint8_t *input, uint8_t *output, uint64_t len,
               const uint8_t *nonce, uint64_t nonce_len, const uint8_t *aad, uint64_t aad_len, uint8_t *tag) {
    job->enc_keys = session->encrypting;
    job->dec_keys = session->decrypting;
    job->key_len_in_bytes = session->key_len;
    job->src = input;
    job->dst = output;
    job->cipher_start_src_offset_in_bytes = 0;
    job->msg_len_to_cipher_in_bytes = len;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_hash_in_bytes = len;
    job->iv = nonce;
    job->iv_len_in_bytes = nonce_len;
    job->auth_tag_output = tag;
    job->auth_tag_output_len_in_bytes = session->tag_len;
    job->cipher_mode = session->mode;
    job->cipher_direction = session->direction;
    job->hash_alg = session->hash;
    job->chain_order = session->order;
    switch (session->mode) {
    case IMB_CIPHER_GCM:
        job->u.GCM.aad = aad;
        job->u.GCM.aad_len_in_bytes = aad_len;
        break;
    case IMB_CIPHER_CCM:
        job->u.CCM.aad = aad;
        job->u.CCM.aad_len_in_bytes = aad_len;
        break;
    case IMB_CIPHER_CHACHA20_POLY1305:
        job->u.CHACHA20_POLY1305.aad = aad;
        job->u.CHACHA20_POLY1305.aad_len_in_bytes = aad_len;
        break;
    default:
        break;
    }
}

// Has all of these jobs done; whether all of them succeeded. No job that is valid stays in the manager.
int jobs_run(IMB_MGR *manager, uint32_t count, IMB_JOB **jobs) {
    uint32_t done = 0, now = IMB_SUBMIT_BURST(manager, count, jobs);
    int fine = 1;
    for (;;) {
        for (uint32_t i = 0; i < now; i++)
            fine &= jobs[i]->status == IMB_STATUS_COMPLETED;
        done += now;
        if (done == count)
            return fine;
        now = IMB_FLUSH_BURST(manager, count - done, jobs);
        if (now == 0)
            return 0;
    }
}

// The call for one message of AES-GCM.
void *jobs_gcm(const IMB_MGR *manager, size_t key_len, int opens) {
    aes_gcm_enc_dec_t seal = key_len == 16 ? manager->gcm128_enc : manager->gcm256_enc;
    aes_gcm_enc_dec_t open = key_len == 16 ? manager->gcm128_dec : manager->gcm256_dec;
    return (void *)(opens ? open : seal);
}

const void *jobs_gcm_key(const struct session *session) {
    return &session->gcm;
}

void *jobs_gcm_context(struct session *session) {
    return &session->context;
}
