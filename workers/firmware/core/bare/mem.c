// The memory functions that compilers call. The C library's differ from one toolchain to the next (picolibc's memcpy
// for RISC-V is a loop of bytes), and would be part of every count. These are the same everywhere: words where both
// pointers are aligned, bytes elsewhere.
//
// Compiled with -fno-builtin and -fno-tree-loop-distribute-patterns, or the compiler would see memcpy in memcpy and
// call it.
#include <stddef.h>
#include <stdint.h>

// A machine word that may alias anything.
typedef uintptr_t __attribute__((may_alias)) word;

#define IS_ALIGNED(address) ((uintptr_t)(address) % sizeof(word) == 0)

void *memcpy(void *restrict to, const void *restrict from, size_t length) {
    uint8_t *out = to;
    const uint8_t *in = from;
    if (IS_ALIGNED((uintptr_t)out | (uintptr_t)in)) {
        for (; length >= sizeof(word); length -= sizeof(word), out += sizeof(word), in += sizeof(word))
            *(word *)(void *)out = *(const word *)(const void *)in;
    }
    while (length-- > 0)
        *out++ = *in++;
    return to;
}

void *memmove(void *to, const void *from, size_t length) {
    uint8_t *out = to;
    const uint8_t *in = from;
    if ((uintptr_t)out - (uintptr_t)in >= length)
        return memcpy(to, from, length);
    while (length-- > 0)
        out[length] = in[length];
    return to;
}

void *memset(void *to, int value, size_t length) {
    uint8_t *out = to, byte = (uint8_t)value;
    for (; length > 0 && !IS_ALIGNED(out); length--)
        *out++ = byte;
    word pattern = (word)-1 / 255 * byte; // the byte in every byte of a word
    for (; length >= sizeof(word); length -= sizeof(word), out += sizeof(word))
        *(word *)(void *)out = pattern;
    while (length-- > 0)
        *out++ = byte;
    return to;
}

int memcmp(const void *one, const void *other, size_t length) {
    const uint8_t *a = one, *b = other;
    for (; length > 0; length--, a++, b++)
        if (*a != *b)
            return *a - *b;
    return 0;
}

size_t strlen(const char *text) {
    const char *end = text;
    while (*end)
        end++;
    return (size_t)(end - text);
}

int strcmp(const char *one, const char *other) {
    for (; *one && *one == *other; one++, other++) {
    }
    return (uint8_t)*one - (uint8_t)*other;
}
