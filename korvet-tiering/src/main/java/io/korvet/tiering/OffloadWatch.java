package io.korvet.tiering;

import io.korvet.store.StreamName;
import io.korvet.tiering.WorkerObserver.Archived;
import io.korvet.tiering.WorkerObserver.Costs;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;

/** Follows one offload: how far it is and where its time goes. Thread-safe. */
final class OffloadWatch implements OffloadProgress {

    private final StreamName stream;
    private final ColdSegment segment;
    private final Instant begun;
    private final Runnable moved;
    /** Guarded by this, as is what follows. */
    private final Map<Step, Duration> spent = new EnumMap<>(Step.class);

    private final Map<Step, Duration> worked = new EnumMap<>(Step.class);
    private long copied;
    private long mostBytes;

    OffloadWatch(ColdSegment segment, Instant begun, Runnable moved) {
        this.stream = segment.stream();
        this.segment = segment;
        this.begun = begun;
        this.moved = moved;
    }

    @Override
    public void advanced(long entries, long bytes) {
        synchronized (this) {
            copied += entries;
        }
        moved.run();
    }

    @Override
    public void spent(Step step, long nanoseconds) {
        synchronized (this) {
            spent.merge(step, Duration.ofNanos(nanoseconds), Duration::plus);
        }
        moved.run();
    }

    @Override
    public synchronized void worked(Step step, long nanoseconds) {
        worked.merge(step, Duration.ofNanos(nanoseconds), Duration::plus);
    }

    @Override
    public synchronized void holds(long bytes) {
        mostBytes = Math.max(mostBytes, bytes);
    }

    synchronized ActiveOffload active() {
        return new ActiveOffload(stream, segment.number(), segment.segment().entries(), copied, begun);
    }

    /** How long ago it began. */
    Duration age(Instant now) {
        return Duration.between(begun, now);
    }

    synchronized Archived archived(OffloadOutcome outcome) {
        return new Archived(
                segment.number(),
                outcome,
                segment.segment().entries(),
                segment.segment().bytes(),
                copied,
                new Costs(spent, worked, mostBytes));
    }
}
