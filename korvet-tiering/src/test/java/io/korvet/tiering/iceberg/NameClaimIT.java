package io.korvet.tiering.iceberg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.TimeEncoding;
import io.korvet.store.AppendResult;
import io.korvet.store.Batches;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.store.Stages;
import io.korvet.store.StreamName;
import io.korvet.store.memory.InMemoryStore;
import io.korvet.store.redis.KeySchema;
import io.korvet.store.time.ManualScheduler;
import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.ColdTier.Offload;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.ManagedLog;
import io.korvet.tiering.OffloadOutcome;
import io.korvet.tiering.OffloadProgress;
import io.korvet.tiering.Retention;
import io.korvet.tiering.StorageWorker;
import io.korvet.tiering.TierPolicy;
import io.korvet.tiering.TierPolicy.Tiering;
import io.korvet.tiering.WorkerObserver;
import io.korvet.tiering.WorkerSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whose a log's rows are is told by the store's catalog when the one file that has them is broken and no snapshot is left
 * that added to it; otherwise nothing is mixed.
 */
class NameClaimIT {

    private static final StreamName ORDERS = new StreamName("orders:0");
    private static final OffsetEncoding ENCODING = new TimeEncoding(10);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Retention NOTHING = new Retention(0, Retention.UNLIMITED);
    /** So many small files are put together. */
    private static final int SEGMENTS = 10;

    /** What becomes of a file. */
    enum Damage {
        TAIL_OVERWRITTEN,
        MOVED_AWAY
    }

    @TempDir
    Path root;

    @TempDir
    Path aside;

    private final ManualScheduler time = new ManualScheduler(Instant.ofEpochMilli(Batches.NOW));
    private final InMemoryStore store = new InMemoryStore(time);
    private final List<String> failures = new CopyOnWriteArrayList<>();
    private String incarnation = "first";
    private ArchiveSettings settings;
    private IcebergColdTier tier;
    private @Nullable StorageWorker worker;

    @BeforeEach
    void open() {
        settings = ArchiveSettings.at(root.toUri().toString());
        reopen();
        Stages.await(store.entries().create(ORDERS, incarnation));
    }

    private void reopen() {
        tier = IcebergColdTier.open(settings, new KeySchema("korvet")::log, store.entries());
        try (ArchiveTable archive = ArchiveTable.open(settings)) {
            Stages.await(tier.lead(FencedTableOperations.epoch(archive.metadata()) + 1));
        }
    }

    @AfterEach
    void close() {
        if (worker != null) {
            CompletableFuture<Void> stopped = worker.stop().toCompletableFuture();
            until(stopped::isDone);
        }
        tier.close();
    }

    private void work(Retention local) {
        WorkerObserver observer = new WorkerObserver() {
            @Override
            public void failed(Phase phase, @Nullable ManagedLog log, Throwable failure) {
                failures.add(phase + " " + failure.getMessage());
            }
        };
        TierPolicy policy = new TierPolicy(MINUTE.toMillis(), local, Retention.FOREVER, Tiering.ENABLED);
        worker = new StorageWorker(
                store,
                tier,
                () -> CompletableFuture.completedFuture(List.of(new ManagedLog(ORDERS, incarnation, ENCODING, policy))),
                state -> false,
                WorkerSettings.DEFAULTS,
                observer,
                time,
                time);
        worker.start();
    }

    private void until(BooleanSupplier condition) {
        await().pollInterval(Duration.ofMillis(2)).until(() -> {
            time.run();
            return condition.getAsBoolean();
        });
    }

    private LogState state() {
        return Objects.requireNonNull(Stages.await(store.entries().state(ORDERS)));
    }

    private SegmentState state(int segment) {
        return state().sealed().get(segment).state();
    }

    private Segment seal(String value) {
        AppendResult appended = Stages.await(store.entries()
                .append(Batches.to(ORDERS, incarnation)
                        .after(state(), ENCODING)
                        .timestamp(time.millis())
                        .values(store.entries(), value)));
        assertThat(appended).isInstanceOf(AppendResult.Appended.class);
        Stages.await(store.segments().seal(ORDERS, incarnation, state().open().number(), time.millis()));
        return state().sealed().get(state().sealed().size() - 1);
    }

    private Offload offload(ColdSegment segment) {
        return Stages.await(tier.offload(segment, OffloadProgress.SILENT));
    }

    /** Segments in one file; those below a number are marked in the store's catalog. No snapshot tells whose they are. */
    private Path oneFile(int marked) {
        for (int number = 0; number < SEGMENTS; number++) {
            Offload done = offload(new ColdSegment(ORDERS, incarnation, seal("value " + number)));
            if (number < marked) {
                Stages.await(store.segments()
                        .markOffloaded(ORDERS, incarnation, number, Objects.requireNonNull(done.file())));
            }
        }
        Stages.await(tier.maintain());
        expire();
        return file();
    }

    private void expire() {
        tier.close();
        try (ArchiveTable archive = ArchiveTable.open(settings)) {
            archive.lead(FencedTableOperations.epoch(archive.metadata()) + 1);
            archive.table()
                    .expireSnapshots()
                    .expireOlderThan(Long.MAX_VALUE)
                    .retainLast(1)
                    .commit();
        }
        reopen();
    }

    private Path file() {
        try (ArchiveTable archive = ArchiveTable.open(settings)) {
            List<String> files = ArchiveRows.files(archive.table());
            assertThat(files).hasSize(1);
            return LocalFiles.path(files.get(0));
        }
    }

    private List<String> rows() {
        try (ArchiveTable archive = ArchiveTable.open(settings)) {
            return ArchiveRows.read(archive.table());
        }
    }

    private void damage(Path file, Damage damage) {
        try {
            if (damage == Damage.MOVED_AWAY) {
                Files.move(file, aside.resolve(file.getFileName()));
                return;
            }
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.allocate(8), channel.size() - 8);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void assertRefused(Segment segment, @Nullable Segment newestOffloaded, String why) {
        assertThatThrownBy(() -> offload(new ColdSegment(ORDERS, incarnation, segment, newestOffloaded)))
                .isInstanceOfSatisfying(
                        ColdTierException.class, e -> assertThat(e.kind()).isEqualTo(Kind.REFUSED))
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void theOnlyFileOfALogIsBrokenAndItsNextSegmentsAreCopiedAndDropped(Damage damage) {
        work(NOTHING);
        for (int number = 0; number < SEGMENTS; number++) {
            seal("value " + number);
        }
        time.advance(MINUTE);
        until(() -> state().sealed().stream().allMatch(segment -> segment.state() == SegmentState.DROPPED));
        Stages.await(tier.maintain());
        close();
        worker = null;
        reopen();
        expire();
        damage(file(), damage);
        work(NOTHING);
        seal("later");
        time.advance(MINUTE);
        until(() -> state(SEGMENTS) == SegmentState.DROPPED || !failures.isEmpty());
        assertThat(failures).isEmpty();
        assertThat(state(SEGMENTS)).isEqualTo(SegmentState.DROPPED);
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void aSegmentThatTheBrokenFileMayHaveIsWrittenOnceWhenTheFileComesBack(Damage damage) throws IOException {
        Path file = oneFile(SEGMENTS - 1);
        List<String> before = rows();
        byte[] content = Files.readAllBytes(file);
        damage(file, damage);
        work(Retention.FOREVER);
        until(() -> state(SEGMENTS - 1) == SegmentState.OFFLOADED || !failures.isEmpty());
        assertThat(failures).isEmpty();
        Files.write(file, content);
        assertThat(rows()).containsExactlyInAnyOrderElementsOf(before);
    }

    @Test
    void aSegmentThatLeftTheOnlyFileIsMadeAnewBeforeItIsDropped() {
        damage(oneFile(SEGMENTS), Damage.MOVED_AWAY);
        work(NOTHING);
        time.advance(MINUTE);
        until(() -> state().sealed().stream().allMatch(segment -> segment.state() == SegmentState.DROPPED));
        assertThat(failures).hasSize(SEGMENTS).allMatch(line -> line.contains("it is copied again"));
    }

    @Test
    void whereTheStoreKnowsOfNoOffloadItIsRefusedUntilTheStartIsMoved() {
        damage(oneFile(0), Damage.MOVED_AWAY);
        assertRefused(state().sealed().get(0), null, "beyond segment 9 with kafka-delete-records");
        work(Retention.FOREVER);
        until(() -> !failures.isEmpty());
        Segment next = seal("later");
        Stages.await(store.entries()
                .truncateBefore(ORDERS, incarnation, ENCODING.offsetOf(Objects.requireNonNull(next.first()))));
        await().pollInterval(Duration.ofMillis(20)).until(() -> {
            time.advance(MINUTE);
            return state(0) == SegmentState.OFFLOADED;
        });
        assertThat(rows()).hasSize(1);
    }

    @Test
    void anotherTopicOfThatNameIsRefusedUntilTheBrokenFileIsRemoved() {
        damage(oneFile(SEGMENTS), Damage.MOVED_AWAY);
        Stages.await(store.entries().delete(ORDERS, "first"));
        incarnation = "second";
        Stages.await(store.entries().create(ORDERS, incarnation));
        Segment segment = seal("another");
        assertRefused(segment, null, "can't be told");
        Stages.await(tier.removeLog(ORDERS, "first"));
        assertThat(offload(new ColdSegment(ORDERS, incarnation, segment)).outcome())
                .isEqualTo(OffloadOutcome.COMMITTED);
    }

    @Test
    void aCatalogThatIsNotOfTheseRowsTellsNothing() {
        Path file = oneFile(SEGMENTS);
        List<Segment> marked = state().sealed();
        incarnation = "second";
        Segment newest = marked.get(SEGMENTS - 1);
        assertRefused(newest, newest, "topic id first, expected second");
        tier.close();
        reopen();
        damage(file, Damage.MOVED_AWAY);
        Segment next = copy(newest, SEGMENTS + 1, SegmentState.SEALED, null);
        assertRefused(
                next, copy(newest, SEGMENTS - 1, SegmentState.DROPPED, "file:///another/data/a.parquet"), "be told");
        assertRefused(next, copy(newest, SEGMENTS - 1, SegmentState.DROPPED, null), "be told");
        assertRefused(
                next,
                copy(
                        newest,
                        SEGMENTS - 1,
                        SegmentState.DROPPED,
                        ArchiveLocation.of(settings.path()).root() + "-2/data/a.parquet"),
                "be told");
        assertRefused(next, copy(newest, -1, SegmentState.DROPPED, newest.remoteFile()), "be told");
    }

    @Test
    void aSnapshotThatTellsOfAnotherTopicIsBelievedBeforeTheCatalog() {
        Offload done = offload(new ColdSegment(ORDERS, incarnation, seal("a")));
        damage(LocalFiles.path(Objects.requireNonNull(done.file())), Damage.MOVED_AWAY);
        tier.close();
        reopen();
        incarnation = "second";
        Segment row = state().sealed().get(0);
        assertRefused(
                copy(row, 1, SegmentState.SEALED, null), copy(row, 0, SegmentState.DROPPED, done.file()), "be told");
    }

    private static Segment copy(Segment of, long number, SegmentState state, @Nullable String remoteFile) {
        return new Segment(
                number,
                state,
                of.first(),
                of.last(),
                of.firstTimestamp(),
                of.lastTimestamp(),
                of.lastTimestampId(),
                of.entries(),
                of.bytes(),
                of.openedMilliseconds(),
                remoteFile);
    }
}
