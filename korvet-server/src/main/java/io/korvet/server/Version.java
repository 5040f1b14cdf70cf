package io.korvet.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Properties;

/** Which Korvet this is. */
public final class Version {

    private static final String NUMBER = read();

    private Version() {}

    /** The version as in the Maven coordinates. */
    public static String number() {
        return NUMBER;
    }

    static Map<String, String> info() {
        return Map.of(
                "name", "korvet", "version", NUMBER, "java", Runtime.version().toString());
    }

    private static String read() {
        Properties properties = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version", "unknown");
    }
}
