// wolfCrypt with AES-GCM, AES-CCM, ChaCha20-Poly1305 and Ascon, and nothing else. GHASH with tables of 4 bits, as its
// configure script chooses; AES with its default tables, which are constants. Nothing is allocated.
#define WOLFCRYPT_ONLY
#define SINGLE_THREADED
#define NO_FILESYSTEM
#define NO_WRITEV
#define NO_MAIN_DRIVER
#define NO_ERROR_STRINGS
#define WC_NO_RNG
#define WC_NO_HASHDRBG
#define WOLFSSL_NO_MALLOC
#define NO_WOLFSSL_MEMORY
#define WOLFSSL_EXPERIMENTAL_SETTINGS
#define WOLFSSL_GENERAL_ALIGNMENT 4
#define NO_INLINE_ASM

#define HAVE_AESGCM
#define GCM_TABLE_4BIT
#define HAVE_AESCCM
#define NO_AES_CBC
#define NO_AES_192
#define HAVE_CHACHA
#define HAVE_POLY1305
#define HAVE_ASCON

#define NO_RSA
#define NO_DH
#define NO_DSA
#define NO_DES3
#define NO_MD4
#define NO_MD5
#define NO_SHA
#define NO_SHA256
#define NO_HMAC
#define NO_PWDBASED
#define NO_ASN
#define NO_ASN_TIME
#define NO_BIG_INT
#define NO_RC4
#define NO_OLD_TLS
#define NO_PSK
#define NO_CERTS
#define NO_CODING
#define NO_SIG_WRAPPER
