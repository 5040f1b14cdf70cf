package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The table in standard catalogs, which are asked through Iceberg's loader. */
class CatalogArchiveTableIT {

    private static final int NO_ANSWER = 0;

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

    /** A catalog that is asked over HTTP, with all that can become of a request. */
    @Nested
    class Rest extends InCatalog {

        private RestCatalogServer server;

        @BeforeEach
        void start() {
            server = RestCatalogServer.start(directory.resolve("catalog.db"), directory.resolve("archive"));
        }

        @AfterEach
        void stop() {
            server.close();
        }

        @Override
        Map<String, String> properties() {
            return Map.of("type", "rest", "uri", server.uri().toString(), "namespace", "warm.cold");
        }

        @Override
        TableIdentifier identifier() {
            return TableIdentifier.of("warm", "cold", "segments");
        }

        @ParameterizedTest
        @ValueSource(ints = {500, 502, 503, 504})
        void aLostAnswerToTheCommitIsSettledAndCommittedOnce(int status) {
            assertCommittedOnce(status, CommitOutcome.COMMITTED);
        }

        @Test
        void aCommitWhoseConnectionEndsIsUnknownAndThereOnce() {
            assertCommittedOnce(NO_ANSWER, CommitOutcome.UNKNOWN);
        }

        private void assertCommittedOnce(int status, CommitOutcome outcome) {
            ArchiveTable archive = open();
            archive.lead(1);
            server.loseTheAnswerOfACommit(status);
            assertThat(ArchiveRows.offload(archive, STREAM, 0, 0, 10)).isEqualTo(outcome);
            archive.refresh();
            assertThat(ArchiveRows.read(archive.table())).hasSize(10);
            assertThat(ArchiveRows.offload(archive, STREAM, 1, 10, 10)).isEqualTo(CommitOutcome.COMMITTED);
            assertThat(ArchiveRows.read(standardTable())).hasSize(20);
        }

        @ParameterizedTest
        @ValueSource(ints = {500, 502, 504, NO_ANSWER})
        void aCommitThatFailsIsUnknownAndItsFileStays(int status) {
            ArchiveTable archive = open();
            archive.lead(1);
            server.failACommit(status);
            DataFile file = ArchiveRows.write(archive, STREAM, 0, "i", 0, 10);
            assertThat(archive.commit(ArchiveRows.append(archive, file, STREAM, 0, "i")))
                    .isEqualTo(CommitOutcome.UNKNOWN);
            archive.refresh();
            assertThat(ArchiveRows.read(archive.table())).isEmpty();
            assertThat(archive.io().newInputFile(file.location()).exists()).isTrue();
        }

        @ParameterizedTest
        @ValueSource(ints = {500, NO_ANSWER})
        void aLeaderWhoseAnswerIsLostLeads(int status) {
            ArchiveTable archive = open();
            server.loseTheAnswerOfACommit(status);
            archive.lead(1);
            assertThat(ArchiveRows.offload(archive, STREAM, 0, 0, 10)).isEqualTo(CommitOutcome.COMMITTED);
        }

        @Test
        void aCatalogThatRefusesIsToldFromOneThatIsAway() {
            ArchiveTable archive = open();
            server.refuse(403);
            hasKind(Kind.REFUSED, archive::refresh);
            hasKind(Kind.REFUSED, () -> ArchiveTable.open(settings()));
            server.refuse(500);
            hasKind(Kind.UNAVAILABLE, archive::refresh);
            hasKind(Kind.UNAVAILABLE, () -> ArchiveTable.open(settings()));
            ArchiveSettings there = settings();
            server.close();
            hasKind(Kind.UNAVAILABLE, archive::refresh);
            hasKind(Kind.UNAVAILABLE, () -> ArchiveTable.open(there));
        }

        private static void hasKind(Kind kind, ThrowingCallable act) {
            assertThatThrownBy(act)
                    .isInstanceOfSatisfying(
                            ColdTierException.class,
                            failure -> assertThat(failure.kind())
                                    .as(failure.toString())
                                    .isEqualTo(kind));
        }
    }

    /** What holds for all. */
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
