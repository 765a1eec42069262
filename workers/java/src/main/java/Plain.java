import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.Security;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The loop that most people would write around SunJCE, without the worker: the worker is compared with it.
 *
 * <p>Arguments: ALGORITHM FORM MESSAGE_BYTES. Each line of standard input is a number of seals, each answer the
 * nanoseconds that they took.
 */
public final class Plain {
    private final boolean gcm;
    private final SecretKey key;
    private final Cipher cipher;
    private final ByteBuffer nonce = ByteBuffer.allocate(12);
    private long counter = 0;

    private Plain(boolean gcm) throws GeneralSecurityException {
        this.gcm = gcm;
        key = new SecretKeySpec(new byte[32], gcm ? "AES" : "ChaCha20");
        cipher = Cipher.getInstance(gcm ? "AES/GCM/NoPadding" : "ChaCha20-Poly1305", Security.getProvider("SunJCE"));
    }

    /** Answers standard input. */
    public static void main(String[] arguments) throws Exception {
        String words = String.join(" ", arguments);
        if (!words.matches("(aes-256-gcm|chacha20-poly1305) in-place [0-9]{1,9}")) {
            System.err.println("give aes-256-gcm or chacha20-poly1305, in-place, MESSAGE_BYTES");
            System.exit(2);
        }
        Plain plain = new Plain(words.startsWith("aes"));
        int bytes = Integer.parseInt(arguments[2]);
        // The JVM compiles by the number of calls: with large messages alone it takes minutes to put its own routines
        // in.
        for (long begin = System.nanoTime(); System.nanoTime() - begin < 3_000_000_000L; ) {
            plain.seal(1024, 500);
        }
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(plain.seal(bytes, Long.parseLong(line.trim())));
            System.out.flush();
        }
    }

    private long seal(int bytes, long count) throws GeneralSecurityException {
        byte[] message = new byte[bytes + 16];
        long begin = System.nanoTime();
        for (long i = 0; i < count; i++) {
            nonce.putLong(0, ++counter);
            cipher.init(Cipher.ENCRYPT_MODE, key, parameters());
            cipher.doFinal(message, 0, bytes, message, 0);
        }
        return System.nanoTime() - begin;
    }

    private AlgorithmParameterSpec parameters() {
        return gcm ? new GCMParameterSpec(128, nonce.array()) : new IvParameterSpec(nonce.array());
    }
}
