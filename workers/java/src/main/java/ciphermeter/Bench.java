package ciphermeter;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.List;
import java.util.OptionalLong;

/** The timed requests, and the digests of their outputs. Its state is the arena and the cell whose output is in it. */
final class Bench {
    private static final long MOST_ANEW = 1L << 24; // iterations of a digest

    private static final List<GarbageCollectorMXBean> COLLECTORS = ManagementFactory.getGarbageCollectorMXBeans();

    private final Arena arena = Arena.lasting();
    private Left left; // null when there is none any more

    /** The latest sample's output in the buffers. */
    private record Left(Cell cell, long first, long last, Call call) {}

    /** The result of a sample; times in nanoseconds, and how many collections of garbage ended meanwhile. */
    record Sample(long ns, OptionalLong cpuNs, long first, long last, long collections) {}

    Sample sample(Cell cell, long warmupNs, long iterations) throws GeneralSecurityException {
        Call call = arm(cell);
        long first = cell.last() + 1;
        cell.warmUp(call, warmupNs);

        long collectionsBegin = collections();
        OptionalLong cpuBegin = Clock.cpu();
        long begin = System.nanoTime();
        cell.repeat(call, iterations);
        long end = System.nanoTime();
        OptionalLong cpuEnd = Clock.cpu();
        long collections = collections() - collectionsBegin;

        left = new Left(cell, first, cell.last(), call);
        boolean known = cpuBegin.isPresent() && cpuEnd.isPresent();
        OptionalLong cpu = known ? OptionalLong.of(cpuEnd.getAsLong() - cpuBegin.getAsLong()) : OptionalLong.empty();
        return new Sample(end - begin, cpu, first, cell.last(), collections);
    }

    /** How many collections all collectors have ended so far. */
    private static long collections() {
        long count = 0;
        for (GarbageCollectorMXBean collector : COLLECTORS) {
            count += Math.max(collector.getCollectionCount(), 0); // -1 where it does not say
        }
        return count;
    }

    /** Single calls, each between two readings of the clock, in nanoseconds. */
    long[] latency(Cell cell, long warmupNs, int count) throws GeneralSecurityException {
        Call call = arm(cell);
        cell.warmUp(call, warmupNs);
        long[] times = new long[count];
        for (int i = 0; i < count; i++) {
            long begin = System.nanoTime();
            cell.repeat(call, 1);
            times[i] = System.nanoTime() - begin;
        }
        return times;
    }

    /** Sets up a cell's buffers; their former content is lost. */
    private Call arm(Cell cell) throws GeneralSecurityException {
        left = null;
        return cell.arm(arena);
    }

    /** The SHA-256 of an iteration's output: of the buffers if it is the latest sample's, otherwise recomputed. */
    byte[] digest(Cell cell, long first, long iteration) throws GeneralSecurityException, Refusal {
        boolean there = left != null && left.cell == cell && left.first == first && left.last == iteration;
        // Not in the arena, where a sample's output may wait for its own digest.
        Call call = there ? left.call : anew(cell, Arena.scratch(), cell.chains() ? first : iteration, iteration);
        MessageDigest hash = SeedStream.sha256();
        Call.Output output = call.output();
        hash.update(output.array(), 0, output.bytes());
        return hash.digest();
    }

    private static Call anew(Cell cell, Arena scratch, long first, long iteration)
            throws GeneralSecurityException, Refusal {
        if (first > iteration || iteration - first >= MOST_ANEW) {
            throw Refusal.error(
                    "%d to %d is not a range of 1 to %d iterations; send another first", first, iteration, MOST_ANEW);
        }
        Call call = cell.arm(scratch);
        call.repeat(first, iteration - first + 1);
        return call;
    }

    /** Forgets a released cell's output. */
    void forget(Cell cell) {
        if (left != null && left.cell == cell) {
            left = null;
        }
    }

    /** Frees the memory of large cells, once there are none. */
    void shrink() {
        arena.shrink();
    }

    /** Frees everything after the heap ran out. */
    void drop() {
        left = null;
        arena.free();
    }
}
