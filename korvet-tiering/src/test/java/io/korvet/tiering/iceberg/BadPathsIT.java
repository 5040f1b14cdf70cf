package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Places at which there can be no archive, and tables that are none. */
class BadPathsIT {

    @TempDir
    Path directory;

    private static void refused(ArchiveSettings settings, String... words) {
        assertThatThrownBy(() -> ArchiveTable.open(settings))
                .isInstanceOfSatisfying(ColdTierException.class, failure -> {
                    assertThat(failure.kind()).as(failure.toString()).isEqualTo(Kind.REFUSED);
                    assertThat(failure).hasMessageContainingAll(words);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"s4://bucket/korvet", "http://host/korvet", "", "korvet", "/var/korvet", "s3:/bucket"})
    void anUnknownSchemeIsRefused(String path) {
        refused(ArchiveSettings.at(path), "korvet.storage.remote.path '" + path + "'", "expected s3://bucket/prefix");
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3://", "s3:///korvet"})
    void aPathWithoutABucketIsRefused(String path) {
        refused(ArchiveSettings.at(path), "korvet.storage.remote.path '" + path + "'", "names no bucket");
    }

    @ParameterizedTest
    @ValueSource(strings = {"file:///", "file://korvet/archive"})
    void aPathWithoutADirectoryIsRefused(String path) {
        refused(ArchiveSettings.at(path), "korvet.storage.remote.path '" + path + "'", "file:///directory");
    }

    @Test
    void aFileIsNoDirectory() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "here");
        refused(ArchiveSettings.at("file://" + file), file + " is a file", "expected a directory");
        refused(ArchiveSettings.at("file://" + file + "/below"), file + " is a file", "expected a directory");
    }

    @Test
    void aDirectoryThatCantBeMadeIsRefusedWithItsReason() {
        String tooLong = directory + "/" + "a".repeat(300);
        refused(ArchiveSettings.at("file://" + tooLong), "the directory can't be made", "File name too long", tooLong);
    }

    @Test
    void catalogsAreRefusedForWhatTheyLack() {
        ArchiveSettings here = ArchiveSettings.at("file://" + directory);
        String expected = "expected korvet.storage.remote.iceberg.catalog.type";
        refused(TestSettings.withCatalog(here, Map.of("uri", "x")), "[uri]", "neither type nor catalog-impl", expected);
        refused(TestSettings.withCatalog(here, Map.of("type", "carrier-pigeon")), "carrier-pigeon", expected);
        refused(TestSettings.withCatalog(here, Map.of("catalog-impl", "no.such.Catalog")), "no.such.Catalog", expected);
        refused(TestSettings.withCatalog(here, Map.of("type", "nessie")), "nessie", expected);
        refused(TestSettings.withCatalog(here, Map.of("type", "jdbc", "uri", "jdbc:nothing:x")), "jdbc:nothing:x");
    }

    @Test
    void metadataThatIsNoneIsToldApart() throws Exception {
        Files.createDirectories(directory.resolve("metadata"));
        Files.writeString(directory.resolve("metadata/v1.metadata.json"), "{}");
        assertThatThrownBy(() -> ArchiveTable.open(ArchiveSettings.at("file://" + directory)))
                .isInstanceOfSatisfying(
                        ColdTierException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(Kind.CORRUPT))
                .hasMessageContaining("v1.metadata.json");
    }

    @Test
    void aTableWithOtherColumnsIsRefusedAndOneWithMoreIsNot() {
        ArchiveSettings here = ArchiveSettings.at("file://" + directory);
        try (ArchiveTable archive = ArchiveTable.open(here)) {
            Table table = archive.table();
            table.updateSchema().addColumn("remark", Types.StringType.get()).commit();
            ArchiveTable.open(here).close();
            assertThat(ArchiveRows.offload(archive, "s", 0, 0, 3)).isEqualTo(CommitOutcome.COMMITTED);
            table.updateSchema().renameColumn("segment_id", "segment").commit();
            refused(here, "column segment_id is missing", "expected required long");
        }
    }
}
