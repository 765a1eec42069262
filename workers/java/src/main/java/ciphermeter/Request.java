package ciphermeter;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;

/** A request's keys, read one by one and checked against their limits. */
final class Request {
    private final Map<String, Object> values;

    private Request(Map<String, Object> values) {
        this.values = values;
    }

    static Request read(byte[] line) throws Refusal {
        return new Request(Json.read(line));
    }

    /** Whether one of these keys is there. */
    boolean hasAny(String... keys) {
        return Arrays.stream(keys).anyMatch(values::containsKey);
    }

    /** A required string. */
    String text(String key) throws Refusal {
        String text = textOr(key, null);
        if (text == null) {
            throw Refusal.error("the key \"%s\" is missing; send it", key);
        }
        return text;
    }

    /** A string, or {@code fallback} where the key is absent. */
    String textOr(String key, String fallback) throws Refusal {
        Object value = values.get(key);
        if (value == null) {
            return fallback;
        }
        if (value instanceof String text) {
            return text;
        }
        throw Refusal.error("the key \"%s\" is not a string; send one", key);
    }

    /** A required integer from {@code low} to {@code high}. */
    long number(String key, long low, long high) throws Refusal {
        if (!values.containsKey(key)) {
            throw Refusal.error("the key \"%s\" is missing; send an integer from %d to %d", key, low, high);
        }
        return numberOr(key, low, low, high);
    }

    /** An integer from {@code low} to {@code high}, or {@code fallback} where the key is absent. */
    long numberOr(String key, long fallback, long low, long high) throws Refusal {
        Object value = values.get(key);
        if (value == null) {
            return fallback;
        }
        if (value instanceof Long number && number >= low && number <= high) {
            return number;
        }
        throw Refusal.error("the key \"%s\" is not an integer from %d to %d; send one", key, low, high);
    }

    /** The bytes of lower-case hex, none where the key is absent. */
    byte[] bytes(String key) throws Refusal {
        String text = textOr(key, "");
        try {
            byte[] bytes = HexFormat.of().parseHex(text);
            if (HexFormat.of().formatHex(bytes).equals(text)) {
                return bytes;
            }
        } catch (IllegalArgumentException e) {
            // no hex at all: the same answer as for upper case
        }
        throw Refusal.error("the key \"%s\" is not lower-case hex; send two digits a byte", key);
    }
}
