package io.korvet.tiering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korvet.offsets.DenseEncoding;
import io.korvet.store.LogState;
import io.korvet.store.StoreException;
import io.korvet.store.StreamName;
import io.korvet.store.time.ManualScheduler;
import io.korvet.tiering.WorkerObserver.Phase;
import io.korvet.tiering.WorkerObserver.Standing;
import io.korvet.tiering.WorkerObserver.Walk;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The worker's promises, in a time that is moved by hand. */
class StorageWorkerTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final WorkerSettings SETTINGS = WorkerSettings.DEFAULTS;
    private static final TierPolicy FIVE_MINUTES = TierPolicy.localOnly(
            MINUTE.toMillis(), new Retention(MINUTE.multipliedBy(5).toMillis(), Retention.UNLIMITED));

    private final ManualScheduler time = new ManualScheduler(Instant.parse("2026-01-01T00:00:00Z"));
    private final ScriptedStore script = new ScriptedStore();
    private final Ear ear = new Ear();
    private final List<ManagedLog> logs = new ArrayList<>();

    /** Notes what it hears. */
    private static final class Ear implements WorkerObserver {
        final List<Standing> standings = new ArrayList<>();
        final List<Walk> walks = new ArrayList<>();
        final List<String> actions = new ArrayList<>();
        final List<Phase> failures = new ArrayList<>();

        @Override
        public void standing(Standing standing) {
            standings.add(standing);
        }

        @Override
        public void walked(Walk walk) {
            walks.add(walk);
        }

        @Override
        public void acted(ManagedLog log, TierAction action) {
            actions.add(action.kind() + " " + log.stream() + "/" + action.segment());
        }

        @Override
        public void failed(Phase phase, @Nullable ManagedLog log, Throwable failure) {
            failures.add(phase);
        }
    }

    private StorageWorker worker(LogSource source, WorkerObserver observer) {
        return new StorageWorker(script.store(), source, state -> true, SETTINGS, observer, time, time);
    }

    private StorageWorker started() {
        StorageWorker worker = worker(() -> CompletableFuture.completedFuture(List.copyOf(logs)), ear);
        worker.start();
        return worker;
    }

    /** A log in the worker's care whose segments were all filled some minutes ago. */
    private void log(String stream, int sealedSegments, long minutesAgo) {
        script.draw(stream, "incarnation", sealedSegments, time.millis() - minutesAgo * MINUTE.toMillis());
        logs.add(new ManagedLog(new StreamName(stream), "incarnation", new DenseEncoding(), FIVE_MINUTES));
    }

    private List<String> calls(String name) {
        return script.calls.stream().filter(call -> call.startsWith(name)).toList();
    }

    private long entries(String stream) {
        LogState log = script.logs.get(stream);
        return log == null ? -1 : log.entries();
    }

    private void hold(String call) {
        script.gates.put(call, new CompletableFuture<>());
    }

    private CompletableFuture<Void> gate(String call) {
        CompletableFuture<Void> gate = new CompletableFuture<>();
        script.gates.put(call, gate);
        return gate;
    }

    @Test
    void aLeaseThatIsNotLongerThanATickIsRefused() {
        assertThatThrownBy(() -> SETTINGS.with(MINUTE, MINUTE))
                .hasMessageContaining("lease of PT1M")
                .hasMessageContaining("longer than the tick");
    }

    @Test
    void aTickSealsWhatIsOldAndRemovesItAtOnceWhenItsTimeIsUp() {
        log("old:0", 2, 6);
        log("middle:0", 0, 2);
        log("young:0", 0, 0);
        started();
        time.run();
        assertThat(ear.actions)
                .containsExactlyInAnyOrder(
                        "REMOVE old:0/0", "REMOVE old:0/1", "SEAL old:0/2", "REMOVE old:0/2", "SEAL middle:0/0");
        assertThat(script.logs.get("old:0"))
                .matches(log -> log.sealed().isEmpty() && log.entries() == 0 && log.startOffset() == 30);
        assertThat(ear.walks).containsExactly(new Walk(3, 5, 0, Duration.ZERO));
        assertThat(ear.standings).containsExactly(Standing.LEADING);
    }

    @Test
    void retentionHoldsWithinOneTickWithSegmentsOfAMinute() {
        log("orders:0", 0, 0);
        started();
        time.advance(MINUTE.multipliedBy(5));
        assertThat(entries("orders:0")).isEqualTo(10);
        time.advance(MINUTE);
        assertThat(entries("orders:0")).isZero();
    }

    @Test
    void onlyTheHolderOfTheLeaseWorksAndAnotherTakesOverWhenItIsFree() {
        log("old:0", 1, 6);
        script.leases.put(StorageWorker.LEASE, "another");
        StorageWorker worker = started();
        time.advance(MINUTE);
        assertThat(worker.standing()).isEqualTo(Standing.FOLLOWING);
        assertThat(calls("state")).isEmpty();
        script.leases.clear();
        time.advance(MINUTE);
        assertThat(worker.standing()).isEqualTo(Standing.LEADING);
        assertThat(ear.actions).isNotEmpty();
    }

    @Test
    void nothingIsRemovedOnceTheLeaseIsLost() {
        log("old:0", 2, 6);
        log("old:1", 2, 6);
        CompletableFuture<Void> one = gate("state old:0");
        CompletableFuture<Void> two = gate("state old:1");
        StorageWorker worker = started();
        time.run();
        script.leases.put(StorageWorker.LEASE, "another");
        one.complete(null);
        two.complete(null);
        time.run();
        assertThat(calls("remove")).isEmpty();
        assertThat(calls("seal")).isEmpty();
        assertThat(worker.standing()).isEqualTo(Standing.FOLLOWING);
    }

    @Test
    void aBrokenLogDoesNotStopTheOthersAndIsTriedAgain() {
        for (int partition = 0; partition < 30; partition++) {
            log("old:" + partition, 1, 6);
        }
        gate("state old:3").completeExceptionally(new StoreException(StoreException.Kind.CORRUPT, "unreadable"));
        gate("seal old:4/1").completeExceptionally(new StoreException(StoreException.Kind.REFUSED, "wrong type"));
        started();
        time.run();
        assertThat(ear.failures).containsExactlyInAnyOrder(Phase.READ, Phase.SEAL);
        assertThat(ear.walks).singleElement().matches(walk -> walk.failed() == 2 && walk.logs() == 30);
        assertThat(ear.actions).hasSize(28 * 3 + 1);
        script.gates.clear();
        time.advance(MINUTE);
        assertThat(ear.actions).hasSize(30 * 3);
    }

    @Test
    void aLogThatNeverAnswersIsLeftBehindAndDoesNothingMoreWhenItAnswersAtLast() {
        log("slow:0", 1, 6);
        log("old:0", 1, 6);
        CompletableFuture<Void> gate = gate("state slow:0");
        started();
        time.advance(SETTINGS.logTimeout());
        assertThat(ear.failures).containsExactly(Phase.TIMEOUT);
        assertThat(ear.walks).hasSize(1);
        assertThat(ear.actions).allMatch(action -> action.contains("old:0")).hasSize(3);
        time.advance(MINUTE);
        assertThat(ear.failures).containsExactly(Phase.TIMEOUT, Phase.TIMEOUT);
        assertThat(calls("state slow:0")).hasSize(1);
        gate.complete(null);
        time.run();
        assertThat(ear.actions).hasSize(3);
        time.advance(MINUTE);
        assertThat(ear.actions).hasSize(6);
    }

    @Test
    void noMoreLogsThanAllowedAreUnderWay() {
        List<CompletableFuture<Void>> gates = IntStream.range(0, 20)
                .mapToObj(partition -> {
                    log("old:" + partition, 0, 0);
                    return gate("state old:" + partition);
                })
                .toList();
        started();
        time.run();
        assertThat(calls("state")).hasSize(SETTINGS.parallelism());
        gates.get(0).complete(null);
        time.run();
        assertThat(calls("state")).hasSize(SETTINGS.parallelism() + 1);
        gates.forEach(gate -> gate.complete(null));
        time.run();
        assertThat(ear.walks).singleElement().matches(walk -> walk.failed() == 0);
    }

    @Test
    void tenThousandLogsThatAnswerAtOnceAreWalked() {
        for (int partition = 0; partition < 10_000; partition++) {
            log("old:" + partition, 0, 0);
        }
        started();
        time.run();
        assertThat(ear.walks).singleElement().matches(walk -> walk.logs() == 10_000 && walk.failed() == 0);
    }

    @Test
    void theLeaseIsRenewedWhileAWalkTakesLongerThanATickAndNoSecondOneBegins() {
        StorageWorker worker = new StorageWorker(
                script.store(),
                () -> CompletableFuture.completedFuture(List.copyOf(logs)),
                state -> true,
                new WorkerSettings(
                        MINUTE, MINUTE.multipliedBy(2), 8, MINUTE.multipliedBy(10), 10, WorkerSettings.Cold.DEFAULTS),
                ear,
                time,
                time);
        log("slow:0", 1, 6);
        hold("state slow:0");
        worker.start();
        time.advance(MINUTE.multipliedBy(3));
        assertThat(calls("acquire")).hasSize(4);
        assertThat(calls("state")).hasSize(1);
    }

    @Test
    void stoppingWaitsForWhatIsUnderWayBeginsNothingNewAndGivesTheLeaseBack() {
        log("old:0", 2, 6);
        CompletableFuture<Void> gate = gate("remove old:0/0 start 10");
        StorageWorker worker = started();
        time.run();
        CompletableFuture<Void> stop = worker.stop().toCompletableFuture();
        time.run();
        assertThat(stop).isNotDone();
        assertThat(script.leases).containsKey(StorageWorker.LEASE);
        gate.complete(null);
        time.run();
        assertThat(stop).isCompleted();
        assertThat(script.leases).isEmpty();
        assertThat(ear.actions).startsWith("REMOVE old:0/0");
        int calls = script.calls.size();
        time.advance(MINUTE.multipliedBy(5));
        assertThat(script.calls).hasSize(calls);
        assertThat(worker.standing()).isEqualTo(Standing.UNKNOWN);
    }

    @Test
    void stoppingEndsEvenWhenTheStoreNeverAnswers() {
        log("slow:0", 1, 6);
        hold("state slow:0");
        hold("release storage-worker");
        StorageWorker worker = started();
        time.run();
        CompletionStage<Void> stop = worker.stop();
        time.advance(SETTINGS.logTimeout().multipliedBy(2));
        assertThat(stop.toCompletableFuture()).isCompleted();
    }

    @Test
    void whileTheStoreIsAwayTheWorkerSaysSoAndGoesOnAfterwards() {
        log("old:0", 1, 6);
        gate("acquire storage-worker")
                .completeExceptionally(new StoreException(StoreException.Kind.UNAVAILABLE, "away"));
        StorageWorker worker = started();
        time.run();
        assertThat(ear.failures).containsExactly(Phase.LEASE);
        assertThat(worker.standing()).isEqualTo(Standing.UNKNOWN);
        script.gates.clear();
        time.advance(MINUTE);
        assertThat(ear.standings).containsExactly(Standing.LEADING);
        assertThat(ear.actions).hasSize(3);
    }

    @Test
    void aListingThatFailsOrThrowsIsMadeAgain() {
        List<CompletionStage<List<ManagedLog>>> answers = new ArrayList<>();
        answers.add(CompletableFuture.failedFuture(new StoreException(StoreException.Kind.UNAVAILABLE, "away")));
        worker(() -> answers.remove(0), ear).start();
        time.run();
        assertThat(ear.failures).containsExactly(Phase.LIST);
        time.advance(MINUTE);
        assertThat(ear.failures).containsExactly(Phase.LIST, Phase.LIST);
        answers.add(CompletableFuture.completedFuture(List.of()));
        time.advance(MINUTE);
        assertThat(ear.walks).hasSize(1);
    }

    @Test
    void eachLogsWritersArePrunedOnceInTenTicks() {
        for (int partition = 0; partition < 20; partition++) {
            log("orders:" + partition, 0, 0);
        }
        started();
        time.advance(MINUTE.multipliedBy(9));
        assertThat(calls("prune")).hasSize(20).doesNotHaveDuplicates();
        time.advance(MINUTE.multipliedBy(10));
        assertThat(calls("prune")).hasSize(40);
    }

    @Test
    void aLogOfAnotherIncarnationOrNoneIsLeftAlone() {
        log("new:0", 1, 6);
        script.draw("new:0", "later", 1, 0);
        log("gone:0", 1, 6);
        script.logs.remove("gone:0");
        started();
        time.run();
        assertThat(ear.actions).isEmpty();
        assertThat(ear.walks).singleElement().matches(walk -> walk.failed() == 0);
    }

    @Test
    void anObserverThatThrowsStopsNothing() {
        log("old:0", 1, 6);
        WorkerObserver broken = new WorkerObserver() {
            @Override
            public void acted(ManagedLog log, TierAction action) {
                throw new IllegalStateException("an observer that fails");
            }
        };
        worker(() -> CompletableFuture.completedFuture(logs), broken).start();
        time.run();
        assertThat(entries("old:0")).isZero();
    }
}
