// Memory that is missing for an answer ends in an `error` about that; nothing here fails in another way.
#include "reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

json_t *reply_is(const char *kind) {
    return reply_text(json_object(), "is", kind);
}

// Adds a value, which becomes the answer's; without one there is no answer.
static json_t *put(json_t *reply, const char *key, json_t *value) {
    if (json_object_set_new(reply, key, value) == 0)
        return reply;
    json_decref(reply);
    return NULL;
}

json_t *reply_text(json_t *reply, const char *key, const char *text) {
    return put(reply, key, json_string(text));
}

json_t *reply_number(json_t *reply, const char *key, uint64_t number) {
    return put(reply, key, json_integer((json_int_t)number));
}

json_t *reply_maybe(json_t *reply, const char *key, uint64_t number, bool known) {
    return known ? reply_number(reply, key, number) : put(reply, key, json_null());
}

json_t *reply_numbers(json_t *reply, const char *key, json_t *numbers) {
    return put(reply, key, numbers);
}

json_t *reply_hex(json_t *reply, const char *key, const uint8_t *bytes, size_t length) {
    char *text = malloc(2 * length + 1);
    if (text) {
        for (size_t i = 0; i < length; i++) {
            text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
            text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
        }
        text[2 * length] = 0;
    }
    reply = put(reply, key, text ? json_string(text) : NULL);
    free(text);
    return reply;
}

static json_t *because(const char *kind, const char *format, va_list arguments) {
    char why[400];
    vsnprintf(why, sizeof why, format, arguments);
    return reply_text(reply_is(kind), "why", why);
}

json_t *reply_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    json_t *reply = because("error", format, arguments);
    va_end(arguments);
    return reply;
}

json_t *reply_unsupported(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    json_t *reply = because("unsupported", format, arguments);
    va_end(arguments);
    return reply;
}

bool reply_send(json_t *reply) {
    char *text = reply ? json_dumps(reply, JSON_COMPACT) : NULL;
    json_decref(reply);
    printf("%s\n", text ? text : "{\"is\":\"error\",\"why\":\"no memory for an answer; release some cells\"}");
    free(text);
    return fflush(stdout) == 0;
}
