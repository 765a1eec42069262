package ciphermeter;

import static ciphermeter.Algorithm.*;

import java.security.Provider;
import java.util.List;

/**
 * The Amazon Corretto Crypto Provider: AWS-LC behind JNI. It reports no code path. Its class is looked up by name,
 * since some systems have no build of it, and then none is on the class path.
 */
final class Accp {
    private static final String CLASS = "com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider";
    private static final String PATH = "unknown";

    private Accp() {}

    static Library load() throws Library.Absent {
        Provider accp = provider();
        List<Offer> offers = List.of(
                Offer.gcm(AES_128_GCM, accp, true, PATH),
                Offer.gcm(AES_256_GCM, accp, true, PATH),
                Offer.plain(AES_256_CBC, accp, "AES/CBC/PKCS5Padding", "AES", PATH));
        return Library.ofFile("accp", accp.getVersionStr(), accp, offers);
    }

    private static Provider provider() throws Library.Absent {
        try {
            Class<?> known = Class.forName(CLASS);
            Provider provider = (Provider) known.getField("INSTANCE").get(null);
            Object error = known.getMethod("getLoadingError").invoke(provider);
            if (error instanceof Throwable why) {
                throw new Library.Absent("its library did not load (" + Library.reason(why)
                        + "); it needs Linux with glibc and a CPU of its build");
            }
            return provider;
        } catch (ClassNotFoundException e) {
            throw new Library.Absent("the build for this system has none of its files; there are some for Linux only");
        } catch (ReflectiveOperationException e) {
            throw new Library.Absent(Library.reason(e) + "; build this worker again with the version of its pom.xml");
        }
    }
}
