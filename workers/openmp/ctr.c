// AES-256-CTR: the cipher is fetched and the key set up beforehand; a message takes a nonce, its bytes, and the end.
#include "ctr.h"

// The most bytes of one call, whose length is an `int`: a multiple of the block.
#define PIECE (UINT64_C(1) << 30)

static EVP_CIPHER *cipher;

bool ctr_load(void) {
    if (!cipher)
        cipher = EVP_CIPHER_fetch(NULL, "AES-256-CTR", NULL);
    return cipher != NULL;
}

bool ctr_open(struct ctr *ctr, const uint8_t key[CTR_KEY], bool decrypts) {
    ctr->decrypts = decrypts;
    ctr->context = EVP_CIPHER_CTX_new();
    if (!ctr->context)
        return false;
    int set = decrypts ? EVP_DecryptInit_ex(ctr->context, cipher, NULL, key, NULL)
                       : EVP_EncryptInit_ex(ctr->context, cipher, NULL, key, NULL);
    if (set != 1)
        ctr_close(ctr);
    return set == 1;
}

static bool encrypt(EVP_CIPHER_CTX *context, const uint8_t *counter, uint8_t *text, uint64_t bytes) {
    int given = 0;
    if (EVP_EncryptInit_ex(context, NULL, NULL, NULL, counter) != 1)
        return false;
    for (; bytes > PIECE; text += PIECE, bytes -= PIECE)
        if (EVP_EncryptUpdate(context, text, &given, text, (int)PIECE) != 1)
            return false;
    return EVP_EncryptUpdate(context, text, &given, text, (int)bytes) == 1 &&
           EVP_EncryptFinal_ex(context, text + given, &given) == 1;
}

static bool decrypt(EVP_CIPHER_CTX *context, const uint8_t *counter, uint8_t *text, uint64_t bytes) {
    int given = 0;
    if (EVP_DecryptInit_ex(context, NULL, NULL, NULL, counter) != 1)
        return false;
    for (; bytes > PIECE; text += PIECE, bytes -= PIECE)
        if (EVP_DecryptUpdate(context, text, &given, text, (int)PIECE) != 1)
            return false;
    return EVP_DecryptUpdate(context, text, &given, text, (int)bytes) == 1 &&
           EVP_DecryptFinal_ex(context, text + given, &given) == 1;
}

bool ctr_apply(struct ctr *ctr, const uint8_t counter[CTR_NONCE], uint8_t *text, uint64_t bytes) {
    if (bytes == 0)
        return true; // a thread without a slice
    return ctr->decrypts ? decrypt(ctr->context, counter, text, bytes) : encrypt(ctr->context, counter, text, bytes);
}

void ctr_close(struct ctr *ctr) {
    EVP_CIPHER_CTX_free(ctr->context);
    ctr->context = NULL;
}
