package io.korvet.tiering.iceberg;

import java.nio.file.Path;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.io.TempDir;

/** The table in a local directory. */
class LocalArchiveTableIT extends ArchiveTableContract {

    @TempDir
    Path directory;

    @Override
    ArchiveSettings settings() {
        return ArchiveSettings.at("file://" + directory.resolve("the archive"));
    }

    @Override
    Table standardTable() {
        return new BaseTable(
                new StaticTableOperations(open().metadata().metadataFileLocation(), new LocalFileIO()), "standard");
    }
}
