#include "reply.h"

#include "decimal.h"
#include "port.h"

static void put(char letter) {
    port_put((uint8_t)letter);
}

// A letter within a JSON string.
static void put_quoted(char letter) {
    if (letter == '"' || letter == '\\')
        put('\\');
    put((uint8_t)letter < ' ' ? ' ' : letter);
}

static void put_flash(flash_text text) {
    while (*text)
        put(*text++);
}

static void put_number(uint64_t number) {
    char digits[DECIMAL];
    for (const char *text = decimal(number, digits); *text; text++)
        put(*text);
}

static void begin_value(flash_text key) {
    put_flash(TEXT(",\""));
    put_flash(key);
    put_flash(TEXT("\":"));
}

void reply_is(flash_text kind) {
    put_flash(TEXT("{\"is\":\""));
    put_flash(kind);
    put('"');
}

void reply_text(flash_text key, const char *text) {
    begin_value(key);
    put('"');
    while (*text)
        put_quoted(*text++);
    put('"');
}

void reply_flash(flash_text key, flash_text text) {
    begin_value(key);
    put('"');
    while (*text)
        put_quoted(*text++);
    put('"');
}

void reply_number(flash_text key, uint64_t number) {
    begin_value(key);
    put_number(number);
}

void reply_null(flash_text key) {
    begin_value(key);
    put_flash(TEXT("null"));
}

void reply_hex(flash_text key, const uint8_t *bytes, size_t length) {
    begin_value(key);
    put('"');
    for (; length > 0; length--, bytes++) {
        uint8_t high = *bytes >> 4, low = *bytes & 15;
        put((char)(high < 10 ? '0' + high : 'a' - 10 + high));
        put((char)(low < 10 ? '0' + low : 'a' - 10 + low));
    }
    put('"');
}

void reply_numbers(flash_text key, const uint64_t *numbers, size_t count) {
    begin_value(key);
    put('[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            put(',');
        put_number(numbers[i]);
    }
    put(']');
}

void reply_end(void) {
    put_flash(TEXT("}\n"));
}

static void put_why(flash_text why, uint64_t number, flash_text word) {
    begin_value(TEXT("why"));
    put('"');
    for (; *why; why++) {
        if (*why != '%')
            put_quoted(*why);
        else if (word)
            put_flash(word);
        else
            put_number(number);
    }
    put('"');
}

void reply_why(flash_text why, uint64_t number) {
    put_why(why, number, 0);
}

void reply_error(flash_text why, uint64_t number) {
    reply_is(TEXT("error"));
    put_why(why, number, 0);
    reply_end();
}

void reply_error_word(flash_text why, flash_text word) {
    reply_is(TEXT("error"));
    put_why(why, 0, word);
    reply_end();
}

void reply_unsupported(flash_text why, uint64_t number) {
    reply_is(TEXT("unsupported"));
    put_why(why, number, 0);
    reply_end();
}
