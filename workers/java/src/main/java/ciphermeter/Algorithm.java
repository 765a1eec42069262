package ciphermeter;

import java.util.List;

/** The algorithms of PROTOCOL.md's table that a library here may have, with their sizes in bytes. */
enum Algorithm {
    AES_128_GCM(16, 12, true),
    AES_256_GCM(32, 12, true),
    AES_256_GCM_SIV(32, 12, true),
    AES_256_OCB(32, 12, true),
    SM4_GCM(16, 12, true),
    AES_128_CCM(16, 12, true),
    AES_256_CCM(32, 12, true),
    CHACHA20_POLY1305(32, 12, true),
    XCHACHA20_POLY1305(32, 24, true),
    AES_256_CTR(32, 16, false),
    AES_256_CBC(32, 16, false),
    CHACHA20(32, 12, false);

    final int key;
    final int nonce;
    final boolean aead;

    Algorithm(int key, int nonce, boolean aead) {
        this.key = key;
        this.nonce = nonce;
        this.aead = aead;
    }

    /** Its name in the protocol. */
    String id() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    /** The operations in JCA: the key goes into each init, so there is no separate key-setup. */
    List<String> operations() {
        return aead ? List.of("seal", "open") : List.of("encrypt", "decrypt");
    }

    /** Whether the nonce is zero from byte 8 on, rather than the stream's. */
    boolean zeroNonce() {
        return this == AES_256_CTR;
    }

    /** The bytes of a sealed or encrypted message of n bytes. */
    int sealedBytes(int n) {
        if (this == AES_256_CBC) {
            return n - n % 16 + 16; // PKCS#7: at least one byte of padding
        }
        return aead ? n + 16 : n;
    }
}
