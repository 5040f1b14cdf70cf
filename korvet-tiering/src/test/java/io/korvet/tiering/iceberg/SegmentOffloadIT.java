package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
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
import io.korvet.tiering.OffloadOutcome;
import io.korvet.tiering.OffloadProgress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an offload writes, as plain Iceberg reads it, over a directory. */
class SegmentOffloadIT {

    private static final StreamName ORDERS = new StreamName("orders:0");
    private static final String KEY = "korvet:storage:local:{orders:0}";

    @TempDir
    Path root;

    private final InMemoryStore store = new InMemoryStore();
    private ArchiveSettings settings;
    private IcebergColdTier tier;

    @BeforeEach
    void open() {
        settings = ArchiveSettings.at(root.toUri().toString());
        tier = open(OffloadSeam.NONE);
        Stages.await(tier.lead(1));
        Stages.await(store.entries().create(ORDERS, "first"));
    }

    private IcebergColdTier open(OffloadSeam seam) {
        return IcebergColdTier.open(settings, new KeySchema("korvet")::log, store.entries(), seam);
    }

    @AfterEach
    void close() {
        tier.close();
    }

    private LogState state() {
        return Objects.requireNonNull(Stages.await(store.entries().state(ORDERS)));
    }

    private void append(long timestamp, @Nullable String[]... entries) {
        append("first", timestamp, Arrays.asList(entries));
    }

    private void append(String incarnation, long timestamp, List<@Nullable String[]> entries) {
        AppendResult result = null;
        // A stranger's entry is noticed by an append, which is refused and made again.
        for (int attempt = 0; attempt < 2 && !(result instanceof AppendResult.Appended); attempt++) {
            result = Stages.await(store.entries()
                    .append(Batches.to(ORDERS, incarnation)
                            .after(state(), new TimeEncoding(10))
                            .timestamp(timestamp)
                            .entries(store.entries(), entries)));
        }
        assertThat(result).isInstanceOf(AppendResult.Appended.class);
    }

    private static @Nullable String[] entry(@Nullable String... fields) {
        return fields;
    }

    private ColdSegment seal(String incarnation) {
        long number = state().open().number();
        Stages.await(store.segments().seal(ORDERS, incarnation, number, 9));
        return new ColdSegment(
                ORDERS, incarnation, state().sealed().get(state().sealed().size() - 1));
    }

    private Offload offload(ColdSegment segment) {
        return Stages.await(tier.offload(segment, OffloadProgress.SILENT));
    }

    private List<Record> rows() throws IOException {
        try (ArchiveTable archive = ArchiveTable.open(settings);
                CloseableIterable<Record> rows =
                        IcebergGenerics.read(archive.table()).build()) {
            List<Record> all = new ArrayList<>();
            rows.forEach(all::add);
            return all;
        }
    }

    private List<DataFile> files() throws IOException {
        try (ArchiveTable archive = ArchiveTable.open(settings);
                CloseableIterable<FileScanTask> tasks =
                        archive.table().newScan().includeColumnStats().planFiles()) {
            List<DataFile> files = new ArrayList<>();
            tasks.forEach(task -> files.add(task.file()));
            return files;
        }
    }

    private long parquetFiles() throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(path -> path.toString().endsWith(".parquet")).count();
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> fields(Record row) {
        Map<String, String> fields = new TreeMap<>();
        ((Map<String, ByteBuffer>) row.getField(ArchiveSchema.FIELDS))
                .forEach((name, value) -> fields.put(
                        name, StandardCharsets.UTF_8.decode(value.duplicate()).toString()));
        return fields;
    }

    private static long longBound(Map<Integer, ByteBuffer> bounds, int field) {
        return Conversions.<Long>fromByteBuffer(Types.LongType.get(), bounds.get(field));
    }

    @Test
    void eachEntryIsARowWithItsFieldsAsTheyAre() throws IOException {
        append(
                77,
                entry("value", "key", "\u0001\u0002", "77"),
                entry("", null, null, "-1"),
                entry(null, "", null, "78", "marks"),
                entry(null, null, null, "9223372036854775807"));
        store.entries()
                .addForeign(
                        ORDERS,
                        0,
                        new StreamEntryId(Batches.NOW, 500),
                        new TreeMap<>(Map.of("colour", bytes("red"), "value", bytes("v"))));
        // The next append takes the stranger's entry into the bookkeeping.
        append(79, entry("last", null, null, "79"));
        Offload done = offload(seal("first"));
        assertThat(done.outcome()).isEqualTo(OffloadOutcome.COMMITTED);
        assertThat(done.file()).matches("file:.*/data/stream_key=.*/segment-0-[0-9a-f-]{36}\\.parquet");
        List<Record> rows = rows();
        assertThat(rows)
                .extracting(row -> row.getField(ArchiveSchema.STREAM_KEY))
                .containsOnly(KEY);
        assertThat(rows)
                .extracting(row -> row.getField(ArchiveSchema.SEGMENT_ID))
                .containsOnly(0L);
        String now = Long.toString(Batches.NOW);
        assertThat(rows)
                .extracting(row -> row.getField(ArchiveSchema.MESSAGE_ID))
                .containsExactly(now + "-0", now + "-1", now + "-2", now + "-3", now + "-500", now + "-501");
        assertThat(rows)
                .extracting(row -> row.getField(ArchiveSchema.TS))
                .containsExactly(77L, -1L, 78L, Batches.NOW, Batches.NOW, 79L);
        assertThat(rows)
                .extracting(SegmentOffloadIT::fields)
                .containsExactly(
                        Map.of("value", "value", "key", "key", "headers", "\u0001\u0002", "timestamp", "77"),
                        Map.of("value", "", "timestamp", "-1"),
                        Map.of("key", "", "timestamp", "78", "txn", "marks"),
                        Map.of("timestamp", "9223372036854775807"),
                        Map.of("colour", "red", "value", "v"),
                        Map.of("value", "last", "timestamp", "79"));
        assertThat(files()).singleElement().matches(file -> file.sortOrderId() == 0);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void enginesCanPruneByWhatTheFileSaysOfItself() throws IOException {
        append(100, entry("a", null, null, "100"), entry("b", null, null, "100"));
        append(200, entry("c", null, null, "200"));
        offload(seal("first"));
        append(300, entry("d", null, null, "300"));
        offload(seal("first"));
        List<DataFile> files = files().stream()
                .sorted((one, other) -> Long.compare(one.recordCount(), other.recordCount()))
                .toList();
        assertThat(files).hasSize(2);
        DataFile first = files.get(1);
        assertThat(first.recordCount()).isEqualTo(3);
        assertThat(first.fileSizeInBytes()).isEqualTo(Files.size(LocalFiles.path(first.location())));
        assertThat(first.partition().get(0, String.class)).isEqualTo(KEY);
        assertThat(first.sortOrderId()).isEqualTo(1);
        assertThat(first.splitOffsets()).containsExactly(4L);
        assertThat(longBound(first.lowerBounds(), 2)).isZero();
        assertThat(longBound(first.upperBounds(), 2)).isZero();
        assertThat(longBound(first.lowerBounds(), 4)).isEqualTo(100);
        assertThat(longBound(first.upperBounds(), 4)).isEqualTo(200);
        ByteBuffer smallest = Objects.requireNonNull(first.lowerBounds().get(3));
        assertThat(StandardCharsets.UTF_8.decode(smallest.duplicate()).toString())
                .isEqualTo(Batches.NOW + "-0");
        assertThat(first.lowerBounds()).doesNotContainKeys(6, 7);
        try (ArchiveTable archive = ArchiveTable.open(settings);
                CloseableIterable<FileScanTask> tasks = archive.table()
                        .newScan()
                        .filter(Expressions.greaterThan(ArchiveSchema.TS, 250L))
                        .planFiles()) {
            assertThat(tasks).singleElement().matches(task -> task.file().recordCount() == 1);
        }
    }

    @Test
    void aSegmentOfManyPagesAndRowGroupsIsReadBackWhole() throws IOException {
        int batches = 15;
        for (int batch = 0; batch < batches; batch++) {
            List<@Nullable String[]> entries = new ArrayList<>();
            for (int index = 0; index < 10_000; index++) {
                entries.add(entry("value " + batch + "/" + index, null, null, Long.toString(batch)));
            }
            append("first", batch, entries);
        }
        ColdSegment segment = seal("first");
        AtomicLong heard = new AtomicLong();
        AtomicLong worked = new AtomicLong();
        AtomicLong held = new AtomicLong();
        Offload done = Stages.await(tier.offload(segment, new OffloadProgress() {
            @Override
            public void advanced(long entries, long bytes) {
                heard.addAndGet(entries);
            }

            @Override
            public void worked(Step step, long nanoseconds) {
                worked.addAndGet(nanoseconds);
            }

            @Override
            public void holds(long bytes) {
                held.accumulateAndGet(bytes, Math::max);
            }
        }));
        assertThat(done.outcome()).isEqualTo(OffloadOutcome.COMMITTED);
        assertThat(heard).hasValue(150_000);
        assertThat(worked).hasPositiveValue();
        assertThat(held.get()).isBetween(1L << 20, 64L << 20);
        assertThat(files()).singleElement().matches(file -> file.splitOffsets().size() == 3);
        RecordingSink sink = new RecordingSink();
        StreamEntryId from = StreamEntryId.MINIMUM;
        for (int given = -1; given != 0; ) {
            int before = sink.entries().size();
            given = Stages.await(tier.read(segment, from, 50_000, sink));
            assertThat(sink.entries()).hasSize(before + given);
            StreamEntryId last = sink.entries().get(sink.entries().size() - 1).id();
            from = new StreamEntryId(last.milliseconds(), last.sequence() + 1);
        }
        assertThat(sink.entries()).hasSize(150_000);
        assertThat(sink.entries().get(123_456).value()).isEqualTo("value 12/3456");
    }

    @Test
    void aSegmentThatIsThereIsNotCopiedAgain() throws IOException {
        append(1, entry("a", null, null, "1"));
        ColdSegment segment = seal("first");
        assertThat(Stages.await(tier.find(segment)).outcome()).isEqualTo(OffloadOutcome.NOT_COMMITTED);
        Offload done = offload(segment);
        assertThat(offload(segment)).isEqualTo(done);
        assertThat(Stages.await(tier.find(segment))).isEqualTo(done);
        tier.close();
        tier = open(OffloadSeam.NONE);
        Stages.await(tier.lead(2));
        assertThat(offload(segment)).isEqualTo(done);
        assertThat(rows()).hasSize(1);
        try (ArchiveTable archive = ArchiveTable.open(settings)) {
            Iterable<Snapshot> snapshots = archive.table().snapshots();
            assertThat(snapshots)
                    .filteredOn(snapshot -> snapshot.summary().containsKey("korvet.segment-id"))
                    .singleElement()
                    .satisfies(snapshot -> assertThat(snapshot.summary())
                            .containsAllEntriesOf(Map.of(
                                    "korvet.stream-key", KEY,
                                    "korvet.segment-id", "0",
                                    "korvet.incarnation", "first",
                                    "korvet.epoch", "1")));
        }
    }

    @Test
    void rowsOfAnotherTopicOfThatNameAreNeitherMixedNorRemoved() throws IOException {
        append(1, entry("a", null, null, "1"));
        offload(seal("first"));
        Stages.await(store.entries().delete(ORDERS, "first"));
        Stages.await(store.entries().create(ORDERS, "second"));
        append("second", 2, List.<@Nullable String[]>of(entry("b", null, null, "2")));
        ColdSegment later = seal("second");
        assertThatThrownBy(() -> offload(later))
                .isInstanceOf(ColdTierException.class)
                .matches(failure -> ((ColdTierException) failure).kind() == ColdTierException.Kind.REFUSED)
                .hasMessageContaining("topic id first, expected second")
                .hasMessageContaining(KEY);
        Stages.await(tier.removeLog(ORDERS, "second"));
        assertThat(rows()).hasSize(1);
        Stages.await(tier.removeLog(ORDERS, "first"));
        assertThat(offload(later).outcome()).isEqualTo(OffloadOutcome.COMMITTED);
        assertThat(rows())
                .singleElement()
                .satisfies(row -> assertThat(fields(row)).containsEntry("value", "b"));
    }

    @Test
    void aSegmentThatIsNotWhatItsCatalogSaysIsNotCopiedAndLeavesNoFile() throws IOException {
        append(1, entry("a", null, null, "1"), entry("b", null, null, "1"));
        ColdSegment sealed = seal("first");
        store.entries().addForeign(ORDERS, 0, new StreamEntryId(Batches.NOW + 9, 0), Map.of("value", bytes("c")));
        assertThatThrownBy(() -> offload(sealed))
                .matches(failure -> ((ColdTierException) failure).kind() == ColdTierException.Kind.CORRUPT)
                .hasMessageContaining("has 3 entries")
                .hasMessageContaining("expected 2");
        assertThat(rows()).isEmpty();
        assertThat(parquetFiles()).isZero();
    }

    @Test
    void anOvertakenLeaderCommitsNothingAndLeavesNoFile() throws IOException {
        append(1, entry("a", null, null, "1"));
        ColdSegment segment = seal("first");
        try (IcebergColdTier later = open(OffloadSeam.NONE)) {
            Stages.await(later.lead(2));
            assertThatThrownBy(() -> offload(segment))
                    .matches(failure -> ((ColdTierException) failure).kind() == ColdTierException.Kind.FENCED);
            assertThat(parquetFiles()).isZero();
            assertThat(Stages.await(later.offload(segment, OffloadProgress.SILENT))
                            .outcome())
                    .isEqualTo(OffloadOutcome.COMMITTED);
        }
        assertThat(rows()).hasSize(1);
    }

    @Test
    void segmentsAreRemovedByNumber() throws IOException {
        for (int segment = 0; segment < 3; segment++) {
            append(segment, entry("a" + segment, null, null, "1"));
            offload(seal("first"));
        }
        Stages.await(tier.removeThrough(ORDERS, "first", 1));
        Stages.await(tier.removeThrough(ORDERS, "first", 1));
        assertThat(rows())
                .singleElement()
                .matches(row -> row.getField(ArchiveSchema.SEGMENT_ID).equals(2L));
    }

    @Test
    void anEntryOfManyMegabytesBetweenSmallOnesNeedsNoMoreThanItself() throws IOException {
        List<@Nullable String[]> small = new ArrayList<>();
        for (int index = 0; index < 5_000; index++) {
            small.add(entry("small", null, null, "1"));
        }
        append("first", 1, small);
        String large = "x".repeat(3 << 20);
        append(1, entry(large, null, null, "1"), entry(large, null, null, "1"), entry(large, null, null, "1"));
        append("first", 1, small);
        Segment row = seal("first").segment();
        assertThat(offload(new ColdSegment(ORDERS, "first", row)).outcome()).isEqualTo(OffloadOutcome.COMMITTED);
        assertThat(rows()).hasSize(10_003);
    }
}
