package ciphermeter;

import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.Cipher;

/** A prepared cell: its parameters, the memory that it needs, and the set-up of its buffers before each sample. */
final class Cell {
    /** The most bytes of the heap that a library takes for a key and its Cipher. */
    private static final long KEYED = 16 << 10;

    /** The bytes that an array takes beside its content, at most. */
    private static final long HEADER = 32;

    /** Most bytes between the objects of two keys. */
    private static final int BETWEEN = 1024;

    private final Offer offer;
    private final boolean opens;
    private final Form form;
    private final Want want;
    private final Rotation rotation;
    private final byte[] nonce; // of iteration 0
    private final byte[] messageBlock;
    private final byte[] aadBlock;

    /** Objects of one key, each elsewhere in the heap, or one of each key where these go round. */
    private final Keyed[] keys;

    /** What lies between them. */
    private final List<byte[]> between = new ArrayList<>();

    /** Whether they lie where they stay. */
    private boolean settled;

    private Layout layout;
    private long last; // the number of the last iteration; 0 is digest's

    /** Makes the objects of keys; throws what the library throws. */
    Cell(Worker.Way way, Want want) throws GeneralSecurityException {
        offer = way.offer();
        opens = way.opens();
        form = way.form();
        this.want = want;
        rotation = want.rotation();
        layout = new Layout(0, want.offset(), want.offset(), 0);
        Algorithm algorithm = offer.algorithm();
        nonce = algorithm.zeroNonce()
                ? new byte[algorithm.nonce]
                : SeedStream.bytes("nonce", want.seed(), algorithm.nonce);
        Arrays.fill(nonce, 0, Long.BYTES, (byte) 0);
        messageBlock = SeedStream.block("message", want.seed(), want.message());
        aadBlock = SeedStream.block("aad", want.seed(), want.aad());
        keys = makeKeys(rotation.rotates() ? rotation.keys() : want.instances());
    }

    /** The objects by their numbers, made in an order of chance, with something between them in the heap. */
    private Keyed[] makeKeys(int count) throws GeneralSecurityException {
        Keyed[] made = new Keyed[count];
        for (int number : Rotation.shuffled(count)) {
            made[number] = offer.keyed(rawKey(rotation.rotates() ? number : 0));
            // What the library makes of a key lies beside it, too, not where the first call happens to put it.
            int mode = opens ? Cipher.DECRYPT_MODE : Cipher.ENCRYPT_MODE;
            made[number]
                    .cipher()
                    .init(mode, made[number].key(), offer.parameters().apply(nonce));
            between.add(Rotation.gap(BETWEEN));
        }
        return made;
    }

    /** Key 0, or another of several. */
    private byte[] rawKey(int number) {
        return SeedStream.bytes(number == 0 ? "key" : "key " + number, want.seed(), offer.algorithm().key);
    }

    /** Has stack, buffers and key lie there from the next sample on. */
    void moveTo(Layout next) {
        layout = next;
    }

    /** How far the stack of the timed calls is moved, in bytes. */
    int stack() {
        return layout.stack();
    }

    /** The number of the last iteration. */
    long last() {
        return last;
    }

    /** Whether an iteration works on the output of the one before it. */
    boolean chains() {
        return form == Form.IN_PLACE && !opens;
    }

    /** The most of the heap that samples may take, in bytes; for `fresh` with an output that is garbage already. */
    static long need(Worker.Way way, Want want) {
        boolean opens = way.opens();
        Form form = way.form();
        Rotation rotation = want.rotation();
        long sealed = way.offer().algorithm().sealedBytes(want.message());
        int arrays = form == Form.IN_PLACE && !opens ? 1 : form == Form.FRESH && opens ? 4 : form == Form.INTO ? 2 : 3;
        int ofEachText = !opens && form != Form.INTO || opens && form == Form.FRESH ? 1 : 2;
        long further = (rotation.texts() - 1) * ofEachText * (sealed + HEADER);
        return arrays * sealed + further + want.aad() + rotation.keys() * KEYED;
    }

    private int sealedBytes() {
        return offer.algorithm().sealedBytes(want.message());
    }

    /** Sets up the cell's buffers in an arena and returns what to time. */
    Loop arm(Arena arena) throws GeneralSecurityException {
        byte[] beside = arena.aad(want.aad(), layout.nonce());
        Buffers buffers = setUp(arena, rotation.texts(), 0, beside, rotation.rotates() && !settled);
        settled = true;
        Call call = call(beside);
        buffers.give(call, keys[layout.instance() % keys.length], 0);
        return rotation.rotates() ? new Round(call, buffers, keys) : call;
    }

    private Call call(byte[] beside) {
        int bytes = opens ? sealedBytes() : want.message();
        return Call.of(form, new Call.Job(offer, opens, nonce.clone(), beside, bytes));
    }

    /** Sets up so many texts, the first of which has that key. */
    private Buffers setUp(Arena arena, int texts, int key, byte[] beside, boolean newKeys)
            throws GeneralSecurityException {
        int length = sealedBytes();
        int at = layout.offset();
        boolean reused = form == Form.FRESH && opens; // by all texts, and by no timed call
        byte[][] first = form == Form.IN_PLACE || opens
                ? arena.text(length, reused ? 1 : texts, at)
                : arena.plain(want.message(), texts, at);
        byte[][] second = form == Form.INTO || opens ? arena.sealed(length, texts, at) : null;
        arena.settle(newKeys);
        SeedStream.fill(beside, want.aad(), aadBlock);
        Sealer sealer = opens ? new Sealer(key, beside) : null;
        // In the order of the calls to come, so that each text was touched exactly a round before its turn. Whatever
        // may
        // contain an older output is cleared, so that it cannot pass for this one.
        for (int done = 0; done < texts; done++) {
            int text = (int) ((last + 1 + done) % texts);
            byte[] own = first[reused ? 0 : text];
            SeedStream.fill(own, want.message(), messageBlock);
            if (opens) {
                sealer.seal(own, second[text], text % rotation.keys());
                Arrays.fill(own, (byte) 0);
            } else if (second != null) {
                Arrays.fill(second[text], (byte) 0);
            }
        }
        return new Buffers(
                opens && form != Form.IN_PLACE ? second : first,
                form == Form.INTO ? opens ? first : second : null,
                opens && form == Form.IN_PLACE ? second : null);
    }

    /** Seals what is opened, each text under the key of the iterations that open it. */
    private final class Sealer {
        private final Call call;
        private final Cipher cipher;
        private final int firstKey;
        private final byte[][] known = new byte[rotation.keys()][];

        Sealer(int firstKey, byte[] beside) throws GeneralSecurityException {
            this.firstKey = firstKey;
            call = Call.of(Form.INTO, new Call.Job(offer, false, nonce.clone(), beside, want.message()));
            cipher = offer.newCipher();
        }

        /** Puts the sealed text of that key where it is opened; it is sealed once and copied after that. */
        void seal(byte[] plain, byte[] to, int key) throws GeneralSecurityException {
            if (known[key] != null) {
                System.arraycopy(known[key], 0, to, 0, to.length);
                return;
            }
            call.take(new Keyed(offer.key(rawKey(firstKey + key)), cipher), plain, to, null);
            call.once();
            known[key] = to;
        }
    }

    /** Recomputes the output of an iteration, in separate memory; those from {@code first} on that work on its text run. */
    Loop.Output anew(long first, long iteration) throws GeneralSecurityException {
        Arena scratch = Arena.scratch();
        byte[] beside = scratch.aad(want.aad(), 0);
        Buffers buffers = setUp(scratch, 1, (int) (iteration % rotation.keys()), beside, false);
        Call call = call(beside);
        Keyed[] made = new Keyed[rotation.keys()]; // not those of samples, which may refuse a nonce that they have seen
        long texts = rotation.texts();
        for (long i = first + (iteration - first) % texts; i <= iteration; i += texts) {
            int key = (int) (i % made.length);
            made[key] = made[key] == null ? offer.keyed(rawKey(key)) : made[key];
            buffers.give(call, made[key], 0);
            call.repeat(i, 1);
        }
        return call.output();
    }

    /** The next {@code count} iterations. Their numbers are used up before they run, so none occurs twice even on failure. */
    void repeat(Loop loop, long count) throws GeneralSecurityException {
        long first = last + 1;
        last += count;
        loop.repeat(first, count);
    }

    /** Calls until at least {@code ns} have passed, in batches, so that the clock is read rarely, and of all keys. */
    void warmUp(Loop loop, long ns) throws GeneralSecurityException {
        long begin = System.nanoTime();
        long began = last;
        for (long batch = 1, passed = 0; passed < ns; ) {
            repeat(loop, batch);
            long before = passed;
            passed = System.nanoTime() - begin;
            // Batches double, but do not go far beyond the end, as in all workers.
            double most = (double) (ns - passed) * batch / Math.max(passed - before, 1) + 1;
            batch = (long) Math.max(Math.min(batch * 2.0, most), 1);
        }
        long owed = rotation.round() - (last - began);
        if (ns > 0 && owed > 0) {
            repeat(loop, owed);
        }
    }
}
