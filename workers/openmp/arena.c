// One anonymous mapping, without advice about huge pages, as the built-in worker's arena is.
#define _GNU_SOURCE
#include "arena.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u

bool arena_grow(struct arena *arena, uint64_t bytes) {
    if (bytes <= arena->bytes)
        return true;
    bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    // The old pages are freed first, so that both are never allocated at once.
    arena_free(arena);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    arena->memory = memory;
    arena->bytes = bytes;
    return true;
}

// Whether the system has more than one NUMA node: `0-1` rather than `0`.
static bool has_nodes(void) {
    char text[64] = "";
    FILE *file = fopen("/sys/devices/system/node/online", "r");
    if (file) {
        size_t length = fread(text, 1, sizeof text - 1, file);
        text[length] = 0;
        fclose(file);
    }
    return strpbrk(text, "-,") != NULL;
}

void arena_place(struct arena *arena, uint64_t message, uint64_t offset, uint64_t threads) {
    bool same = arena->message == message && arena->offset == offset && arena->threads == threads;
    // Where it fails, pages stay where they are: slower on some machines, never wrong.
    if (!same && arena->used > 0 && has_nodes() && madvise(arena->memory, arena->bytes, MADV_DONTNEED) == 0)
        arena->used = 0;
    arena->message = message;
    arena->offset = offset;
    arena->threads = threads;
    if (offset + message > arena->used)
        arena->used = offset + message;
}

void arena_free(struct arena *arena) {
    if (arena->memory)
        munmap(arena->memory, arena->bytes);
    *arena = (struct arena){0};
}
