// Mbed TLS 3.6 with four AEADs and nothing else. What decides speed is as in the default configuration: AES with
// four tables each way that are computed into RAM at the first key (no MBEDTLS_AES_ROM_TABLES, no
// MBEDTLS_AES_FEWER_TABLES), GHASH with small tables (no MBEDTLS_GCM_LARGE_TABLE), assembly where there is any.
// MBEDTLS_CIPHER_C is left out, so that GCM and CCM call AES directly and nothing is allocated.
#define MBEDTLS_HAVE_ASM
#define MBEDTLS_AES_C
#define MBEDTLS_GCM_C
#define MBEDTLS_CCM_C
#define MBEDTLS_CHACHA20_C
#define MBEDTLS_POLY1305_C
#define MBEDTLS_CHACHAPOLY_C

// For targets whose RAM does not hold 8.5 KiB of tables.
#ifdef TABLES_IN_FLASH
#define MBEDTLS_AES_ROM_TABLES
#endif
#ifdef FEWER_TABLES
#define MBEDTLS_AES_FEWER_TABLES
#endif
