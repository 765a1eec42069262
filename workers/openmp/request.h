// A request: one flat JSON object, read strictly.
//
// The getters record the first error in `why`, so that a handler reads all its keys and checks once.
#ifndef REQUEST_H
#define REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_LINE   65536u // bytes, the newline included, both ways
#define MAX_NUMBER ((UINT64_C(1) << 53) - 1)
#define MAX_INPUT  16384u // bytes of a byte string

struct request {
    json_t *object;
    char why[200]; // empty: no error
};

// A byte string.
struct bytes {
    uint8_t *data;
    size_t length;
};

// Parses a line; false: `why` says what is wrong with it. Either way it must be freed.
bool request_parse(struct request *request, const char *line, size_t length);
void request_free(struct request *request);

// A string; NULL where it is missing or something else, or, without an error, where it is absent.
const char *request_text(struct request *request, const char *key);
const char *request_maybe_text(struct request *request, const char *key);

// An integer from `low` to `high`.
uint64_t request_number(struct request *request, const char *key, uint64_t low, uint64_t high);
uint64_t request_number_or(struct request *request, const char *key, uint64_t absent, uint64_t low, uint64_t high);

// At most MAX_INPUT bytes in lower-case hex; absent: none. To be freed, whatever it is.
struct bytes request_bytes(struct request *request, const char *key);

// Records an error, unless there is one.
__attribute__((format(printf, 2, 3))) void request_fail(struct request *request, const char *format, ...);

#endif
