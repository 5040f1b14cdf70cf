package io.korvet.tiering;

import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentCatalog.Outcome;
import io.korvet.store.SegmentState;
import io.korvet.store.Store;
import io.korvet.store.StreamName;
import io.korvet.tiering.ColdTier.Offload;
import io.korvet.tiering.SafeObserver.Subject;
import io.korvet.tiering.WorkerObserver.Archived;
import io.korvet.tiering.WorkerObserver.Phase;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One log's work in the cold tier. Each step reads the log's state and does what is due: first it settles an offload that
 * nobody knew the end of, then come removals, what is to be dropped from Redis, and one segment to be copied. None of them
 * waits for another: what fails is told and tried again in a later turn, the others go on, unless another process leads by
 * now. Nor does a segment wait for another one that is broken.
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
            InstantSource clock) {

        /** What follows a stage, on the threads of turns. */
        <T, R> CompletionStage<R> then(CompletionStage<T> stage, Function<T, CompletionStage<R>> next) {
            return stage.thenComposeAsync(next, executor);
        }

        /** Does something if this process still holds the lease. */
        CompletionStage<Void> permitted(Supplier<CompletionStage<Void>> act) {
            return then(permission.get(), permitted -> permitted ? act.get() : nothing());
        }
    }

    /** What a step consists of. */
    private enum Part {
        SETTLE(Phase.OFFLOAD),
        SWEEP(Phase.REMOVE),
        REMOVE(Phase.REMOVE),
        DROP(Phase.DROP),
        OFFLOAD(Phase.OFFLOAD);

        private final Phase phase;

        Part(Phase phase) {
            this.phase = phase;
        }
    }

    private final ManagedLog log;
    private final Parts parts;
    private final LogRemoval removal;
    /** What failed in this turn and is left to the next one. */
    private final Set<Part> over = EnumSet.noneOf(Part.class);
    /** The segments that this turn tried to copy. */
    private final Set<Long> tried = new HashSet<>();
    /** Those that it tried to drop. */
    private final Set<Long> triedToDrop = new HashSet<>();

    private volatile Phase phase = Phase.READ;
    private volatile long at = SafeObserver.NO_SEGMENT;
    private volatile boolean away;
    private volatile @Nullable OffloadWatch watch;
    /** By the state that the step began with. */
    private volatile @Nullable Segment newestOffloaded;

    LogColdTurn(ManagedLog log, Parts parts) {
        this.log = log;
        this.parts = parts;
        this.removal = new LogRemoval(log, parts, segment -> at = segment);
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
    public CompletionStage<After> step(Runnable moved) {
        phase = Phase.READ;
        return parts.store()
                .entries()
                .state(stream())
                .thenComposeAsync(
                        state -> log.isIn(state) ? step(state, moved) : completed(After.END), parts.executor());
    }

    private CompletionStage<After> step(@Nullable LogState state, Runnable moved) {
        if (state == null) {
            return completed(After.END);
        }
        newestOffloaded = state.sealed().stream()
                .filter(ColdSegment::isOffloaded)
                .reduce((older, newer) -> newer)
                .orElse(null);
        List<TierAction> plan = TierPlanner.plan(
                state, log.encoding(), log.policy(), parts.clock().millis());
        CompletionStage<Boolean> settled = part(Part.SETTLE, moved, () -> settle(state, moved));
        CompletionStage<Boolean> more = then(
                settled,
                marked -> marked
                        ? completed(true)
                        : then(
                                part(Part.SWEEP, moved, () -> done(removal.sweep(state))),
                                swept -> then(
                                        part(Part.REMOVE, moved, () -> done(removal.remove(plan))),
                                        removed -> then(
                                                part(Part.DROP, moved, () -> done(drop(state, plan, moved))),
                                                dropped -> part(
                                                        Part.OFFLOAD, moved, () -> offload(state, plan, moved))))));
        return more.thenApply(again -> again ? After.STEP : away ? After.AWAY : After.END);
    }

    /** Does a part of a step unless it failed earlier in this turn; {@code false} when it fails. */
    private CompletionStage<Boolean> part(Part part, Runnable moved, Supplier<CompletionStage<Boolean>> act) {
        if (over.contains(part)) {
            return completed(false);
        }
        at = SafeObserver.NO_SEGMENT;
        phase = part.phase;
        return CompletableFuture.completedFuture(part)
                .thenComposeAsync(begun -> act.get(), parts.executor())
                .handleAsync(
                        (result, failure) -> {
                            moved.run();
                            if (failure == null) {
                                return completed(result);
                            }
                            if (ColdWork.isFenced(failure)) {
                                return CompletableFuture.<Boolean>failedFuture(failure);
                            }
                            over.add(part);
                            away |= ColdQueue.isAway(failure);
                            told(part.phase, failure);
                            return completed(false);
                        },
                        parts.executor())
                .thenCompose(Function.identity());
    }

    private void told(Phase failed, Throwable failure) {
        parts.observer().failed(new Subject(failed, stream(), log, at), failure);
    }

    private static CompletionStage<Boolean> done(CompletionStage<Void> act) {
        return act.thenApply(nothing -> true);
    }

    /** Asks for a segment whose offload had no known end; answers whether it was there, and is marked now. */
    private CompletionStage<Boolean> settle(LogState state, Runnable moved) {
        Segment doubtful = segment(state, parts.memory().inDoubt(stream()));
        if (doubtful == null || doubtful.state() != SegmentState.SEALED) {
            parts.memory().settled(stream());
            return completed(false);
        }
        at = doubtful.number();
        tried.add(doubtful.number());
        OffloadWatch asked = new OffloadWatch(cold(doubtful), parts.clock().instant(), moved);
        return then(parts.tier().find(cold(doubtful)), found -> {
            if (found.outcome() == OffloadOutcome.UNKNOWN) {
                return completed(false);
            }
            parts.memory().settled(stream());
            if (found.outcome() == OffloadOutcome.NOT_COMMITTED) {
                tried.remove(doubtful.number());
                return completed(false);
            }
            return then(mark(doubtful, found), marked -> told(asked, found).thenApply(told -> true));
        });
    }

    private CompletionStage<Void> drop(LogState state, List<TierAction> plan, Runnable moved) {
        return drop(state, due(state, plan, TierAction.Kind.DROP_LOCAL), plan, 0, moved);
    }

    private CompletionStage<Void> drop(
            LogState state, List<Segment> due, List<TierAction> plan, int index, Runnable moved) {
        if (index == due.size()) {
            return nothing();
        }
        Segment segment = due.get(index);
        at = segment.number();
        triedToDrop.add(segment.number());
        return then(
                isolated(
                        Phase.DROP,
                        segment,
                        () -> then(confirmed(segment, moved), there -> {
                            moved.run();
                            return there ? done(parts.permitted(() -> dropLocal(segment, plan))) : completed(false);
                        })),
                dropped -> drop(state, due, plan, index + 1, moved));
    }

    /** The segments that a kind of action is due for, those first with which it went wrong the least often. */
    private List<Segment> due(LogState state, List<TierAction> plan, TierAction.Kind kind) {
        Set<Long> done = kind == TierAction.Kind.OFFLOAD ? tried : triedToDrop;
        return plan.stream()
                .filter(action -> action.kind() == kind
                        && !done.contains(action.segment())
                        && parts.memory().isDue(stream(), action.segment()))
                .map(action -> segment(state, action.segment()))
                .filter(Objects::nonNull)
                .sorted(Comparator.comparingInt(segment -> parts.memory().failures(stream(), segment.number())))
                .toList();
    }

    /**
     * Work on a segment. Is it the segment or what belongs to it that is broken, then that is told, the segment is left
     * alone for some time, and the answer is {@code false}; other failures are the caller's.
     */
    private CompletionStage<Boolean> isolated(Phase trying, Segment segment, Supplier<CompletionStage<Boolean>> act) {
        return CompletableFuture.completedFuture(segment)
                .thenComposeAsync(begun -> act.get(), parts.executor())
                .handleAsync(
                        (result, failure) -> {
                            if (failure == null) {
                                if (result) {
                                    parts.memory().mended(stream(), segment.number());
                                }
                                return completed(result);
                            }
                            if (!concernsOneSegment(failure)) {
                                parts.memory().failed(stream(), segment.number());
                                return CompletableFuture.<Boolean>failedFuture(failure);
                            }
                            parts.memory().broken(stream(), segment.number());
                            told(trying, failure);
                            return completed(false);
                        },
                        parts.executor())
                .thenCompose(Function.identity());
    }

    private CompletionStage<Void> dropLocal(Segment segment, List<TierAction> plan) {
        return then(parts.store().segments().dropLocal(stream(), log.incarnation(), segment.number()), outcome -> {
            if (outcome == Outcome.DONE) {
                ColdLog.dropped(stream(), segment);
                plan.stream()
                        .filter(action ->
                                action.kind() == TierAction.Kind.DROP_LOCAL && action.segment() == segment.number())
                        .forEach(this::acted);
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
                told(
                        Phase.DROP,
                        new ColdTierException(
                                ColdTierException.Kind.CORRUPT,
                                cold(segment) + " was in the archive and is not there any more as Redis has it (files"
                                        + " lost, rows deleted, or a snapshot rolled back?): it is copied again"));
                yield then(copy(segment, moved), again -> completed(again.outcome() == OffloadOutcome.COMMITTED));
            }
        });
    }

    /** Copies one segment; answers whether there may be another one. */
    private CompletionStage<Boolean> offload(LogState state, List<TierAction> plan, Runnable moved) {
        List<Segment> due = due(state, plan, TierAction.Kind.OFFLOAD);
        if (due.isEmpty()) {
            return completed(false);
        }
        Segment segment = due.get(0);
        at = segment.number();
        tried.add(segment.number());
        AtomicBoolean unsettled = new AtomicBoolean();
        return isolated(
                        Phase.OFFLOAD,
                        segment,
                        () -> then(copy(segment, moved), copied -> {
                            if (copied.outcome() == OffloadOutcome.COMMITTED) {
                                return done(mark(segment, copied));
                            }
                            unsettled.set(true);
                            parts.memory().failed(stream(), segment.number());
                            return completed(false);
                        }))
                .thenApply(ended -> !unsettled.get());
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
        Archived archived = watching.archived(offload.outcome());
        if (offload.outcome() == OffloadOutcome.COMMITTED) {
            ColdLog.archived(stream(), archived, watching.age(parts.clock().instant()));
        }
        parts.observer().tell(observer -> observer.archived(log, archived));
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

    private void acted(TierAction action) {
        parts.observer().acted(log, action);
    }

    private ColdSegment cold(Segment segment) {
        return new ColdSegment(stream(), log.incarnation(), segment, newestOffloaded);
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
        return parts.then(stage, next);
    }

    private static <T> CompletionStage<T> completed(T value) {
        return CompletableFuture.completedFuture(value);
    }

    static CompletionStage<Void> nothing() {
        return CompletableFuture.completedFuture(null);
    }
}
