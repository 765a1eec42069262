// A line is parsed once, and its tokens replace it in place: for each key its name, a zero, a letter for the kind of
// value, the value's text, a zero. That is never longer than the JSON that it comes from.
#include "request.h"

#include "reply.h"

#include <string.h>

#define MAX_KEYS 64u

enum kind { STRING = 's', NUMBER = 'n', ARRAY = 'a', NOTHING = 'z' };

// Where reading and writing are. The writing never overtakes the reading.
struct cursor {
    const char *at, *end;
    char *out;
};

// The next byte; zero at the end, which is no valid byte of JSON.
static char peek(const struct cursor *cursor) {
    return cursor->at < cursor->end ? *cursor->at : 0;
}

static char next(struct cursor *cursor) {
    char byte = peek(cursor);
    if (cursor->at < cursor->end)
        cursor->at++;
    return byte;
}

static void skip_blanks(struct cursor *cursor) {
    for (char byte = peek(cursor); byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; byte = peek(cursor))
        cursor->at++;
}

static bool skip_byte(struct cursor *cursor, char byte) {
    skip_blanks(cursor);
    if (peek(cursor) != byte)
        return false;
    cursor->at++;
    return true;
}

static bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

// The value of a hex digit of either case, or 16.
static uint8_t hex_digit(char byte) {
    if (is_digit(byte))
        return (uint8_t)(byte - '0');
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? (uint8_t)(byte - 'a' + 10) : 16;
}

// An escape, behind its backslash; 0: there is no such escape. No word known here has letters beyond ASCII, so one
// control character stands for all of them, and for zero, which would end the string.
static char read_escape(struct cursor *cursor) {
    char byte = next(cursor);
    switch (byte) {
    case '"':
    case '\\':
    case '/':
        return byte;
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return 1;
    case 'u':
        break;
    default:
        return 0;
    }
    uint16_t code = 0;
    for (uint8_t i = 0; i < 4; i++) {
        uint8_t digit = hex_digit(next(cursor));
        if (digit > 15)
            return 0;
        code = (uint16_t)(code << 4 | digit);
    }
    return code < 128 && code >= ' ' ? (char)code : 1;
}

// Whether the bytes from `at` on are a valid character of more than one byte; it is skipped.
static bool skip_utf8(struct cursor *cursor) {
    uint8_t first = (uint8_t)next(cursor), second = (uint8_t)peek(cursor);
    uint8_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    // Overlong forms, surrogates, and what lies beyond U+10FFFF.
    bool wrong = first < 0xc2 || first > 0xf4 || (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                 (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
    for (; more > 0 && !wrong; more--)
        wrong = ((uint8_t)next(cursor) & 0xc0) != 0x80;
    return !wrong;
}

// A string, behind its opening quote.
static bool read_string(struct cursor *cursor) {
    for (;;) {
        char byte = peek(cursor);
        if ((uint8_t)byte < ' ')
            return false; // the end, too
        if ((uint8_t)byte >= 0x80) {
            if (!skip_utf8(cursor))
                return false;
            *cursor->out++ = 1;
            continue;
        }
        cursor->at++;
        if (byte == '"')
            break;
        if (byte == '\\' && (byte = read_escape(cursor)) == 0)
            return false;
        *cursor->out++ = byte;
    }
    *cursor->out++ = 0;
    return true;
}

// An integer from 0 to 2^53-1, into `number`.
static bool read_integer(struct cursor *cursor, uint64_t *number) {
    const char *begin = cursor->at;
    *number = 0;
    for (; is_digit(peek(cursor)); cursor->at++) {
        *number = *number * 10 + (uint8_t)(*cursor->at - '0');
        if (*number > MAX_NUMBER)
            return false;
    }
    // Neither nothing, nor leading zeros, nor a fraction or an exponent.
    char after = peek(cursor);
    return cursor->at > begin && (*begin != '0' || cursor->at == begin + 1) && after != '.' && after != 'e' &&
           after != 'E';
}

static bool read_array(struct cursor *cursor) {
    uint64_t number;
    if (skip_byte(cursor, ']'))
        return true;
    do {
        skip_blanks(cursor);
        if (!read_integer(cursor, &number))
            return false;
    } while (skip_byte(cursor, ','));
    return skip_byte(cursor, ']');
}

static bool read_value(struct cursor *cursor) {
    skip_blanks(cursor);
    const char *begin = cursor->at;
    uint64_t number;
    char first = peek(cursor);
    if (is_digit(first)) {
        if (!read_integer(cursor, &number))
            return false;
        size_t length = (size_t)(cursor->at - begin);
        *cursor->out++ = NUMBER;
        memmove(cursor->out, begin, length);
        cursor->out += length;
        *cursor->out++ = 0;
        return true;
    }
    switch (next(cursor)) {
    case '"':
        *cursor->out++ = STRING;
        return read_string(cursor);
    case '[':
        *cursor->out++ = ARRAY;
        *cursor->out++ = 0;
        return read_array(cursor);
    case 'n':
        *cursor->out++ = NOTHING;
        *cursor->out++ = 0;
        return next(cursor) == 'u' && next(cursor) == 'l' && next(cursor) == 'l';
    default:
        return false;
    }
}

static bool read_object(struct cursor *cursor, uint8_t *keys) {
    if (!skip_byte(cursor, '{'))
        return false;
    if (!skip_byte(cursor, '}')) {
        do {
            if (++*keys > MAX_KEYS)
                return false;
            if (!skip_byte(cursor, '"') || !read_string(cursor) || !skip_byte(cursor, ':') || !read_value(cursor))
                return false;
        } while (skip_byte(cursor, ','));
        if (!skip_byte(cursor, '}'))
            return false;
    }
    skip_blanks(cursor);
    return cursor->at == cursor->end;
}

void request_parse(struct request *request, char *line, size_t length) {
    struct cursor cursor = {line, line + length, line};
    uint8_t keys = 0;
    request->why = request->key = 0;
    if (!read_object(&cursor, &keys)) {
        request->why = keys > MAX_KEYS
                           ? TEXT("more than 64 keys; send fewer")
                           : TEXT("not a flat JSON object of strings, integers below 2^53, null and arrays of such "
                                  "integers; send one object a line");
    }
    request->tokens = line;
    request->end = cursor.out;
}

static bool equals(const char *token, flash_text key) {
    while (*key && *token == *key)
        token++, key++;
    return *token == *key;
}

// The kind of the key's value, followed by its text; NULL where the key is absent, or null. The last of several counts.
static char *find(const struct request *request, flash_text key) {
    char *found = 0;
    for (char *token = request->tokens; token < request->end;) {
        char *value = token + strlen(token) + 1;
        if (equals(token, key))
            found = *value == NOTHING ? 0 : value;
        token = value + strlen(value) + 1;
    }
    return found;
}

void request_fail(struct request *request, flash_text why, flash_text key) {
    if (request->why)
        return;
    request->why = why;
    request->key = key;
}

bool request_failed(const struct request *request) {
    if (request->why)
        reply_error_word(request->why, request->key);
    return request->why != 0;
}

const char *request_maybe_text(struct request *request, flash_text key) {
    char *value = request->why ? 0 : find(request, key);
    if (!value)
        return 0;
    if (*value != STRING) {
        request_fail(request, TEXT("the key `%` is not a string; send one"), key);
        return 0;
    }
    return value + 1;
}

const char *request_text(struct request *request, flash_text key) {
    const char *text = request_maybe_text(request, key);
    if (!text)
        request_fail(request, TEXT("the key `%` is missing; send a string"), key);
    return text;
}

uint64_t request_number_or(struct request *request, flash_text key, uint64_t absent, uint64_t low, uint64_t high) {
    char *value = request->why ? 0 : find(request, key);
    if (!value)
        return absent;
    struct cursor digits = {value + 1, value + 1 + strlen(value + 1), 0};
    uint64_t number = 0;
    if (*value != NUMBER || !read_integer(&digits, &number) || number < low || number > high) {
        request_fail(request, TEXT("the key `%` is not an integer within its limits; see PROTOCOL.md"), key);
        return absent;
    }
    return number;
}

uint64_t request_number(struct request *request, flash_text key, uint64_t low, uint64_t high) {
    uint64_t absent = UINT64_MAX; // no integer of a message
    uint64_t number = request_number_or(request, key, absent, low, high);
    if (number == absent)
        request_fail(request, TEXT("the key `%` is missing; send an integer"), key);
    return number;
}

struct bytes request_bytes(struct request *request, flash_text key) {
    static uint8_t none;
    struct bytes bytes = {&none, 0}; // no null pointer, which memcpy must not be given
    const char *digits = request_maybe_text(request, key);
    if (!digits)
        return bytes;
    size_t length = strlen(digits);
    for (size_t i = 0; i < length; i++)
        if (!is_digit(digits[i]) && !(digits[i] >= 'a' && digits[i] <= 'f'))
            length = 1; // as wrong as an odd number of digits
    if (length % 2 != 0) {
        request_fail(request, TEXT("the key `%` is not lower-case hex; send two digits a byte"), key);
        return bytes;
    }
    bytes.data = (uint8_t *)digits;
    bytes.length = length / 2;
    return bytes;
}

void bytes_decode(struct bytes *bytes) {
    for (size_t i = 0; i < bytes->length; i++)
        bytes->data[i] = (uint8_t)(hex_digit((char)bytes->data[2 * i]) << 4 | hex_digit((char)bytes->data[2 * i + 1]));
}
