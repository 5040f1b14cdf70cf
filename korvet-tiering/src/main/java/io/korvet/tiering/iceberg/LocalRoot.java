package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The directory of an archive of local files. While it isn't there (moved away, a disk that isn't mounted) nothing of the
 * archive is missing or broken, the archive is away; and it is not made anew.
 *
 * @param directory {@code null} where it isn't known, then nothing is checked
 */
record LocalRoot(@Nullable String directory) implements Serializable {

    static final LocalRoot UNKNOWN = new LocalRoot(null);

    /**
     * To be asked when a file isn't there.
     *
     * @throws ColdTierException UNAVAILABLE when the archive itself isn't
     */
    void checkThere() {
        if (directory != null && !Files.isDirectory(Path.of(directory))) {
            throw new ColdTierException(
                    Kind.UNAVAILABLE,
                    "the archive's folder " + directory + " isn't there; expected the directory of"
                            + " korvet.storage.remote.path: mount it, or move it back");
        }
    }

    /** Makes the directory of a file with those above that one, but not itself. */
    void makeFolderOf(Path file) throws IOException {
        Path wanted = file.resolveSibling("").normalize();
        if (directory == null || !wanted.startsWith(directory)) {
            Files.createDirectories(wanted);
            return;
        }
        checkThere();
        Path at = Path.of(directory);
        for (Path name : at.relativize(wanted)) {
            at = at.resolve(name);
            if (!Files.isDirectory(at)) {
                try {
                    Files.createDirectory(at);
                } catch (FileAlreadyExistsException e) {
                    if (!Files.isDirectory(at)) {
                        throw e;
                    }
                }
            }
        }
    }
}
