// libcrypto reports the CPU features that it detected, masks included, and not which code it took: the rules are those
// of crates/native/src/providers/openssl/path.rs, which names their sources.
#include "path.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

// Bits of `OPENSSL_ia32cap`'s first word, and of `OPENSSL_armcap` (crypto/arm_arch.h).
#define X86_SSSE3        (1ull << 41)
#define X86_AES          (1ull << 57)
#define ARM_NEON         (1ull << 0)
#define ARM_AES          (1ull << 2)
#define ARM_UNROLL12EOR3 (1ull << 16)

// The number behind a name in the settings; false: it is not there.
static int word(const char *settings, const char *name, unsigned long long *bits) {
    const char *found = settings ? strstr(settings, name) : NULL;
    if (found)
        *bits = strtoull(found + strlen(name), NULL, 16);
    return found != NULL;
}

const char *ctr_path(void) {
    const char *settings = OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS);
    unsigned long long bits;
    if (OPENSSL_version_major() != 3 || OPENSSL_version_minor() > 5)
        return "unknown";
    if (word(settings, "OPENSSL_ia32cap=", &bits))
        return bits & X86_AES ? "aesni" : bits & X86_SSSE3 ? "ssse3" : "soft";
    if (!word(settings, "OPENSSL_armcap=", &bits))
        return "unknown";
    if (bits & ARM_AES)
        return bits & ARM_UNROLL12EOR3 ? "armv8-aes-eor3" : "armv8-aes";
    return bits & ARM_NEON ? "neon" : "soft";
}
