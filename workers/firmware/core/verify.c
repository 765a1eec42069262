#include "verify.h"

#include "work.h"

#include <string.h>

_Static_assert(MAX_MESSAGE >= 150, "the known answers of answers.py do not fit");

// A known answer in flash.
struct answer {
    const FLASH uint8_t *key, *nonce, *aad, *message, *sealed, *end;
    uint8_t aad_length, length;
};

static struct answer read_answer(const FLASH uint8_t *at, const struct algorithm *algorithm) {
    struct answer answer = {.aad_length = at[0], .length = at[1]};
    answer.key = at + 2;
    answer.nonce = answer.key + algorithm->key;
    answer.aad = answer.nonce + algorithm->nonce;
    answer.message = answer.aad + answer.aad_length;
    answer.sealed = answer.message + answer.length;
    answer.end = answer.sealed + answer.length + TAG;
    return answer;
}

static void copy(uint8_t *to, const FLASH uint8_t *from, size_t length) {
    while (length-- > 0)
        *to++ = *from++;
}

static bool same(const uint8_t *one, const FLASH uint8_t *other, size_t length) {
    while (length-- > 0)
        if (*one++ != *other++)
            return false;
    return true;
}

// Sealed, opened, and refused with a wrong tag.
static bool is_right(struct work *work, const struct answer *answer) {
    struct call *call = &work->call;
    size_t length = answer->length;
    copy((uint8_t *)call->input, answer->message, length);
    if (work_seal(work) != DONE || !same(call->output, answer->sealed, length) ||
        !same(call->tag, answer->sealed + length, TAG))
        return false;
    copy((uint8_t *)call->input, answer->sealed, length);
    if (work->what.offer->open(call) != DONE || !same(call->output, answer->message, length))
        return false;
    copy((uint8_t *)call->input, answer->sealed, length);
    call->tag[TAG - 1] ^= 1;
    return work->what.offer->open(call) == REJECTED;
}

static bool is_right_in(const struct choice *what, const struct answer *answer) {
    static struct work work;
    struct buffers buffers = arena_buffers(answer->length, 0);
    copy(work.key, answer->key, what->algorithm->key);
    copy(work.nonce, answer->nonce, what->algorithm->nonce);
    copy(buffers.aad, answer->aad, answer->aad_length);
    if (work_begin(&work, what, buffers) != DONE)
        return false;
    work.call.length = answer->length;
    work.call.aad_length = answer->aad_length;
    work.call.tag = buffers.out + answer->length;
    bool right = is_right(&work, answer);
    work_end(&work);
    return right;
}

const struct algorithm *algorithm_named(const char *name) {
    for (uint8_t i = 0; i < ALGORITHMS; i++)
        if (strcmp(algorithms[i].name, name) == 0)
            return &algorithms[i];
    return 0;
}

uint8_t verify(const struct offer *offer) {
    struct choice what = {.offer = offer, .algorithm = algorithm_named(offer->algorithm)};
    if (!what.algorithm)
        return 1; // a name that is not PROTOCOL.md's has no answers
    uint8_t number = 1;
    for (const FLASH uint8_t *at = what.algorithm->answers; *at != 255; number++) {
        struct answer answer = read_answer(at, what.algorithm);
        at = answer.end;
        for (uint8_t form = INTO; form <= IN_PLACE; form++) {
            what.form = offer->forms & form;
            if (what.form && !is_right_in(&what, &answer))
                return number;
        }
    }
    return 0;
}
