package ciphermeter;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads one flat JSON object as PROTOCOL.md defines it: strings, integers from 0 to 2^53-1, null and arrays of such
 * integers; no nesting, floats or booleans. It never recurses, and stores no more than the line's content.
 */
final class Json {
    /** The largest integer that every JSON reader represents exactly. */
    static final long MOST = (1L << 53) - 1;

    private static final int MOST_KEYS = 64;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /**
     * Reads a line. Values are String, Long or long[]. Of a repeated key the last value counts; null is absent.
     *
     * @throws Refusal an error, if the line is anything else
     */
    static Map<String, Object> read(byte[] line) throws Refusal {
        try {
            // A new decoder refuses invalid UTF-8, where String's constructor would replace it.
            return new Json(StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(line))
                            .toString())
                    .object();
        } catch (CharacterCodingException e) {
            throw Refusal.error("the line is not UTF-8; send one flat JSON object a line");
        }
    }

    private Map<String, Object> object() throws Refusal {
        Map<String, Object> values = new HashMap<>();
        int keys = 0;
        expect('{');
        if (!takes('}')) {
            do {
                if (++keys > MOST_KEYS) {
                    throw Refusal.error("an object of more than %d keys; send fewer", MOST_KEYS);
                }
                String key = string();
                expect(':');
                Object value = value(key);
                if (value == null) {
                    values.remove(key);
                } else {
                    values.put(key, value);
                }
            } while (takes(','));
            expect('}');
        }
        skipSpace();
        if (at < text.length()) {
            throw wrong("the end of the line");
        }
        return values;
    }

    private Object value(String key) throws Refusal {
        skipSpace();
        switch (peek()) {
            case '"':
                return string();
            case '[':
                return array(key);
            case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
                return number(key);
            default:
                if (text.startsWith("null", at)) {
                    at += 4;
                    return null;
                }
                throw Refusal.error(
                        "key \"%.40s\": neither string, integer from 0 to 2^53-1, null nor array of integers", key);
        }
    }

    private long[] array(String key) throws Refusal {
        long[] numbers = new long[16];
        int count = 0;
        expect('[');
        if (!takes(']')) {
            do {
                if (count == numbers.length) {
                    numbers = Arrays.copyOf(numbers, 2 * count);
                }
                numbers[count++] = number(key);
            } while (takes(','));
            expect(']');
        }
        return Arrays.copyOf(numbers, count);
    }

    private long number(String key) throws Refusal {
        skipSpace();
        int begin = at;
        long number = 0;
        for (; digit(peek()) && number <= MOST; at++) {
            number = 10 * number + (peek() - '0');
        }
        boolean leadingZero = at - begin > 1 && text.charAt(begin) == '0';
        if (at == begin || leadingZero || number > MOST || ".eE".indexOf(peek()) >= 0) {
            throw Refusal.error("key \"%.40s\": no integer from 0 to 2^53-1; send one", key);
        }
        return number;
    }

    private String string() throws Refusal {
        expect('"');
        StringBuilder read = new StringBuilder();
        while (peek() != '"') {
            char c = peek();
            if (c < ' ') {
                throw wrong("a string without control characters");
            }
            at++;
            read.append(c == '\\' ? escaped() : c);
        }
        at++;
        return read.toString();
    }

    private char escaped() throws Refusal {
        char c = peek();
        at++;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> hexadecimal();
            default -> throw wrong("an escape of JSON");
        };
    }

    private char hexadecimal() throws Refusal {
        int value = 0;
        for (int end = at + 4; at < end; at++) {
            int digit = Character.digit(peek(), 16);
            if (digit < 0 || peek() > 'f') { // Character.digit takes full-width digits, too
                throw wrong("four hexadecimal digits");
            }
            value = 16 * value + digit;
        }
        return (char) value;
    }

    private static boolean digit(char c) {
        return c >= '0' && c <= '9';
    }

    /** The next character; 0, which no JSON contains unescaped, at the end. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    private void skipSpace() {
        while (peek() != 0 && " \t\r\n".indexOf(peek()) >= 0) {
            at++;
        }
    }

    private boolean takes(char c) {
        skipSpace();
        if (peek() != c) {
            return false;
        }
        at++;
        return true;
    }

    private void expect(char c) throws Refusal {
        if (!takes(c)) {
            throw wrong("'" + c + "'");
        }
    }

    private Refusal wrong(String expected) {
        return Refusal.error(
                "the line is no flat JSON object: expected %s at character %d; send one a line", expected, at);
    }
}
