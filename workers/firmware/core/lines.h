// Lines from the harness. One buffer, of MAX_LINE bytes, holds a line.
#ifndef LINES_H
#define LINES_H

#include <stddef.h>

enum line_state { LINE_READ, LINE_TOO_LONG, LINE_END };

struct line {
    char *text; // without its newline
    size_t length;
};

// Waits for the next line that is not blank. One that is too long is read to its end and thrown away.
enum line_state lines_next(struct line *line);

#endif
