package ciphermeter;

import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/** An answer under construction: one line, its keys in the order of PROTOCOL.md. */
final class Line {
    private static final int MOST_WHY = 2000; // characters, so that no message of a library makes a line too long

    private final StringBuilder text = new StringBuilder();

    static Line is(String kind) {
        Line line = new Line();
        line.text.append("{\"is\":\"").append(kind).append('"');
        return line;
    }

    /** The answer to a request that failed. */
    static byte[] failure(String why) {
        return refusal("error", why);
    }

    static byte[] refusal(String kind, String why) {
        return is(kind).text("why", why.length() > MOST_WHY ? why.substring(0, MOST_WHY) : why)
                .end();
    }

    private StringBuilder key(String key) {
        return text.append(",\"").append(key).append("\":");
    }

    Line text(String key, String value) {
        key(key).append('"');
        for (char c : value.toCharArray()) {
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
        return this;
    }

    Line number(String key, long value) {
        key(key).append(value);
        return this;
    }

    /** Null for a value that the system does not report. */
    Line maybe(String key, OptionalLong value) {
        if (value.isPresent()) {
            return number(key, value.getAsLong());
        }
        key(key).append("null");
        return this;
    }

    Line numbers(String key, long[] values) {
        key(key).append('[');
        for (int i = 0; i < values.length; i++) {
            text.append(i == 0 ? "" : ",").append(values[i]);
        }
        text.append(']');
        return this;
    }

    byte[] end() {
        return bytes(text());
    }

    /** The complete line. */
    String text() {
        return text + "}\n";
    }

    static byte[] bytes(String lines) {
        return lines.getBytes(StandardCharsets.UTF_8);
    }
}
