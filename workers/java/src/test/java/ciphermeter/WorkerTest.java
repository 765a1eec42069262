package ciphermeter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class WorkerTest {
    /** Its libraries are rehearsed with two calls: RehearsalTest has a worker that takes its time. */
    private static final Worker WORKER = new Worker(List.of(), new Rehearsal(1, 0));

    /** A provider's algorithm, one of its operations, one of its forms. */
    record Ask(String provider, Algorithm algorithm, String operation, Form form) {
        String keys() {
            return String.format(
                    "\"provider\":\"%s\",\"algorithm\":\"%s\",\"operation\":\"%s\",\"form\":\"%s\"",
                    provider, algorithm.id(), operation, form.id());
        }
    }

    /** A test that failed on the way leaves its cell, which would fail the next ones. */
    @AfterEach
    void releasesCells() {
        releaseAll();
    }

    static void releaseAll() {
        for (int cell = 1; cell <= 3; cell++) {
            WORKER.answer(
                    String.format("{\"do\":\"release\",\"cell\":%d}", cell).getBytes(StandardCharsets.UTF_8));
        }
    }

    static Stream<Ask> all() throws Library.Absent {
        List<Ask> all = new ArrayList<>();
        for (String name : Library.known()) {
            for (Offer offer : Library.load(name).offers()) {
                for (String operation : offer.algorithm().operations()) {
                    for (Form form : Form.values()) {
                        all.add(new Ask(name, offer.algorithm(), operation, form));
                    }
                }
            }
        }
        return all.stream();
    }

    static Request ask(String kind, String format, Object... values) throws Refusal {
        return ask(WORKER, kind, format, values);
    }

    private static Request ask(Worker worker, String kind, String format, Object... values) throws Refusal {
        String text = String.format(format, values);
        byte[] answer = worker.answer(text.getBytes(StandardCharsets.UTF_8));
        Request request = Request.read(answer);
        assertEquals(
                kind, request.text("is"), () -> text + " was answered " + new String(answer, StandardCharsets.UTF_8));
        return request;
    }

    private static void prepare(Ask ask, int message) throws Refusal {
        prepare(WORKER, ask, message);
    }

    private static void prepare(Worker worker, Ask ask, int message) throws Refusal {
        ask(
                worker,
                "ready",
                "{\"do\":\"prepare\",\"cell\":1,%s,\"message\":%d,\"aad\":13,\"seed\":42,\"offset\":192}",
                ask.keys(),
                message);
    }

    /** The output that samples leave has the same digest as recomputed output, chains included. */
    @ParameterizedTest
    @MethodSource("all")
    void leftIsWhatIsMadeAnew(Ask ask) throws Refusal {
        leftIsWhatIsMadeAnew(WORKER, ask);
    }

    static void leftIsWhatIsMadeAnew(Worker worker, Ask ask) throws Refusal {
        for (int message : new int[] {0, 1, 15, 16, 17, 255, 1000}) {
            prepare(worker, ask, message);
            ask(worker, "sample", "{\"do\":\"sample\",\"cell\":1,\"iterations\":2}");
            Request sample =
                    ask(worker, "sample", "{\"do\":\"sample\",\"cell\":1,\"warmup_ns\":5000,\"iterations\":3}");
            String digest = String.format(
                    "{\"do\":\"digest\",\"cell\":1,\"first\":%d,\"iteration\":%d}",
                    sample.number("first", 3, 3), sample.number("last", 6, Json.MOST));
            ask(worker, "digest", "{\"do\":\"digest\",\"cell\":1,\"iteration\":0}"); // leaves what was left alone
            String left = ask(worker, "digest", digest).text("sha256");
            ask(worker, "latency", "{\"do\":\"latency\",\"cell\":1,\"count\":2}");
            assertEquals(ask(worker, "digest", digest).text("sha256"), left, message + " bytes");
            ask(worker, "released", "{\"do\":\"release\",\"cell\":1}");
        }
    }

    /** A call that did nothing must be detected, though an earlier one did the same work. */
    @ParameterizedTest
    @MethodSource("all")
    void skippedCallsShow(Ask ask) throws Exception {
        Offer offer = Library.load(ask.provider()).offers().stream()
                .filter(known -> known.algorithm() == ask.algorithm())
                .findFirst()
                .orElseThrow();
        boolean opens = ask.operation().equals("open") || ask.operation().equals("decrypt");
        Worker.Way way = new Worker.Way(offer, opens, ask.form());
        Arena arena = Arena.scratch();
        Loop done = arm(way, arena);
        done.repeat(1, 1);
        String want = hash(done.output());
        assertNotEquals(want, hash(arm(way, arena).output()));
        Loop again = arm(way, arena);
        again.repeat(1, 1);
        assertEquals(want, hash(again.output()));
    }

    private static Loop arm(Worker.Way way, Arena arena) throws Exception {
        return new Cell(way, new Want(64, 13, 0, 42, 1, Rotation.NONE)).arm(arena);
    }

    private static String hash(Loop.Output output) {
        byte[] bytes = java.util.Arrays.copyOf(output.array(), output.bytes());
        return HexFormat.of().formatHex(SeedStream.sha256().digest(bytes));
    }

    @ParameterizedTest
    @MethodSource("all")
    void checkComesBackAndRejectsForgeries(Ask ask) throws Refusal {
        List<String> operations = ask.algorithm().operations();
        Ask seal = new Ask(ask.provider(), ask.algorithm(), operations.get(0), ask.form());
        Ask open = new Ask(ask.provider(), ask.algorithm(), operations.get(1), ask.form());
        String key = HexFormat.of().formatHex(SeedStream.bytes("key", 1, ask.algorithm().key));
        String nonce = HexFormat.of().formatHex(SeedStream.bytes("nonce", 1, ask.algorithm().nonce));
        String text = "{\"do\":\"check\",%s,\"key\":\"%s\",\"nonce\":\"%s\",\"aad\":\"0a\",\"input\":\"%s\"}";

        String sealed = ask("output", text, seal.keys(), key, nonce, "00112233").text("output");
        assertEquals(
                "00112233", ask("output", text, open.keys(), key, nonce, sealed).text("output"));
        ask("unsupported", text, ask.keys(), key.substring(2), nonce, "00");
        ask("unsupported", text, ask.keys(), key, "", "00");
        ask("error", text, ask.keys(), key, nonce, "00".repeat(16 * 1024 + 1));
        if (ask.algorithm().aead) {
            String forged = (sealed.charAt(0) == '0' ? "1" : "0") + sealed.substring(1);
            ask("rejected", text, open.keys(), key, nonce, forged);
            ask("rejected", text, open.keys(), key, nonce, "");
        }
        if (ask.algorithm().aead || ask.algorithm() == Algorithm.AES_256_CBC) {
            ask("rejected", text, open.keys(), key, nonce, sealed.substring(0, 30));
        }
    }

    static final Ask GCM = new Ask("sunjce", Algorithm.AES_256_GCM, "seal", Form.INTO);

    @Test
    void latencyCountsOn() throws Refusal {
        prepare(GCM, 64);
        ask("latency", "{\"do\":\"latency\",\"cell\":1,\"count\":2,\"warmup_ns\":0}");
        ask("sample", "{\"do\":\"sample\",\"cell\":1,\"iterations\":1}").number("first", 3, 3);
        ask("latency", "{\"do\":\"latency\",\"cell\":1,\"count\":2,\"warmup_ns\":1000000}");
        ask("sample", "{\"do\":\"sample\",\"cell\":1,\"iterations\":1}").number("first", 7, Json.MOST);
        ask("released", "{\"do\":\"release\",\"cell\":1}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0001',
            value = {
                "error|{\"do\":\"fly\"}",
                "error|{}",
                "error|nonsense",
                "error|{\"do\":\"sample\",\"cell\":9,\"iterations\":1}",
                "error|{\"do\":\"digest\",\"cell\":9}",
                "error|{\"do\":\"release\",\"cell\":4294967296}",
                "error|{\"do\":\"memory\",\"reset\":2}",
                "error|CELL,\"offset\":100}",
                "error|CELL,\"message\":1073741825}",
                "error|CELL,\"threads\":0}",
                "unsupported|CELL,\"threads\":2}",
                "unsupported|CELL,\"threads\":9007199254740991}",
                "unsupported|CELL,\"algorithm\":\"aes-256-siv\"}",
                "unsupported|CELL,\"provider\":\"other\"}",
                "unsupported|CELL,\"operation\":\"encrypt\"}",
                "unsupported|CELL,\"operation\":\"key-setup\"}",
                "unsupported|CELL,\"form\":\"sideways\"}",
            })
    void refusals(String kind, String text) throws Refusal {
        String cell = "{\"do\":\"prepare\",\"cell\":2," + GCM.keys() + ",\"message\":16,\"seed\":1";
        ask(kind, "%s", text.replace("CELL", cell));
        ask("ready", "%s}", cell);
        ask("error", "%s}", cell);
        ask("released", "{\"do\":\"release\",\"cell\":2}");
    }

    @Test
    void memoryCountsFromItsReset() throws Refusal {
        ask("memory", "{\"do\":\"memory\",\"reset\":1}");
        prepare(new Ask("sunjce", Algorithm.AES_256_GCM, "seal", Form.FRESH), 1000);
        ask("sample", "{\"do\":\"sample\",\"cell\":1,\"iterations\":1000}");
        Request memory = ask("memory", "{\"do\":\"memory\"}");
        assertTrue(memory.number("allocated", 0, Json.MOST) > 1_000_000);
        assertTrue(memory.number("peak_heap", 0, Json.MOST) >= memory.number("heap", 0, Json.MOST));
        ask("released", "{\"do\":\"release\",\"cell\":1}");
    }

    @Test
    void whatDoesNotFitTheHeapIsUnsupported() throws Refusal {
        String why = ask(
                        "unsupported",
                        "{\"do\":\"prepare\",\"cell\":3,%s,\"message\":1073741824,\"seed\":1}",
                        GCM.keys())
                .text("why");
        assertTrue(why.contains("-Xmx"), why);
    }

    @Test
    void anUnknownProviderIsAbsent() throws Refusal {
        String list = new String(
                new Worker(List.of("nobody")).answer("{\"do\":\"describe\"}".getBytes(StandardCharsets.UTF_8)),
                StandardCharsets.UTF_8);
        assertTrue(list.contains("\"absent\",\"provider\":\"nobody\""), list);
    }

    @Test
    void compilationShows() throws Refusal {
        long before = mark();
        long after = before;
        long end = System.nanoTime() + 60_000_000_000L;
        // Code that nothing else here runs. The compiler runs beside it, and finishes some time later.
        for (int i = 1; after == before && System.nanoTime() < end; i++) {
            new BigInteger(200, new Random(i)).pow(20).toString(7);
            if (i % 500 == 0) {
                after = mark();
            }
        }
        assertNotEquals(before, after);
    }

    private static long mark() throws Refusal {
        return ask("compilation", "{\"do\":\"compilation\"}").number("mark", 0, Json.MOST);
    }
}
