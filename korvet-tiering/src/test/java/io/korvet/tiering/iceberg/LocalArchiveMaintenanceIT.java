package io.korvet.tiering.iceberg;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The archive in a directory is looked after. */
class LocalArchiveMaintenanceIT extends ArchiveMaintenanceContract {

    @TempDir
    Path root;

    @Override
    ArchiveSettings place() {
        return ArchiveSettings.at("file://" + root);
    }

    @Override
    Path directory() {
        return root;
    }
}
