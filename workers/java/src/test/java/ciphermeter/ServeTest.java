package ciphermeter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServeTest {
    /** Gives a byte or a few at a time, as a pipe may. */
    private static InputStream pieces(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)) {
            @Override
            public synchronized int read(byte[] to, int at, int most) {
                return super.read(to, at, Math.min(most, 1 + pos % 4099));
            }
        };
    }

    private static String kinds(String text) throws IOException, Refusal {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Main.serve(pieces(text), out, new Worker(List.of("sunjce")));
        StringBuilder kinds = new StringBuilder();
        for (String line : out.toString(StandardCharsets.UTF_8).lines().toList()) {
            kinds.append(Request.read(line.getBytes(StandardCharsets.UTF_8)).text("is"))
                    .append(' ');
        }
        return kinds.toString().trim();
    }

    @Test
    void linesUpToTheLimit() throws Exception {
        String fits = "{\"do\":\"memory\",\"x\":\"" + "x".repeat(Lines.MOST - 23) + "\"}\n";
        assertEquals(Lines.MOST, fits.length());
        String text = "\n \r\n" + fits + " " + fits + "y".repeat(3 * Lines.MOST) + "\n{\"do\":\"memory\"}";
        assertEquals("memory error error memory", kinds(text));
    }

    @Test
    void blankLinesGetNoAnswer() throws Exception {
        assertEquals("", kinds("\n\n \t\r\n"));
        assertEquals("", kinds(""));
    }

    @Test
    void describeIsAList() throws Exception {
        assertEquals("worker offer offer offer offer offer offer end", kinds("{\"do\":\"describe\"}\n"));
    }
}
