package ciphermeter;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** The lines of a stream, in one buffer whose size is the limit: a line that does not fit is skipped. */
final class Lines {
    /** The longest line in bytes, the newline included, both ways. */
    static final int MOST = 65_536;

    private final InputStream in;
    private final byte[] buffer = new byte[MOST];
    private int from; // where the line begins
    private int to; // and ends, its newline included
    private int filled;
    private boolean tooLong;

    Lines(InputStream in) {
        this.in = in;
    }

    /** Moves to the next line, which may also end at the end of input; false if there is none. */
    boolean next() throws IOException {
        from = to;
        tooLong = false;
        for (int seen = from; ; ) {
            for (; seen < filled; seen++) {
                if (buffer[seen] == '\n') {
                    to = seen + 1;
                    return true;
                }
            }
            if (filled == buffer.length) {
                if (from == 0) {
                    tooLong = true;
                    filled = 0;
                } else {
                    System.arraycopy(buffer, from, buffer, 0, filled - from);
                    filled -= from;
                }
                from = 0;
                seen = filled;
            }
            int count = in.read(buffer, filled, buffer.length - filled);
            if (count < 0) {
                to = filled;
                return tooLong || to > from;
            }
            filled += count;
        }
    }

    /** Whether the line is longer than the limit; it has no text then. */
    boolean tooLong() {
        return tooLong;
    }

    boolean blank() {
        for (int i = from; i < to; i++) {
            if (" \t\r\n".indexOf(buffer[i]) < 0) {
                return false;
            }
        }
        return true;
    }

    byte[] text() {
        return Arrays.copyOfRange(buffer, from, to);
    }
}
