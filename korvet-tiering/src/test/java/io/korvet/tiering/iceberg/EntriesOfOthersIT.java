package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.DenseEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.store.Batches;
import io.korvet.store.RecordingSink;
import io.korvet.store.Segment;
import io.korvet.store.Stages;
import io.korvet.store.StreamName;
import io.korvet.store.memory.InMemoryStore;
import io.korvet.store.redis.KeySchema;
import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.OffloadOutcome;
import io.korvet.tiering.OffloadProgress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Entries that another client wrote into a log of dense offsets are archived as they are, and nothing stops at them. */
class EntriesOfOthersIT {

    private static final StreamName ORDERS = new StreamName("orders:0");
    private static final StreamEntryId FOREIGN = new StreamEntryId(Batches.NOW, 0);

    @TempDir
    Path root;

    private final InMemoryStore store = new InMemoryStore();

    /** The segment as the sealing script describes it: all entries count, the ids are of the log's own ones. */
    private static ColdSegment row(@Nullable StreamEntryId first, StreamEntryId last, long entries, Segment sealed) {
        return new ColdSegment(
                ORDERS,
                "first",
                new Segment(
                        0,
                        sealed.state(),
                        first,
                        last,
                        sealed.firstTimestamp(),
                        sealed.lastTimestamp(),
                        sealed.lastTimestampId(),
                        entries,
                        sealed.bytes(),
                        sealed.openedMilliseconds(),
                        null));
    }

    private static void assertArchived(ArchiveSettings settings, InMemoryStore store, ColdSegment segment) {
        try (IcebergColdTier tier = IcebergColdTier.open(settings, new KeySchema("korvet")::log, store.entries())) {
            Stages.await(tier.lead(1));
            assertThat(Stages.await(tier.offload(segment, OffloadProgress.SILENT))
                            .outcome())
                    .isEqualTo(OffloadOutcome.COMMITTED);
            assertThat(Stages.await(tier.find(segment)).outcome()).isEqualTo(OffloadOutcome.COMMITTED);
            RecordingSink sink = new RecordingSink();
            int read = Stages.await(tier.read(segment, StreamEntryId.MINIMUM, 100, sink));
            assertThat(read).isEqualTo(Math.toIntExact(segment.segment().entries()));
            assertThat(sink.entries().get(read - 1).id()).isEqualTo(FOREIGN);
        }
    }

    @Test
    void behindTheLogsOwn() {
        Stages.await(store.entries().create(ORDERS, "first"));
        var unused = Stages.await(store.entries()
                .append(Batches.to(ORDERS, "first")
                        .after(
                                Objects.requireNonNull(
                                        Stages.await(store.entries().state(ORDERS))),
                                new DenseEncoding())
                        .timestamp(1)
                        .values(store.entries(), "a", "b")));
        store.entries().addForeign(ORDERS, 0, FOREIGN, Map.of("value", "c".getBytes(StandardCharsets.UTF_8)));
        Segment open = Objects.requireNonNull(Stages.await(store.entries().state(ORDERS)))
                .open();
        assertArchived(
                ArchiveSettings.at(root.toUri().toString()),
                store,
                row(new DenseEncoding().idOf(0), new DenseEncoding().idOf(1), 3, open));
    }

    @Test
    void alone() {
        Stages.await(store.entries().create(ORDERS, "first"));
        store.entries()
                .addForeign(
                        ORDERS,
                        0,
                        new StreamEntryId(Batches.NOW - 5, 0),
                        Map.of("value", "c".getBytes(StandardCharsets.UTF_8)));
        store.entries().addForeign(ORDERS, 0, FOREIGN, Map.of("value", "d".getBytes(StandardCharsets.UTF_8)));
        Segment open = Objects.requireNonNull(Stages.await(store.entries().state(ORDERS)))
                .open();
        assertArchived(
                ArchiveSettings.at(root.toUri().toString()), store, row(null, new DenseEncoding().idOf(761), 2, open));
    }
}
