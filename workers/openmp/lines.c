// One buffer, allocated before anything is read, holds a line.
#include "lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// Reads more behind what is there; false: an error.
static bool read_more(struct lines *lines) {
    if (lines->begin > 0) {
        memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
        lines->end -= lines->begin;
        lines->begin = 0;
    }
    ssize_t got;
    do
        got = read(lines->file, lines->buffer + lines->end, sizeof lines->buffer - lines->end);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return false;
    lines->ended = got == 0;
    lines->end += (size_t)got;
    return true;
}

static bool is_blank(const struct line *line) {
    size_t blanks = 0;
    while (blanks < line->length && strchr(" \t\r", line->text[blanks]) && line->text[blanks] != 0)
        blanks++;
    return blanks == line->length;
}

// Hands out the bytes up to `length` behind the last line, and skips the newline if there is one.
static struct line take(struct lines *lines, size_t length, bool newline) {
    struct line line = {lines->buffer + lines->begin, length};
    lines->begin += length + newline;
    return line;
}

enum line_state lines_next(struct lines *lines, struct line *line) {
    bool too_long = false;
    for (;;) {
        size_t there = lines->end - lines->begin;
        const char *newline = there > 0 ? memchr(lines->buffer + lines->begin, '\n', there) : NULL;
        if (newline || lines->ended) {
            // The last line may lack its newline; its length counts like any other's.
            too_long |= !newline && there == sizeof lines->buffer;
            *line = take(lines, newline ? (size_t)(newline - lines->buffer) - lines->begin : there, newline != NULL);
            if (too_long)
                return LINE_TOO_LONG;
            if (!is_blank(line))
                return LINE_READ;
            if (!newline)
                return LINE_END;
            continue;
        }
        if (there == sizeof lines->buffer) {
            too_long = true;
            lines->begin = lines->end = 0;
        }
        if (!read_more(lines))
            return LINE_FAILED;
    }
}
