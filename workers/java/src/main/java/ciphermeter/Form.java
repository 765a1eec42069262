package ciphermeter;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Where the output goes. Every JCA cipher has all three: Cipher.doFinal promises that input and output may overlap. */
enum Form {
    IN_PLACE,
    INTO,
    FRESH;

    /** Its name in the protocol. */
    String id() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    static String all() {
        return Arrays.stream(values()).map(Form::id).collect(Collectors.joining(","));
    }
}
