package ciphermeter;

import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.ProviderException;
import java.util.Arrays;
import java.util.HexFormat;

/** The request `check`: one vector, through the same calls that are timed, in separate buffers. */
final class Check {
    private static final int MOST_INPUT = 16 * 1024;

    private Check() {}

    static byte[] answer(Request request, Worker.Way way) throws Refusal, GeneralSecurityException {
        request.text("key");
        request.text("input");
        byte[] key = request.bytes("key");
        byte[] nonce = request.bytes("nonce");
        byte[] aad = request.bytes("aad");
        byte[] input = request.bytes("input");
        if (input.length > MOST_INPUT) {
            throw Refusal.error("an input of %d bytes; send at most %d", input.length, MOST_INPUT);
        }
        Algorithm algorithm = way.offer().algorithm();
        if (key.length != algorithm.key) {
            throw Refusal.unsupported("key of %d bytes; %s takes %d", key.length, algorithm.id(), algorithm.key);
        }
        if (nonce.length != algorithm.nonce && !way.offer().anyNonce()) {
            throw Refusal.unsupported("nonce of %d bytes; %s takes %d", nonce.length, algorithm.id(), algorithm.nonce);
        }
        byte[] output = output(way, key, nonce, aad, input);
        if (algorithm == Algorithm.AES_256_CBC && way.opens() && input.length == 0) {
            throw Refusal.unsupported(
                    "this library accepts an empty ciphertext for an empty message, which has a block of padding");
        }
        return Line.is("output")
                .text("output", HexFormat.of().formatHex(output))
                .end();
    }

    private static byte[] output(Worker.Way way, byte[] key, byte[] nonce, byte[] aad, byte[] input)
            throws Refusal, GeneralSecurityException {
        byte[] to = new byte[Math.max(input.length, way.offer().algorithm().sealedBytes(input.length))];
        byte[] same = Arrays.copyOf(input, to.length);
        byte[] from = way.form() == Form.IN_PLACE ? same : input;
        Call call = Call.of(way.form(), new Call.Job(way.offer(), way.opens(), nonce, aad, input.length));
        call.take(way.offer().keyed(key), from, to, way.opens() ? input : null);
        try {
            call.once();
        } catch (InvalidKeyException | InvalidAlgorithmParameterException | IllegalArgumentException e) {
            throw Refusal.unsupported("%s", Library.reason(e));
        } catch (GeneralSecurityException | ProviderException e) {
            // SunJCE 17 throws a ProviderException where GCM's input is shorter than its tag.
            if (way.opens()) {
                throw Refusal.rejected();
            }
            throw e;
        }
        return Arrays.copyOf(call.output().array(), call.output().bytes());
    }
}
