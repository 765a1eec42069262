#pragma once
// ESP-IDF's, which only mbedtls_hw.c may find.
#ifdef CIPHERMETER_LIBRARY
#error "a library found the system's Mbed TLS in place of its own"
#endif
#include <stddef.h>
typedef int mbedtls_cipher_id_t;
typedef struct { unsigned char state[560]; } mbedtls_gcm_context;
#define MBEDTLS_CIPHER_ID_AES 2
#define MBEDTLS_GCM_ENCRYPT   1
#define MBEDTLS_ERR_GCM_AUTH_FAILED -0x0012
void mbedtls_gcm_init(mbedtls_gcm_context *ctx);
int mbedtls_gcm_setkey(mbedtls_gcm_context *ctx, mbedtls_cipher_id_t cipher, const unsigned char *key,
                       unsigned int keybits);
int mbedtls_gcm_crypt_and_tag(mbedtls_gcm_context *ctx, int mode, size_t length, const unsigned char *iv, size_t iv_len,
                              const unsigned char *add, size_t add_len, const unsigned char *input,
                              unsigned char *output, size_t tag_len, unsigned char *tag);
int mbedtls_gcm_auth_decrypt(mbedtls_gcm_context *ctx, size_t length, const unsigned char *iv, size_t iv_len,
                             const unsigned char *add, size_t add_len, const unsigned char *tag, size_t tag_len,
                             const unsigned char *input, unsigned char *output);
void mbedtls_gcm_free(mbedtls_gcm_context *ctx);
