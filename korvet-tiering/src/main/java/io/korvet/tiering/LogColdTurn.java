package io.korvet.tiering;

import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentCatalog.Outcome;
import io.korvet.store.SegmentState;
import io.korvet.store.Store;
import io.korvet.store.StreamName;
import io.korvet.tiering.ColdTier.Offload;
import io.korvet.tiering.WorkerObserver.Phase;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One log's work in the cold tier. Each step reads the log's state and does what is due: first it settles an offload that
 * nobody knew the end of, then come removals, what is to be dropped from Redis, and one segment to be copied.
 *
 * <p>A removal moves the start of the log first, so that nobody reads what goes; then the cold tier forgets the segments,
 * and only then the catalog, so that nothing is left that nobody knows. Nothing is dropped from Redis before the cold tier
 * was asked once more whether it has it.
 */
final class LogColdTurn implements ColdTurn {

    /** What all turns share. */
    record Parts(
            ColdTier tier,
            Store store,
            ColdMemory memory,
            Supplier<CompletionStage<Boolean>> permission,
            SafeObserver observer,
            Executor executor,
            InstantSource clock) {}

    private final ManagedLog log;
    private final Parts parts;
    /** The segments that this turn tried to copy. */
    private final Set<Long> tried = new HashSet<>();

    private volatile Phase phase = Phase.READ;
    private volatile @Nullable OffloadWatch watch;

    LogColdTurn(ManagedLog log, Parts parts) {
        this.log = log;
        this.parts = parts;
    }

    @Override
    public StreamName stream() {
        return log.stream();
    }

    @Override
    public ManagedLog log() {
        return log;
    }

    @Override
    public Phase phase() {
        return phase;
    }

    @Override
    public @Nullable ActiveOffload active() {
        OffloadWatch now = watch;
        return now == null ? null : now.active();
    }

    @Override
    public CompletionStage<Boolean> step(Runnable moved) {
        phase = Phase.READ;
        return parts.store()
                .entries()
                .state(stream())
                .thenComposeAsync(state -> log.isIn(state) ? step(state, moved) : completed(false), parts.executor());
    }

    private CompletionStage<Boolean> step(@Nullable LogState state, Runnable moved) {
        if (state == null) {
            return completed(false);
        }
        List<TierAction> plan = TierPlanner.plan(
                state, log.encoding(), log.policy(), parts.clock().millis());
        return then(
                settle(state, moved),
                marked -> marked
                        ? completed(true)
                        : then(sweep(state), swept -> {
                            moved.run();
                            return then(remove(plan), removed -> {
                                moved.run();
                                return then(drop(state, plan, 0, moved), dropped -> offload(state, plan, moved));
                            });
                        }));
    }

    /** Asks for a segment whose offload had no known end; answers whether it was there, and is marked now. */
    private CompletionStage<Boolean> settle(LogState state, Runnable moved) {
        Segment doubtful = segment(state, parts.memory().inDoubt(stream()));
        if (doubtful == null || doubtful.state() != SegmentState.SEALED) {
            parts.memory().settled(stream());
            return completed(false);
        }
        phase = Phase.OFFLOAD;
        OffloadWatch asked = new OffloadWatch(cold(doubtful), parts.clock().instant(), moved);
        return then(parts.tier().find(cold(doubtful)), found -> {
            if (found.outcome() == OffloadOutcome.UNKNOWN) {
                tried.add(doubtful.number());
                return completed(false);
            }
            parts.memory().settled(stream());
            if (found.outcome() == OffloadOutcome.NOT_COMMITTED) {
                return completed(false);
            }
            tried.add(doubtful.number());
            return then(mark(doubtful, found), marked -> told(asked, found).thenApply(told -> true));
        });
    }

    /** Removes from the tier what an earlier leader, or a removal in Redis alone, may have left there. */
    private CompletionStage<Void> sweep(LogState state) {
        long oldest = ColdWork.oldest(state);
        if (oldest == 0 || parts.memory().isSwept(stream())) {
            return nothing();
        }
        phase = Phase.REMOVE;
        parts.memory().swept(stream());
        return permitted(() -> parts.tier().removeThrough(stream(), log.incarnation(), oldest - 1))
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        parts.memory().unswept(stream());
                    }
                });
    }

    private CompletionStage<Void> remove(List<TierAction> plan) {
        List<TierAction.Remove> due = plan.stream()
                .filter(action -> action.kind() == TierAction.Kind.REMOVE)
                .map(action -> (TierAction.Remove) action)
                .toList();
        int last = due.size() - 1;
        while (last >= 0 && due.get(last).state() == SegmentState.SEALED) {
            last--;
        }
        if (last < 0) {
            return nothing();
        }
        phase = Phase.REMOVE;
        TierAction.Remove newest = due.get(last);
        int count = last + 1;
        return permitted(() -> then(
                parts.store().entries().truncateBefore(stream(), log.incarnation(), newest.newStartOffset()),
                start -> start == null
                        ? nothing()
                        : then(
                                parts.tier().removeThrough(stream(), log.incarnation(), newest.segment()),
                                gone -> removeRows(due.subList(0, count), 0))));
    }

    private CompletionStage<Void> removeRows(List<TierAction.Remove> due, int index) {
        if (index == due.size()) {
            return nothing();
        }
        TierAction.Remove action = due.get(index);
        return then(
                parts.store().segments().remove(stream(), log.incarnation(), action.segment(), action.newStartOffset()),
                outcome -> {
                    if (outcome != Outcome.DONE) {
                        return nothing();
                    }
                    acted(action);
                    return removeRows(due, index + 1);
                });
    }

    private CompletionStage<Void> drop(LogState state, List<TierAction> plan, int index, Runnable moved) {
        if (index == plan.size()) {
            return nothing();
        }
        TierAction action = plan.get(index);
        Segment segment = segment(state, action.segment());
        if (action.kind() != TierAction.Kind.DROP_LOCAL || segment == null) {
            return drop(state, plan, index + 1, moved);
        }
        phase = Phase.DROP;
        return then(confirmed(segment, moved), there -> {
            moved.run();
            return there
                    ? then(permitted(() -> dropLocal(action)), dropped -> drop(state, plan, index + 1, moved))
                    : nothing();
        });
    }

    private CompletionStage<Void> dropLocal(TierAction action) {
        return then(parts.store().segments().dropLocal(stream(), log.incarnation(), action.segment()), outcome -> {
            if (outcome == Outcome.DONE) {
                acted(action);
            }
            return nothing();
        });
    }

    /** Whether the tier has a segment that it is said to have; if not, it is copied again. */
    private CompletionStage<Boolean> confirmed(Segment segment, Runnable moved) {
        return then(parts.tier().find(cold(segment)), found -> switch (found.outcome()) {
            case COMMITTED -> completed(true);
            case UNKNOWN -> completed(false);
            case NOT_COMMITTED -> {
                parts.observer()
                        .failed(
                                Phase.DROP,
                                log,
                                new ColdTierException(
                                        ColdTierException.Kind.CORRUPT,
                                        cold(segment)
                                                + " was in the archive and is there no more (was a snapshot rolled"
                                                + " back?): it is copied again, since Redis still has it"));
                yield then(copy(segment, moved), again -> completed(again.outcome() == OffloadOutcome.COMMITTED));
            }
        });
    }

    private CompletionStage<Boolean> offload(LogState state, List<TierAction> plan, Runnable moved) {
        Segment next = null;
        for (TierAction action : plan) {
            if (action.kind() == TierAction.Kind.OFFLOAD && !tried.contains(action.segment())) {
                next = segment(state, action.segment());
                break;
            }
        }
        if (next == null) {
            return completed(false);
        }
        Segment segment = next;
        phase = Phase.OFFLOAD;
        tried.add(segment.number());
        return copy(segment, moved)
                .thenComposeAsync(
                        copied -> copied.outcome() == OffloadOutcome.COMMITTED
                                ? then(mark(segment, copied), marked -> completed(true))
                                : completed(false),
                        parts.executor())
                .handle((more, failure) -> {
                    if (failure == null) {
                        return completed(more);
                    }
                    if (!concernsOneSegment(failure)) {
                        return CompletableFuture.<Boolean>failedFuture(failure);
                    }
                    parts.observer().failed(Phase.OFFLOAD, log, failure);
                    return completed(true);
                })
                .thenCompose(Function.identity());
    }

    private CompletionStage<Offload> copy(Segment segment, Runnable moved) {
        OffloadWatch watching = new OffloadWatch(cold(segment), parts.clock().instant(), moved);
        watch = watching;
        return then(parts.tier().offload(cold(segment), watching), copied -> {
                    if (copied.outcome() == OffloadOutcome.UNKNOWN) {
                        parts.memory().doubt(stream(), segment.number());
                    }
                    return told(watching, copied).thenApply(done -> copied);
                })
                .whenComplete((copied, failure) -> watch = null);
    }

    private CompletionStage<Void> told(OffloadWatch watching, Offload offload) {
        parts.observer().tell(observer -> observer.archived(log, watching.archived(offload.outcome())));
        return nothing();
    }

    private CompletionStage<Void> mark(Segment segment, Offload copied) {
        String file = copied.file() == null ? "" : copied.file();
        return then(
                parts.store().segments().markOffloaded(stream(), log.incarnation(), segment.number(), file),
                outcome -> {
                    if (outcome == Outcome.DONE) {
                        acted(new TierAction.Offload(segment.number(), TierAction.Reason.SEALED));
                    } else {
                        // It was removed meanwhile; what was copied goes with the next sweep.
                        parts.memory().unswept(stream());
                    }
                    return nothing();
                });
    }

    private static boolean concernsOneSegment(Throwable failure) {
        return SafeObserver.cause(failure) instanceof ColdTierException cold
                && cold.kind() == ColdTierException.Kind.CORRUPT;
    }

    private CompletionStage<Void> permitted(Supplier<CompletionStage<Void>> act) {
        return then(parts.permission().get(), permitted -> permitted ? act.get() : nothing());
    }

    private void acted(TierAction action) {
        parts.observer().tell(observer -> observer.acted(log, action));
    }

    private ColdSegment cold(Segment segment) {
        return new ColdSegment(stream(), log.incarnation(), segment);
    }

    private static @Nullable Segment segment(LogState state, long number) {
        for (Segment segment : state.sealed()) {
            if (segment.number() == number) {
                return segment;
            }
        }
        return null;
    }

    private <T, R> CompletionStage<R> then(CompletionStage<T> stage, Function<T, CompletionStage<R>> next) {
        return stage.thenComposeAsync(next, parts.executor());
    }

    private static <T> CompletionStage<T> completed(T value) {
        return CompletableFuture.completedFuture(value);
    }

    private static CompletionStage<Void> nothing() {
        return CompletableFuture.completedFuture(null);
    }
}
