package ciphermeter;

import static ciphermeter.Algorithm.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Provider;
import java.security.Security;
import java.util.List;
import java.util.Set;
import javax.crypto.Cipher;

/** SunJCE, the JDK's own: Java code that the JVM partly replaces with routines for this CPU. */
final class SunJce {
    private SunJce() {}

    static Library load() throws Library.Absent {
        Provider sun = Security.getProvider("SunJCE");
        if (sun == null) {
            throw new Library.Absent("java.security of this JDK does not list SunJCE; use a JDK as it was delivered");
        }
        List<Offer> offers = List.of(
                Offer.gcm(AES_128_GCM, sun, true, gcmPath()),
                Offer.gcm(AES_256_GCM, sun, true, gcmPath()),
                honest(Offer.plain(CHACHA20_POLY1305, sun, "ChaCha20-Poly1305", "ChaCha20", chachaPath())),
                Offer.plain(AES_256_CTR, sun, "AES/CTR/NoPadding", "AES", ctrPath()),
                Offer.plain(AES_256_CBC, sun, "AES/CBC/PKCS5Padding", "AES", cbcPath()),
                honest(Offer.counted(CHACHA20, sun, "ChaCha20", chachaPath())));
        return new Library("sunjce", Runtime.version().toString(), null, null, offers);
    }

    /** Tests whether a Cipher opens twice under one nonce: JDK 17's ChaCha20 does not. */
    private static Offer honest(Offer offer) throws Library.Absent {
        try {
            Cipher cipher = offer.newCipher();
            for (int i = 0; i < 2; i++) {
                byte[] nonce = new byte[offer.algorithm().nonce];
                cipher.init(
                        Cipher.DECRYPT_MODE,
                        offer.key(new byte[offer.algorithm().key]),
                        offer.parameters().apply(nonce));
            }
            return offer;
        } catch (InvalidKeyException e) {
            return offer.renewed();
        } catch (GeneralSecurityException e) {
            throw new Library.Absent(Library.reason(e) + "; use a JDK that has " + offer.transformation());
        }
    }

    // The code paths follow HotSpot 17's stubGenerator_x86_64.cpp, stubGenerator_aarch64.cpp and library_call.cpp;
    // later versions differ and reveal no more, so their paths are unknown.

    private static boolean described() {
        return Runtime.version().feature() == 17;
    }

    /** Whether a switch is on; the JVM hides its diagnostic switches unless they are unlocked. */
    private static boolean on(String flag, boolean hidden) {
        return Hotspot.flag(flag).map(Boolean::parseBoolean).orElse(hidden);
    }

    /** Whether the JVM's routines for AES are in use: by default, where UseAES is. */
    private static boolean aesRoutines() {
        return on("UseAES", false) && on("UseAESIntrinsics", true);
    }

    private static boolean ghashRoutine() {
        boolean multiplies = x86() ? on("UseCLMUL", false) : cpuFlags().contains("pmull");
        return on("UseGHASHIntrinsics", multiplies);
    }

    private static boolean x86() {
        return System.getProperty("os.arch").equals("amd64");
    }

    private static boolean arm() {
        return System.getProperty("os.arch").equals("aarch64");
    }

    /** CTR has its own wide routine; GHASH has none in 17. */
    private static String gcmPath() {
        String ctr = ctrPath();
        if (ctr.equals("unknown")) {
            return ctr;
        }
        String ghash = !ghashRoutine() ? "soft" : x86() ? "pclmulqdq" : "pmull";
        return ctr.equals(ghash) ? ctr : ctr + "+" + ghash;
    }

    private static String ctrPath() {
        if (!described() || !x86()) {
            return cbcPath();
        }
        boolean routine = aesRoutines() && on("UseAESCTRIntrinsics", true);
        if (routine && wide()) {
            return "vaes-avx512";
        }
        return cbcPath(); // without a routine for CTR there is still one for each block
    }

    /** CBC encrypts block by block on every CPU. */
    private static String cbcPath() {
        if (!described() || !(x86() || arm())) {
            return "unknown";
        }
        return !aesRoutines() ? "soft" : x86() ? "aesni" : "armv8-aes";
    }

    private static String chachaPath() {
        return described() ? "soft" : "unknown";
    }

    /** Whether HotSpot 17 uses its routines with VAES and AVX-512. */
    private static boolean wide() {
        boolean allowed = Hotspot.flag("UseAVX").map(Integer::parseInt).orElse(0) >= 3;
        return allowed && cpuFlags().containsAll(Set.of("vaes", "avx512f", "avx512bw", "avx512vl", "avx512dq"));
    }

    private static List<String> cpuFlags() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
                if (line.startsWith("flags") || line.startsWith("Features")) { // x86, Arm
                    return List.of(line.split("\\s+"));
                }
            }
        } catch (IOException e) {
            // not Linux
        }
        return List.of();
    }
}
