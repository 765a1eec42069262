package ciphermeter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The values were computed with Python's hashlib. */
class SeedStreamTest {
    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void severalPeriods() {
        byte[] sum = SeedStream.sha256().digest(SeedStream.bytes("message", 42, 20_000));
        assertEquals("b14b5f3cf010961ff61170a66b4c07a16c4e254254c2e4df4c70816faccadcbb", hex(sum));
    }

    @Test
    void largestSeed() {
        assertEquals("9f02d2b5432b7d09959cf46746f1d135", hex(SeedStream.bytes("key", Json.MOST, 16)));
    }

    @Test
    void nothing() {
        assertEquals(0, SeedStream.bytes("aad", 1, 0).length);
    }
}
