package ciphermeter;

import java.util.Random;
import java.util.stream.IntStream;

/** How many texts and keys the calls of a cell go round: iteration i works on text i mod texts under key i mod keys. */
record Rotation(int texts, int keys) {
    static final int MOST_TEXTS = 1 << 20;
    static final int MOST_KEYS = 1 << 16;

    /** One text under one key: what cells have that don't rotate. */
    static final Rotation NONE = new Rotation(1, 1);

    private static final Random CHANCE = new Random();

    /** Whether calls go round anything. */
    boolean rotates() {
        return texts > 1 || keys > 1;
    }

    /** Calls after which each key has had its turn; 0 where there is one. */
    int round() {
        return keys > 1 ? keys : 0;
    }

    /** The numbers below {@code n} in an order of chance. */
    static int[] shuffled(int n) {
        int[] all = IntStream.range(0, n).toArray();
        for (int i = n - 1; i > 0; i--) {
            int other = CHANCE.nextInt(i + 1);
            int kept = all[i];
            all[i] = all[other];
            all[other] = kept;
        }
        return all;
    }

    /** Memory of a random length, which moves what is allocated after it. */
    static byte[] gap(int most) {
        return new byte[CHANCE.nextInt(most)];
    }
}
