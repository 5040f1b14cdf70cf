package io.korvet.tiering;

import io.korvet.store.LogState;
import io.korvet.store.SegmentCatalog;
import io.korvet.store.SegmentCatalog.Outcome;
import io.korvet.store.Store;
import io.korvet.tiering.WorkerObserver.Phase;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One log's turn in a walk: its state is read, what is due is done in order, and when a segment was sealed the log is
 * looked at once more, since the segment may be due for removal and only now can't grow any more.
 *
 * <p>Single use; steps follow each other, {@link #end} may be called from any thread.
 */
final class LogTurn {

    private final ManagedLog log;
    private final Store store;
    private final Supplier<CompletionStage<Boolean>> permission;
    private final SafeObserver observer;
    private final Executor executor;
    private final InstantSource clock;

    private final AtomicInteger actions = new AtomicInteger();
    private volatile boolean ended;
    private volatile Phase phase = Phase.READ;

    /** A turn; permission is asked for before each step that destroys something. */
    LogTurn(
            ManagedLog log,
            Store store,
            Supplier<CompletionStage<Boolean>> permission,
            SafeObserver observer,
            Executor executor,
            InstantSource clock) {
        this.log = log;
        this.store = store;
        this.permission = permission;
        this.observer = observer;
        this.executor = executor;
        this.clock = clock;
    }

    /** Takes the turn; writers are pruned when a test for them is given. */
    CompletionStage<Void> run(@Nullable Predicate<String> expiredWriters) {
        return CompletableFuture.<Void>completedFuture(null)
                .thenComposeAsync(begun -> pass(), executor)
                .thenComposeAsync(again -> again ? pass() : completed(false), executor)
                .thenComposeAsync(
                        done -> expiredWriters == null || ended ? completed(0) : prune(expiredWriters), executor)
                .thenAccept(pruned -> {});
    }

    /** No further step is begun. */
    void end() {
        ended = true;
    }

    /** What the turn is about, or was when it failed. */
    Phase phase() {
        return phase;
    }

    /** How many actions were carried out so far. */
    int actions() {
        return actions.get();
    }

    /** Whether a segment was sealed. */
    private CompletionStage<Boolean> pass() {
        phase = Phase.READ;
        return store.entries()
                .state(log.stream())
                .thenComposeAsync(state -> isMine(state) ? carryOut(plan(state), 0) : completed(false), executor);
    }

    private boolean isMine(@Nullable LogState state) {
        return state != null && state.incarnation().equals(log.incarnation());
    }

    private List<TierAction> plan(LogState state) {
        return TierPlanner.plan(state, log.encoding(), log.policy(), clock.millis());
    }

    private CompletionStage<Boolean> carryOut(List<TierAction> plan, int index) {
        if (index == plan.size() || ended) {
            return completed(index > 0 && plan.get(index - 1).kind() == TierAction.Kind.SEAL);
        }
        TierAction action = plan.get(index);
        return carryOut(action)
                .thenComposeAsync(
                        outcome -> {
                            if (outcome != Outcome.DONE) {
                                // Somebody else was faster, or the log is another one by now: the next walk sees what
                                // is left.
                                return completed(false);
                            }
                            actions.incrementAndGet();
                            observer.tell(observer -> observer.acted(log, action));
                            return carryOut(plan, index + 1);
                        },
                        executor);
    }

    private CompletionStage<Outcome> carryOut(TierAction action) {
        SegmentCatalog segments = store.segments();
        return switch (action.kind()) {
            case SEAL -> {
                phase = Phase.SEAL;
                yield segments.seal(log.stream(), log.incarnation(), action.segment(), clock.millis());
            }
            case REMOVE -> {
                phase = Phase.REMOVE;
                long start = ((TierAction.Remove) action).newStartOffset();
                yield permission
                        .get()
                        .thenComposeAsync(
                                permitted -> permitted && !ended
                                        ? segments.remove(log.stream(), log.incarnation(), action.segment(), start)
                                        : completed(Outcome.NOT_APPLICABLE),
                                executor);
            }
        };
    }

    private CompletionStage<Integer> prune(Predicate<String> expired) {
        phase = Phase.PRUNE;
        return store.segments().pruneWriters(log.stream(), expired).thenApply(pruned -> {
            if (pruned > 0) {
                observer.tell(observer -> observer.pruned(log, pruned));
            }
            return pruned;
        });
    }

    private static <T> CompletionStage<T> completed(T value) {
        return CompletableFuture.completedFuture(value);
    }
}
