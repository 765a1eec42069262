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
    private record Left(Cell cell, long first, long last, Loop loop) {}

    /** The result of a sample; times in nanoseconds, and how many collections of garbage ended meanwhile. */
    record Sample(long ns, OptionalLong cpuNs, long first, long last, long collections) {}

    Sample sample(Cell cell, long warmupNs, long iterations) throws GeneralSecurityException {
        Loop loop = arm(cell);
        long first = cell.last() + 1;
        Times times = new Times();
        Layout.below(cell.stack(), () -> {
            cell.warmUp(loop, warmupNs);
            times.take(cell, loop, iterations);
        });
        left = new Left(cell, first, cell.last(), loop);
        return new Sample(times.ns, times.cpu, first, cell.last(), times.collections);
    }

    /** What the timed calls of a sample took. */
    private static final class Times {
        long ns;
        OptionalLong cpu;
        long collections;

        void take(Cell cell, Loop loop, long iterations) throws GeneralSecurityException {
            long collectionsBegin = collections();
            OptionalLong cpuBegin = Clock.cpu();
            long begin = System.nanoTime();
            cell.repeat(loop, iterations);
            long end = System.nanoTime();
            OptionalLong cpuEnd = Clock.cpu();
            collections = collections() - collectionsBegin;
            ns = end - begin;
            boolean known = cpuBegin.isPresent() && cpuEnd.isPresent();
            cpu = known ? OptionalLong.of(cpuEnd.getAsLong() - cpuBegin.getAsLong()) : OptionalLong.empty();
        }
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
        Loop loop = arm(cell);
        cell.warmUp(loop, warmupNs);
        long[] times = new long[count];
        for (int i = 0; i < count; i++) {
            long begin = System.nanoTime();
            cell.repeat(loop, 1);
            times[i] = System.nanoTime() - begin;
        }
        return times;
    }

    /** Sets up a cell's buffers; their former content is lost. */
    private Loop arm(Cell cell) throws GeneralSecurityException {
        left = null;
        return cell.arm(arena);
    }

    /** The SHA-256 of an iteration's output: of the buffers if it is the latest sample's, otherwise recomputed. */
    byte[] digest(Cell cell, long first, long iteration) throws GeneralSecurityException, Refusal {
        boolean there = left != null && left.cell == cell && left.first == first && left.last == iteration;
        // Not in the arena, where a sample's output may wait for its own digest.
        Loop.Output output = there ? left.loop.output() : anew(cell, cell.chains() ? first : iteration, iteration);
        MessageDigest hash = SeedStream.sha256();
        hash.update(output.array(), 0, output.bytes());
        return hash.digest();
    }

    private static Loop.Output anew(Cell cell, long first, long iteration) throws GeneralSecurityException, Refusal {
        if (first > iteration || iteration - first >= MOST_ANEW) {
            throw Refusal.error(
                    "%d to %d is not a range of 1 to %d iterations; send another first", first, iteration, MOST_ANEW);
        }
        return cell.anew(first, iteration);
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
