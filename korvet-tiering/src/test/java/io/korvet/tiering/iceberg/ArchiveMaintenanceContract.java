package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Compaction, expiry, sweep and removal, wherever the archive lies. */
abstract class ArchiveMaintenanceContract {

    private static final String STREAM = "korvet:storage:local:{orders:0}";
    private static final Duration ORPHAN_AGE = Duration.ofDays(3);

    private ArchiveTable archive;
    private Instant now = Instant.now();

    /** Where the archive is, empty at first. */
    abstract ArchiveSettings place();

    /** The directory in which its objects are files. */
    abstract Path directory();

    @BeforeEach
    void open() {
        archive = ArchiveTable.open(settings());
        archive.lead(1);
    }

    @AfterEach
    void close() {
        archive.close();
    }

    private ArchiveSettings settings() {
        return TestSettings.withAges(place(), 1 << 20, Duration.ofHours(1), ORPHAN_AGE);
    }

    private ArchiveMaintenance maintenance() {
        InstantSource clock = () -> now;
        return new ArchiveMaintenance(archive, clock);
    }

    private void offload(int from, int segments) {
        for (int segment = from; segment < from + segments; segment++) {
            assertThat(ArchiveRows.offload(archive, STREAM, segment, segment * 10, 10))
                    .isEqualTo(CommitOutcome.COMMITTED);
        }
    }

    private static List<String> rows(int... segments) {
        List<String> rows = new ArrayList<>();
        for (int segment : segments) {
            IntStream.range(segment * 10, segment * 10 + 10)
                    .forEach(row -> rows.add(STREAM + "/" + segment + "/" + row + "-0"));
        }
        return rows;
    }

    private List<Path> filesOnDisk(String below) {
        try (Stream<Path> files = Files.walk(directory().resolve(below))) {
            return files.filter(Files::isRegularFile).toList();
        } catch (NoSuchFileException e) {
            // A folder of a bucket goes with its last object.
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void smallFilesBecomeOneWithItsRowsInOrder() throws Exception {
        offload(0, 9);
        ArchiveMaintenance.Report report = maintenance().run();
        assertThat(report.compaction()).isEqualTo(new Compaction.Result(9, 1));
        assertThat(ArchiveRows.files(archive.table())).hasSize(1);
        assertThat(ArchiveRows.read(archive.table())).isEqualTo(rows(0, 1, 2, 3, 4, 5, 6, 7, 8));
        try (CloseableIterable<FileScanTask> tasks =
                archive.table().newScan().includeColumnStats().planFiles()) {
            DataFile file = tasks.iterator().next().file();
            assertThat(file.sortOrderId()).isEqualTo(archive.table().sortOrder().orderId());
            assertThat(file.recordCount()).isEqualTo(90);
        }
        assertThat(maintenance().run().compaction()).isEqualTo(new Compaction.Result(0, 0));
    }

    @Test
    void aFileOfSeveralSegmentsSaysWhoseTheyAre() {
        offload(0, 8);
        maintenance().run();
        String location = ArchiveRows.files(archive.table()).get(0);
        Map<String, String> notes = new HashMap<>(StoredFile.open(
                        archive.io().newInputFile(location),
                        archive.io().newInputFile(location).getLength(),
                        archive.table().schema())
                .notes());
        assertThat(notes)
                .containsEntry(ArchiveSchema.SUMMARY_STREAM_KEY, STREAM)
                .containsEntry(ArchiveSchema.SUMMARY_INCARNATION, "i")
                .containsEntry(ArchiveSchema.FOOTER_SEGMENTS, "0:i,1:i,2:i,3:i,4:i,5:i,6:i,7:i");
    }

    @Test
    void columnsOfOthersAreKept() {
        archive.table()
                .updateSchema()
                .addColumn("remark", Types.StringType.get())
                .commit();
        offload(0, 8);
        assertThat(maintenance().run().compaction().written()).isEqualTo(1);
        assertThat(ArchiveRows.read(archive.table())).hasSize(80);
    }

    @Test
    void filesOfTwoIncarnationsAreNotPutTogether() {
        offload(0, 7);
        DataFile other = ArchiveRows.write(archive, STREAM, 7, "another", 70, 10);
        archive.commit(ArchiveRows.append(archive, other, STREAM, 7, "another"));
        assertThat(maintenance().run().compaction().written()).isZero();
        assertThat(ArchiveRows.files(archive.table())).hasSize(8);
        assertThat(filesOnDisk("data")).hasSize(8);
    }

    @Test
    void expiredSnapshotsTakeTheirFilesWithThem() {
        offload(0, 8);
        ArchiveMaintenance maintenance = maintenance();
        maintenance.run();
        assertThat(filesOnDisk("data")).hasSize(9);
        now = now.plus(Duration.ofHours(2));
        offload(8, 5);
        assertThat(maintenance.run().snapshots()).isPositive();
        assertThat(filesOnDisk("data")).hasSize(6);
        assertThat(StreamSupport.stream(archive.table().snapshots().spliterator(), false))
                .hasSize(ArchiveMaintenance.FEWEST_SNAPSHOTS);
        assertThat(ArchiveRows.read(archive.table())).hasSize(130);
    }

    @Test
    void filesOfADeletedLogGoThoughNothingIsAddedAnyMore() {
        offload(0, 3);
        now = now.plus(Duration.ofMinutes(1));
        archive.commit(archive.table().newDelete().deleteFromRowFilter(Expressions.alwaysTrue()));
        ArchiveMaintenance maintenance = maintenance();
        maintenance.run();
        assertThat(filesOnDisk("data")).hasSize(3);
        now = now.plus(Duration.ofHours(2));
        assertThat(maintenance.run().snapshots()).isPositive();
        assertThat(filesOnDisk("data")).isEmpty();
        assertThat(maintenance.run().isIdle()).isTrue();
    }

    @Test
    void orphansGoWhenTheyAreOldAndNothingElseDoes() throws Exception {
        offload(0, 3);
        FileTime old = FileTime.from(now.minus(ORPHAN_AGE).minusSeconds(60));
        Path oldOrphan = orphan("data/stream_key=x/segment-1-a.parquet", old);
        Path oldManifest = orphan("metadata/abandoned-m0.avro", old);
        Path young = orphan("data/stream_key=x/segment-2-b.parquet", FileTime.from(now));
        Path outside = orphan("notes/readme.txt", old);
        for (Path live : filesOnDisk("")) {
            if (!live.equals(young)) {
                Files.setLastModifiedTime(live, old);
            }
        }
        List<Path> before = new ArrayList<>(filesOnDisk(""));
        int gone = maintenance().run().orphans();
        before.removeAll(filesOnDisk(""));
        assertThat(before).containsExactlyInAnyOrder(oldOrphan, oldManifest);
        assertThat(gone).isEqualTo(2);
        assertThat(oldOrphan).doesNotExist();
        assertThat(oldManifest).doesNotExist();
        assertThat(young).exists();
        assertThat(outside).exists();
        archive.refresh();
        assertThat(ArchiveRows.read(archive.table())).hasSize(30);
        assertThat(ArchiveRows.read(ArchiveTable.open(settings()).table())).hasSize(30);
    }

    private Path orphan(String name, FileTime time) throws IOException {
        Path file = directory().resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "nobody's");
        return Files.setLastModifiedTime(file, time);
    }

    @Test
    void oldVersionsOfTheMetadataGoAndAWriterThatSleptMeanwhileFindsTheNewestOne() {
        try (ArchiveTable sleeper = ArchiveTable.open(settings())) {
            sleeper.lead(2);
            archive.lead(3);
            for (int i = 0; i < ArchiveMaintenance.FEWEST_VERSIONS + 20; i++) {
                archive.table()
                        .updateProperties()
                        .set("counter", Integer.toString(i))
                        .commit();
            }
            now = now.plus(Duration.ofHours(1));
            assertThat(maintenance().run().versions()).isPositive();
            assertThat(filesOnDisk("metadata").stream()
                            .filter(file -> file.toString().endsWith(".metadata.json")))
                    .hasSize(ArchiveMaintenance.FEWEST_VERSIONS + 1);
            assertThatThrownBy(() -> ArchiveRows.offload(sleeper, STREAM, 0, 0, 1))
                    .isInstanceOfSatisfying(
                            ColdTierException.class, e -> assertThat(e.kind()).isEqualTo(Kind.FENCED));
        }
        try (ArchiveTable other = ArchiveTable.open(settings())) {
            assertThat(other.table().properties()).containsEntry("counter", "119");
        }
    }

    @Test
    void removalTakesWholeFilesAndLeavesThoseWithOtherRows() {
        offload(0, 8);
        maintenance().run();
        offload(8, 3);
        SegmentRemoval removal = new SegmentRemoval(archive);
        removal.removeThrough(STREAM, "i", 5);
        assertThat(ArchiveRows.read(archive.table())).hasSize(110);
        removal.removeThrough(STREAM, "i", 8);
        removal.removeThrough(STREAM, "i", 8);
        archive.refresh();
        assertThat(ArchiveRows.read(archive.table())).containsExactlyInAnyOrderElementsOf(rows(9, 10));
        removal.removeLog(STREAM, "another");
        archive.refresh();
        assertThat(ArchiveRows.read(archive.table())).hasSize(20);
        removal.removeLog(STREAM, "i");
        removal.removeLog(STREAM, "i");
        archive.refresh();
        assertThat(ArchiveRows.read(archive.table())).isEmpty();
    }

    @Test
    void whatWasRemovedMeanwhileIsNotBroughtBackByCompaction() {
        offload(0, 8);
        try (ArchiveTable other = ArchiveTable.open(settings())) {
            other.lead(1);
            Compaction overtaken =
                    new Compaction(archive, () -> new SegmentRemoval(other).removeThrough(STREAM, "i", 0));
            assertThat(overtaken.run(now.toEpochMilli(), Duration.ofMinutes(1)).written())
                    .isZero();
        }
        archive.refresh();
        assertThat(ArchiveRows.read(archive.table())).hasSize(70).doesNotContainAnyElementsOf(rows(0));
        assertThat(filesOnDisk("data")).hasSize(8);
    }

    @Test
    void anOvertakenProcessMaintainsNothing() {
        offload(0, 8);
        try (ArchiveTable newer = ArchiveTable.open(settings())) {
            newer.lead(2);
        }
        assertThatThrownBy(() -> maintenance().run())
                .isInstanceOfSatisfying(
                        ColdTierException.class, e -> assertThat(e.kind()).isEqualTo(Kind.FENCED));
        archive.refresh();
        assertThat(ArchiveRows.files(archive.table())).hasSize(8);
    }
}
