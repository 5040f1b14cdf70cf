package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.AppendResult;
import io.korvet.store.Batches;
import io.korvet.store.LogState;
import io.korvet.store.RecordingSink;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.store.Stages;
import io.korvet.store.Store;
import io.korvet.store.StreamName;
import io.korvet.store.redis.KeySchema;
import io.korvet.store.redis.RedisServerProcess;
import io.korvet.store.redis.RedisStore;
import io.korvet.store.redis.RedisStoreOptions;
import io.korvet.tiering.ManagedLog;
import io.korvet.tiering.Retention;
import io.korvet.tiering.StorageWorker;
import io.korvet.tiering.TierPolicy;
import io.korvet.tiering.TierPolicy.Tiering;
import io.korvet.tiering.WorkerObserver;
import io.korvet.tiering.WorkerSettings;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A worker is killed between any two of its steps, again and again, while records are produced, and the next one goes on.
 * Whatever the places were, each record is in the archive or in Redis, and in the archive at most once; when a last worker
 * was left in peace, exactly once. One log keeps everything, the other only its last segments.
 */
abstract class KilledWorkerContract {

    private static final StreamName KEPT = new StreamName("kept:0");
    private static final StreamName SHORT = new StreamName("short:0");
    private static final String INCARNATION = "first";
    private static final OffsetEncoding ENCODING = new TimeEncoding(10);
    private static final KeySchema KEYS = new KeySchema("korvet");
    private static final int PLACES = 120;
    /** Small files are not put together here, so that a file tells by its name whose it is. */
    private static final int NEVER = Integer.MAX_VALUE;

    private final Map<StreamName, List<String>> produced = new HashMap<>();
    private final Map<String, Integer> deaths = new TreeMap<>();

    /** Where the archive is, empty at first. */
    abstract ArchiveSettings settings();

    /** How many workers are killed. */
    abstract int rounds();

    /** How long a worker may live before it is left in peace, in milliseconds. */
    long lifetime() {
        return 700;
    }

    @Test
    @Timeout(3600)
    void everyRecordIsInTheArchiveExactlyOnceWhereverWorkersAreKilled() throws Exception {
        long seed = Long.getLong("korvet.tiering.seed", System.nanoTime());
        System.out.println("kill matrix: " + rounds() + " rounds, -Dkorvet.tiering.seed=" + seed);
        Random random = new Random(seed);
        try (RedisServerProcess server = RedisServerProcess.start();
                RedisStore store = Stages.await(RedisStore.open(RedisStoreOptions.of(server.uri())));
                ArchiveAudit audit = new ArchiveAudit(settings())) {
            for (StreamName stream : List.of(KEPT, SHORT)) {
                produced.put(stream, new ArrayList<>());
                Stages.await(store.entries().create(stream, INCARNATION));
            }
            for (int round = 0; round < rounds(); round++) {
                append(store, KEPT, 1 + random.nextInt(20));
                append(store, SHORT, 1 + random.nextInt(20));
                live(store, new Killable(random.nextInt(PLACES)), lifetime());
                audit.checkNothingIsMissing(KEYS.log(KEPT), state(store, KEPT), ENCODING);
                checkShort(audit, store);
                checkNothingIsLost(audit, store, KEPT);
            }
            settle(store, audit);
        }
        System.out.println("kill matrix: died " + deaths);
    }

    /** Runs a worker until it dies or was given long enough. */
    private void live(Store store, Killable world, long milliseconds) throws InterruptedException {
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(2);
        scheduler.setRemoveOnCancelPolicy(true);
        IcebergColdTier tier = IcebergColdTier.open(settings(), KEYS::log, store.entries(), world);
        StorageWorker worker = new StorageWorker(
                world.store(store),
                world.tier(tier),
                () -> CompletableFuture.completedFuture(List.of(
                        new ManagedLog(KEPT, INCARNATION, ENCODING, policy(Retention.FOREVER)),
                        new ManagedLog(SHORT, INCARNATION, ENCODING, policy(new Retention(Retention.UNLIMITED, 200))))),
                state -> false,
                WorkerSettings.DEFAULTS
                        .with(Duration.ofMillis(20), Duration.ofMillis(60))
                        .with(new WorkerSettings.Cold(2, Duration.ofMinutes(2), NEVER)),
                WorkerObserver.SILENT,
                scheduler,
                InstantSource.system());
        worker.start();
        boolean died = world.isDeadWithin(milliseconds);
        deaths.merge(died ? world.where() : "in peace", 1, Integer::sum);
        world.kill();
        scheduler.shutdownNow();
        tier.close();
    }

    private static TierPolicy policy(Retention total) {
        return new TierPolicy(1, new Retention(0, Retention.UNLIMITED), total, Tiering.ENABLED);
    }

    private void append(Store store, StreamName stream, int count) {
        List<String> values = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            values.add("value " + index);
        }
        AppendResult result = Stages.await(store.entries()
                .append(Batches.to(stream, INCARNATION)
                        .after(state(store, stream), ENCODING)
                        .values(store.entries(), values)));
        StreamEntryId last = ((AppendResult.Appended) result).last();
        for (int index = count - 1; index >= 0; index--) {
            producedIn(stream)
                    .add(ENCODING.idOf(ENCODING.offsetOf(last) - index).toString());
        }
    }

    private List<String> producedIn(StreamName stream) {
        return Objects.requireNonNull(produced.get(stream));
    }

    private static LogState state(Store store, StreamName stream) {
        return Objects.requireNonNull(Stages.await(store.entries().state(stream)));
    }

    private static void checkShort(ArchiveAudit audit, Store store) {
        audit.checkNothingIsMissing(KEYS.log(SHORT), state(store, SHORT), ENCODING);
    }

    /** Everything that was produced is in a segment that Redis or the archive has. */
    private void checkNothingIsLost(ArchiveAudit audit, Store store, StreamName stream) {
        LogState state = state(store, stream);
        long entries = state.open().entries();
        Map<Long, Long> rows = audit.rowsBySegment(KEYS.log(stream));
        for (Segment segment : state.sealed()) {
            entries += segment.state() == SegmentState.DROPPED
                    ? rows.getOrDefault(segment.number(), 0L)
                    : Stages.await(store.entries()
                            .read(stream, segment.number(), StreamEntryId.MINIMUM, 1_000, new RecordingSink()));
        }
        assertThat(entries).isEqualTo(producedIn(stream).size());
    }

    /** Killed workers leave segments behind, which are copied one after the other. */
    private Duration timeToSettle() {
        return Duration.ofSeconds(60).plusMillis(500L * rounds());
    }

    /** A last worker has all the time it needs; then the archive must be exact. */
    private void settle(Store store, ArchiveAudit audit) throws InterruptedException {
        Killable peaceful = new Killable(Integer.MAX_VALUE);
        Thread last = new Thread(() -> {
            try {
                live(store, peaceful, timeToSettle().plusSeconds(10).toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        last.start();
        await().atMost(timeToSettle()).untilAsserted(() -> {
            LogState kept = state(store, KEPT);
            assertThat(kept.entries()).isZero();
            assertThat(kept.sealed()).allMatch(segment -> segment.state() == SegmentState.DROPPED);
            assertThat(audit.ids(KEYS.log(KEPT))).hasSameSizeAs(producedIn(KEPT));
            LogState shortLog = state(store, SHORT);
            assertThat(shortLog.entries()).isZero();
            assertThat(audit.rowsBySegment(KEYS.log(SHORT)).keySet())
                    .containsExactlyInAnyOrderElementsOf(
                            shortLog.sealed().stream().map(Segment::number).toList());
        });
        peaceful.kill();
        last.join();
        assertThat(audit.ids(KEYS.log(KEPT))).containsExactlyInAnyOrderElementsOf(producedIn(KEPT));
        List<String> shortIds = producedIn(SHORT);
        List<String> archived = audit.ids(KEYS.log(SHORT));
        assertThat(archived)
                .containsExactlyInAnyOrderElementsOf(
                        shortIds.subList(shortIds.size() - archived.size(), shortIds.size()));
        assertThat(state(store, SHORT).sealed()).hasSizeGreaterThanOrEqualTo(1).hasSizeLessThan(100);
    }
}
