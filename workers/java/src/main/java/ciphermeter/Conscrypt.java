package ciphermeter;

import static ciphermeter.Algorithm.*;

import java.security.Provider;
import java.util.List;

/** Conscrypt: BoringSSL behind JNI. It reports no code path. */
final class Conscrypt {
    private static final String PATH = "unknown";

    private Conscrypt() {}

    static Library load() throws Library.Absent {
        org.conscrypt.Conscrypt.checkAvailability();
        Provider conscrypt = org.conscrypt.Conscrypt.newProvider();
        org.conscrypt.Conscrypt.Version version = org.conscrypt.Conscrypt.version();
        List<Offer> offers = List.of(
                Offer.gcm(AES_128_GCM, conscrypt, false, PATH),
                Offer.gcm(AES_256_GCM, conscrypt, false, PATH),
                Offer.aes(AES_256_GCM_SIV, conscrypt, "GCM-SIV", PATH),
                Offer.plain(CHACHA20_POLY1305, conscrypt, "ChaCha20/Poly1305/NoPadding", "ChaCha20", PATH),
                Offer.plain(XCHACHA20_POLY1305, conscrypt, "XChaCha20/Poly1305/NoPadding", "ChaCha20", PATH),
                Offer.plain(AES_256_CTR, conscrypt, "AES/CTR/NoPadding", "AES", PATH),
                Offer.plain(AES_256_CBC, conscrypt, "AES/CBC/PKCS5Padding", "AES", PATH),
                Offer.plain(CHACHA20, conscrypt, "ChaCha20", "ChaCha20", PATH));
        String number = version == null ? "unknown" : version.major() + "." + version.minor() + "." + version.patch();
        return Library.ofFile("conscrypt", number, conscrypt, offers);
    }
}
