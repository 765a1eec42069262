package ciphermeter;

import static ciphermeter.WorkerTest.ask;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RotationTest {
    private static final String CELL =
            "{\"do\":\"prepare\",\"cell\":1,%s,\"message\":%d,\"aad\":13,\"seed\":42,\"texts\":%d,\"keys\":%d}";
    private static final String SAMPLE = "{\"do\":\"sample\",\"cell\":1,\"warmup_ns\":%d,\"iterations\":%d}";
    private static final String DIGEST = "{\"do\":\"digest\",\"cell\":1,\"first\":%d,\"iteration\":%d}";

    private static final WorkerTest.Ask CTR =
            new WorkerTest.Ask("sunjce", Algorithm.AES_256_CTR, "encrypt", Form.IN_PLACE);

    @AfterEach
    void releasesCells() {
        WorkerTest.releaseAll();
    }

    /** One AEAD and one cipher without a tag of each library; the conformance suite tries all. */
    static Stream<WorkerTest.Ask> some() throws Library.Absent {
        Set<Algorithm> some = Set.of(Algorithm.AES_256_GCM, Algorithm.AES_256_CBC);
        return WorkerTest.all().filter(way -> some.contains(way.algorithm()));
    }

    @ParameterizedTest
    @MethodSource("some")
    void leftIsWhatIsMadeAnew(WorkerTest.Ask way) throws Refusal {
        boolean opens = way.algorithm().operations().indexOf(way.operation()) == 1;
        for (Rotation rotation : List.of(
                new Rotation(2, 1), new Rotation(1, 2), new Rotation(4, 2), new Rotation(7, 7), new Rotation(3, 2))) {
            int round = rotation.round();
            if (opens && rotation.texts() % rotation.keys() != 0) {
                ask("unsupported", CELL, way.keys(), 100, rotation.texts(), rotation.keys());
                continue;
            }
            ask("ready", CELL, way.keys(), 100, rotation.texts(), rotation.keys());
            ask("sample", SAMPLE, 0, 2);
            Request sample = ask("sample", SAMPLE, 1, 5);
            long first = sample.number("first", 3, 3);
            long last = sample.number("last", round + 7, Json.MOST);
            String left = ask("digest", DIGEST, first, last).text("sha256");
            ask("latency", "{\"do\":\"latency\",\"cell\":1,\"count\":2}");
            assertEquals(ask("digest", DIGEST, first, last).text("sha256"), left, rotation.toString());
            ask("released", "{\"do\":\"release\",\"cell\":1}");
        }
    }

    @Test
    void iterationsGoRoundTextsAndKeys() throws Exception {
        ask("ready", CELL, CTR.keys(), 65, 3, 2);
        ask("sample", SAMPLE, 0, 8).number("last", 8, 8);
        byte[] text = SeedStream.bytes("message", 42, 65);
        for (long i : new long[] {2, 5, 8}) {
            byte[] key = SeedStream.bytes(i % 2 == 1 ? "key 1" : "key", 42, 32);
            byte[] nonce = ByteBuffer.allocate(16).putLong(i).array();
            Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding");
            cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), new IvParameterSpec(nonce));
            text = cipher.doFinal(text);
        }
        String want = HexFormat.of().formatHex(SeedStream.sha256().digest(text));
        assertEquals(want, ask("digest", DIGEST, 1, 8).text("sha256"));
    }

    @ParameterizedTest
    @CsvSource({
        "error,0,1",
        "error,1048577,1",
        "error,1,0",
        "error,1,65537",
        "unsupported,1048576,1", // more than the heap of these tests
        "ready,300,100",
    })
    void limits(String kind, int texts, int keys) throws Refusal {
        ask(kind, CELL, CTR.keys(), 1000, texts, keys);
    }

    @Test
    void chanceOrdersEachNumberOnce() {
        int[] order = Rotation.shuffled(1000);
        int[] numbers = IntStream.range(0, 1000).toArray();
        assertFalse(Arrays.equals(numbers, order));
        assertArrayEquals(numbers, IntStream.of(order).sorted().toArray());
    }
}
