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
 * What a sample repeats: one message sealed or opened as a user of JCA does it, that is init with key and nonce, the
 * aad, doFinal. Each form has a class with its own loop, so that the loop calls nothing that is looked up at run time.
 * A failed call throws out of the loop.
 */
abstract class Call {
    private static final VarHandle NUMBER = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final Offer offer;
    private final boolean opens;
    private final boolean renews;
    private final int mode;
    private final SecretKey key;
    private final Function<byte[], AlgorithmParameterSpec> parameters;
    private final byte[] nonce;
    private final byte[] aad;
    private final boolean updates;

    private int length = -1; // of the last output

    Cipher cipher;
    final byte[] from;
    final int fromBytes;

    private Call(Job job) throws GeneralSecurityException {
        offer = job.offer();
        opens = job.opens();
        renews = opens && offer.renewToOpen();
        mode = opens ? Cipher.DECRYPT_MODE : Cipher.ENCRYPT_MODE;
        key = offer.key(job.key());
        parameters = offer.parameters();
        nonce = job.nonce();
        aad = job.aad();
        updates = offer.algorithm().aead && aad.length > 0; // bare ciphers ignore it
        from = job.from();
        fromBytes = job.bytes();
        cipher = offer.newCipher();
    }

    /**
     * The inputs of a call.
     *
     * @param nonce its first 8 bytes become each iteration's number where the call seals
     * @param from holds the input; in place, it is written over
     * @param bytes how many of its bytes are the input
     */
    record Job(Offer offer, boolean opens, byte[] key, byte[] nonce, byte[] aad, byte[] from, int bytes) {}

    /** The first {@code bytes} of an array. */
    record Output(byte[] array, int bytes) {}

    /** A call that writes over its input; where it opens, {@code sealed} is first copied there. */
    static Call inPlace(Job job, byte[] sealed) throws GeneralSecurityException {
        return new InPlace(job, sealed);
    }

    /** A call that writes to {@code to}, which has room for all the output. */
    static Call into(Job job, byte[] to) throws GeneralSecurityException {
        return new Into(job, to);
    }

    /** A call whose output the library allocates. */
    static Call fresh(Job job) throws GeneralSecurityException {
        return new Fresh(job);
    }

    /** One call, under the nonce as it stands. */
    abstract void once() throws GeneralSecurityException;

    /** The timed loop: iterations {@code first} to {@code first + count - 1}. */
    abstract void repeat(long first, long count) throws GeneralSecurityException;

    /** The last call's output. */
    abstract Output output();

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
        private final byte[] sealed; // null where the call seals
        private int bytes;

        InPlace(Job job, byte[] sealed) throws GeneralSecurityException {
            super(job);
            this.sealed = job.opens() ? sealed : null;
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
        void repeat(long first, long count) throws GeneralSecurityException {
            for (long i = first; i < first + count; i++) {
                number(i);
                once();
            }
        }

        @Override
        Output output() {
            return new Output(from, bytes);
        }
    }

    private static final class Into extends Call {
        private final byte[] to;
        private int bytes;

        Into(Job job, byte[] to) throws GeneralSecurityException {
            super(job);
            this.to = to;
        }

        @Override
        void once() throws GeneralSecurityException {
            begin();
            bytes = same(cipher.doFinal(from, 0, fromBytes, to, 0));
        }

        @Override
        void repeat(long first, long count) throws GeneralSecurityException {
            for (long i = first; i < first + count; i++) {
                number(i);
                once();
            }
        }

        @Override
        Output output() {
            return new Output(to, bytes);
        }
    }

    private static final class Fresh extends Call {
        private byte[] made = {};

        Fresh(Job job) throws GeneralSecurityException {
            super(job);
        }

        @Override
        void once() throws GeneralSecurityException {
            begin();
            made = cipher.doFinal(from, 0, fromBytes);
            same(made.length);
        }

        @Override
        void repeat(long first, long count) throws GeneralSecurityException {
            for (long i = first; i < first + count; i++) {
                number(i);
                once();
            }
        }

        @Override
        Output output() {
            return new Output(made, made.length);
        }
    }
}
