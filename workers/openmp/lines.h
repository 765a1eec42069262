// Lines of standard input, of at most MAX_LINE bytes with their newline.
#ifndef LINES_H
#define LINES_H

#include "request.h"

struct lines {
    int file;
    char buffer[MAX_LINE]; // the limit: a line that does not fit is too long
    size_t begin, end;     // what was read and not handed out yet
    bool ended;
};

// Within the buffer, without its newline, until the next line is asked for.
struct line {
    const char *text;
    size_t length;
};

enum line_state { LINE_READ, LINE_TOO_LONG, LINE_END, LINE_FAILED };

// The next line that is not blank. One that is too long is read to its end and stored nowhere.
enum line_state lines_next(struct lines *lines, struct line *line);

#endif
