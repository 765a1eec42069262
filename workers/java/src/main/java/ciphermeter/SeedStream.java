package ciphermeter;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The bytes that every worker derives in the same way from a label, a seed and a length, so that digests agree across
 * languages. Source: PROTOCOL.md, "Seed".
 */
final class SeedStream {
    /** A prime, so that no block size divides the repetition. */
    private static final int PERIOD = 4093;

    private SeedStream() {}

    /** The part of a stream that is repeated: its first min(n, 4093) bytes. */
    static byte[] block(String label, long seed, int n) {
        byte[] block = new byte[Math.min(n, PERIOD)];
        MessageDigest sha256 = sha256();
        for (int i = 0, done = 0; done < block.length; i++) {
            String text = "ciphermeter " + label + " " + seed + " " + i;
            byte[] sum = sha256.digest(text.getBytes(StandardCharsets.US_ASCII));
            int count = Math.min(sum.length, block.length - done);
            System.arraycopy(sum, 0, block, done, count);
            done += count;
        }
        return block;
    }

    /** Repeats a block over the first {@code length} bytes. A block shorter than those is a whole period. */
    static void fill(byte[] array, int length, byte[] block) {
        int done = Math.min(block.length, length);
        System.arraycopy(block, 0, array, 0, done);
        // Every copy but the last ends at a multiple of the period, so doubling keeps it.
        while (done < length) {
            int count = Math.min(done, length - done);
            System.arraycopy(array, 0, array, done, count);
            done += count;
        }
    }

    /** The first n bytes of the stream of label and seed. */
    static byte[] bytes(String label, long seed, int n) {
        byte[] all = new byte[n];
        fill(all, n, block(label, seed, n));
        return all;
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK lacks SHA-256, which every JDK must have", e);
        }
    }
}
