package ciphermeter;

import java.security.GeneralSecurityException;

/**
 * Calls that go round several texts and keys, as a server's do: text and key of a call were last touched a whole round
 * ago. Each key has a Cipher of its own, as in a server that keeps one for each connection, so that a call finds there
 * what the library has made of the key.
 */
final class Round implements Loop {
    private final Call call;
    private final Buffers buffers;
    private final Keyed[] keys;

    Round(Call call, Buffers buffers, Keyed[] keys) {
        this.call = call;
        this.buffers = buffers;
        this.keys = keys;
    }

    @Override
    public void repeat(long first, long count) throws GeneralSecurityException {
        int text = (int) (first % buffers.texts());
        int key = (int) (first % keys.length);
        for (long i = first; i < first + count; i++) {
            buffers.give(call, keys[key], text);
            call.number(i);
            call.once();
            text = text + 1 < buffers.texts() ? text + 1 : 0;
            key = key + 1 < keys.length ? key + 1 : 0;
        }
    }

    @Override
    public Output output() {
        return call.output();
    }
}
