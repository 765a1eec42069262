package ciphermeter;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.Provider;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A loaded library: its name in the protocol, the version that runs, its file (null for the JDK's own) and
 * its offers.
 */
record Library(String name, String version, Path file, String sha256, List<Offer> offers) {
    /**
     * How each known library is loaded. Not by method references: those would load all the classes that they name, and
     * with these the libraries' own.
     */
    private static final Map<String, Loader> KNOWN = new TreeMap<>(Map.of(
            "sunjce", () -> SunJce.load(),
            "bouncycastle", () -> BouncyCastle.load(),
            "conscrypt", () -> Conscrypt.load(),
            "accp", () -> Accp.load()));

    /** Loads a library. */
    interface Loader {
        Library load() throws Absent;
    }

    /** A library that cannot run here, and the reason. */
    static final class Absent extends Exception {
        private static final long serialVersionUID = 1;

        Absent(String why) {
            super(why);
        }
    }

    static List<String> known() {
        return List.copyOf(KNOWN.keySet());
    }

    static Library load(String name) throws Absent {
        Loader loader = KNOWN.get(name);
        if (loader == null) {
            throw new Absent("this worker has no such provider; it has " + String.join(", ", KNOWN.keySet()));
        }
        try {
            return loader.load();
        } catch (LinkageError | RuntimeException e) {
            // Conscrypt's own library is linked while its class is loaded, and a failure is an Error.
            throw new Absent(reason(e) + "; take the build for this system and C library, or leave this provider out");
        }
    }

    static String reason(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getClass().getSimpleName() + (cause.getMessage() == null ? "" : ": " + cause.getMessage());
    }

    /** A library from the file that contains its provider's class. */
    static Library ofFile(String name, String version, Provider provider, List<Offer> offers) throws Absent {
        try {
            CodeSource source = provider.getClass().getProtectionDomain().getCodeSource();
            Path file = Path.of(source.getLocation().toURI());
            byte[] hash = SeedStream.sha256().digest(Files.readAllBytes(file));
            return new Library(name, version, file, HexFormat.of().formatHex(hash), offers);
        } catch (IOException | URISyntaxException e) {
            throw new Absent("cannot read its file (" + e.getMessage() + "); build this worker again");
        }
    }
}
