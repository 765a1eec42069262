// jansson reads the JSON: UTF-8, nothing after the object, no depth that exhausts the stack. What PROTOCOL.md allows
// within it is checked here: at most 64 keys, strings, integers from 0 to 2^53-1, null, and arrays of such integers.
#include "request.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_KEYS 64u

static bool is_number(const json_t *value) {
    return json_is_integer(value) && json_integer_value(value) >= 0 &&
           json_integer_value(value) <= (json_int_t)MAX_NUMBER;
}

static bool is_flat(const json_t *value) {
    if (!json_is_array(value))
        return json_is_string(value) || json_is_null(value) || is_number(value);
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!is_number(json_array_get(value, i)))
            return false;
    return true;
}

bool request_parse(struct request *request, const char *line, size_t length) {
    json_error_t error;
    request->why[0] = 0;
    request->object = json_loadb(line, length, 0, &error);
    if (!json_is_object(request->object)) {
        request_fail(request, "the line is not a JSON object in UTF-8 (byte %d); send one flat object a line",
                     request->object ? 0 : error.position);
        return false;
    }
    const char *key;
    json_t *value;
    json_object_foreach(request->object, key, value) if (!is_flat(value)) {
        request_fail(request, "a value is neither string, null, integer from 0 to 2^53-1 nor array of such integers; "
                              "send one of these");
    }
    if (json_object_size(request->object) > MAX_KEYS)
        request_fail(request, "more than %u keys; send fewer", MAX_KEYS);
    return request->why[0] == 0;
}

void request_free(struct request *request) {
    json_decref(request->object);
    request->object = NULL;
}

void request_fail(struct request *request, const char *format, ...) {
    if (request->why[0])
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(request->why, sizeof request->why, format, arguments);
    va_end(arguments);
}

// The value, or NULL where the key is absent: a key that is null counts as absent.
static json_t *find(const struct request *request, const char *key) {
    json_t *value = json_object_get(request->object, key);
    return json_is_null(value) ? NULL : value;
}

const char *request_maybe_text(struct request *request, const char *key) {
    json_t *value = find(request, key);
    if (value && !json_is_string(value))
        request_fail(request, "the key \"%s\" is not a string; send one", key);
    return json_string_value(value);
}

const char *request_text(struct request *request, const char *key) {
    const char *text = request_maybe_text(request, key);
    if (!text)
        request_fail(request, "the key \"%s\" is missing; send a string", key);
    return text;
}

uint64_t request_number_or(struct request *request, const char *key, uint64_t absent, uint64_t low, uint64_t high) {
    json_t *value = find(request, key);
    if (!value)
        return absent;
    uint64_t number = json_is_integer(value) ? (uint64_t)json_integer_value(value) : UINT64_MAX;
    if (number < low || number > high) {
        request_fail(request, "the key \"%s\" is not an integer from %" PRIu64 " to %" PRIu64 "; send one", key, low,
                     high);
        return low;
    }
    return number;
}

uint64_t request_number(struct request *request, const char *key, uint64_t low, uint64_t high) {
    if (!find(request, key))
        request_fail(request, "the key \"%s\" is missing; send an integer from %" PRIu64 " to %" PRIu64, key, low,
                     high);
    return request_number_or(request, key, low, low, high);
}

// The value of a lower-case hex digit, or -1.
static int digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

struct bytes request_bytes(struct request *request, const char *key) {
    struct bytes bytes = {NULL, 0};
    const char *text = request_maybe_text(request, key);
    size_t digits = text ? strlen(text) : 0;
    if (digits > 2 * MAX_INPUT) {
        request_fail(request, "the key \"%s\" has more than %u bytes; send fewer", key, MAX_INPUT);
        return bytes;
    }
    bytes.data = malloc(digits / 2 + 1);
    bool right = bytes.data && digits % 2 == 0;
    for (size_t i = 0; right && i < digits / 2; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        right = high >= 0 && low >= 0;
        if (right)
            bytes.data[i] = (uint8_t)(high << 4 | low);
    }
    if (!right) {
        request_fail(request, "the key \"%s\" is not lower-case hex; send two digits a byte", key);
        return bytes;
    }
    bytes.length = digits / 2;
    return bytes;
}
