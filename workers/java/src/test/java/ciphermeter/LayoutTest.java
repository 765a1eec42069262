package ciphermeter;

import static ciphermeter.WorkerTest.ask;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class LayoutTest {
    private static final String CELL =
            "{\"do\":\"prepare\",\"cell\":%d,%s,\"message\":255,\"aad\":13,\"seed\":42,\"offset\":192,\"instances\":%d}";
    private static final String DIGEST = "{\"do\":\"digest\",\"cell\":%d,\"first\":%d,\"iteration\":%d}";
    private static final String KEYS = "{\"do\":\"prepare\",\"cell\":1,%s,\"message\":64,\"seed\":1";

    private static final WorkerTest.Ask GCM =
            new WorkerTest.Ask("sunjce", Algorithm.AES_256_GCM, "seal", Form.IN_PLACE);

    @AfterEach
    void releasesCells() {
        WorkerTest.releaseAll();
    }

    @ParameterizedTest
    @MethodSource("ciphermeter.WorkerTest#all")
    void outputsAreTheSame(WorkerTest.Ask way) throws Refusal {
        ask("ready", CELL, 1, way.keys(), 3);
        ask("ready", CELL, 2, way.keys(), 1);
        long first = 1;
        for (Layout layout : List.of(
                new Layout(0, 0, 0, 0),
                new Layout(16, 64, 4080, 1),
                new Layout(1008, 4095, 16, 7),
                new Layout(496, 1, 2048, 2))) {
            ask(
                    "sample",
                    "{\"do\":\"sample\",\"cell\":1,\"iterations\":2,\"stack\":%d,\"offset\":%d,\"nonce\":%d,\"instance\":%d}",
                    layout.stack(),
                    layout.offset(),
                    layout.nonce(),
                    layout.instance());
            String left = ask("digest", DIGEST, 1, first, first + 1).text("sha256");
            assertEquals(ask("digest", DIGEST, 2, first, first + 1).text("sha256"), left, layout.toString());
            first += 2;
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "error|\"stack\":8,\"offset\":0,\"nonce\":0,\"instance\":0",
                "error|\"stack\":1024,\"offset\":0,\"nonce\":0,\"instance\":0",
                "error|\"stack\":0,\"offset\":4096,\"nonce\":0,\"instance\":0",
                "error|\"stack\":0,\"offset\":0,\"nonce\":8,\"instance\":0",
                "error|\"stack\":0,\"offset\":0,\"nonce\":4096,\"instance\":0",
                "error|\"stack\":0,\"offset\":0,\"nonce\":0,\"instance\":8",
                "error|\"stack\":0,\"nonce\":0,\"instance\":0",
                "error|\"offset\":0,\"nonce\":0,\"instance\":0",
                "error|\"stack\":0,\"offset\":0,\"nonce\":0",
                "sample|\"stack\":0,\"offset\":0,\"nonce\":0,\"instance\":7",
            })
    void positionsAreChecked(String kind, String layout) throws Refusal {
        ask("error", KEYS + ",\"instances\":9}", GCM.keys());
        ask("ready", KEYS + ",\"instances\":8}", GCM.keys());
        ask(kind, "{\"do\":\"sample\",\"cell\":1,\"iterations\":1,%s}", layout);
    }

    @Test
    void shortArraysAreElsewhere() {
        Arena arena = Arena.lasting();
        Set<byte[]> places = new HashSet<>(); // arrays are equal only to themselves
        for (int position = 0; position < Arena.PAGE; position += 64) {
            places.add(arena.aad(13, position));
        }
        assertEquals(8, places.size());
        assertEquals(arena.plain(1 << 20, 1, 0), arena.plain(1 << 20, 1, 4095));
    }

    @Test
    void theStackHasRoom() throws Exception {
        int[] runs = {0};
        for (int stack = 0; stack < 1024; stack += 16) {
            Layout.below(stack, () -> runs[0]++);
        }
        assertEquals(64, runs[0]);
    }
}
