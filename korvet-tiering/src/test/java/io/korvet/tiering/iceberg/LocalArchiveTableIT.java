package io.korvet.tiering.iceberg;

import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.Table;
import org.apache.iceberg.hadoop.HadoopTables;
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
        return new HadoopTables(new Configuration()).load(settings().path());
    }
}
