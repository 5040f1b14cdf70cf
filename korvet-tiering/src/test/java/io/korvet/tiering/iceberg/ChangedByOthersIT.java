package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table is changed by another Iceberg client, here Iceberg's own path-based tables, while Korvet goes on. */
class ChangedByOthersIT {

    private static final String STREAM = "korvet:storage:local:{orders:0}";

    @TempDir
    Path directory;

    private ArchiveTable archive;

    @BeforeEach
    void open() {
        archive = ArchiveTable.open(ArchiveSettings.at("file://" + directory));
        archive.lead(1);
        for (int segment = 0; segment < 4; segment++) {
            offload(segment);
        }
    }

    @AfterEach
    void close() {
        archive.close();
    }

    private void offload(int segment) {
        assertThat(ArchiveRows.offload(archive, STREAM, segment, segment * 10, 10))
                .isEqualTo(CommitOutcome.COMMITTED);
    }

    private Table another() {
        return new HadoopTables(new Configuration()).load("file://" + directory);
    }

    @Test
    void aFurtherColumnDisturbsNothing() {
        another().updateSchema().addColumn("remark", Types.StringType.get()).commit();
        offload(4);
        new SegmentRemoval(archive).removeThrough(STREAM, "i", 0);
        archive.refresh();
        assertThat(ArchiveRows.read(archive.table())).hasSize(40);
        assertThat(another().schema().findField("remark")).isNotNull();
        ArchiveTable.open(archive.settings()).close();
    }

    @Test
    void filesThatAnotherClientRewroteAreRemovedByTheirRows() throws Exception {
        rewrite(another());
        offload(4);
        SegmentRemoval removal = new SegmentRemoval(archive);
        removal.removeThrough(STREAM, "i", 2);
        archive.refresh();
        assertThat(ArchiveRows.read(archive.table()))
                .as("the rewritten file has segment 3, too")
                .hasSize(50);
        removal.removeThrough(STREAM, "i", 3);
        archive.refresh();
        assertThat(ArchiveRows.read(archive.table())).hasSize(10).allMatch(row -> row.startsWith(STREAM + "/4/"));
    }

    @Test
    void filesThatAnotherClientRewroteAreLeftToItByMaintenance() throws Exception {
        rewrite(another());
        for (int segment = 4; segment < 12; segment++) {
            offload(segment);
        }
        ArchiveMaintenance.Report report = new ArchiveMaintenance(archive, Instant::now).run();
        assertThat(report.orphans()).isZero();
        archive.refresh();
        assertThat(ArchiveRows.read(archive.table())).hasSize(120).doesNotHaveDuplicates();
    }

    /** All rows in one file without any note of Korvet's, as a compaction elsewhere leaves them. */
    private static void rewrite(Table table) throws Exception {
        Set<DataFile> old;
        try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
            old = StreamSupport.stream(tasks.spliterator(), false)
                    .map(FileScanTask::file)
                    .collect(Collectors.toSet());
        }
        DataWriter<Record> writer = Parquet.writeData(table.io()
                        .newOutputFile(table.location() + "/data/rewritten-" + UUID.randomUUID() + ".parquet"))
                .forTable(table)
                .createWriterFunc(GenericParquetWriter::create)
                .withPartition(ArchiveSchema.partition(table.spec(), STREAM))
                .build();
        try (writer;
                CloseableIterable<Record> rows = IcebergGenerics.read(table).build()) {
            rows.forEach(writer::write);
        }
        RewriteFiles rewrite = table.newRewrite().addFile(writer.toDataFile());
        old.forEach(rewrite::deleteFile);
        rewrite.commit();
    }

    @Test
    void aSnapshotThatWasRolledBackTakesItsRowsAlongAndCommitsGoOn() {
        List<String> before = ArchiveRows.read(archive.table());
        long wanted = archive.table().currentSnapshot().parentId();
        Table another = another();
        another.manageSnapshots().rollbackTo(wanted).commit();
        archive.refresh();
        assertThat(ArchiveRows.read(archive.table())).hasSize(before.size() - 10);
        offload(4);
        new SegmentRemoval(archive).removeThrough(STREAM, "i", 0);
        archive.refresh();
        assertThat(ArchiveRows.read(archive.table())).hasSize(before.size() - 10);
    }

    @Test
    void anEpochThatAnotherClientSetsFences() {
        another().updateProperties().set(ArchiveSchema.EPOCH, "7").commit();
        assertThatThrownBy(() -> ArchiveRows.offload(archive, STREAM, 4, 40, 10))
                .isInstanceOfSatisfying(
                        ColdTierException.class, e -> assertThat(e.kind()).isEqualTo(Kind.FENCED))
                .hasMessageContaining("epoch 7");
    }

    @Test
    void compressedMetadataIsRefusedWithWhatToDo() {
        another()
                .updateProperties()
                .set("write.metadata.compression-codec", "gzip")
                .commit();
        assertThatThrownBy(() -> ArchiveRows.offload(archive, STREAM, 4, 40, 10))
                .isInstanceOfSatisfying(
                        ColdTierException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .hasMessageContaining("write.metadata.compression-codec");
    }

    @Test
    void aTableThatIsGoneIsToldAsSuch() throws Exception {
        try (Stream<Path> files = Files.list(directory.resolve("metadata"))) {
            files.filter(file -> file.toString().contains("metadata.json") || file.endsWith("version-hint.text"))
                    .forEach(file -> file.toFile().delete());
        }
        assertThatThrownBy(() -> ArchiveRows.offload(archive, STREAM, 4, 40, 10))
                .isInstanceOfSatisfying(
                        ColdTierException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .hasMessageContaining("is gone");
    }
}
