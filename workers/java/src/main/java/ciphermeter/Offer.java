package ciphermeter;

import java.security.GeneralSecurityException;
import java.security.Provider;
import java.security.spec.AlgorithmParameterSpec;
import java.util.function.Function;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.ChaCha20ParameterSpec;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * One algorithm of one library: how a user of JCA asks for it.
 *
 * @param provider the argument of Cipher.getInstance
 * @param transformation the transformation requested from it, such as AES/GCM/NoPadding
 * @param keyName the algorithm that its keys name
 * @param parameters creates the parameters of init from a nonce
 * @param anyNonce whether the library takes nonces of other sizes, too
 * @param renewToOpen whether a Cipher refuses to open twice under one nonce, so that each call needs a new one
 * @param path the code path on this CPU, "unknown" if the library does not report it
 */
record Offer(
        Algorithm algorithm,
        Provider provider,
        String transformation,
        String keyName,
        Function<byte[], AlgorithmParameterSpec> parameters,
        boolean anyNonce,
        boolean renewToOpen,
        String path) {

    private static final int TAG_BITS = 128;

    static Offer gcm(Algorithm algorithm, Provider provider, boolean anyNonce, String path) {
        return new Offer(algorithm, provider, "AES/GCM/NoPadding", "AES", Offer::tagged, anyNonce, false, path);
    }

    /** An AEAD of AES whose init takes the nonce and the length of the tag. */
    static Offer aes(Algorithm algorithm, Provider provider, String mode, String path) {
        return tagged(algorithm, provider, "AES", mode, path);
    }

    /** The same of another block cipher. */
    static Offer tagged(Algorithm algorithm, Provider provider, String cipher, String mode, String path) {
        String transformation = cipher + "/" + mode + "/NoPadding";
        return new Offer(algorithm, provider, transformation, cipher, Offer::tagged, false, false, path);
    }

    /** An algorithm whose init takes the nonce alone. */
    static Offer plain(Algorithm algorithm, Provider provider, String transformation, String keyName, String path) {
        return new Offer(algorithm, provider, transformation, keyName, IvParameterSpec::new, false, false, path);
    }

    /** An algorithm whose init takes a nonce and the number of ChaCha20's first block. */
    static Offer counted(Algorithm algorithm, Provider provider, String transformation, String path) {
        return new Offer(algorithm, provider, transformation, "ChaCha20", Offer::fromZero, false, false, path);
    }

    private static AlgorithmParameterSpec tagged(byte[] nonce) {
        return new GCMParameterSpec(TAG_BITS, nonce);
    }

    private static AlgorithmParameterSpec fromZero(byte[] nonce) {
        return new ChaCha20ParameterSpec(nonce, 0);
    }

    /** The same, with a new Cipher for each call that opens. */
    Offer renewed() {
        return new Offer(algorithm, provider, transformation, keyName, parameters, anyNonce, true, path);
    }

    Cipher newCipher() throws GeneralSecurityException {
        return Cipher.getInstance(transformation, provider);
    }

    SecretKey key(byte[] raw) {
        return new SecretKeySpec(raw, keyName);
    }

    Keyed keyed(byte[] raw) throws GeneralSecurityException {
        return new Keyed(key(raw), newCipher());
    }
}
