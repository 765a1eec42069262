// AES-256-CTR by the system's libcrypto: the calls that the built-in provider `openssl` makes.
#ifndef CTR_H
#define CTR_H

#include <openssl/evp.h>
#include <stdbool.h>
#include <stdint.h>

#define CTR_KEY   32u
#define CTR_NONCE 16u

// One thread's context, in one direction, with its key.
struct ctr {
    EVP_CIPHER_CTX *context;
    bool decrypts;
};

// Fetches the cipher, once for the life of the process; false: libcrypto has none.
bool ctr_load(void);

// Sets up a key; false: the library refuses, and there is nothing to close.
bool ctr_open(struct ctr *ctr, const uint8_t key[CTR_KEY], bool decrypts);

// Overwrites the text under the counter block `counter`. Every return code is checked.
bool ctr_apply(struct ctr *ctr, const uint8_t counter[CTR_NONCE], uint8_t *text, uint64_t bytes);

// Frees the context, which clears the key.
void ctr_close(struct ctr *ctr);

#endif
