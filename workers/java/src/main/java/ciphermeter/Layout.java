package ciphermeter;

import java.security.GeneralSecurityException;
import java.util.Optional;

/**
 * Where the stack, the buffers and the key of a sample lie: what a user's program decides by chance must not decide a
 * figure. Stack, offset and nonce are in bytes, instance is the number of a key's object.
 */
record Layout(int stack, int offset, int nonce, int instance) {
    /** The most objects of one key. */
    static final int MOST_INSTANCES = 8;

    /** The bytes within which the stack moves. */
    private static final int STACK = 1024;

    private static final int STEP = 16;

    /** What runs with its stack moved. */
    interface Body {
        void run() throws GeneralSecurityException;
    }

    /** All of a request's layout, or none. */
    static Optional<Layout> read(Request request) throws Refusal {
        if (!request.hasAny("stack", "offset", "nonce", "instance")) {
            return Optional.empty();
        }
        int stack = (int) request.number("stack", 0, STACK - 1);
        int offset = (int) request.number("offset", 0, Arena.PAGE - 1);
        int nonce = (int) request.number("nonce", 0, Arena.PAGE - 1);
        int instance = (int) request.number("instance", 0, MOST_INSTANCES - 1);
        if (stack % STEP != 0 || nonce % STEP != 0) {
            throw Refusal.error("the keys \"stack\" and \"nonce\" are not multiples of 16; send such");
        }
        return Optional.of(new Layout(stack, offset, nonce, instance));
    }

    /**
     * Runs a body with the stack pointer elsewhere in 1024 bytes, by frames of its own: Java has no other way to move
     * it. The interpreter takes 112 bytes for each, an odd multiple of 16, so that 64 depths are 64 positions; the
     * compiler 32 for two, which leaves 32. Sizes of HotSpot 17 on x86-64.
     *
     * @param stack a multiple of 16
     */
    static void below(int stack, Body body) throws GeneralSecurityException {
        if (stack == 0) {
            body.run();
        } else {
            below(stack - STEP, body);
        }
    }
}
