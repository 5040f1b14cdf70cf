package io.korvet.tiering;

import io.korvet.store.LogState;
import io.korvet.store.SegmentCatalog;
import io.korvet.store.SegmentCatalog.Outcome;
import io.korvet.store.SegmentState;
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
 * One log's turn in a walk: its state is read, what is due in Redis is done in order, and when a segment was sealed the log
 * is looked at once more, since the segment may be due for removal and only now can't grow any more. What is due in the cold
 * tier is handed on, so that nothing here waits for it: a segment whose time is up leaves Redis whether the tier answers or
 * not.
 *
 * <p>Single use; steps follow each other, {@link #end} may be called from any thread.
 */
final class LogTurn {

    private final ManagedLog log;
    private final Store store;
    private final @Nullable ColdWork cold;
    private final Supplier<CompletionStage<Boolean>> permission;
    private final SafeObserver observer;
    private final Executor executor;
    private final InstantSource clock;

    private final AtomicInteger actions = new AtomicInteger();
    private volatile boolean ended;
    private volatile Phase phase = Phase.READ;

    /** A turn; permission is asked for before each step that destroys something, cold work is handed on where there is any. */
    LogTurn(
            ManagedLog log,
            Store store,
            @Nullable ColdWork cold,
            Supplier<CompletionStage<Boolean>> permission,
            SafeObserver observer,
            Executor executor,
            InstantSource clock) {
        this.log = log;
        this.store = store;
        this.cold = cold;
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
                .thenComposeAsync(state -> log.isIn(state) ? carryOut(state) : completed(false), executor);
    }

    private CompletionStage<Boolean> carryOut(LogState state) {
        List<TierAction> plan = TierPlanner.plan(state, log.encoding(), log.policy(), clock.millis());
        return carryOut(plan, 0).thenApply(rolled -> {
            if (cold != null && !rolled && !ended) {
                cold.consider(log, state, plan);
            }
            return rolled;
        });
    }

    private CompletionStage<Boolean> carryOut(List<TierAction> plan, int index) {
        if (index == plan.size() || ended) {
            return completed(!plan.isEmpty() && plan.get(plan.size() - 1).kind() == TierAction.Kind.SEAL && !ended);
        }
        TierAction action = plan.get(index);
        if (action.kind() == TierAction.Kind.OFFLOAD || action.kind() == TierAction.Kind.DROP_LOCAL) {
            return carryOut(plan, index + 1);
        }
        return carryOut(action)
                .thenComposeAsync(
                        outcome -> {
                            if (isRemote(action)) {
                                // The rest of it is the cold tier's; what follows in Redis need not wait for that.
                                return carryOut(plan, index + 1);
                            }
                            if (outcome != Outcome.DONE) {
                                // Somebody else was faster, or the log is another one by now: the next walk sees what
                                // is left.
                                return completed(false);
                            }
                            actions.incrementAndGet();
                            observer.acted(log, action);
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
                yield permission
                        .get()
                        .thenComposeAsync(
                                permitted -> {
                                    ended |= !permitted;
                                    return ended
                                            ? completed(Outcome.NOT_APPLICABLE)
                                            : remove((TierAction.Remove) action);
                                },
                                executor);
            }
            case OFFLOAD, DROP_LOCAL -> throw new IllegalStateException(action + " is cold work");
        };
    }

    /** Takes a segment out of Redis; one that is in the cold tier stays in the catalog until it is gone from there. */
    private CompletionStage<Outcome> remove(TierAction.Remove due) {
        SegmentCatalog segments = store.segments();
        return switch (due.state()) {
            case OPEN, SEALED -> {
                if (cold != null) {
                    cold.removedLocally(log);
                }
                yield segments.remove(log.stream(), log.incarnation(), due.segment(), due.newStartOffset());
            }
            case OFFLOADED ->
                moveStart(due)
                        .thenComposeAsync(
                                moved -> segments.dropLocal(log.stream(), log.incarnation(), due.segment()), executor);
            case DROPPED -> moveStart(due).thenApply(moved -> Outcome.DONE);
        };
    }

    private CompletionStage<@Nullable Long> moveStart(TierAction.Remove due) {
        return store.entries().truncateBefore(log.stream(), log.incarnation(), due.newStartOffset());
    }

    private static boolean isRemote(TierAction action) {
        return action instanceof TierAction.Remove due && due.state() != SegmentState.SEALED;
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
