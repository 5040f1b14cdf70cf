package io.korvet.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.Batches;
import io.korvet.store.Stages;
import io.korvet.store.StreamName;
import io.korvet.store.memory.InMemoryStore;
import io.korvet.store.time.ManualScheduler;
import io.korvet.tiering.TierPolicy.Tiering;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the log says of a segment on its way: one line for each step. */
class ColdLogTest {

    private static final StreamName ORDERS = new StreamName("orders:0");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void aSegmentIsLoggedOnceWhenItIsArchivedWhenItLeavesRedisAndWhenItLeavesTheArchive() {
        ManualScheduler time = new ManualScheduler(Instant.ofEpochMilli(Batches.NOW));
        InMemoryStore store = new InMemoryStore(time);
        Stages.await(store.entries().create(ORDERS, "first"));
        var unused = Stages.await(store.entries()
                .append(Batches.to(ORDERS, "first")
                        .after(
                                Objects.requireNonNull(
                                        Stages.await(store.entries().state(ORDERS))),
                                new TimeEncoding(10))
                        .values(store.entries(), "a", "b")));
        Stages.await(store.segments().seal(ORDERS, "first", 0, time.millis()));
        TierPolicy policy = new TierPolicy(
                MINUTE.toMillis(), retention(MINUTE), retention(MINUTE.multipliedBy(10)), Tiering.ENABLED);
        StorageWorker worker = new StorageWorker(
                store,
                new InMemoryColdTier(store.entries()),
                () -> CompletableFuture.completedFuture(
                        List.of(new ManagedLog(ORDERS, "first", new TimeEncoding(10), policy))),
                state -> false,
                WorkerSettings.DEFAULTS,
                WorkerObserver.SILENT,
                time,
                time);
        try (LoggedLines lines = new LoggedLines()) {
            worker.start();
            time.advance(MINUTE.multipliedBy(15));
            List<ILoggingEvent> ofSegments = lines.all().stream()
                    .filter(line -> LoggedLines.said(line).containsKey("stream"))
                    .toList();
            assertThat(ofSegments)
                    .extracting(ILoggingEvent::getMessage)
                    .containsExactly(
                            "a segment is in the archive",
                            "a segment of the archive left Redis",
                            "segments left the archive");
            assertThat(LoggedLines.said(ofSegments.get(0)))
                    .containsEntry("stream", "orders:0")
                    .containsEntry("segment", 0L)
                    .containsEntry("records", 2L)
                    .containsEntry("recordsCopied", 2L)
                    .containsKeys("bytes", "milliseconds");
            assertThat(LoggedLines.said(ofSegments.get(1)))
                    .containsEntry("segment", 0L)
                    .containsEntry("records", 2L);
            assertThat(LoggedLines.said(ofSegments.get(2)))
                    .containsEntry("firstSegment", 0L)
                    .containsEntry("lastSegment", 0L);
        }
    }

    private static Retention retention(Duration time) {
        return new Retention(time.toMillis(), Retention.UNLIMITED);
    }
}
