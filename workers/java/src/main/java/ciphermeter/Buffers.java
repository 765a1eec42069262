package ciphermeter;

/**
 * The arrays of a cell's texts.
 *
 * @param to null where calls do not have it, as {@code sealed}; see {@link Call#take}
 */
record Buffers(byte[][] from, byte[][] to, byte[][] sealed) {
    int texts() {
        return from.length;
    }

    /** Has a call work on one of the texts. */
    void give(Call call, Keyed keyed, int text) {
        call.take(keyed, from[text], to == null ? null : to[text], sealed == null ? null : sealed[text]);
    }
}
