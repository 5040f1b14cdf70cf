package io.korvet.server.log;

import io.korvet.store.StoreException;
import io.korvet.store.StreamName;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log's lines of appends that fail, for all partitions of a broker, so that an outage of Redis is a few lines and not
 * one for each partition: the first failure of a kind, one more every ten seconds at the most while there are any, and the
 * first append that succeeds again. What is wrong with one partition alone is a line for each. Thread-safe.
 */
final class AppendFailures {

    private static final Duration BETWEEN = Duration.ofSeconds(10);

    /** What befalls all partitions of a Redis, or of a master of a cluster, at once. */
    private static final Set<StoreException.Kind> OUTAGES = EnumSet.of(
            StoreException.Kind.UNAVAILABLE, StoreException.Kind.OUTCOME_UNKNOWN, StoreException.Kind.OUT_OF_MEMORY);

    private record Line(String failure, @Nullable StreamName stream) {}

    private static final Line WITHHELD = new Line("withheld", null);

    private final InstantSource clock;
    private final Logger log;
    private final Set<StreamName> failing = new HashSet<>(); // guarded by this
    private final Map<Line, Instant> told = new HashMap<>(); // guarded by this
    private boolean over = true; // guarded by this

    AppendFailures(InstantSource clock) {
        this(clock, LoggerFactory.getLogger(AppendQueue.class));
    }

    AppendFailures(InstantSource clock, Logger log) {
        this.clock = clock;
        this.log = log;
    }

    /**
     * An append failed.
     *
     * @param failure what the store said, {@code null} when too few replicas had it in time
     */
    synchronized void failed(StreamName stream, AppendOutcome outcome, @Nullable Throwable failure) {
        failing.add(stream);
        Line line = line(stream, outcome, failure);
        Instant now = clock.instant();
        Instant last = told.get(line);
        if (line.stream() == null ? !isDue(last, now) : last != null) {
            return;
        }
        told.put(line, now);
        over = false;
        log.atWarn()
                .addKeyValue("stream", stream)
                .addKeyValue("errorCode", outcome.error())
                .addKeyValue("failingPartitions", failing.size())
                .log("appends fail, producers are told to try again: {}", outcome.message());
    }

    private static Line line(StreamName stream, AppendOutcome outcome, @Nullable Throwable failure) {
        if (failure == null) {
            return new Line(outcome.error().name(), null);
        }
        return failure instanceof StoreException store && OUTAGES.contains(store.kind())
                ? new Line(store.kind().name(), null)
                : new Line(failure.getClass().getSimpleName(), stream);
    }

    /** The store has appended to a partition that failed before. */
    synchronized void succeeded(StreamName stream) {
        forgotten(stream);
        if (!over) {
            over = true;
            log.atInfo()
                    .addKeyValue("stream", stream)
                    .addKeyValue("failingPartitions", failing.size())
                    .log("appends succeed again");
        }
    }

    /** Consumers are not shown the end of a partition, because too few replicas have it. */
    synchronized void withheld(StreamName stream, int replicas, long copies) {
        Instant now = clock.instant();
        if (isDue(told.get(WITHHELD), now)) {
            told.put(WITHHELD, now);
            log.atWarn()
                    .addKeyValue("stream", stream)
                    .addKeyValue("replicasWanted", replicas)
                    .addKeyValue("replicas", copies)
                    .log("consumers wait for records that too few replicas of Redis have (min.insync.replicas)");
        }
    }

    private static boolean isDue(@Nullable Instant last, Instant now) {
        return last == null || now.isBefore(last) || !now.isBefore(last.plus(BETWEEN));
    }

    /** Nothing is known any more of a partition that failed: it is led elsewhere, or gone. */
    synchronized void forgotten(StreamName stream) {
        failing.remove(stream);
        told.keySet().removeIf(line -> stream.equals(line.stream()));
    }
}
