package io.korvet.tiering.iceberg;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/**
 * The kill matrix over a directory; {@code "-Dkorvet.test.jvm=-Xmx1g -Dkorvet.tiering.kills=500" "-Dkorvet.test.timeout=20 m"}
 * for all of it.
 */
class LocalKilledWorkerIT extends KilledWorkerContract {

    @TempDir
    Path root;

    @Override
    ArchiveSettings settings() {
        return ArchiveSettings.at(root.toUri().toString());
    }

    @Override
    int rounds() {
        return Integer.getInteger("korvet.tiering.kills", 40);
    }
}
