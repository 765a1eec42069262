// The page that a board serves: its latest figures, as HTML. It refers to nothing outside, has no script, and reloads
// itself.
#ifndef PAGE_H
#define PAGE_H

#include <stddef.h>
#include <stdint.h>

#define PAGE_ROWS 24
#define PAGE_NAME 24

// The latest sample of a provider, algorithm, operation and size.
struct page_row {
    char provider[PAGE_NAME], algorithm[PAGE_NAME], path[PAGE_NAME];
    const char *operation;
    uint32_t message, iterations;
    uint64_t ns;     // of all iterations
    uint64_t charge; // nC of all iterations; 0: not known
    uint32_t age;    // of all rows, the one with the least is replaced
};

struct page_facts {
    const char *board, *meter;                       // meter NULL: none
    uint32_t clock_hz, heap_free, heap_least, stack; // 0: not known
    int light;                                       // -1: no sensor
};

// Notes a sample: the row of the same cell is overwritten, else the oldest one.
void page_note(const char *provider, const char *algorithm, const char *path, const char *operation, uint32_t message,
               uint64_t ns, uint32_t iterations, uint64_t charge);

// Writes the page piece by piece.
void page_write(const struct page_facts *facts, void (*put)(const char *text, size_t length, void *to), void *to);

#endif
