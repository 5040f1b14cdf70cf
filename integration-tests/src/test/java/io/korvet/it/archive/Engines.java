package io.korvet.it.archive;

import java.nio.file.Path;
import java.util.Arrays;

/** Which query engines {@code integration-tests/engines/run} has put where. */
final class Engines {
    private Engines() {}

    /** Whether an engine is to be run; its name in {@code -Dkorvet.it.engines}. */
    static boolean wanted(String name) {
        return Arrays.asList(System.getProperty("korvet.it.engines", "").split(","))
                .contains(name);
    }

    /** Where an engine's jars are. */
    static Path folder(String name) {
        return Path.of(System.getProperty("korvet.it.work", "target"), "engines", name)
                .toAbsolutePath();
    }

    /** Where what we keep of an engine is, such as its {@code pom.xml}. */
    static Path sources(String name) {
        return Path.of("engines", name).toAbsolutePath();
    }
}
