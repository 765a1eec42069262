import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Provider;
import java.security.Security;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The loop that most people would write around a library, without the worker: the worker is compared with it.
 *
 * <p>Arguments: PROVIDER ALGORITHM OPERATION FORM MESSAGE_BYTES. Each line of standard input is a number of calls, each
 * answer the nanoseconds that they took.
 */
public final class Plain {
    private final Provider provider;
    private final String transformation;
    private final boolean gcm;
    private final SecretKey key;
    private final byte[] nonce = new byte[12];
    private Cipher cipher;
    private long counter = 0;

    private Plain(Provider provider, String transformation) throws GeneralSecurityException {
        this.provider = provider;
        this.transformation = transformation;
        gcm = transformation.contains("GCM");
        key = new SecretKeySpec(new byte[32], gcm ? "AES" : "ChaCha20");
        cipher = Cipher.getInstance(transformation, provider);
    }

    /** Answers standard input. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 5) {
            throw unknown("give 5 arguments: PROVIDER ALGORITHM OPERATION FORM MESSAGE_BYTES");
        }
        Plain plain = new Plain(provider(arguments[0]), transformation(arguments[0], arguments[1]));
        int bytes = Integer.parseInt(arguments[4]);
        // The JVM compiles by the number of calls: with large messages alone it takes minutes to put its own routines
        // in.
        for (long begin = System.nanoTime(); System.nanoTime() - begin < 3_000_000_000L; ) {
            plain.run(arguments[2], arguments[3], 1024, 500);
        }
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            long count = Long.parseLong(line.trim());
            System.out.println(plain.run(arguments[2], arguments[3], bytes, count));
            System.out.flush();
        }
    }

    private static Provider provider(String name) throws ReflectiveOperationException {
        return switch (name) {
            case "sunjce" -> Security.getProvider("SunJCE");
            case "bouncycastle" -> new org.bouncycastle.jce.provider.BouncyCastleProvider();
            case "conscrypt" -> org.conscrypt.Conscrypt.newProvider();
            case "accp" ->
                (Provider) Class.forName("com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider")
                        .getField("INSTANCE")
                        .get(null);
            default -> throw unknown("no provider " + name);
        };
    }

    private static String transformation(String provider, String algorithm) {
        if (algorithm.equals("aes-256-gcm")) {
            return "AES/GCM/NoPadding";
        }
        if (algorithm.equals("chacha20-poly1305") && !provider.equals("accp")) {
            return provider.equals("conscrypt") ? "ChaCha20/Poly1305/NoPadding" : "ChaCha20-Poly1305";
        }
        throw unknown("no " + algorithm + " of " + provider);
    }

    private static RuntimeException unknown(String why) {
        System.err.println(why);
        System.exit(2);
        return new IllegalStateException();
    }

    private AlgorithmParameterSpec parameters() {
        return gcm ? new GCMParameterSpec(128, nonce) : new IvParameterSpec(nonce);
    }

    private long run(String operation, String form, int bytes, long count) throws GeneralSecurityException {
        return switch (operation) {
            case "seal" -> seal(form, bytes, count);
            case "open" -> open(form, bytes, count);
            default -> throw unknown("no operation " + operation);
        };
    }

    private long seal(String form, int bytes, long count) throws GeneralSecurityException {
        byte[] message = new byte[bytes + 16];
        byte[] out = new byte[bytes + 16];
        ByteBuffer number = ByteBuffer.wrap(nonce);
        long begin = System.nanoTime();
        switch (form) {
            case "in-place" -> {
                for (long i = 0; i < count; i++) {
                    number.putLong(0, ++counter);
                    cipher.init(Cipher.ENCRYPT_MODE, key, parameters());
                    cipher.doFinal(message, 0, bytes, message, 0);
                }
            }
            case "into" -> {
                for (long i = 0; i < count; i++) {
                    number.putLong(0, ++counter);
                    cipher.init(Cipher.ENCRYPT_MODE, key, parameters());
                    cipher.doFinal(message, 0, bytes, out, 0);
                }
            }
            case "fresh" -> {
                for (long i = 0; i < count; i++) {
                    number.putLong(0, ++counter);
                    cipher.init(Cipher.ENCRYPT_MODE, key, parameters());
                    out = cipher.doFinal(message, 0, bytes);
                }
            }
            default -> throw unknown("no form " + form);
        }
        return System.nanoTime() - begin;
    }

    private long open(String form, int bytes, long count) throws GeneralSecurityException {
        Cipher sealing = Cipher.getInstance(transformation, provider);
        sealing.init(Cipher.ENCRYPT_MODE, key, parameters());
        byte[] sealed = sealing.doFinal(new byte[bytes]);
        byte[] out = new byte[bytes + 16];
        boolean renew = refusesTheSameNonce();
        long begin = System.nanoTime();
        switch (form) {
            case "in-place" -> {
                for (long i = 0; i < count; i++) {
                    System.arraycopy(sealed, 0, out, 0, sealed.length);
                    begin(renew);
                    cipher.doFinal(out, 0, sealed.length, out, 0);
                }
            }
            case "into" -> {
                for (long i = 0; i < count; i++) {
                    begin(renew);
                    cipher.doFinal(sealed, 0, sealed.length, out, 0);
                }
            }
            case "fresh" -> {
                for (long i = 0; i < count; i++) {
                    begin(renew);
                    out = cipher.doFinal(sealed, 0, sealed.length);
                }
            }
            default -> throw unknown("no form " + form);
        }
        return System.nanoTime() - begin;
    }

    private void begin(boolean renew) throws GeneralSecurityException {
        if (renew) {
            cipher = Cipher.getInstance(transformation, provider);
        }
        cipher.init(Cipher.DECRYPT_MODE, key, parameters());
    }

    /** JDK 17's ChaCha20 does; then each message needs a new Cipher. */
    private boolean refusesTheSameNonce() throws GeneralSecurityException {
        try {
            begin(false);
            begin(false);
            return false;
        } catch (InvalidKeyException e) {
            return true;
        }
    }
}
