package ciphermeter;

import static ciphermeter.Algorithm.*;

import java.util.List;
import org.bouncycastle.jce.provider.BouncyCastleProvider;

/** Bouncy Castle: all in Java, with tables for AES, whatever the CPU has. */
final class BouncyCastle {
    private static final String PATH = "soft";

    private BouncyCastle() {}

    static Library load() throws Library.Absent {
        BouncyCastleProvider bc = new BouncyCastleProvider();
        List<Offer> offers = List.of(
                Offer.gcm(AES_128_GCM, bc, true, PATH),
                Offer.gcm(AES_256_GCM, bc, true, PATH),
                Offer.aes(AES_256_GCM_SIV, bc, "GCM-SIV", PATH),
                Offer.aes(AES_256_OCB, bc, "OCB", PATH),
                Offer.tagged(SM4_GCM, bc, "SM4", "GCM", PATH),
                Offer.aes(AES_128_CCM, bc, "CCM", PATH),
                Offer.aes(AES_256_CCM, bc, "CCM", PATH),
                Offer.plain(CHACHA20_POLY1305, bc, "ChaCha20-Poly1305", "ChaCha20", PATH),
                Offer.plain(XCHACHA20_POLY1305, bc, "XChaCha20-Poly1305", "XChaCha20", PATH),
                Offer.plain(AES_256_CTR, bc, "AES/CTR/NoPadding", "AES", PATH),
                Offer.plain(AES_256_CBC, bc, "AES/CBC/PKCS5Padding", "AES", PATH),
                Offer.plain(CHACHA20, bc, "ChaCha7539", "ChaCha7539", PATH));
        return Library.ofFile("bouncycastle", bc.getVersionStr(), bc, offers);
    }
}
