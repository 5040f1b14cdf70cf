package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.Batches;
import io.korvet.store.EntryLog;
import io.korvet.store.LogState;
import io.korvet.store.RecordingSink;
import io.korvet.store.Stages;
import io.korvet.store.StreamName;
import io.korvet.store.memory.InMemoryStore;
import io.korvet.store.redis.KeySchema;
import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.OffloadProgress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.apache.iceberg.TableProperties;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many readers of one file at a time, which keep nothing in memory: each has its own pages and decompressors. */
class ReadersOfOneFileIT {

    private static final StreamName ORDERS = new StreamName("orders:0");
    private static final int READERS = 8;
    private static final int ROUNDS = 25;
    private static final int BATCHES = 4;
    private static final int EACH = 5_000;

    @TempDir
    Path root;

    private final InMemoryStore store = new InMemoryStore();

    @ParameterizedTest
    @ValueSource(strings = {"zstd", "gzip"})
    void readersDontDisturbEachOther(String compression) {
        ArchiveSettings settings = ArchiveSettings.at(root.toUri().toString());
        try (ArchiveTable archive = ArchiveTable.open(settings)) {
            archive.table()
                    .updateProperties()
                    .set(TableProperties.PARQUET_COMPRESSION, compression)
                    .commit();
        }
        KeySchema keys = new KeySchema("korvet");
        try (IcebergColdTier tier = IcebergColdTier.open(settings, keys::log, store.entries())) {
            Stages.await(tier.lead(1));
            ColdSegment segment = segment();
            Stages.await(tier.offload(segment, OffloadProgress.SILENT));
            ExecutorService threads = Executors.newFixedThreadPool(READERS);
            try (ArchiveTable archive = ArchiveTable.open(settings);
                    ColdReads first = reads(archive, keys);
                    ColdReads second = reads(archive, keys)) {
                List<CompletableFuture<Void>> readers = IntStream.range(0, READERS)
                        .mapToObj(reader -> CompletableFuture.runAsync(
                                () -> readOften(reader % 2 == 0 ? first : second, segment), threads))
                        .toList();
                readers.forEach(Stages::await);
            } finally {
                threads.shutdownNow();
            }
        }
    }

    private static ColdReads reads(ArchiveTable archive, KeySchema keys) {
        return new ColdReads(
                archive.table(), keys::log, new ColdReads.Options(0, READERS, 100, Duration.ofSeconds(60)));
    }

    private static void readOften(ColdReads reads, ColdSegment segment) {
        for (int round = 0; round < ROUNDS; round++) {
            RecordingSink sink = new RecordingSink();
            StreamEntryId from = StreamEntryId.MINIMUM;
            while (sink.entries().size() < BATCHES * EACH) {
                assertThat(Stages.await(reads.read(segment, from, EACH, sink))).isPositive();
                StreamEntryId last =
                        sink.entries().get(sink.entries().size() - 1).id();
                from = new StreamEntryId(last.milliseconds(), last.sequence() + 1);
            }
            assertThat(sink.entries().get(12_345).value()).isEqualTo("value 2/2345");
        }
    }

    private ColdSegment segment() {
        EntryLog log = store.entries();
        Stages.await(log.create(ORDERS, "first"));
        for (int batch = 0; batch < BATCHES; batch++) {
            List<String> values = new ArrayList<>();
            for (int index = 0; index < EACH; index++) {
                values.add("value " + batch + "/" + index);
            }
            Stages.await(log.append(Batches.to(ORDERS, "first")
                    .after(state(), new TimeEncoding(10))
                    .values(log, values)));
        }
        Stages.await(store.segments().seal(ORDERS, "first", 0, Batches.NOW));
        return new ColdSegment(ORDERS, "first", state().sealed().get(0));
    }

    private LogState state() {
        return Objects.requireNonNull(Stages.await(store.entries().state(ORDERS)));
    }
}
