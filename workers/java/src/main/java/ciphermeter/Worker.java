package ciphermeter;

import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Requests and answers. Its state is the loaded libraries, the prepared cells and the bench. */
final class Worker {
    private static final int MOST_CELLS = 1 << 16;
    private static final long MOST_CELL = (1L << 32) - 1;
    private static final long MOST_MESSAGE = 1L << 30;
    private static final long MOST_AAD = 1L << 20;

    private final Map<String, Library> libraries = new TreeMap<>();
    private final Map<String, String> absent = new TreeMap<>();
    private final Map<Long, Cell> cells = new HashMap<>();
    private final Bench bench = new Bench();
    private final Rehearsal rehearsal;
    private final Memory memory = new Memory();

    /** Loads these libraries and no others, or all if none is named. */
    Worker(List<String> providers) {
        this(providers, new Rehearsal());
    }

    Worker(List<String> providers, Rehearsal rehearsal) {
        this.rehearsal = rehearsal;
        for (String name : providers.isEmpty() ? Library.known() : providers) {
            try {
                libraries.put(name, Library.load(name));
            } catch (Library.Absent e) {
                absent.put(name, e.getMessage());
            }
        }
    }

    /** The answer to one line, newline included. An exception of a library is an error like any other. */
    byte[] answer(byte[] line) {
        try {
            return handle(Request.read(line));
        } catch (Refusal e) {
            return e.line();
        } catch (GeneralSecurityException e) {
            return Line.failure(
                    "the library failed: " + Library.reason(e) + "; release the cell and leave this offer out");
        } catch (OutOfMemoryError e) {
            bench.drop();
            return Line.failure(
                    "the Java heap ran out (" + e.getMessage() + "); " + moreHeap(2 * Memory.heapForArrays()));
        } catch (RuntimeException | Error e) {
            bench.drop();
            return Line.failure(
                    "the library threw " + Library.reason(e) + "; leave this offer out and report it there");
        }
    }

    private byte[] handle(Request request) throws Refusal, GeneralSecurityException {
        String what = request.text("do");
        return switch (what) {
            case "describe" -> describe();
            case "check" -> Check.answer(request, find(request));
            case "prepare" -> prepare(request);
            case "sample" -> sample(request);
            case "latency" -> latency(request);
            case "digest" -> digest(request);
            case "release" -> release(request);
            case "clock" -> clock();
            case "memory" -> memory(request);
            case "compilation" ->
                Line.is("compilation").maybe("mark", Hotspot.compilationMark()).end();
            default ->
                throw Refusal.error(
                        "\"%.40s\" is not a request of this worker; send describe, check, prepare, sample, latency,"
                                + " digest, release, clock, memory or compilation",
                        what);
        };
    }

    private byte[] describe() {
        StringBuilder list = new StringBuilder();
        String runtime = System.getProperty("java.vm.name") + " " + Runtime.version();
        Line worker =
                Line.is("worker").number("protocol", 1).text("worker", "java").text("runtime", runtime);
        worker.number("compiles", Hotspot.compiles() ? 1 : 0)
                .number("layouts", 1)
                .number("rotates", 1);
        list.append(worker.text());
        libraries.values().forEach(library -> library.offers()
                .forEach(offer -> list.append(line(library, offer).text())));
        absent.forEach((name, why) -> list.append(
                Line.is("absent").text("provider", name).text("why", why).text()));
        return Line.bytes(list.append(Line.is("end").text()).toString());
    }

    private static Line line(Library library, Offer offer) {
        Line line = Line.is("offer")
                .text("provider", library.name())
                .text("version", library.version())
                .text("algorithm", offer.algorithm().id())
                .text("operations", String.join(",", offer.algorithm().operations()))
                .text("forms", Form.all())
                .text("path", offer.path())
                .text("setup", "inside");
        if (library.file() != null) {
            line.text("library", library.file().toString()).text("sha256", library.sha256());
        }
        return line;
    }

    /** The offer that a request concerns, with operation and form. */
    record Way(Offer offer, boolean opens, Form form) {}

    private Way find(Request request) throws Refusal {
        String provider = request.text("provider");
        String name = request.text("algorithm");
        String operation = request.text("operation");
        String formName = request.textOr("form", Form.IN_PLACE.id());
        if (absent.containsKey(provider)) {
            throw Refusal.unsupported("%s is absent: %s", provider, absent.get(provider));
        }
        Library library = libraries.get(provider);
        List<Offer> offers = library == null ? List.of() : library.offers();
        for (Offer offer : offers) {
            if (offer.algorithm().id().equals(name)) {
                return way(offer, operation, formName);
            }
        }
        throw Refusal.unsupported(
                "no \"%.40s\" of provider \"%.40s\" here; describe lists what there is", name, provider);
    }

    private static Way way(Offer offer, String operation, String formName) throws Refusal {
        List<String> operations = offer.algorithm().operations();
        String name = offer.algorithm().id();
        if (!operations.contains(operation)) {
            throw Refusal.unsupported(
                    "%s has no operation \"%.40s\"; it has %s", name, operation, String.join(", ", operations));
        }
        for (Form form : Form.values()) {
            if (form.id().equals(formName)) {
                return new Way(offer, operations.indexOf(operation) == 1, form);
            }
        }
        throw Refusal.unsupported("%s has no form \"%.40s\"; it has %s", name, formName, Form.all());
    }

    private byte[] prepare(Request request) throws Refusal, GeneralSecurityException {
        long id = request.number("cell", 0, MOST_CELL);
        int message = (int) request.number("message", 0, MOST_MESSAGE);
        int aad = (int) request.numberOr("aad", 0, 0, MOST_AAD);
        long seed = request.number("seed", 0, Json.MOST);
        int offset = (int) request.numberOr("offset", 0, 0, Arena.PAGE - 1);
        long threads = request.numberOr("threads", 1, 1, Json.MOST);
        int instances = (int) request.numberOr("instances", 1, 1, Layout.MOST_INSTANCES);
        int texts = (int) request.numberOr("texts", 1, 1, Rotation.MOST_TEXTS);
        int keys = (int) request.numberOr("keys", 1, 1, Rotation.MOST_KEYS);
        if (offset % 64 != 0) {
            throw Refusal.error("the key \"offset\" is not a multiple of 64; send one");
        }
        if (cells.containsKey(id)) {
            throw Refusal.error("cell %d is prepared already; release it first or take another number", id);
        }
        if (cells.size() >= MOST_CELLS) {
            throw Refusal.error("%d cells are prepared; release some first", MOST_CELLS);
        }
        Way way = find(request);
        if (threads > 1) {
            throw Refusal.unsupported("%d threads; this worker measures one thread", threads);
        }
        if (way.opens() && texts % keys != 0) {
            throw Refusal.unsupported("%d texts to open under %d keys: each key has as many as any other", texts, keys);
        }
        Want want = new Want(message, aad, offset, seed, instances, new Rotation(texts, keys));
        refuseTooLarge(Cell.need(way, want));
        rehearsal.before(way, seed, want.rotation().rotates());
        cells.put(id, new Cell(way, want));
        return Line.is("ready").number("cell", id).end();
    }

    private static void refuseTooLarge(long need) throws Refusal {
        OptionalLong free = Memory.free();
        if (free.isPresent() && need > free.getAsLong() / 2) {
            throw Refusal.unsupported(
                    "this cell needs %d bytes, more than half of the free memory of %d bytes", need, free.getAsLong());
        }
        long heap = Memory.heapForArrays();
        if (need > heap) {
            throw Refusal.unsupported(
                    "this cell needs %d bytes of Java heap, which has room for %d; %s", need, heap, moreHeap(2 * need));
        }
    }

    private static String moreHeap(long bytes) {
        return "start the worker with JAVA_TOOL_OPTIONS=-Xmx" + (bytes / (1 << 20) + 1) + "m in its environment";
    }

    private Cell cell(long id) throws Refusal {
        Cell cell = cells.get(id);
        if (cell == null) {
            throw Refusal.error("cell %d is not prepared; send prepare first", id);
        }
        return cell;
    }

    private byte[] sample(Request request) throws Refusal, GeneralSecurityException {
        long id = request.number("cell", 0, MOST_CELL);
        long warmup = request.numberOr("warmup_ns", 0, 0, Json.MOST);
        long iterations = request.number("iterations", 1, (1L << 32) - 1);
        Cell cell = cell(id);
        Layout.read(request).ifPresent(cell::moveTo);
        Bench.Sample sample = bench.sample(cell, warmup, iterations);
        return Line.is("sample")
                .number("cell", id)
                .number("iterations", iterations)
                .number("ns", sample.ns())
                .maybe("cpu_ns", sample.cpuNs())
                .number("first", sample.first())
                .number("last", sample.last())
                .number("collections", sample.collections())
                .end();
    }

    private byte[] latency(Request request) throws Refusal, GeneralSecurityException {
        long id = request.number("cell", 0, MOST_CELL);
        int count = (int) request.number("count", 1, 4000);
        long warmup = request.numberOr("warmup_ns", 0, 0, Json.MOST);
        long[] times = bench.latency(cell(id), warmup, count);
        byte[] answer = Line.is("latency")
                .number("cell", id)
                .numbers("ns", times)
                .number("clock_ns", Clock.reading())
                .end();
        if (answer.length > Lines.MOST) {
            throw Refusal.error("the answer is longer than %d bytes; ask for a smaller count", Lines.MOST);
        }
        return answer;
    }

    private byte[] digest(Request request) throws Refusal, GeneralSecurityException {
        long id = request.number("cell", 0, MOST_CELL);
        long iteration = request.number("iteration", 0, Json.MOST);
        long first = request.numberOr("first", iteration, 0, Json.MOST);
        String sum = HexFormat.of().formatHex(bench.digest(cell(id), first, iteration));
        return Line.is("digest").number("cell", id).text("sha256", sum).end();
    }

    private byte[] release(Request request) throws Refusal {
        long id = request.number("cell", 0, MOST_CELL);
        bench.forget(cell(id));
        cells.remove(id);
        if (cells.isEmpty()) {
            bench.shrink();
        }
        return Line.is("released").number("cell", id).end();
    }

    private static byte[] clock() {
        return Line.is("clock")
                .number("step_ns", Clock.step())
                .number("call_ns", Clock.reading())
                .number("loop_ns", Clock.loop())
                .end();
    }

    private byte[] memory(Request request) throws Refusal {
        boolean reset = request.numberOr("reset", 0, 0, 1) == 1;
        byte[] report = memory.report();
        if (reset) {
            memory.reset();
        }
        return report;
    }
}
