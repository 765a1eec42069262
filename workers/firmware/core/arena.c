#include "arena.h"

#ifdef ARENA_OFFSETS
#define PAGE   4096
#define OFFSET (MAX_OFFSET + 1)
#else
#define PAGE   16
#define OFFSET 0
#endif

#define ALIGN           16u
#define ALIGNED(length) (((length) + ALIGN - 1) / ALIGN * ALIGN)

static uint8_t arena[OFFSET + 2 * ALIGNED(MAX_MESSAGE + TAG) + ALIGNED(MAX_MESSAGE)] __attribute__((aligned(PAGE)));

struct buffers arena_buffers(size_t length, uint16_t offset) {
    size_t room = ALIGNED(length + TAG);
#ifdef ARENA_OFFSETS
    uint8_t *text = arena + offset;
#else
    (void)offset;
    uint8_t *text = arena;
#endif
    return (struct buffers){text, text + room, text + 2 * room};
}
