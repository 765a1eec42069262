// The product of two words in 64 bits, on which Poly1305 depends: GCC's own routine for this core. Debian's compiler comes
// without it, so libgcc.py takes it from GCC's sources. In C it would take a third fewer instructions for a ChaCha20-
// Poly1305 of Mbed TLS, and no user would have those counts.
//
// What the core has, of Xtensa's options, for that routine.
#define XCHAL_HAVE_BE         0
#define XCHAL_HAVE_ABS        1
#define XCHAL_HAVE_ADDX       1
#define XCHAL_HAVE_NSA        1
#define XCHAL_HAVE_MUL16      1
#define XCHAL_HAVE_MUL32      1
#define XCHAL_HAVE_MUL32_HIGH 0
#define XCHAL_HAVE_MAC16      0
#define XCHAL_HAVE_DIV32      0
#define XCHAL_HAVE_LOOPS      0
#define XCHAL_HAVE_WINDOWED   0
#define L_umulsidi3
#include "lib1funcs.S"
