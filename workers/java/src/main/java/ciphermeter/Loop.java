package ciphermeter;

import java.security.GeneralSecurityException;

/** What a sample repeats. */
interface Loop {
    /** The timed loop: iterations {@code first} to {@code first + count - 1}. */
    void repeat(long first, long count) throws GeneralSecurityException;

    /** The last call's output. */
    Output output();

    /** The first {@code bytes} of an array. */
    record Output(byte[] array, int bytes) {}
}
