// Answers: one flat JSON object each, written with its keys in PROTOCOL.md's order.
#ifndef REPLY_H
#define REPLY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An answer under construction, whose first key names its kind.
json_t *reply_is(const char *kind);

// Each adds a key and returns the answer, so that a line of calls is a line of the page.
json_t *reply_text(json_t *reply, const char *key, const char *text);
json_t *reply_number(json_t *reply, const char *key, uint64_t number);
json_t *reply_maybe(json_t *reply, const char *key, uint64_t number, bool known);
json_t *reply_numbers(json_t *reply, const char *key, json_t *numbers); // an array, which becomes the answer's
json_t *reply_hex(json_t *reply, const char *key, const uint8_t *bytes, size_t length);

// `error` and `unsupported`: what failed, then what to do.
__attribute__((format(printf, 1, 2))) json_t *reply_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) json_t *reply_unsupported(const char *format, ...);

// Writes the answer as a line and frees it; false: standard output is gone.
bool reply_send(json_t *reply);

#endif
