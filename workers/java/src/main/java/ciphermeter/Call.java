package ciphermeter;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.security.spec.AlgorithmParameterSpec;
import java.util.function.Function;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;

/**
 * One message sealed or opened again and again as a user of JCA does it, that is init with key and nonce, the aad,
 * doFinal. Each form has a class with its own loop, so that the loop calls nothing that is looked up at run time. A
 * failed call throws out of the loop.
 */
abstract class Call implements Loop {
    private static final VarHandle NUMBER = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final Offer offer;
    private final boolean opens;
    private final boolean renews;
    private final int mode;
    private final Function<byte[], AlgorithmParameterSpec> parameters;
    private final byte[] nonce;
    private final byte[] aad;
    private final boolean updates;

    private int length = -1; // of the last output

    private SecretKey key;
    Cipher cipher;
    byte[] from;
    byte[] to;
    byte[] sealed;
    final int fromBytes;

    private Call(Job job) {
        offer = job.offer();
        opens = job.opens();
        renews = opens && offer.renewToOpen();
        mode = opens ? Cipher.DECRYPT_MODE : Cipher.ENCRYPT_MODE;
        parameters = offer.parameters();
        nonce = job.nonce();
        aad = job.aad();
        updates = offer.algorithm().aead && aad.length > 0; // bare ciphers ignore it
        fromBytes = job.bytes();
    }

    /**
     * The inputs of a call that stay the same.
     *
     * @param nonce its first 8 bytes become each iteration's number where the call seals
     * @param bytes how many bytes the input has
     */
    record Job(Offer offer, boolean opens, byte[] nonce, byte[] aad, int bytes) {}

    /** A call of a form; it needs a key and arrays before it can run. */
    static Call of(Form form, Job job) {
        return switch (form) {
            case IN_PLACE -> new InPlace(job);
            case INTO -> new Into(job);
            case FRESH -> new Fresh(job);
        };
    }

    /**
     * Works with these from now on.
     *
     * @param from holds the input; in place, it is written over
     * @param to has room for all the output of `into`; otherwise unused
     * @param sealed copied to {@code from} before each call that opens in place; otherwise null
     */
    final void take(Keyed keyed, byte[] from, byte[] to, byte[] sealed) {
        this.key = keyed.key();
        this.cipher = keyed.cipher();
        this.from = from;
        this.to = to;
        this.sealed = sealed;
    }

    /** One call, under the nonce as it stands. */
    abstract void once() throws GeneralSecurityException;

    /** Sets the nonce of an iteration, if each has its own. */
    final void number(long iteration) {
        if (!opens) {
            NUMBER.set(nonce, 0, iteration);
        }
    }

    /** All of a call except its doFinal. */
    final void begin() throws GeneralSecurityException {
        if (renews) {
            cipher = offer.newCipher();
        }
        cipher.init(mode, key, parameters.apply(nonce));
        if (updates) {
            cipher.updateAAD(aad);
        }
    }

    /** The length of an output, which must be that of the one before; the last one is confirmed by its digest. */
    final int same(int bytes) throws GeneralSecurityException {
        if (bytes != length && length >= 0) {
            throw new GeneralSecurityException("the library gave outputs of two lengths");
        }
        length = bytes;
        return bytes;
    }

    private static final class InPlace extends Call {
        private int bytes;

        InPlace(Job job) {
            super(job);
        }

        @Override
        void once() throws GeneralSecurityException {
            if (sealed != null) {
                System.arraycopy(sealed, 0, from, 0, fromBytes);
            }
            begin();
            bytes = same(cipher.doFinal(from, 0, fromBytes, from, 0));
        }

        @Override
        public void repeat(long first, long count) throws GeneralSecurityException {
            for (long i = first; i < first + count; i++) {
                number(i);
                once();
            }
        }

        @Override
        public Output output() {
            return new Output(from, bytes);
        }
    }

    private static final class Into extends Call {
        private int bytes;

        Into(Job job) {
            super(job);
        }

        @Override
        void once() throws GeneralSecurityException {
            begin();
            bytes = same(cipher.doFinal(from, 0, fromBytes, to, 0));
        }

        @Override
        public void repeat(long first, long count) throws GeneralSecurityException {
            for (long i = first; i < first + count; i++) {
                number(i);
                once();
            }
        }

        @Override
        public Output output() {
            return new Output(to, bytes);
        }
    }

    private static final class Fresh extends Call {
        private byte[] made = {};

        Fresh(Job job) {
            super(job);
        }

        @Override
        void once() throws GeneralSecurityException {
            begin();
            made = cipher.doFinal(from, 0, fromBytes);
            same(made.length);
        }

        @Override
        public void repeat(long first, long count) throws GeneralSecurityException {
            for (long i = first; i < first + count; i++) {
                number(i);
                once();
            }
        }

        @Override
        public Output output() {
            return new Output(made, made.length);
        }
    }
}
