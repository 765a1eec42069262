package ciphermeter;

import java.security.GeneralSecurityException;
import java.util.Arrays;

/** A prepared cell: its parameters, the memory that it needs, and the set-up of its buffers before each sample. */
final class Cell {
    private final Offer offer;
    private final boolean opens;
    private final Form form;
    private final int message;
    private final int aad;
    private final int offset;
    private final byte[] key;
    private final byte[] nonce; // of iteration 0
    private final byte[] messageBlock;
    private final byte[] aadBlock;
    private long last; // the number of the last iteration; 0 is digest's

    Cell(Offer offer, boolean opens, Form form, int message, int aad, int offset, long seed) {
        this.offer = offer;
        this.opens = opens;
        this.form = form;
        this.message = message;
        this.aad = aad;
        this.offset = offset;
        Algorithm algorithm = offer.algorithm();
        key = SeedStream.bytes("key", seed, algorithm.key);
        nonce = algorithm.zeroNonce() ? new byte[algorithm.nonce] : SeedStream.bytes("nonce", seed, algorithm.nonce);
        Arrays.fill(nonce, 0, Long.BYTES, (byte) 0);
        messageBlock = SeedStream.block("message", seed, message);
        aadBlock = SeedStream.block("aad", seed, aad);
    }

    /** The number of the last iteration. */
    long last() {
        return last;
    }

    /** Whether an iteration works on the output of the one before it. */
    boolean chains() {
        return form == Form.IN_PLACE && !opens;
    }

    /** The most of the heap that its samples may take, in bytes; for `fresh` with an output that is garbage already. */
    long need() {
        int arrays = form == Form.IN_PLACE && !opens ? 1 : form == Form.FRESH && opens ? 4 : form == Form.INTO ? 2 : 3;
        return (long) arrays * sealedBytes() + aad + offset;
    }

    private int sealedBytes() {
        return offer.algorithm().sealedBytes(message);
    }

    /** Sets up the cell's buffers in an arena and returns the call to time. */
    Call arm(Arena arena) throws GeneralSecurityException {
        arena.move(offset);
        byte[] text = arena.text(form == Form.IN_PLACE || opens ? sealedBytes() : 0);
        byte[] plain = form == Form.IN_PLACE || opens ? text : arena.plain(message);
        byte[] sealed = arena.sealed(form == Form.INTO || opens ? sealedBytes() : 0);
        byte[] beside = arena.aad(aad);
        arena.settle();
        SeedStream.fill(plain, message, messageBlock);
        SeedStream.fill(beside, aad, aadBlock);
        // Whatever may contain an older output is cleared, so that it cannot pass for this one.
        Arrays.fill(sealed, (byte) 0);

        Call.Job seal = new Call.Job(offer, false, key, nonce.clone(), beside, plain, message);
        if (!opens) {
            return call(seal, sealed, null);
        }
        Call.into(seal, sealed).once();
        Arrays.fill(text, (byte) 0);
        byte[] from = form == Form.IN_PLACE ? text : sealed;
        return call(new Call.Job(offer, true, key, nonce.clone(), beside, from, sealed.length), text, sealed);
    }

    private Call call(Call.Job job, byte[] to, byte[] sealed) throws GeneralSecurityException {
        return switch (form) {
            case IN_PLACE -> Call.inPlace(job, sealed);
            case INTO -> Call.into(job, to);
            case FRESH -> Call.fresh(job);
        };
    }

    /** The next {@code count} iterations. Their numbers are used up before they run, so none occurs twice even on failure. */
    void repeat(Call call, long count) throws GeneralSecurityException {
        long first = last + 1;
        last += count;
        call.repeat(first, count);
    }

    /** Calls until at least {@code ns} have passed, in batches, so that the clock is read rarely. */
    void warmUp(Call call, long ns) throws GeneralSecurityException {
        long begin = System.nanoTime();
        for (long batch = 1, passed = 0; passed < ns; ) {
            repeat(call, batch);
            long before = passed;
            passed = System.nanoTime() - begin;
            // Batches double, but do not go far beyond the end, as in all workers.
            double most = (double) (ns - passed) * batch / Math.max(passed - before, 1) + 1;
            batch = (long) Math.max(Math.min(batch * 2.0, most), 1);
        }
    }
}
