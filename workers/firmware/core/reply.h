// Answers: one flat JSON object each, written to the port as it is made, so that no buffer is needed.
#ifndef REPLY_H
#define REPLY_H

#include "text.h"

#include <stddef.h>
#include <stdint.h>

// Begins an answer; what follows adds a key each; reply_end ends it.
void reply_is(flash_text kind);
void reply_text(flash_text key, const char *text);
void reply_flash(flash_text key, flash_text text);
void reply_number(flash_text key, uint64_t number);
void reply_null(flash_text key);
void reply_hex(flash_text key, const uint8_t *bytes, size_t length);
void reply_numbers(flash_text key, const uint64_t *numbers, size_t count);
void reply_end(void);

// Whole answers: what failed, then what to do. A `%` in `why` stands for the number, or for the word.
void reply_error(flash_text why, uint64_t number);
void reply_error_word(flash_text why, flash_text word);
void reply_unsupported(flash_text why, uint64_t number);

// The key `why` with a number in it.
void reply_why(flash_text why, uint64_t number);

#endif
