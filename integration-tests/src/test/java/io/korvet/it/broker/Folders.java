package io.korvet.it.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** What the tests do with folders. */
public final class Folders {
    private Folders() {}

    /** Deletes a folder and all in it, as far as that goes. */
    public static void delete(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            // what is left lies below target/
        }
    }
}
