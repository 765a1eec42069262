/* Counts what the C library's allocator gives out, for the memory of a cell (docs/memory.md).
 *
 * A shared object of its own, preloaded only into processes of which no times are taken: the allocator that is timed is
 * the C library's, untouched. Sizes are those of the blocks as malloc_usable_size tells them. glibc only: it exports its
 * own functions under these other names. Memory that a library maps for itself is not counted; the resident size has it. */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

/* Relaxed: counts of several threads may be read a little apart. */
static _Atomic uint64_t in_use, most, given;

static void *gave(void *block) {
    if (block) {
        uint64_t size = malloc_usable_size(block);
        uint64_t now = atomic_fetch_add_explicit(&in_use, size, memory_order_relaxed) + size;
        uint64_t peak = atomic_load_explicit(&most, memory_order_relaxed);
        while (now > peak && !atomic_compare_exchange_weak_explicit(&most, &peak, now, memory_order_relaxed,
                                                                    memory_order_relaxed)) {
        }
        atomic_fetch_add_explicit(&given, size, memory_order_relaxed);
    }
    return block;
}

static void took(void *block) {
    if (block)
        atomic_fetch_sub_explicit(&in_use, malloc_usable_size(block), memory_order_relaxed);
}

void *malloc(size_t size) { return gave(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return gave(__libc_calloc(count, size)); }

void *realloc(void *block, size_t size) {
    uint64_t before = block ? malloc_usable_size(block) : 0;
    void *moved = __libc_realloc(block, size);
    /* On failure the old block stays; of size 0 it is gone. */
    if (moved || size == 0)
        atomic_fetch_sub_explicit(&in_use, before, memory_order_relaxed);
    return gave(moved);
}

void *memalign(size_t alignment, size_t size) { return gave(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return gave(__libc_memalign(alignment, size)); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *given_out = gave(__libc_memalign(alignment, size));
    if (!given_out)
        return ENOMEM;
    *block = given_out;
    return 0;
}

void free(void *block) {
    took(block);
    __libc_free(block);
}

/* In use, the most at once, given out in all, since the latest reset; with `reset` counting begins anew. */
void ciphermeter_allocations(uint64_t counts[3], int reset) {
    counts[0] = atomic_load_explicit(&in_use, memory_order_relaxed);
    counts[1] = atomic_load_explicit(&most, memory_order_relaxed);
    counts[2] = atomic_load_explicit(&given, memory_order_relaxed);
    if (reset) {
        atomic_store_explicit(&most, counts[0], memory_order_relaxed);
        atomic_store_explicit(&given, 0, memory_order_relaxed);
    }
}
