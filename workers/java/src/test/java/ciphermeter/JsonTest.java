package ciphermeter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    private static Request read(String text) throws Refusal {
        return Request.read(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "7",
                "null",
                "{\"a\":1}{\"b\":2}",
                "{\"a\":1,}",
                "{\"a\" 1}",
                "{a:1}",
                "{,}",
                "{\"a\":1.0}",
                "{\"a\":1e3}",
                "{\"a\":-1}",
                "{\"a\":-0}",
                "{\"a\":01}",
                "{\"a\":9007199254740992}",
                "{\"a\":true}",
                "{\"a\":{}}",
                "{\"a\":{\"b\":1}}",
                "{\"a\":[[1]]}",
                "{\"a\":[\"b\"]}",
                "{\"a\":[null]}",
                "{\"a\":[1.5]}",
                "{\"a\":[1,]}",
                "{\"a\":\"\u00ff\"}",
                "{\"a\":\"\n\"}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12g4\"}",
                "{\"a\":\"\\u12",
                "{\"a\":\"",
                "{\"a\":[99999999999999999999999]}",
                "{\"a\":nullx}",
                "\u0000",
                "\u00ef\u00bb\u00bf{}",
                "{\"a\":1}\u0000",
            })
    void refuses(String text) {
        assertThrows(Refusal.class, () -> read(text));
    }

    @Test
    void takes() throws Refusal {
        Request request = read(
                " {\"a\":1,\"a\":\"caf\\u00e9\",\"n\":5,\"n\":null,\"max\":9007199254740991,\"l\":[1, 2], \"e\":[]}\r\n");
        assertEquals("caf\u00e9", request.text("a"), "of a repeated key the last value counts");
        assertEquals(9, request.numberOr("n", 9, 0, 10), "null is absent");
        assertEquals(Json.MOST, request.number("max", 0, Json.MOST));
        assertArrayEquals(new long[] {1, 2}, (long[])
                Json.read("{\"l\":[1, 2]}".getBytes(StandardCharsets.UTF_8)).get("l"));
    }

    @Test
    void takesSixtyFourKeysAndNoMore() throws Refusal {
        read(object(64));
        assertThrows(Refusal.class, () -> read(object(65)));
    }

    private static String object(int keys) {
        return IntStream.range(0, keys).mapToObj(i -> "\"" + i + "\":1").collect(Collectors.joining(",", "{", "}"));
    }

    @Test
    void gettersHoldToTheirLimits() throws Refusal {
        Request request = read("{\"n\":7,\"s\":\"x\",\"upper\":\"AB\",\"odd\":\"abc\",\"hex\":\"00ff\"}");
        assertThrows(Refusal.class, () -> request.text("none"));
        assertThrows(Refusal.class, () -> request.text("n"));
        assertThrows(Refusal.class, () -> request.number("none", 0, 9));
        assertThrows(Refusal.class, () -> request.number("s", 0, 9));
        assertThrows(Refusal.class, () -> request.number("n", 0, 6));
        assertThrows(Refusal.class, () -> request.numberOr("n", 1, 8, 9));
        assertThrows(Refusal.class, () -> request.bytes("upper"));
        assertThrows(Refusal.class, () -> request.bytes("odd"));
        assertArrayEquals(new byte[] {0, -1}, request.bytes("hex"));
    }

    @Test
    void whatIsWrittenCanBeRead() throws Refusal {
        String odd = "\"\\\n\u0000\u00e9 \ud83d\ude00";
        assertEquals(odd, Request.read(Line.is("x").text("why", odd).end()).text("why"));
    }
}
