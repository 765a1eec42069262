#include "lines.h"

#include "port.h"
#include "target.h"

#include <stdbool.h>

static char buffer[MAX_LINE - 1]; // the newline is not stored

enum line_state lines_next(struct line *line) {
    size_t length = 0;
    bool blank = true, too_long = false;
    for (;;) {
        int byte = port_get();
        if (byte == '\n' || byte < 0) {
            // The last line may lack its newline.
            if (too_long)
                return LINE_TOO_LONG;
            if (!blank) {
                line->text = buffer;
                line->length = length;
                return LINE_READ;
            }
            if (byte < 0)
                return LINE_END;
            length = 0;
            continue;
        }
        if (byte != ' ' && byte != '\t' && byte != '\r')
            blank = false;
        if (length < sizeof buffer)
            buffer[length++] = (char)byte;
        else if (byte != '\r') // the one before the newline may be one byte too many
            too_long = true;
    }
}
