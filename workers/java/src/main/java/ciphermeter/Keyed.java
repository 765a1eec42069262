package ciphermeter;

import javax.crypto.Cipher;
import javax.crypto.SecretKey;

/** A key, and the Cipher that is used with it. */
record Keyed(SecretKey key, Cipher cipher) {}
