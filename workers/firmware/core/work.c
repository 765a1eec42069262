#include "work.h"

#include "port.h"
#include "stream.h"

#include <string.h>

enum outcome work_begin(struct work *work, const struct choice *what, struct buffers buffers) {
    work_end(work);
    work->what = *what;
    work->call = (struct call){
        .nonce = work->nonce,
        .aad = buffers.aad,
        .input = what->form == IN_PLACE ? buffers.out : buffers.text,
        .output = buffers.out,
    };
    work->ready = true; // also where it fails: the library may have begun
    return what->offer->set_up(work->key);
}

void work_end(struct work *work) {
    if (work->ready)
        work->what.offer->release();
    work->ready = false;
}

enum outcome work_seal(const struct work *work) {
    enum outcome outcome = work->what.offer->seal(&work->call);
#ifdef PLANT_WRONG_TAG
    // For the test that the harness notices: the known answers have no message of this length.
    if (work->call.length == 64)
        work->call.tag[0] ^= 1;
#endif
    return outcome;
}

// The first eight bytes of a nonce, or of the key of `key-setup`, are the iteration's number, big-endian.
static void set_number(uint8_t *bytes, uint64_t number) {
    for (uint8_t i = 8; i-- > 0; number >>= 8)
        bytes[i] = (uint8_t)number;
}

// One more. In the timed loop this is a byte or two, where shifting a number of 64 bits would cost an 8-bit CPU more
// than some calls.
static inline void add_one(uint8_t *bytes) {
    uint8_t i = 8;
    while (i > 0 && ++bytes[--i] == 0) {
    }
}

// Leaves the sealed text of iteration 0 in `text`, for open.
static enum outcome seal_for_open(struct work *work, uint64_t seed, const struct buffers *buffers) {
    struct call *call = &work->call;
    struct call open = *call;
    // In the form into from `out` to `text`, so that it ends where open reads it.
    call->output = buffers->text;
    call->input = work->what.form == IN_PLACE ? buffers->text : buffers->out;
    call->tag = buffers->text + call->length;
    stream(TEXT("message"), seed, (uint8_t *)call->input, call->length);
    set_number(work->nonce, 0);
    enum outcome outcome = work_seal(work);
    open.tag = call->tag;
    *call = open;
    work->sealed = buffers->text;
    return outcome;
}

enum outcome work_set_up(struct work *work, const struct cell *cell) {
    struct buffers buffers = arena_buffers(cell->message, cell->offset);
    const struct algorithm *algorithm = cell->what.algorithm;
    stream(TEXT("key"), cell->seed, work->key, algorithm->key);
    stream(TEXT("nonce"), cell->seed, work->nonce, algorithm->nonce);
    enum outcome outcome = work_begin(work, &cell->what, buffers);
    if (outcome != DONE)
        return outcome;
    struct call *call = &work->call;
    call->length = cell->message;
    call->aad_length = cell->aad;
    call->tag = buffers.out + call->length;
    if (cell->what.operation == KEY_SETUP) {
        work_end(work); // the timed calls set it up
        return DONE;
    }
    stream(TEXT("aad"), cell->seed, buffers.aad, cell->aad);
    if (cell->what.operation == OPEN) {
        outcome = seal_for_open(work, cell->seed, &buffers);
        memset(buffers.out, 0, call->length + TAG);
        return outcome;
    }
    memset(buffers.out, 0, call->length + TAG);
    stream(TEXT("message"), cell->seed, (uint8_t *)call->input, call->length);
    return DONE;
}

static enum outcome seal_loop(struct work *work, uint32_t count) {
    enum outcome outcome = DONE;
    for (; count > 0 && outcome == DONE; count--) {
        add_one(work->nonce);
#ifdef PLANT_WRONG_TAG
        outcome = work_seal(work);
#else
        outcome = work->what.offer->seal(&work->call);
#endif
    }
    return outcome;
}

static enum outcome open_loop(struct work *work, uint32_t count) {
    enum outcome outcome = DONE;
    for (; count > 0 && outcome == DONE; count--)
        outcome = work->what.offer->open(&work->call);
    return outcome;
}

// The sealed text is copied back in first, inside the timing, for all providers alike; its tag stays where it is.
static enum outcome open_in_place_loop(struct work *work, uint32_t count) {
    enum outcome outcome = DONE;
    for (; count > 0 && outcome == DONE; count--) {
        memcpy(work->call.output, work->sealed, work->call.length);
        outcome = work->what.offer->open(&work->call);
    }
    return outcome;
}

static enum outcome key_setup_loop(struct work *work, uint32_t count) {
    enum outcome outcome = DONE;
    for (; count > 0 && outcome == DONE; count--) {
        add_one(work->key);
        outcome = work->what.offer->set_up(work->key);
        work->what.offer->release();
    }
    return outcome;
}

struct stretch work_run(struct work *work, uint64_t first, uint32_t count) {
    enum outcome (*loop)(struct work *, uint32_t) = seal_loop;
    if (work->what.operation == OPEN)
        loop = work->what.form == IN_PLACE ? open_in_place_loop : open_loop;
    if (work->what.operation == KEY_SETUP) {
        loop = key_setup_loop;
        set_number(work->key, first - 1);
    } else if (work->what.operation == SEAL) {
        set_number(work->nonce, first - 1);
    }
    struct stretch stretch;
    stack_paint();
    uint64_t begin = port_ticks();
#ifdef PORT_CYCLES
    uint32_t begin_cycles = port_cycles();
#endif
    stretch.outcome = loop(work, count);
#ifdef PORT_CYCLES
    stretch.cycles = port_cycles() - begin_cycles;
#endif
    stretch.ticks = port_ticks() - begin;
    stretch.stack = stack_used(stack_pointer());
    return stretch;
}

struct bytes work_output(const struct work *work) {
    size_t tag = work->what.operation == SEAL ? TAG : 0;
    return (struct bytes){work->call.output, work->call.length + tag};
}
