package ciphermeter;

import java.util.HashMap;
import java.util.Map;

/**
 * The arrays that all cells share, one of each kind and length, so that no figure depends on where an allocator puts a
 * cell's own.
 *
 * <p>They are exactly as long as their content, as a user's are: Conscrypt copies the whole array in and out at each
 * call, so messages within one large array would time the array. On the Java heap nothing can be aligned to pages, but
 * a collection moves these arrays to the old generation, where the collections that timed calls cause do not touch
 * them.
 */
final class Arena {
    /** Offsets are below this many bytes. */
    static final int PAGE = 4096;

    /** Bytes kept while no cell is prepared. */
    private static final long KEPT = 1 << 20;

    private enum Kind {
        PLAIN,
        TEXT,
        SEALED,
        AAD
    }

    private record Key(Kind kind, int length) {}

    private final boolean lasts;
    private final Map<Key, byte[]> arrays = new HashMap<>();
    private byte[] before = {}; // precedes the arrays, to shift them by an offset
    private boolean grown;

    private Arena(boolean lasts) {
        this.lasts = lasts;
    }

    /** The arena of timed calls. */
    static Arena lasting() {
        return new Arena(true);
    }

    /** An arena for one recomputed output. */
    static Arena scratch() {
        return new Arena(false);
    }

    /** The plaintext that is sealed into another array. */
    byte[] plain(int length) {
        return array(Kind.PLAIN, length);
    }

    /** The array that is worked on in place, or opened into. */
    byte[] text(int length) {
        return array(Kind.TEXT, length);
    }

    /** The array that is sealed into, or opened. */
    byte[] sealed(int length) {
        return array(Kind.SEALED, length);
    }

    byte[] aad(int length) {
        return array(Kind.AAD, length);
    }

    private byte[] array(Kind kind, int length) {
        return arrays.computeIfAbsent(new Key(kind, length), key -> {
            grown = true;
            return new byte[length];
        });
    }

    /** Shifts arrays created from now on by that many bytes, as far as the JVM keeps the order. */
    void move(int offset) {
        if (lasts && before.length != offset) {
            before = new byte[offset];
        }
    }

    /** Makes the collector move new arrays to where they stay. */
    void settle() {
        if (lasts && grown) {
            System.gc();
        }
        grown = false;
    }

    /** Frees the arrays if they are large, so that they do not affect later measurements. */
    void shrink() {
        if (arrays.values().stream().mapToLong(array -> array.length).sum() > KEPT) {
            free();
        }
    }

    void free() {
        arrays.clear();
    }
}
