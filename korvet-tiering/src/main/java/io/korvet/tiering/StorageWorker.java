package io.korvet.tiering;

import io.korvet.store.Store;
import io.korvet.store.StreamName;
import io.korvet.tiering.WorkerObserver.Phase;
import io.korvet.tiering.WorkerObserver.Standing;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seals and removes segments of all logs, and moves them to the cold tier where there is one, in one process of a cluster at
 * a time (ADR 0006, 0017).
 *
 * <p>Each tick takes or renews the lease; the holder walks all logs, a few at a time, unless its last walk is still under
 * way. Work in the cold tier goes on beside the walks. A log that fails or takes too long is left for a later tick and never stops the others. The lease is renewed once
 * more before each removal; where it is lost the walk ends. Two workers that both believe they lead do no harm, since
 * every step is one guarded act in the store.
 *
 * <p>Single use and thread-safe; nothing blocks.
 */
public final class StorageWorker {

    /** The lease that the working process holds. */
    public static final String LEASE = "storage-worker";

    private static final Logger LOGGER = LoggerFactory.getLogger(StorageWorker.class);

    private final String token = UUID.randomUUID().toString();
    private final Store store;
    private final LogSource source;
    private final Predicate<String> expiredWriters;
    private final WorkerSettings settings;
    private final SafeObserver observer;
    private final ScheduledExecutorService scheduler;
    private final InstantSource clock;
    private final @Nullable ColdWork cold;

    /** Logs with a turn under way, those that were given up waiting for among them. */
    private final Set<StreamName> busy = ConcurrentHashMap.newKeySet();

    private final Object turn = new Object();
    /** Guarded by {@link #turn}. */
    private CompletableFuture<Void> walk = CompletableFuture.completedFuture(null);
    /** Guarded by {@link #turn}. */
    private Future<?> nextTick = CompletableFuture.completedFuture(null);
    /** Guarded by {@link #turn}. */
    private @Nullable CompletionStage<Void> stopped;

    private volatile Standing standing = Standing.UNKNOWN;
    private volatile boolean stopping;
    private final AtomicInteger ticks = new AtomicInteger();

    /** A worker for logs that are in Redis only; see the other constructor. */
    public StorageWorker(
            Store store,
            LogSource source,
            Predicate<String> expiredWriters,
            WorkerSettings settings,
            WorkerObserver observer,
            ScheduledExecutorService scheduler,
            InstantSource clock) {
        this(store, null, source, expiredWriters, settings, observer, scheduler, clock);
    }

    /**
     * A worker that does nothing yet.
     *
     * @param tier where segments of tiered logs go, {@code null} for nowhere; closed by its owner after {@link #stop}
     * @param expiredWriters finds by a writer's stored state whether it may be forgotten
     * @param scheduler runs all steps; owned by the caller and to be ended after {@link #stop}
     * @param clock the clock that entries are stamped by
     */
    public StorageWorker(
            Store store,
            @Nullable ColdTier tier,
            LogSource source,
            Predicate<String> expiredWriters,
            WorkerSettings settings,
            WorkerObserver observer,
            ScheduledExecutorService scheduler,
            InstantSource clock) {
        this.store = store;
        this.source = source;
        this.expiredWriters = expiredWriters;
        this.settings = settings;
        this.observer = new SafeObserver(observer, new FailureLog(settings.tick(), clock));
        this.scheduler = scheduler;
        this.clock = clock;
        this.cold =
                tier == null ? null : new ColdWork(tier, store, settings, this::renew, this.observer, scheduler, clock);
    }

    /** Begins with a tick at once; called once. */
    public void start() {
        scheduleTick(Duration.ZERO);
    }

    /**
     * Begins nothing new, waits for the turns under way (at most {@link WorkerSettings#logTimeout}) and gives the
     * lease back. Idempotent; never fails.
     */
    public CompletionStage<Void> stop() {
        synchronized (turn) {
            if (stopped == null) {
                stopping = true;
                nextTick.cancel(false);
                CompletionStage<Void> ended =
                        cold == null ? walk : bounded(cold::stop, () -> "ending the work in the cold tier");
                CompletableFuture<Void> walked = walk;
                stopped = ended.handle((end, failure) -> walked)
                        .thenCompose(walk -> walk)
                        .thenComposeAsync(
                                over -> bounded(
                                        () -> store.leases().release(LEASE, token), () -> "giving the lease back"),
                                scheduler)
                        .handle((released, failure) -> {
                            stands(Standing.UNKNOWN);
                            return null;
                        });
            }
            return stopped;
        }
    }

    /** The offloads under way in this process. */
    public List<ActiveOffload> offloads() {
        return cold == null ? List.of() : cold.offloads();
    }

    /** Whether this process is the one that works, as far as it knows. */
    public Standing standing() {
        return standing;
    }

    private void scheduleTick(Duration delay) {
        synchronized (turn) {
            if (!stopping) {
                nextTick = scheduler.schedule(this::tick, delay.toMillis(), TimeUnit.MILLISECONDS);
            }
        }
    }

    private void tick() {
        // The next one first: the lease is renewed while a walk takes longer than a tick.
        scheduleTick(settings.tick());
        var unused = renew().thenAcceptAsync(
                        held -> {
                            if (held) {
                                if (cold != null && !stopping) {
                                    cold.held();
                                }
                                beginWalk();
                            }
                        },
                        scheduler);
    }

    private CompletionStage<Boolean> renew() {
        return bounded(() -> store.leases().acquire(LEASE, token, settings.lease()), () -> "renewing the lease")
                .handle((held, failure) -> {
                    if (failure != null) {
                        failed(Phase.LEASE, null, failure);
                        stands(Standing.UNKNOWN);
                        return false;
                    }
                    stands(held ? Standing.LEADING : Standing.FOLLOWING);
                    return held;
                });
    }

    private void stands(Standing next) {
        Standing before = standing;
        standing = next;
        if (cold != null && next != Standing.LEADING) {
            cold.lost();
        }
        if (before != next) {
            LOGGER.atInfo().addKeyValue("standing", next).log("the storage worker's standing changed");
            observer.tell(observer -> observer.standing(next));
        }
    }

    private void beginWalk() {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        synchronized (turn) {
            if (stopping || !walk.isDone()) {
                return;
            }
            walk = begun;
        }
        CompletionStage<Void> prepared = cold == null
                ? CompletableFuture.completedFuture(null)
                : bounded(cold::walkBegins, () -> "deleted logs");
        var unused = prepared.handle((done, failure) -> null)
                .thenCompose(ready -> bounded(source::logs, () -> "listing the logs"))
                .thenComposeAsync(this::walk, scheduler)
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        failed(Phase.LIST, null, failure);
                    }
                    begun.complete(null);
                });
    }

    private CompletionStage<Void> walk(List<ManagedLog> logs) {
        int tick = ticks.getAndIncrement();
        Instant begin = clock.instant();
        AtomicInteger actions = new AtomicInteger();
        AtomicInteger failures = new AtomicInteger();
        return new Lanes<ManagedLog>(
                        logs,
                        settings.parallelism(),
                        log -> work(log, tick, actions, failures),
                        () -> !stopping && standing == Standing.LEADING,
                        scheduler)
                .run()
                .thenRun(() -> {
                    if (cold != null) {
                        cold.walkEnds();
                    }
                    observer.tell(observer -> observer.walked(new WorkerObserver.Walk(
                            logs.size(), actions.get(), failures.get(), Duration.between(begin, clock.instant()))));
                });
    }

    /** One log's turn; completes when it is over or has taken too long. */
    private CompletionStage<?> work(ManagedLog given, int tick, AtomicInteger actions, AtomicInteger failures) {
        ManagedLog log = cold == null ? given.withoutTiering() : given;
        if (!busy.add(log.stream())) {
            failures.incrementAndGet();
            failed(Phase.TIMEOUT, log, new TimeoutException(log.stream() + " is still at work from an earlier walk"));
            return CompletableFuture.completedFuture(null);
        }
        LogTurn logTurn = new LogTurn(log, store, cold, this::renew, observer, scheduler, clock);
        Supplier<CompletionStage<Void>> work =
                () -> logTurn.run(prunes(log, tick) ? expiredWriters : null).whenComplete((done, failure) -> {
                    busy.remove(log.stream());
                    actions.addAndGet(logTurn.actions());
                });
        return bounded(work, () -> log.stream() + " at " + logTurn.phase()).whenComplete((done, failure) -> {
            if (failure != null) {
                logTurn.end();
                failures.incrementAndGet();
                failed(failure instanceof TimeoutException ? Phase.TIMEOUT : logTurn.phase(), log, failure);
            }
        });
    }

    /** Some work that is no longer waited for when it takes too long; what it throws is its failure. */
    private <T> CompletableFuture<T> bounded(Supplier<CompletionStage<T>> work, Supplier<String> what) {
        CompletableFuture<T> over = new CompletableFuture<>();
        Future<?> timeout = scheduler.schedule(
                () -> over.completeExceptionally(
                        new TimeoutException(what.get() + " took more than " + settings.logTimeout())),
                settings.logTimeout().toMillis(),
                TimeUnit.MILLISECONDS);
        var unused = CompletableFuture.completedFuture(work)
                .thenComposeAsync(Supplier::get, scheduler)
                .whenComplete((result, failure) -> {
                    timeout.cancel(false);
                    if (failure == null) {
                        over.complete(result);
                    } else {
                        over.completeExceptionally(failure);
                    }
                });
        return over;
    }

    /** Spreads the logs over the ticks. */
    private boolean prunes(ManagedLog log, int tick) {
        return Math.floorMod(log.stream().hashCode() + tick, settings.pruneEvery()) == 0;
    }

    private void failed(Phase phase, @Nullable ManagedLog log, Throwable failure) {
        observer.failed(phase, log, failure);
    }
}
