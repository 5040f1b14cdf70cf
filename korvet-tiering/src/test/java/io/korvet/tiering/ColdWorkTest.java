package io.korvet.tiering;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.korvet.store.time.ManualScheduler;
import io.korvet.tiering.InMemoryColdTier.Call;
import io.korvet.tiering.InMemoryColdTier.Fault;
import io.korvet.tiering.TierPolicy.Tiering;
import io.korvet.tiering.WorkerObserver.Archived;
import io.korvet.tiering.WorkerObserver.Lag;
import io.korvet.tiering.WorkerObserver.Phase;
import io.korvet.tiering.WorkerObserver.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The worker's promises about the cold tier, in a time that is moved by hand. */
class ColdWorkTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final OffsetEncoding ENCODING = new TimeEncoding(10);
    private static final String INCARNATION = "first";
    private static final StreamName ORDERS = new StreamName("orders:0");
    private static final StreamName BILLS = new StreamName("bills:0");
    private static final StreamName CARTS = new StreamName("carts:0");

    private final ManualScheduler time = new ManualScheduler(Instant.ofEpochMilli(Batches.NOW));
    private final InMemoryStore store = new InMemoryStore(time);
    private final InMemoryColdTier tier = new InMemoryColdTier(store.entries());
    private final List<ManagedLog> logs = new ArrayList<>();
    private final Ear ear = new Ear();
    private final StorageWorker worker = worker(tier, ear);

    /** Notes what it hears. */
    private static final class Ear implements WorkerObserver {
        final List<String> actions = new ArrayList<>();
        final List<String> failures = new ArrayList<>();
        final List<Archived> archived = new ArrayList<>();
        final List<Lag> lags = new ArrayList<>();

        @Override
        public void acted(ManagedLog log, TierAction action) {
            actions.add(action.kind() + " " + log.stream() + "/" + action.segment());
        }

        @Override
        public void archived(ManagedLog log, Archived what) {
            archived.add(what);
        }

        @Override
        public void lag(Lag lag) {
            lags.add(lag);
        }

        @Override
        public void failed(Phase phase, @Nullable ManagedLog log, Throwable failure) {
            failures.add(phase
                    + (log == null ? "" : " " + log.stream())
                    + (failure instanceof ColdTierException cold ? " " + cold.kind() : ""));
        }
    }

    private StorageWorker worker(ColdTier itsTier, WorkerObserver observer) {
        return new StorageWorker(
                store,
                itsTier,
                () -> CompletableFuture.completedFuture(List.copyOf(logs)),
                state -> false,
                WorkerSettings.DEFAULTS,
                observer,
                time,
                time);
    }

    private static TierPolicy policy(Tiering tiering, long localMinutes, long totalMinutes) {
        return new TierPolicy(
                MINUTE.toMillis(),
                new Retention(MINUTE.multipliedBy(localMinutes).toMillis(), Retention.UNLIMITED),
                new Retention(MINUTE.multipliedBy(totalMinutes).toMillis(), Retention.UNLIMITED),
                tiering);
    }

    private void log(StreamName stream, int segments, TierPolicy policy) {
        Stages.await(store.entries().create(stream, INCARNATION));
        for (int segment = 0; segment < segments; segment++) {
            append(stream, segment == 0 ? "first" : "next");
            Stages.await(store.segments().seal(stream, INCARNATION, segment, time.millis()));
        }
        logs.add(new ManagedLog(stream, INCARNATION, ENCODING, policy));
    }

    private void append(StreamName stream, String value) {
        AppendResult result = Stages.await(store.entries()
                .append(Batches.to(stream, INCARNATION)
                        .after(state(stream), ENCODING)
                        .timestamp(time.millis())
                        .values(store.entries(), value, value)));
        assertThat(result.kind()).isEqualTo(AppendResult.Kind.APPENDED);
    }

    private LogState state(StreamName stream) {
        return Objects.requireNonNull(Stages.await(store.entries().state(stream)));
    }

    private List<SegmentState> states(StreamName stream) {
        return state(stream).sealed().stream().map(Segment::state).toList();
    }

    private void policy(StreamName stream, TierPolicy policy) {
        logs.replaceAll(
                log -> log.stream().equals(stream) ? new ManagedLog(stream, INCARNATION, ENCODING, policy) : log);
    }

    private List<String> calls(Call call) {
        return tier.calls().stream()
                .filter(text -> text.startsWith(call.name()))
                .toList();
    }

    @Test
    void whatIsDueIsSealedCopiedAndDroppedWithinOneTick() {
        log(ORDERS, 0, policy(Tiering.ENABLED, 1, 60));
        append(ORDERS, "value");
        time.advance(MINUTE.plusMillis(1));
        worker.start();
        time.run();
        assertThat(ear.actions).containsExactly("SEAL orders:0/0", "OFFLOAD orders:0/0", "DROP_LOCAL orders:0/0");
        assertThat(states(ORDERS)).containsExactly(SegmentState.DROPPED);
        assertThat(state(ORDERS).entries()).isZero();
        assertThat(tier.segments(ORDERS, INCARNATION)).containsExactly(0L);
        assertThat(ear.archived).singleElement().matches(one -> one.copied() == 2 && one.entries() == 2);
        assertThat(ear.failures).isEmpty();
    }

    @Test
    void whatIsOlderThanTheTotalRetentionLeavesBothTiersWithinOneTick() {
        log(ORDERS, 3, policy(Tiering.ENABLED, 1, 10));
        worker.start();
        time.advance(MINUTE.multipliedBy(2));
        assertThat(states(ORDERS)).containsOnly(SegmentState.DROPPED).hasSize(3);
        long start = state(ORDERS).startOffset();
        time.advance(MINUTE.multipliedBy(9));
        assertThat(state(ORDERS).sealed()).isEmpty();
        assertThat(tier.segments(ORDERS, INCARNATION)).isEmpty();
        assertThat(state(ORDERS).startOffset()).isGreaterThan(start);
        assertThat(calls(Call.REMOVE_THROUGH)).contains("REMOVE_THROUGH orders:0/2");
    }

    @Test
    void switchedOffNothingIsCopiedAndWhatIsThereStaysForTheTotalRetention() {
        log(ORDERS, 2, policy(Tiering.ENABLED, 1, 10));
        worker.start();
        time.advance(MINUTE.multipliedBy(2));
        policy(ORDERS, policy(Tiering.DISABLED, 1, 10));
        append(ORDERS, "later");
        time.advance(MINUTE.multipliedBy(3));
        assertThat(states(ORDERS)).containsExactly(SegmentState.DROPPED, SegmentState.DROPPED, SegmentState.SEALED);
        assertThat(tier.segments(ORDERS, INCARNATION)).containsExactly(0L, 1L);
        time.advance(MINUTE.multipliedBy(8));
        assertThat(state(ORDERS).sealed()).isEmpty();
        assertThat(tier.segments(ORDERS, INCARNATION)).isEmpty();
    }

    @Test
    void aPartitionThatHangsOrBreaksHoldsUpNeitherOthersNorItsOwnSealingAndRemoving() {
        log(ORDERS, 1, policy(Tiering.ENABLED, 1, 60));
        log(CARTS, 1, policy(Tiering.ENABLED, 1, 5));
        tier.always(ORDERS, Call.OFFLOAD, Fault.REFUSED);
        tier.always(CARTS, Call.OFFLOAD, Fault.HANG);
        log(BILLS, 3, policy(Tiering.ENABLED, 1, 60));
        worker.start();
        time.advance(MINUTE.multipliedBy(3));
        assertThat(states(BILLS)).containsOnly(SegmentState.DROPPED).hasSize(3);
        append(CARTS, "later");
        time.advance(MINUTE.multipliedBy(2));
        assertThat(states(CARTS)).containsExactly(SegmentState.SEALED, SegmentState.SEALED);
        time.advance(MINUTE.multipliedBy(6));
        assertThat(state(CARTS).entries()).isZero();
        assertThat(ear.failures).contains("OFFLOAD orders:0 REFUSED", "TIMEOUT carts:0");
        assertThat(states(ORDERS)).containsExactly(SegmentState.SEALED);
        assertThat(calls(Call.OFFLOAD).stream().filter(call -> call.contains("carts")))
                .hasSize(1);
        tier.heal();
        tier.release();
        time.advance(MINUTE);
        assertThat(states(ORDERS)).containsExactly(SegmentState.DROPPED);
    }

    @Test
    void whatWasCopiedAfterItsTimeWasUpIsSweptAway() {
        log(CARTS, 1, policy(Tiering.ENABLED, 1, 5));
        tier.next(Call.OFFLOAD, Fault.HANG);
        worker.start();
        time.advance(MINUTE.multipliedBy(7));
        assertThat(state(CARTS).sealed()).isEmpty();
        tier.release();
        // The copy had to be of a segment whose entries are gone by now, so it fails; nothing is left either way.
        time.advance(MINUTE.multipliedBy(2));
        assertThat(tier.segments(CARTS, INCARNATION)).isEmpty();
        assertThat(calls(Call.REMOVE_THROUGH)).contains("REMOVE_THROUGH carts:0/0");
    }

    @Test
    void anUnknownOutcomeIsAskedForAtTheNextTickBeforeAnythingElse() {
        log(ORDERS, 1, policy(Tiering.ENABLED, 1, 60));
        log(BILLS, 1, policy(Tiering.ENABLED, 1, 60));
        tier.always(ORDERS, Call.OFFLOAD, Fault.UNKNOWN_WRITTEN);
        tier.always(BILLS, Call.OFFLOAD, Fault.UNKNOWN_LOST);
        worker.start();
        time.run();
        assertThat(states(ORDERS)).containsExactly(SegmentState.SEALED);
        assertThat(ear.archived).extracting(Archived::outcome).containsOnly(OffloadOutcome.UNKNOWN);
        tier.heal();
        tier.next(Call.FIND, Fault.UNAVAILABLE);
        time.advance(MINUTE);
        time.advance(MINUTE);
        assertThat(calls(Call.OFFLOAD)).containsExactly("OFFLOAD orders:0/0", "OFFLOAD bills:0/0", "OFFLOAD bills:0/0");
        assertThat(states(ORDERS)).containsExactly(SegmentState.DROPPED);
        assertThat(states(BILLS)).containsExactly(SegmentState.DROPPED);
    }

    @Test
    void whatWasCommittedBeforeAKillIsMarkedAndNotCopiedAgain() {
        log(ORDERS, 1, policy(Tiering.ENABLED, 1, 60));
        Stages.await(tier.lead(0));
        Stages.await(tier.offload(
                new ColdSegment(ORDERS, INCARNATION, state(ORDERS).sealed().get(0)), OffloadProgress.SILENT));
        Stages.await(store.sequences().take(StorageWorker.LEASE, 1));
        worker.start();
        time.run();
        assertThat(states(ORDERS)).containsExactly(SegmentState.OFFLOADED);
    }

    @Test
    void nothingIsDroppedThatTheTierHasLostAndItIsCopiedAgain() {
        log(ORDERS, 1, policy(Tiering.ENABLED, 3, 60));
        worker.start();
        time.advance(MINUTE);
        assertThat(states(ORDERS)).containsExactly(SegmentState.OFFLOADED);
        Stages.await(tier.removeThrough(ORDERS, INCARNATION, 0));
        tier.next(Call.OFFLOAD, Fault.UNAVAILABLE);
        time.advance(MINUTE.multipliedBy(3));
        assertThat(ear.failures).startsWith("DROP orders:0 CORRUPT", "DROP orders:0 UNAVAILABLE");
        assertThat(states(ORDERS)).containsExactly(SegmentState.OFFLOADED);
        time.advance(MINUTE);
        assertThat(states(ORDERS)).containsExactly(SegmentState.DROPPED);
        assertThat(tier.segments(ORDERS, INCARNATION)).containsExactly(0L);
    }

    @Test
    void aTierThatIsAwayKeepsEverythingLocalAndResumes() {
        for (int partition = 0; partition < 20; partition++) {
            StreamName stream = new StreamName("away:" + partition);
            log(stream, 2, policy(Tiering.ENABLED, 1, 60));
            tier.always(stream, Call.OFFLOAD, Fault.UNAVAILABLE);
        }
        worker.start();
        time.advance(MINUTE.multipliedBy(3));
        assertThat(calls(Call.OFFLOAD)).as("it is left alone after a few").hasSizeLessThan(40);
        for (ManagedLog log : logs) {
            assertThat(states(log.stream())).containsOnly(SegmentState.SEALED);
        }
        assertThat(ear.lags.get(ear.lags.size() - 1)).isEqualTo(new Lag(40, MINUTE.multipliedBy(3)));
        tier.heal();
        time.advance(MINUTE.multipliedBy(2));
        for (ManagedLog log : logs) {
            assertThat(states(log.stream())).containsOnly(SegmentState.DROPPED);
        }
        assertThat(ear.lags.get(ear.lags.size() - 1)).isEqualTo(new Lag(0, Duration.ZERO));
    }

    @Test
    void aCorruptSegmentKeepsItselfAndTheOthersOfItsLogAreCopied() {
        log(ORDERS, 3, policy(Tiering.ENABLED, 1, 60));
        tier.next(Call.OFFLOAD, Fault.CORRUPT);
        worker.start();
        time.run();
        assertThat(tier.segments(ORDERS, INCARNATION)).containsExactly(1L, 2L);
        assertThat(ear.failures).containsExactly("OFFLOAD orders:0 CORRUPT");
    }

    @Test
    void aSegmentThatCannotBeCopiedIsTriedMoreAndMoreSeldomAndNothingWaitsForIt() {
        log(ORDERS, 2, policy(Tiering.ENABLED, 1, 600));
        tier.always(ORDERS, 0, Call.OFFLOAD, Fault.CORRUPT);
        worker.start();
        for (int hour = 0; hour < 2; hour++) {
            append(ORDERS, "later");
            time.advance(Duration.ofHours(1));
        }
        assertThat(states(ORDERS))
                .containsExactly(SegmentState.SEALED, SegmentState.DROPPED, SegmentState.DROPPED, SegmentState.DROPPED);
        long tries = calls(Call.OFFLOAD).stream()
                .filter("OFFLOAD orders:0/0"::equals)
                .count();
        assertThat(tries).isBetween(5L, 10L);
        tier.heal();
        time.advance(MINUTE.multipliedBy(35));
        assertThat(states(ORDERS)).containsOnly(SegmentState.DROPPED).hasSize(4);
    }

    @Test
    void aSegmentThatTheTierIsAwayForComesAfterTheOthers() {
        log(ORDERS, 3, policy(Tiering.ENABLED, 1, 60));
        tier.always(ORDERS, 0, Call.OFFLOAD, Fault.UNAVAILABLE);
        worker.start();
        time.advance(MINUTE.multipliedBy(3));
        assertThat(states(ORDERS)).containsExactly(SegmentState.SEALED, SegmentState.DROPPED, SegmentState.DROPPED);
        tier.heal();
        time.advance(MINUTE);
        assertThat(states(ORDERS)).containsOnly(SegmentState.DROPPED);
    }

    @Test
    void aRemovalThatFailsStopsNeitherCopyingNorDropping() {
        log(ORDERS, 3, policy(Tiering.ENABLED, 1, 10));
        worker.start();
        time.advance(MINUTE.multipliedBy(2));
        assertThat(states(ORDERS)).containsOnly(SegmentState.DROPPED).hasSize(3);
        tier.always(ORDERS, Call.REMOVE_THROUGH, Fault.CORRUPT);
        time.advance(MINUTE.multipliedBy(8));
        append(ORDERS, "later");
        time.advance(MINUTE.multipliedBy(4));
        assertThat(ear.failures).contains("REMOVE orders:0 CORRUPT");
        assertThat(states(ORDERS)).containsOnly(SegmentState.DROPPED).hasSize(4);
        tier.heal();
        time.advance(MINUTE);
        assertThat(states(ORDERS)).containsExactly(SegmentState.DROPPED);
    }

    @Test
    void aSegmentThatCannotBeConfirmedStaysAndTheOthersAreDropped() {
        log(ORDERS, 3, policy(Tiering.ENABLED, 1, 60));
        tier.always(ORDERS, 1, Call.FIND, Fault.CORRUPT);
        worker.start();
        time.advance(MINUTE.multipliedBy(2));
        assertThat(states(ORDERS)).containsExactly(SegmentState.DROPPED, SegmentState.OFFLOADED, SegmentState.DROPPED);
        assertThat(ear.failures).startsWith("DROP orders:0 CORRUPT");
    }

    @Test
    void anUnknownOutcomeThatStaysUnknownHoldsUpItsOwnSegmentOnly() {
        log(ORDERS, 3, policy(Tiering.ENABLED, 1, 60));
        tier.next(Call.OFFLOAD, Fault.UNKNOWN_LOST);
        tier.always(ORDERS, 0, Call.FIND, Fault.CORRUPT);
        worker.start();
        time.advance(MINUTE.multipliedBy(3));
        assertThat(states(ORDERS)).containsExactly(SegmentState.SEALED, SegmentState.DROPPED, SegmentState.DROPPED);
    }

    @Test
    void aWorkerThatWasOvertakenWritesNothingMoreUntilItLeadsAnew() {
        log(ORDERS, 1, policy(Tiering.ENABLED, 1, 60));
        worker.start();
        time.run();
        assertThat(states(ORDERS)).containsExactly(SegmentState.OFFLOADED);
        InMemoryColdTier other = tier.peer();
        Stages.await(other.lead(Stages.await(store.sequences().take(StorageWorker.LEASE, 1))));
        append(ORDERS, "later");
        time.advance(MINUTE);
        assertThat(ear.failures).contains("OFFLOAD orders:0 FENCED");
        assertThat(states(ORDERS)).endsWith(SegmentState.SEALED);
        time.advance(MINUTE);
        assertThat(calls(Call.LEAD)).containsExactly("LEAD 0", "LEAD 2");
        assertThat(states(ORDERS)).containsOnly(SegmentState.DROPPED).hasSize(2);
    }

    @Test
    void aStoreThatLostItsNumbersIsLeadAgainByLargerSteps() {
        Stages.await(tier.peer().lead(5_000));
        log(ORDERS, 1, policy(Tiering.ENABLED, 1, 60));
        worker.start();
        time.run();
        assertThat(states(ORDERS)).containsExactly(SegmentState.OFFLOADED);
        assertThat(ear.failures).isEmpty();
    }

    @Test
    void onlyTheHolderOfTheLeaseTouchesTheTier() {
        log(ORDERS, 1, policy(Tiering.ENABLED, 1, 60));
        Stages.await(store.leases().acquire(StorageWorker.LEASE, "another", Duration.ofHours(1)));
        worker.start();
        time.advance(MINUTE.multipliedBy(3));
        assertThat(tier.calls()).isEmpty();
        assertThat(worker.standing()).isEqualTo(Standing.FOLLOWING);
    }

    @Test
    void aTierThatCannotBeLedHoldsUpNoWalkAndIsTriedAgain() {
        log(ORDERS, 1, policy(Tiering.ENABLED, 1, 60));
        append(ORDERS, "open");
        tier.next(Call.LEAD, Fault.UNAVAILABLE, Fault.HANG);
        worker.start();
        time.advance(MINUTE);
        assertThat(ear.failures).containsExactly("LEAD UNAVAILABLE");
        assertThat(ear.actions).containsExactly("SEAL orders:0/1");
        time.advance(MINUTE.multipliedBy(5));
        assertThat(states(ORDERS)).containsOnly(SegmentState.DROPPED).hasSize(2);
    }

    @Test
    void aDeletedLogIsForgottenUnlessItIsStillThere() {
        log(ORDERS, 1, policy(Tiering.ENABLED, 1, 60));
        worker.start();
        time.run();
        DeletedLogs deleted = new DeletedLogs(store.removals());
        Stages.await(deleted.note(ORDERS, INCARNATION));
        time.advance(MINUTE);
        assertThat(tier.segments(ORDERS, INCARNATION)).containsExactly(0L);
        logs.clear();
        Stages.await(store.entries().delete(ORDERS, INCARNATION));
        Stages.await(store.entries().create(ORDERS, "second"));
        tier.next(Call.REMOVE_LOG, Fault.UNAVAILABLE);
        time.advance(MINUTE);
        assertThat(Stages.await(deleted.all())).hasSize(1);
        time.advance(MINUTE);
        assertThat(tier.segments(ORDERS, INCARNATION)).isEmpty();
        assertThat(Stages.await(deleted.all())).isEmpty();
        assertThat(ear.failures).containsExactly("FORGET UNAVAILABLE");
    }

    @Test
    void theArchiveIsKeptInShapeEveryTenTicksAndNeverTwiceAtATime() {
        worker.start();
        time.advance(MINUTE.multipliedBy(9));
        assertThat(calls(Call.MAINTAIN)).isEmpty();
        tier.next(Call.MAINTAIN, Fault.HANG);
        time.advance(MINUTE.multipliedBy(25));
        assertThat(calls(Call.MAINTAIN)).hasSize(1);
        tier.release();
        time.advance(MINUTE.multipliedBy(10));
        assertThat(calls(Call.MAINTAIN)).hasSize(2);
    }

    @Test
    void noMoreOffloadsThanAllowedAreUnderWayAndTheirProgressIsSeen() {
        for (int partition = 0; partition < 5; partition++) {
            StreamName stream = new StreamName("slow:" + partition);
            log(stream, 1, policy(Tiering.ENABLED, 1, 60));
            tier.always(stream, Call.OFFLOAD, Fault.HANG);
        }
        worker.start();
        time.run();
        assertThat(calls(Call.OFFLOAD)).hasSize(2);
        assertThat(worker.offloads()).hasSize(2).allMatch(active -> active.entries() == 2 && active.copied() == 0);
        tier.heal();
        tier.release();
        time.run();
        assertThat(worker.offloads()).isEmpty();
        assertThat(states(new StreamName("slow:4"))).containsExactly(SegmentState.OFFLOADED);
    }

    @Test
    void stoppingWaitsForTheOffloadUnderWayAndBeginsNoOther() {
        log(ORDERS, 3, policy(Tiering.ENABLED, 1, 60));
        tier.next(Call.OFFLOAD, Fault.HANG);
        worker.start();
        time.run();
        CompletableFuture<Void> stop = worker.stop().toCompletableFuture();
        time.run();
        assertThat(stop).isNotDone();
        tier.release();
        time.run();
        assertThat(stop).isCompleted();
        assertThat(states(ORDERS)).containsExactly(SegmentState.OFFLOADED, SegmentState.SEALED, SegmentState.SEALED);
    }

    @Test
    void withoutATierTieredTopicsAreKeptByTheirTotalRetention() {
        StorageWorker without = new StorageWorker(
                store,
                () -> CompletableFuture.completedFuture(List.copyOf(logs)),
                state -> false,
                WorkerSettings.DEFAULTS,
                ear,
                time,
                time);
        log(ORDERS, 2, policy(Tiering.ENABLED, 1, 5));
        without.start();
        time.advance(MINUTE.multipliedBy(4));
        assertThat(states(ORDERS)).containsOnly(SegmentState.SEALED).hasSize(2);
        time.advance(MINUTE.multipliedBy(2));
        assertThat(state(ORDERS).sealed()).isEmpty();
    }
}
