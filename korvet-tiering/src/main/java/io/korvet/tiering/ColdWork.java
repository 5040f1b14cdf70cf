package io.korvet.tiering;

import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.store.Store;
import io.korvet.tiering.TierPolicy.Tiering;
import io.korvet.tiering.WorkerObserver.Lag;
import io.korvet.tiering.WorkerObserver.Phase;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/**
 * The storage worker's part in the cold tier: becomes the one that writes to it, collects what walks find to be done there,
 * and keeps the archive in shape. It goes on by itself between ticks and holds up no walk. Thread-safe.
 *
 * <p>Whoever gets the lease takes a number that was never given and leads the tier with it; the one that led before can
 * commit nothing from then on, whatever it believes. When the store has lost its numbers and gives low ones again, larger
 * steps are taken until one is above the tier's.
 */
final class ColdWork {

    private static final int LEAPS = 8;

    private enum Lead {
        NONE,
        BEGINNING,
        LEADING
    }

    private final ColdTier tier;
    private final Store store;
    private final WorkerSettings settings;
    private final SafeObserver observer;
    private final ScheduledExecutorService scheduler;
    private final InstantSource clock;
    private final ColdMemory memory;
    private final ColdQueue queue;
    private final LogColdTurn.Parts parts;

    /** The fields below are guarded by this. */
    private Lead lead = Lead.NONE;

    private long term;
    private int ticks;
    private boolean maintaining;
    private int waitingSegments;
    private long oldestSealed;

    ColdWork(
            ColdTier tier,
            Store store,
            WorkerSettings settings,
            Supplier<CompletionStage<Boolean>> permission,
            SafeObserver observer,
            ScheduledExecutorService scheduler,
            InstantSource clock) {
        this.tier = tier;
        this.store = store;
        this.settings = settings;
        this.observer = observer;
        this.scheduler = scheduler;
        this.clock = clock;
        memory = new ColdMemory(settings.tick(), clock);
        queue = new ColdQueue(settings.cold(), observer, this::failed, scheduler, clock);
        parts = new LogColdTurn.Parts(tier, store, memory, permission, observer, scheduler, clock);
    }

    /** The number of a log's oldest segment in the catalog. */
    static long oldest(LogState state) {
        return state.sealed().isEmpty()
                ? state.open().number()
                : state.sealed().get(0).number();
    }

    /** A tick finds that this process holds the lease. */
    void held() {
        long begun;
        synchronized (this) {
            if (lead == Lead.LEADING) {
                queue.open();
                maintain();
                return;
            }
            if (lead == Lead.BEGINNING) {
                return;
            }
            lead = Lead.BEGINNING;
            begun = ++term;
        }
        var unused = lead(1, LEAPS).whenCompleteAsync((done, failure) -> begun(begun, failure), scheduler);
        // A tier that never answers is asked again by a later tick.
        var timeout = scheduler.schedule(
                () -> begun(begun, new ColdTierException(ColdTierException.Kind.UNAVAILABLE, "no answer to leading")),
                settings.cold().stall().toMillis(),
                java.util.concurrent.TimeUnit.MILLISECONDS);
        var unusedToo = unused.whenComplete((done, failure) -> timeout.cancel(false));
    }

    private CompletionStage<Void> lead(int step, int leapsLeft) {
        return store.sequences()
                .take(StorageWorker.LEASE, step)
                .thenComposeAsync(first -> tier.lead(first + step - 1), scheduler)
                .handle((done, failure) -> {
                    if (failure == null) {
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    return isFenced(failure) && leapsLeft > 0
                            ? lead(step * 8, leapsLeft - 1)
                            : CompletableFuture.<Void>failedFuture(failure);
                })
                .thenCompose(next -> next);
    }

    private void begun(long begunTerm, Throwable failure) {
        synchronized (this) {
            if (term != begunTerm || lead != Lead.BEGINNING) {
                return;
            }
            if (failure == null) {
                lead = Lead.LEADING;
                memory.beginAnew();
                queue.open();
                return;
            }
            lead = Lead.NONE;
            queue.close();
        }
        observer.failed(Phase.LEAD, null, failure);
    }

    /** This process doesn't hold the lease, or doesn't know. */
    synchronized void lost() {
        lead = Lead.NONE;
        term++;
        queue.close();
    }

    private void failed(Throwable failure) {
        if (isFenced(failure)) {
            lost();
        }
    }

    /** Whether a failure says that another process leads by now. */
    static boolean isFenced(Throwable failure) {
        return SafeObserver.cause(failure) instanceof ColdTierException cold
                && cold.kind() == ColdTierException.Kind.FENCED;
    }

    private void maintain() {
        ticks++;
        if (maintaining || ticks % settings.cold().maintainEvery() != 0) {
            return;
        }
        maintaining = true;
        Instant begin = clock.instant();
        var unused = CompletableFuture.completedFuture(tier)
                .thenComposeAsync(ColdTier::maintain, scheduler)
                .whenCompleteAsync(
                        (done, failure) -> {
                            synchronized (this) {
                                maintaining = false;
                            }
                            if (failure == null) {
                                Duration took = Duration.between(begin, clock.instant());
                                observer.maintained(took);
                            } else {
                                observer.failed(Phase.MAINTAIN, null, failure);
                                failed(failure);
                            }
                        },
                        scheduler);
    }

    /** A walk begins: logs that were deleted come first. */
    CompletionStage<Void> walkBegins() {
        synchronized (this) {
            waitingSegments = 0;
            oldestSealed = Long.MAX_VALUE;
        }
        return new DeletedLogs(store.removals())
                .all()
                .thenAccept(all -> all.forEach(
                        deleted -> queue.offer(new ForgetTurn(deleted, tier, store, parts.permission(), scheduler))))
                .exceptionally(failure -> {
                    observer.failed(Phase.FORGET, null, failure);
                    return null;
                });
    }

    /** A walk ends: what it found waiting is told. */
    void walkEnds() {
        Lag lag;
        synchronized (this) {
            Duration oldest = waitingSegments == 0
                    ? Duration.ZERO
                    : Duration.ofMillis(Math.max(0, clock.millis() - oldestSealed));
            lag = new Lag(waitingSegments, oldest);
        }
        observer.tell(observer -> observer.lag(lag));
    }

    /** A walk looked at a log and carried out what was due in Redis. */
    void consider(ManagedLog log, LogState state, List<TierAction> plan) {
        boolean due = false;
        for (TierAction action : plan) {
            due |= switch (action.kind()) {
                case OFFLOAD, DROP_LOCAL -> true;
                case REMOVE -> ((TierAction.Remove) action).state() != SegmentState.SEALED;
                case SEAL -> false;
            };
            if (action.kind() == TierAction.Kind.OFFLOAD) {
                waits(state, action.segment());
            }
        }
        boolean remote = log.policy().tiering() == Tiering.ENABLED
                || state.sealed().stream().anyMatch(segment -> segment.state() != SegmentState.SEALED);
        if (due || (remote && oldest(state) > 0 && !memory.isSwept(log.stream()))) {
            queue.offer(new LogColdTurn(log, parts));
        }
    }

    private synchronized void waits(LogState state, long number) {
        waitingSegments++;
        long sealed = state.open().openedMilliseconds();
        for (Segment next : state.sealed()) {
            if (next.number() > number) {
                sealed = next.openedMilliseconds();
                break;
            }
        }
        oldestSealed = Math.min(oldestSealed, sealed);
    }

    /** A segment is about to leave Redis that the tier may have all the same. */
    void removedLocally(ManagedLog log) {
        memory.unswept(log.stream());
    }

    /** The offloads under way. */
    List<ActiveOffload> offloads() {
        return queue.offloads();
    }

    /** Begins nothing new; completes when what is under way has ended. */
    CompletionStage<Void> stop() {
        lost();
        return queue.end();
    }
}
