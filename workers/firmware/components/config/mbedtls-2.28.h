// Mbed TLS 2.28 with four AEADs and what they need; the choices are those of mbedtls-3.6.h. Here GCM and CCM need the
// cipher layer, which allocates the AES context; the component gives it a slot.
#define MBEDTLS_HAVE_ASM
#define MBEDTLS_AES_C
#define MBEDTLS_CIPHER_C
#define MBEDTLS_GCM_C
#define MBEDTLS_CCM_C
#define MBEDTLS_CHACHA20_C
#define MBEDTLS_POLY1305_C
#define MBEDTLS_CHACHAPOLY_C
#define MBEDTLS_PLATFORM_C
#define MBEDTLS_PLATFORM_MEMORY
#define MBEDTLS_PLATFORM_CALLOC_MACRO slot_calloc
#define MBEDTLS_PLATFORM_FREE_MACRO   slot_free

#ifdef TABLES_IN_FLASH
#define MBEDTLS_AES_ROM_TABLES
#endif
#ifdef FEWER_TABLES
#define MBEDTLS_AES_FEWER_TABLES
#endif

#include <stddef.h>
void *slot_calloc(size_t count, size_t size);
void slot_free(void *memory);
