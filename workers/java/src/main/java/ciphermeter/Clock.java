package ciphermeter;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.OptionalLong;

/** Facts about the clock that times samples, System.nanoTime, and about CPU time; all in nanoseconds. */
final class Clock {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final boolean CPU = THREADS.isCurrentThreadCpuTimeSupported() && THREADS.isThreadCpuTimeEnabled();

    private Clock() {}

    /**
     * The CPU time of the measuring thread. The JVM reports that of the whole process only in ticks of 10 ms, which are
     * too coarse for a sample. The time that its other threads take on the same CPU is missing here, but included in
     * `ns`.
     */
    static OptionalLong cpu() {
        return CPU ? OptionalLong.of(THREADS.getCurrentThreadCpuTime()) : OptionalLong.empty();
    }

    /** The smallest step other than 0 between two readings, out of 10,000 steps or a tenth of a second. */
    static long step() {
        long step = Long.MAX_VALUE;
        long begin = System.nanoTime();
        long last = begin;
        for (int steps = 0; steps < 10_000 && last - begin < 100_000_000; ) {
            long at = System.nanoTime();
            if (at > last) {
                step = Math.min(step, at - last);
                steps++;
            }
            last = at;
        }
        return step;
    }

    /** The cost of one reading. */
    static long reading() {
        return quietest(20_000, count -> {
            for (long i = 0; i < count; i++) {
                System.nanoTime();
            }
        });
    }

    /** The cost of an iteration of the timed loop around an empty call. */
    static long loop() {
        Counting empty = new Counting();
        return quietest(100_000, empty::repeat);
    }

    private interface Batch {
        void run(long count);
    }

    /** The lowest of 20 times of a batch, for each of {@code count}: other work on the CPU only adds to a cost. */
    private static long quietest(long count, Batch batch) {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 20; i++) {
            long begin = System.nanoTime();
            batch.run(count);
            best = Math.min(best, System.nanoTime() - begin);
        }
        return (best + count / 2) / count;
    }

    /** The shape of Call's loop, with a nonce's number and nothing else. */
    private static final class Counting {
        private volatile long number; // so that no iteration can be omitted

        void repeat(long count) {
            for (long i = 0; i < count; i++) {
                number = i;
            }
        }
    }
}
