package io.korvet.tiering;

import static org.assertj.core.api.Assertions.assertThat;
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
import io.korvet.store.redis.RedisServerBinary;
import io.korvet.store.redis.RedisServerProcess;
import io.korvet.store.redis.RedisStore;
import io.korvet.store.redis.RedisStoreOptions;
import io.korvet.store.time.ManualScheduler;
import io.korvet.tiering.WorkerObserver.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The life of segments in each Redis server that this machine has; the worker's time is moved by hand. */
class StorageWorkerIT {

    private static final String SERVERS = "io.korvet.store.redis.RedisServerBinary#all";
    private static final StreamName ORDERS = new StreamName("orders:0");
    private static final OffsetEncoding ENCODING = new TimeEncoding(10);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Retention FIVE_MINUTES =
            new Retention(MINUTE.multipliedBy(5).toMillis(), Retention.UNLIMITED);

    /** A server, a store, one log and a worker with a time of its own. */
    private static final class Life implements AutoCloseable {
        final RedisServerProcess server;
        final RedisStore store;
        final ManualScheduler time = new ManualScheduler(Instant.ofEpochMilli(Batches.NOW));
        final List<WorkerObserver.Walk> walks = new CopyOnWriteArrayList<>();
        final StorageWorker worker;
        String incarnation = "first";

        Life(RedisServerBinary binary, Retention retention) {
            server = RedisServerProcess.start(binary);
            store = Stages.await(RedisStore.open(RedisStoreOptions.of(server.uri())));
            Stages.await(store.entries().create(ORDERS, incarnation));
            worker = worker(retention);
        }

        StorageWorker worker(Retention retention) {
            TierPolicy policy = TierPolicy.localOnly(MINUTE.toMillis(), retention);
            WorkerObserver observer = new WorkerObserver() {
                @Override
                public void walked(Walk walk) {
                    walks.add(walk);
                }
            };
            return new StorageWorker(
                    store,
                    () -> CompletableFuture.completedFuture(
                            List.of(new ManagedLog(ORDERS, incarnation, ENCODING, policy))),
                    state -> true,
                    WorkerSettings.DEFAULTS,
                    observer,
                    time,
                    time);
        }

        /** Appends values stamped with the present time. */
        void append(String... values) {
            add(Batches.to(ORDERS, incarnation), values);
        }

        /** The same to the next segment, as an append does that finds the open one full. */
        void appendToNext(String... values) {
            add(Batches.to(ORDERS, incarnation).rolling(), values);
        }

        private void add(Batches batch, String... values) {
            AppendResult result = Stages.await(store.entries()
                    .append(batch.after(state(), ENCODING)
                            .timestamp(time.millis())
                            .values(store.entries(), values)));
            assertThat(result.kind()).isEqualTo(AppendResult.Kind.APPENDED);
        }

        LogState state() {
            return Objects.requireNonNull(Stages.await(store.entries().state(ORDERS)));
        }

        long end() {
            return ENCODING.offsetOf(Objects.requireNonNull(state().last())) + 1;
        }

        void start() {
            worker.start();
            untilWalked(1);
        }

        /** Lets minutes pass, each with the worker's tick. */
        void minutes(int count) {
            for (int minute = 0; minute < count; minute++) {
                int walked = walks.size();
                time.advance(MINUTE);
                untilWalked(walked + 1);
            }
        }

        private void untilWalked(int count) {
            until(() -> walks.size() >= count);
        }

        void until(java.util.function.BooleanSupplier condition) {
            await().pollInterval(Duration.ofMillis(2)).until(() -> {
                time.run();
                return condition.getAsBoolean();
            });
        }

        String keys() {
            return server.command("KEYS", "korvet:storage:local:{orders:0}:[0-9]*");
        }

        @Override
        public void close() {
            store.close();
            server.close();
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void entriesAreAppendedSealedByAgeAndRemovedByTimeAndTheLogGoesOn(RedisServerBinary binary) {
        try (Life life = new Life(binary, FIVE_MINUTES)) {
            life.append("one", "two", "three");
            life.appendToNext("four", "five");
            life.start();
            assertThat(life.state().open().number()).isEqualTo(1);
            life.minutes(1);
            assertThat(life.state().open()).matches(open -> open.number() == 2 && open.entries() == 0);
            assertThat(life.state().sealed())
                    .extracting(Segment::state)
                    .containsExactly(SegmentState.SEALED, SegmentState.SEALED);
            life.minutes(4);
            assertThat(life.state().entries()).isEqualTo(5);
            life.append("six");
            long six = life.end() - 1;
            life.minutes(1);
            assertThat(life.state())
                    .matches(log -> log.sealed().size() == 1 && log.entries() == 1 && log.startOffset() == six);
            life.minutes(5);
            assertThat(life.state())
                    .matches(log -> log.sealed().isEmpty() && log.entries() == 0 && log.bytes() == 0)
                    .matches(log -> log.startOffset() == six + 1);
            assertThat(life.keys()).isEqualTo("*0\r\n");
            life.append("seven");
            assertThat(life.end()).isGreaterThan(six + 1);
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void aStartThatIsMovedFreesTheSegmentsBeforeItAndTheOpenOneWhenAllIsDeleted(RedisServerBinary binary) {
        try (Life life = new Life(binary, Retention.FOREVER)) {
            life.append("one", "two");
            long afterFirst = life.end();
            life.appendToNext("three");
            life.start();
            Stages.await(life.store.entries().truncateBefore(ORDERS, life.incarnation, afterFirst - 1));
            life.minutes(1);
            assertThat(life.state().entries()).isEqualTo(3);
            Stages.await(life.store.entries().truncateBefore(ORDERS, life.incarnation, afterFirst));
            life.minutes(1);
            assertThat(life.state().entries()).isEqualTo(1);
            life.append("four");
            long end = life.end();
            Stages.await(life.store.entries().truncateBefore(ORDERS, life.incarnation, end));
            life.minutes(1);
            assertThat(life.state()).matches(log -> log.entries() == 0 && log.startOffset() == end);
            assertThat(life.keys()).isEqualTo("*0\r\n");
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void theOldestSegmentsGoWhileTheRestHasTheBytesToBeKept(RedisServerBinary binary) {
        String kilobyte = "x".repeat(1000);
        try (Life life = new Life(binary, new Retention(Retention.UNLIMITED, 2500))) {
            life.append(kilobyte);
            long second = 0;
            for (int segment = 1; segment < 5; segment++) {
                life.appendToNext(kilobyte);
                second = segment == 2 ? life.end() - 1 : second;
            }
            life.start();
            long expectedStart = second;
            assertThat(life.state())
                    .matches(log -> log.entries() == 3 && log.bytes() >= 2500)
                    .matches(log -> log.startOffset() == expectedStart);
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void aLogThatWasMadeAnewIsLeftAlone(RedisServerBinary binary) {
        try (Life life = new Life(binary, FIVE_MINUTES)) {
            life.append("one");
            Stages.await(life.store.entries().delete(ORDERS, life.incarnation));
            Stages.await(life.store.entries().create(ORDERS, "second"));
            life.start();
            life.minutes(7);
            assertThat(life.state())
                    .matches(log -> log.startOffset() == 0 && log.incarnation().equals("second"));
            assertThat(life.walks).allMatch(walk -> walk.failed() == 0 && walk.actions() == 0);
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void oneOfTwoWorkersActsAndTheOtherTakesOverWhenItStops(RedisServerBinary binary) {
        try (Life life = new Life(binary, FIVE_MINUTES)) {
            life.start();
            StorageWorker other = life.worker(FIVE_MINUTES);
            other.start();
            life.until(() -> other.standing() == Standing.FOLLOWING);
            assertThat(life.server.command("PTTL", "korvet:lease:storage-worker"))
                    .startsWith(":1");
            CompletableFuture<Void> stop = life.worker.stop().toCompletableFuture();
            life.until(stop::isDone);
            life.minutes(1);
            assertThat(other.standing()).isEqualTo(Standing.LEADING);
        }
    }
}
