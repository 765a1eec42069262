package ciphermeter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AlgorithmTest {
    private static final Path TABLE = Path.of("../../conformance/algorithms.json");

    /** The sizes are those of the one table, which has a line for each algorithm. */
    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void sizesAreThoseOfTheTable(Algorithm algorithm) throws IOException {
        Matcher row = Pattern.compile(
                        "\"algorithm\":\"" + algorithm.id() + "\".*\"key\":(\\d+),\"nonce\":(\\d+),\"tag\":(\\d+)")
                .matcher(Files.readString(TABLE));
        assertTrue(row.find(), algorithm.id());
        assertEquals(algorithm.key, Integer.parseInt(row.group(1)));
        assertEquals(algorithm.nonce, Integer.parseInt(row.group(2)));
        assertEquals(algorithm.aead ? 16 : 0, Integer.parseInt(row.group(3)));
    }
}
