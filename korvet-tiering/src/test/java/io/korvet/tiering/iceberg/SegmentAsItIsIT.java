package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.AppendBatch;
import io.korvet.store.AppendResult;
import io.korvet.store.Batches;
import io.korvet.store.LogState;
import io.korvet.store.RecordingSink;
import io.korvet.store.Segment;
import io.korvet.store.Stages;
import io.korvet.store.StreamName;
import io.korvet.store.memory.InMemoryStore;
import io.korvet.store.redis.KeySchema;
import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.ColdTier.Offload;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.OffloadOutcome;
import io.korvet.tiering.OffloadProgress;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive has a segment only if it has exactly that one: of that sealing, all its rows, in files that are there. */
class SegmentAsItIsIT {

    private static final StreamName ORDERS = new StreamName("orders:0");
    private static final String KEY = "korvet:storage:local:{orders:0}";
    private static final String INCARNATION = "first";

    @TempDir
    Path root;

    private final InMemoryStore store = new InMemoryStore();
    private ArchiveSettings settings;
    private IcebergColdTier tier;

    @BeforeEach
    void open() {
        settings = ArchiveSettings.at(root.toUri().toString());
        start(1);
        Stages.await(store.entries().create(ORDERS, INCARNATION));
    }

    private void start(long epoch) {
        tier = IcebergColdTier.open(settings, new KeySchema("korvet")::log, store.entries());
        Stages.await(tier.lead(epoch));
    }

    @AfterEach
    void close() {
        tier.close();
    }

    private LogState state() {
        return Objects.requireNonNull(Stages.await(store.entries().state(ORDERS)));
    }

    /** A sealed segment with these values. */
    private ColdSegment seal(String... values) {
        return seal(batch().values(store.entries(), values));
    }

    /** The same with a timestamp that its producer gave. */
    private ColdSegment sealAt(long timestamp, String... values) {
        List<@Nullable String[]> entries = new ArrayList<>();
        for (String value : values) {
            entries.add(new @Nullable String[] {value, null, null, Long.toString(timestamp)});
        }
        return seal(batch().timestamp(timestamp).entries(store.entries(), entries));
    }

    private Batches batch() {
        return Batches.to(ORDERS, INCARNATION).after(state(), new TimeEncoding(10));
    }

    private ColdSegment seal(AppendBatch batch) {
        assertThat(Stages.await(store.entries().append(batch))).isInstanceOf(AppendResult.Appended.class);
        long number = state().open().number();
        Stages.await(store.segments().seal(ORDERS, INCARNATION, number, 9));
        return new ColdSegment(
                ORDERS, INCARNATION, state().sealed().get(state().sealed().size() - 1));
    }

    /** The store loses all it has of the log, and its topic is the same. */
    private void goBack() {
        Stages.await(store.entries().delete(ORDERS, INCARNATION));
        Stages.await(store.entries().create(ORDERS, INCARNATION));
    }

    private Offload offload(ColdSegment segment) {
        Offload done = Stages.await(tier.offload(segment, OffloadProgress.SILENT));
        assertThat(done.outcome()).isEqualTo(OffloadOutcome.COMMITTED);
        return done;
    }

    private OffloadOutcome find(ColdSegment segment) {
        return Stages.await(tier.find(segment)).outcome();
    }

    private List<String> read(ColdSegment segment) {
        RecordingSink sink = new RecordingSink();
        Stages.await(tier.read(segment, StreamEntryId.MINIMUM, 1_000, sink));
        return sink.entries().stream().map(entry -> entry.value()).toList();
    }

    private List<String> rows() {
        try (ArchiveTable archive = ArchiveTable.open(settings)) {
            return ArchiveRows.read(archive.table());
        }
    }

    private static Path path(Offload done) {
        return LocalFiles.path(Objects.requireNonNull(done.file()));
    }

    @Test
    void aSegmentThatIsSealedAnewAfterTheStoreWentBackReplacesTheCopyOfTheOld() {
        ColdSegment old = seal("a", "b", "c");
        Offload first = offload(old);
        assertThat(read(old)).containsExactly("a", "b", "c");
        goBack();
        ColdSegment anew = seal("a", "x", "y");
        assertThat(anew.segment().last()).isEqualTo(old.segment().last());
        assertThat(find(anew)).isEqualTo(OffloadOutcome.NOT_COMMITTED);
        assertThatThrownBy(() -> read(anew)).hasMessageContaining("sealed another time");
        Offload second = offload(anew);
        assertThat(second.file()).isNotEqualTo(first.file());
        assertThat(find(anew)).isEqualTo(OffloadOutcome.COMMITTED);
        assertThat(rows()).hasSize(3);
        try (ArchiveTable archive = ArchiveTable.open(settings)) {
            assertThat(ArchiveRows.files(archive.table())).containsExactly(second.file());
            assertThat(archive.table().currentSnapshot().summary())
                    .containsEntry("korvet.seal", anew.segment().seal());
        }
        tier.close();
        start(2);
        assertThat(read(anew)).containsExactly("a", "x", "y");
    }

    @Test
    void anOldCopyThatAnotherEngineRewroteWithoutItsNotesIsToldByItsTimestamps() throws IOException {
        offload(sealAt(1_000, "a", "b", "c"));
        rewriteWithout(null);
        goBack();
        ColdSegment anew = sealAt(2_000, "a", "x", "y");
        assertThat(rows()).hasSize(3);
        assertThat(find(anew)).isEqualTo(OffloadOutcome.NOT_COMMITTED);
        offload(anew);
        assertThat(find(anew)).isEqualTo(OffloadOutcome.COMMITTED);
        assertThat(rows()).hasSize(3).doesNotHaveDuplicates();
        assertThat(read(anew)).containsExactly("a", "x", "y");
        rewriteWithout(null);
        assertThat(find(anew)).as("its own rows, without a note").isEqualTo(OffloadOutcome.COMMITTED);
    }

    @Test
    void aSegmentInAFileOfSeveralIsReplacedWithoutTheOthers() {
        List<ColdSegment> old = List.of(seal("a"), seal("b", "c"), seal("d"));
        old.forEach(this::offload);
        merge();
        old.forEach(segment -> assertThat(find(segment)).isEqualTo(OffloadOutcome.COMMITTED));
        goBack();
        seal("a");
        ColdSegment anew = seal("x", "y");
        assertThat(find(anew)).isEqualTo(OffloadOutcome.NOT_COMMITTED);
        offload(anew);
        assertThat(find(anew)).isEqualTo(OffloadOutcome.COMMITTED);
        assertThat(find(old.get(0))).isEqualTo(OffloadOutcome.COMMITTED);
        assertThat(rows()).hasSize(4).doesNotHaveDuplicates();
        tier.close();
        start(4);
        assertThat(read(anew)).containsExactly("x", "y");
        assertThat(read(old.get(2))).containsExactly("d");
        Stages.await(tier.removeThrough(ORDERS, INCARNATION, 2));
        assertThat(rows()).isEmpty();
    }

    /** As maintenance does with small files. */
    private void merge() {
        try (ArchiveTable archive = ArchiveTable.open(settings)) {
            archive.lead(2);
            SegmentIndex index = new SegmentIndex(archive.table(), settings.callTimeout());
            index.refresh(System.nanoTime());
            StoredFiles stored = new StoredFiles(archive.table(), 1 << 20);
            List<StoredFile> inputs = index.files(KEY).stream()
                    .sorted(java.util.Comparator.comparingLong(ArchivedFile::smallestSegment))
                    .map(stored::open)
                    .toList();
            RewriteFiles rewrite = archive.table().newRewrite();
            files(archive.table()).forEach(rewrite::deleteFile);
            rewrite.addFile(new FileMerge(archive, KEY, 0).write(inputs));
            assertThat(archive.commit(rewrite)).isEqualTo(CommitOutcome.COMMITTED);
        }
        Stages.await(tier.lead(3));
    }

    private static List<DataFile> files(Table table) {
        List<DataFile> files = new ArrayList<>();
        try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
            tasks.forEach(task -> files.add(task.file()));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return files;
    }

    @Test
    void aFileThatIsLostOrCutAfterItsOffloadIsNoticedAndMadeAnew() throws IOException {
        ColdSegment segment = seal("a", "b", "c");
        Offload first = offload(segment);
        assertThat(read(segment)).hasSize(3);
        assertThat(find(segment)).isEqualTo(OffloadOutcome.COMMITTED);
        Files.delete(path(first));
        assertThat(find(segment)).isEqualTo(OffloadOutcome.NOT_COMMITTED);
        Offload second = offload(segment);
        assertThat(find(segment)).isEqualTo(OffloadOutcome.COMMITTED);
        try (FileChannel file = FileChannel.open(path(second), StandardOpenOption.WRITE)) {
            file.truncate(file.size() - 1);
        }
        assertThat(find(segment)).isEqualTo(OffloadOutcome.NOT_COMMITTED);
        offload(segment);
        assertThat(rows()).hasSize(3);
        assertThat(read(segment)).containsExactly("a", "b", "c");
    }

    @Test
    void rowsThatAnotherEngineDeletedAreNoticedAndTheSegmentIsMadeAnew() throws IOException {
        ColdSegment segment = seal("a", "b", "c");
        offload(segment);
        Table table = another();
        table.newRowDelta()
                .addDeletes(new SegmentFiles(table).deletePositions(files(table).get(0), List.of(1)))
                .commit();
        assertThat(rows()).hasSize(2);
        assertThat(find(segment)).isEqualTo(OffloadOutcome.NOT_COMMITTED);
        offload(segment);
        assertThat(rows()).hasSize(3);
        rewriteWithout(segment.segment().last());
        assertThat(rows()).hasSize(2);
        assertThat(find(segment)).isEqualTo(OffloadOutcome.NOT_COMMITTED);
        offload(segment);
        assertThat(find(segment)).isEqualTo(OffloadOutcome.COMMITTED);
        assertThat(rows()).hasSize(3).doesNotHaveDuplicates();
        rewriteWithout(null);
        assertThat(find(segment)).as("all rows, without a note").isEqualTo(OffloadOutcome.COMMITTED);
    }

    private Table another() {
        return new HadoopTables(new Configuration())
                .load(ArchiveLocation.of(settings.path()).root());
    }

    /** All rows but one in a file without any note of Korvet's. */
    private void rewriteWithout(@Nullable StreamEntryId id) throws IOException {
        Table table = another();
        DataWriter<Record> writer = Parquet.writeData(
                        table.io().newOutputFile(table.location() + "/data/" + UUID.randomUUID() + ".parquet"))
                .forTable(table)
                .createWriterFunc(GenericParquetWriter::create)
                .withPartition(ArchiveSchema.partition(table.spec(), KEY))
                .build();
        try (writer;
                CloseableIterable<Record> all = IcebergGenerics.read(table).build()) {
            for (Record row : all) {
                if (id == null || !id.toString().equals(row.getField(ArchiveSchema.MESSAGE_ID))) {
                    writer.write(row);
                }
            }
        }
        RewriteFiles rewrite = table.newRewrite()
                .validateFromSnapshot(table.currentSnapshot().snapshotId())
                .addFile(writer.toDataFile());
        files(table).forEach(rewrite::deleteFile);
        rewrite.commit();
    }

    @Test
    void aBrokenFileKeepsNoOtherSegmentFromBeingCopied() throws IOException {
        offload(seal("a"));
        Offload broken = offload(seal("b"));
        Files.delete(path(broken));
        tier.close();
        start(2);
        offload(seal("c"));
        try (ArchiveTable archive = ArchiveTable.open(settings)) {
            archive.lead(3);
            archive.table()
                    .expireSnapshots()
                    .expireOlderThan(Long.MAX_VALUE)
                    .retainLast(1)
                    .commit();
            archive.lead(4);
            archive.table()
                    .expireSnapshots()
                    .expireOlderThan(Long.MAX_VALUE)
                    .retainLast(1)
                    .commit();
        }
        tier.close();
        start(5);
        offload(seal("d"));
    }

    @Test
    void whoseABrokenFileIsIsAskedWhenNothingElseTells() throws IOException {
        ColdSegment only = seal("a");
        Offload broken = offload(only);
        Files.delete(path(broken));
        ColdSegment next = seal("b");
        try (ArchiveTable archive = ArchiveTable.open(settings)) {
            archive.lead(2);
            archive.table()
                    .expireSnapshots()
                    .expireOlderThan(Long.MAX_VALUE)
                    .retainLast(1)
                    .commit();
        }
        tier.close();
        start(3);
        assertThatThrownBy(() -> offload(next))
                .isInstanceOfSatisfying(
                        ColdTierException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .hasMessageContaining(broken.file())
                .hasMessageContaining("beyond segment 0 with kafka-delete-records");
        Stages.await(store.segments().markOffloaded(ORDERS, INCARNATION, 0, Objects.requireNonNull(broken.file())));
        Segment marked = Objects.requireNonNull(Stages.await(store.segments().segment(ORDERS, 0)));
        offload(new ColdSegment(ORDERS, INCARNATION, marked));
        offload(next);
        assertThat(rows()).hasSize(2);
    }

    @Test
    void noTableIsMadeWhereDataOfAnotherLies() throws IOException {
        offload(seal("a"));
        tier.close();
        Path aside = root.resolveSibling(root.getFileName() + "-metadata");
        Files.move(root.resolve("metadata"), aside);
        assertThatThrownBy(() -> start(2))
                .isInstanceOfSatisfying(
                        ColdTierException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .hasMessageContaining("restore metadata/");
        Files.deleteIfExists(root.resolve("metadata"));
        Files.move(aside, root.resolve("metadata"));
        start(2);
        assertThat(rows()).hasSize(1);
        assertThat(files(ArchiveTable.open(settings).table())).hasSize(1);
    }

    @Test
    void aSegmentWithoutASealIsComparedByItsRows() {
        ColdSegment sealed = seal("a", "b");
        Segment row = sealed.segment();
        ColdSegment before = new ColdSegment(
                ORDERS,
                INCARNATION,
                new Segment(
                        row.number(),
                        row.state(),
                        row.first(),
                        row.last(),
                        row.firstTimestamp(),
                        row.lastTimestamp(),
                        row.lastTimestampId(),
                        row.entries(),
                        row.bytes(),
                        row.openedMilliseconds(),
                        null));
        offload(before);
        assertThat(find(before)).isEqualTo(OffloadOutcome.COMMITTED);
        assertThat(find(sealed)).isEqualTo(OffloadOutcome.COMMITTED);
        goBack();
        ColdSegment more = seal("a", "b", "c");
        assertThat(find(more)).isEqualTo(OffloadOutcome.NOT_COMMITTED);
        offload(more);
        assertThat(read(more)).containsExactly("a", "b", "c");
    }
}
