package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table in standard catalogs, which are asked through Iceberg's loader. */
class CatalogArchiveTableIT {

    /** A catalog in a database, with a namespace of the user's choice. */
    @Nested
    class Jdbc extends InCatalog {

        @Override
        Map<String, String> properties() {
            return Map.of(
                    "type",
                    "jdbc",
                    "uri",
                    "jdbc:sqlite:" + directory.resolve("catalog.db") + "?busy_timeout=20000",
                    "jdbc.schema-version",
                    "V1",
                    "namespace",
                    "warm.cold");
        }

        @Override
        TableIdentifier identifier() {
            return TableIdentifier.of("warm", "cold", "segments");
        }
    }

    /** Hadoop's catalog, whose default namespace is Korvet's. */
    @Nested
    class Hadoop extends InCatalog {

        @Override
        Map<String, String> properties() {
            return Map.of("type", "hadoop");
        }

        @Override
        TableIdentifier identifier() {
            return TableIdentifier.of("korvet", "segments");
        }
    }

    /** What holds for both. */
    abstract static class InCatalog extends ArchiveTableContract {

        @TempDir
        Path directory;

        abstract Map<String, String> properties();

        abstract TableIdentifier identifier();

        @Override
        ArchiveSettings settings() {
            return TestSettings.withCatalog(ArchiveSettings.at("file://" + directory.resolve("archive")), properties());
        }

        @Override
        Table standardTable() {
            Map<String, String> standard = new HashMap<>(properties());
            standard.remove("namespace");
            standard.put("warehouse", "file://" + directory.resolve("archive"));
            return CatalogUtil.buildIcebergCatalog("korvet", standard, new Configuration())
                    .loadTable(identifier());
        }

        @Test
        void filesThatLayThereBeforeTheTableAreNeverSweptAway() throws IOException {
            String location = open().table().location();
            assertThat(open().table().properties()).doesNotContainKey(ArchiveSchema.SWEEP);
            Path data = LocalFiles.path(location).resolve("data");
            Map<String, String> standard = new HashMap<>(properties());
            standard.remove("namespace");
            standard.put("warehouse", "file://" + directory.resolve("archive"));
            Catalog catalog = CatalogUtil.buildIcebergCatalog("korvet", standard, new Configuration());
            assertThat(catalog.dropTable(identifier(), true)).isTrue();
            Files.createDirectories(data);
            Path before = Files.writeString(data.resolve("segment-0-a.parquet"), "rows");
            Files.setLastModifiedTime(before, FileTime.fromMillis(0));
            ArchiveTable anew = open();
            anew.lead(1);
            assertThat(anew.table().location()).isEqualTo(location);
            assertThat(new OrphanSweep(anew).run(Long.MAX_VALUE)).isZero();
            assertThat(before).exists();
        }

        @Test
        void itLiesInTheWarehouseThatIsThePath() {
            assertThat(open().table().location()).startsWith("file:").contains(directory.resolve("archive") + "/");
        }
    }
}
