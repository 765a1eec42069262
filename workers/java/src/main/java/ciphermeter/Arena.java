package ciphermeter;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The arrays that all cells share, so that no figure depends on where an allocator puts a cell's own.
 *
 * <p>They are exactly as long as their content, as a user's are: Conscrypt copies the whole array in and out at each
 * call, so messages within one large array would time the array. On the Java heap nothing can be aligned to pages, but
 * a collection moves these arrays to the old generation, where the collections that timed calls cause do not touch
 * them.
 *
 * <p>Nor can an array be moved by so many bytes. So short ones exist several times, with gaps of random lengths between
 * them, and a position in a page says which of them is meant. It makes no difference to the figures of long ones, of
 * which there is one.
 */
final class Arena {
    /** Positions are below this many bytes. */
    static final int PAGE = 4096;

    /** Bytes kept while no cell is prepared. */
    private static final long KEPT = 1 << 20;

    /** How often each short array exists. */
    private static final int PLACES = 8;

    /** Bytes of the longest array that exists several times. */
    private static final int SHORT = 1 << 15;

    private enum Kind {
        PLAIN,
        TEXT,
        SEALED,
        AAD
    }

    private record Key(Kind kind, int length, int count, int place) {
        long bytes() {
            return (long) count * length;
        }
    }

    private final boolean lasts;
    private final Map<Key, byte[][]> arrays = new HashMap<>();
    private final List<byte[]> gaps = new ArrayList<>();
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

    /** The plaintexts that are sealed into other arrays. */
    byte[][] plain(int length, int count, int position) {
        return arrays(Kind.PLAIN, length, count, position);
    }

    /** The arrays that are worked on in place, or opened into. */
    byte[][] text(int length, int count, int position) {
        return arrays(Kind.TEXT, length, count, position);
    }

    /** The arrays that are sealed into, or opened. */
    byte[][] sealed(int length, int count, int position) {
        return arrays(Kind.SEALED, length, count, position);
    }

    byte[] aad(int length, int position) {
        return arrays(Kind.AAD, length, 1, position)[0];
    }

    private byte[][] arrays(Kind kind, int length, int count, int position) {
        int place = count == 1 && length <= SHORT ? position * PLACES / PAGE : 0;
        Key key = new Key(kind, length, count, place);
        byte[][] known = arrays.get(key);
        if (known != null) {
            return known;
        }
        if (bytes() + key.bytes() > Memory.heapForArrays()) {
            free();
        }
        byte[][] made = made(length, count);
        arrays.put(key, made);
        grown = true;
        return made;
    }

    /**
     * Arrays one behind another, named in an order of chance: what lies behind a text is not what the next call works
     * on, so no CPU can fetch it beforehand. Each begins with the 16 bytes that the JVM puts before its content.
     */
    private byte[][] made(int length, int count) {
        gaps.add(Rotation.gap(PAGE));
        byte[][] row = new byte[count][length];
        int[] order = Rotation.shuffled(count);
        byte[][] named = new byte[count][];
        for (int i = 0; i < count; i++) {
            named[i] = row[order[i]];
        }
        return named;
    }

    /** Makes the collector move new arrays, and new objects of keys, to where they stay. */
    void settle(boolean newKeys) {
        if (lasts && (grown || newKeys)) {
            System.gc();
        }
        grown = false;
    }

    /** Frees the arrays if they are large, so that they do not affect later measurements. */
    void shrink() {
        if (bytes() > KEPT) {
            free();
        }
    }

    private long bytes() {
        return arrays.keySet().stream().mapToLong(Key::bytes).sum();
    }

    void free() {
        arrays.clear();
        gaps.clear();
    }
}
