import java.util.HexFormat;
import java.util.Scanner;
import org.bouncycastle.crypto.engines.AsconAEAD128;
import org.bouncycastle.crypto.params.AEADParameters;
import org.bouncycastle.crypto.params.KeyParameter;

/** Seals with Bouncy Castle's Ascon-AEAD128: a line of key, nonce, aad and message in hex, `-` for empty, gives the sealed text. */
class Ascon {
    public static void main(String[] arguments) throws Exception {
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            String[] fields = lines.nextLine().split(" ");
            byte[] key = bytes(fields[0]), nonce = bytes(fields[1]), aad = bytes(fields[2]), message = bytes(fields[3]);
            AsconAEAD128 engine = new AsconAEAD128();
            engine.init(true, new AEADParameters(new KeyParameter(key), 128, nonce, aad));
            byte[] output = new byte[engine.getOutputSize(message.length)];
            int written = engine.processBytes(message, 0, message.length, output, 0);
            engine.doFinal(output, written);
            System.out.println(HexFormat.of().formatHex(output));
        }
    }

    private static byte[] bytes(String field) {
        return field.equals("-") ? new byte[0] : HexFormat.of().parseHex(field);
    }
}
