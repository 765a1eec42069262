// A request: one flat JSON object, read strictly, in the line's own memory.
//
// The getters record the first error, so that a handler reads all its keys and asks request_failed once.
#ifndef REQUEST_H
#define REQUEST_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_NUMBER ((UINT64_C(1) << 53) - 1)

struct request {
    char *tokens, *end; // what the line has become; see request.c
    flash_text why;     // NULL: no error so far
    flash_text key;     // which key the error is about
};

// A byte string: hex digits until it is decoded, which the caller does when it has read all keys.
struct bytes {
    uint8_t *data;
    size_t length; // in bytes
};

// Turns a line into a request, which lies in the line's memory; an error, unless the line is a flat object.
void request_parse(struct request *request, char *line, size_t length);

// A string; NULL where it is absent, and an error where it is something else (and, in request_text, where it is
// absent).
const char *request_text(struct request *request, flash_text key);
const char *request_maybe_text(struct request *request, flash_text key);

// An integer from `low` to `high`; `absent` where there is none.
uint64_t request_number(struct request *request, flash_text key, uint64_t low, uint64_t high);
uint64_t request_number_or(struct request *request, flash_text key, uint64_t absent, uint64_t low, uint64_t high);

// Lower-case hex; absent: none. Decoding overwrites the request, so it comes after the last key.
struct bytes request_bytes(struct request *request, flash_text key);
void bytes_decode(struct bytes *bytes);

void request_fail(struct request *request, flash_text why, flash_text key);

// Answers with `error` if there was one.
bool request_failed(const struct request *request);

#endif
