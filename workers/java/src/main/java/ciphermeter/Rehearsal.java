package ciphermeter;

import java.security.GeneralSecurityException;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Calls with small messages before anything is timed. The JVM counts calls, not bytes, until it compiles a method and
 * uses its own routines for AES and GHASH: with messages of 1 MiB alone, SunJCE stayed at a sixtieth of its speed for
 * 14 s and more, and no warm-up of bearable length would show that. A program that has run for a while is past that.
 */
final class Rehearsal {
    private static final int SMALL = 1024; // bytes of a message
    private static final long BATCH = 500;
    private static final long LEAST = 30_000; // calls
    private static final long STILL_NS = 100_000_000; // without a compilation
    private static final long MOST_NS = 3_000_000_000L;

    private static final Rotation SMALL_ROUND = new Rotation(4, 4);

    private final Set<Done> done = new HashSet<>();
    private final long least;
    private final long stillNs;

    Rehearsal() {
        this(LEAST, STILL_NS);
    }

    /** With so many calls at the least, and without a compilation for so long. */
    Rehearsal(long least, long stillNs) {
        this.least = least;
        this.stillNs = stillNs;
    }

    /** Calls that go round several texts and keys have a loop of their own. */
    private record Done(Worker.Way way, boolean rotates) {}

    /** Once for each offer, operation and form; untimed, under a key of its own. */
    void before(Worker.Way way, long seed, boolean rotates) throws GeneralSecurityException {
        if (!done.add(new Done(way, rotates))) {
            return;
        }
        Rotation rotation = rotates ? SMALL_ROUND : Rotation.NONE;
        Cell cell = new Cell(way, new Want(SMALL, 13, 0, seed ^ 1, 1, rotation));
        Loop loop = cell.arm(Arena.scratch());
        OptionalLong mark = OptionalLong.empty();
        long begin = System.nanoTime();
        long moved = begin;
        for (long now = begin; now - begin < MOST_NS; now = System.nanoTime()) {
            cell.repeat(loop, Math.min(BATCH, least));
            OptionalLong at = Hotspot.compilationMark();
            if (!at.equals(mark)) {
                mark = at;
                moved = now;
            } else if (cell.last() >= least && now - moved >= stillNs) {
                return;
            }
        }
    }
}
