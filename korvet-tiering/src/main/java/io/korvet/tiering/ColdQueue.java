package io.korvet.tiering;

import io.korvet.store.StreamName;
import io.korvet.tiering.ColdTurn.After;
import io.korvet.tiering.SafeObserver.Subject;
import io.korvet.tiering.WorkerObserver.Phase;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes turns in the cold tier a few at a time, each log's at most once. A turn of which nothing is heard for long loses its
 * place to others, and is not begun again before it has ended; a tier that is away for several logs one after the other is
 * left alone until logs are offered again. Thread-safe; holds one turn per log at the most.
 */
final class ColdQueue {

    private static final int AWAY = 4;

    /** A turn with a place. */
    private final class Place {
        private final ColdTurn turn;
        private volatile Instant moved = clock.instant();
        private boolean left;

        Place(ColdTurn turn) {
            this.turn = turn;
        }
    }

    private final int places;
    private final Duration stall;
    private final SafeObserver observer;
    private final Consumer<Throwable> failed;
    private final ScheduledExecutorService scheduler;
    private final InstantSource clock;

    /** All fields below are guarded by this. */
    private final Deque<ColdTurn> waiting = new ArrayDeque<>();

    private final List<Place> active = new ArrayList<>();
    private final Set<StreamName> known = new HashSet<>();
    private boolean open;
    private boolean watching;
    private int away;
    private @Nullable CompletableFuture<Void> idle;

    /** A queue that is closed; each failure of a turn is told twice, to the observer and to the caller. */
    ColdQueue(
            WorkerSettings.Cold settings,
            SafeObserver observer,
            Consumer<Throwable> failed,
            ScheduledExecutorService scheduler,
            InstantSource clock) {
        this.places = settings.parallelism();
        this.stall = settings.stall();
        this.observer = observer;
        this.failed = failed;
        this.scheduler = scheduler;
        this.clock = clock;
    }

    /** Adds a turn unless there is one for its log. */
    synchronized void offer(ColdTurn turn) {
        if (idle == null && known.add(turn.stream())) {
            waiting.add(turn);
            pump();
        }
    }

    /** Begins to take turns. */
    synchronized void open() {
        open = true;
        away = 0;
        pump();
    }

    /** Takes no more turns and forgets those that wait; those under way go on. */
    synchronized void close() {
        open = false;
        forgetWaiting();
    }

    /** Closes for good; completes when no turn is under way. */
    synchronized CompletionStage<Void> end() {
        close();
        if (idle == null) {
            idle = new CompletableFuture<>();
        }
        completeIdle();
        return idle;
    }

    /** The offloads under way. */
    synchronized List<ActiveOffload> offloads() {
        return active.stream()
                .map(place -> place.turn.active())
                .filter(Objects::nonNull)
                .toList();
    }

    private void forgetWaiting() {
        waiting.forEach(turn -> known.remove(turn.stream()));
        waiting.clear();
    }

    private void completeIdle() {
        if (idle != null && active.isEmpty()) {
            CompletableFuture<Void> nobody = idle;
            scheduler.execute(() -> nobody.complete(null));
        }
    }

    private void pump() {
        while (open && active.size() < places && !waiting.isEmpty()) {
            Place place = new Place(waiting.remove());
            active.add(place);
            var unused = CompletableFuture.completedFuture(place)
                    .thenComposeAsync(begun -> begun.turn.step(() -> begun.moved = clock.instant()), scheduler)
                    .whenCompleteAsync((after, failure) -> over(place, after, failure), scheduler);
        }
        if (!active.isEmpty() && !watching) {
            watching = true;
            watch();
        }
    }

    private void over(Place place, @Nullable After after, @Nullable Throwable failure) {
        if (failure != null) {
            observer.failed(Subject.of(place.turn), failure);
            failed.accept(SafeObserver.cause(failure));
        }
        synchronized (this) {
            active.remove(place);
            away = after == After.AWAY || isAway(failure) ? away + 1 : 0;
            if (away >= AWAY) {
                forgetWaiting();
            }
            if (after == After.STEP && open && !place.left) {
                waiting.add(place.turn);
            } else {
                known.remove(place.turn.stream());
            }
            completeIdle();
            pump();
        }
    }

    /** Whether a failure says that the tier doesn't answer. */
    static boolean isAway(@Nullable Throwable failure) {
        return failure != null
                && SafeObserver.cause(failure) instanceof ColdTierException cold
                && cold.kind() == ColdTierException.Kind.UNAVAILABLE;
    }

    private void watch() {
        var unused = scheduler.schedule(this::leaveBehind, Math.max(1, stall.toMillis() / 4), TimeUnit.MILLISECONDS);
    }

    /** Gives the places of turns that don't move to others. */
    private void leaveBehind() {
        List<Place> silent = new ArrayList<>();
        synchronized (this) {
            Instant earliest = clock.instant().minus(stall);
            for (Place place : active) {
                if (place.moved.isBefore(earliest)) {
                    place.left = true;
                    silent.add(place);
                }
            }
            active.removeAll(silent);
            completeIdle();
            pump();
            watching = !active.isEmpty();
            if (watching) {
                watch();
            }
        }
        for (Place place : silent) {
            observer.failed(
                    Subject.of(place.turn).at(Phase.TIMEOUT),
                    new TimeoutException("nothing was heard of " + place.turn.stream() + " at " + place.turn.phase()
                            + " in the cold tier for more than " + stall));
        }
    }
}
