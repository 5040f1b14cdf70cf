package io.korvet.tiering;

import io.korvet.store.StoreException;
import io.korvet.store.StreamName;
import io.korvet.tiering.SafeObserver.Subject;
import io.korvet.tiering.WorkerObserver.Phase;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs the storage worker's failures, which come again with each tick until somebody mends their cause: the first of a kind
 * with its stack trace, unless Redis is away, and while it goes on one line every 10 ticks (a minute at least) that counts those in between. At
 * level DEBUG all of them are there. Kinds are told apart by log, phase and kind of failure; one not heard of for two such
 * times is new again, and after a success in that phase one that isn't about a single segment, though not within a tick (ten
 * seconds at least) of its last line. Remembers a bounded number of kinds; thread-safe.
 */
final class FailureLog {

    private static final Logger LOGGER = LoggerFactory.getLogger(StorageWorker.class);
    private static final int MOST = 2_000;
    private static final int TICKS = 10;
    private static final Duration SHORTEST = Duration.ofMinutes(1);
    private static final Duration SHORTEST_ANEW = Duration.ofSeconds(10);

    /** Others of the log may succeed while these go on. */
    private static final Set<String> OF_ONE_SEGMENT =
            Set.of(ColdTierException.Kind.CORRUPT.name(), ColdTierException.Kind.REFUSED.name());

    private record Kind(@Nullable StreamName stream, Phase phase, String failure) {}

    private record Seen(Instant logged, Instant last, int since, boolean over) {}

    private final Duration between;
    private final Duration anew;
    private final InstantSource clock;
    /** Guarded by this. */
    private final Map<Kind, Seen> kinds = new LinkedHashMap<>(16, 0.75f, true);

    FailureLog(Duration tick, InstantSource clock) {
        Duration ticks = tick.multipliedBy(TICKS);
        this.between = ticks.compareTo(SHORTEST) < 0 ? SHORTEST : ticks;
        this.anew = tick.compareTo(SHORTEST_ANEW) < 0 ? SHORTEST_ANEW : tick;
        this.clock = clock;
    }

    /** Logs a failure, in full, in short or not at all. */
    void failed(Subject subject, Throwable failure) {
        String kind = kind(failure);
        int since = sinceLast(new Kind(subject.stream(), subject.phase(), kind));
        if (since < 0) {
            with(LOGGER.atDebug().setCause(failure), subject, kind, failure)
                    .log("the storage worker failed again and tries again with the next tick");
            return;
        }
        boolean full = (since == 0 && !isOutage(failure)) || LOGGER.isDebugEnabled();
        LoggingEventBuilder line = with(LOGGER.atWarn(), subject, kind, failure);
        line = full ? line.setCause(failure) : line;
        line = since == 0 ? line : line.addKeyValue("failuresSinceLastLine", since);
        line.log("the storage worker failed and tries again with the next tick");
    }

    /** How many failures the next line stands for: 0 for the first of its kind, -1 when there is to be no line yet. */
    private synchronized int sinceLast(Kind kind) {
        Instant now = clock.instant();
        Seen seen = kinds.get(kind);
        if (seen == null
                || now.isAfter(seen.last().plus(between.multipliedBy(2)))
                || (seen.over() && !now.isBefore(seen.logged().plus(anew)))) {
            kinds.put(kind, new Seen(now, now, 0, false));
            if (kinds.size() > MOST) {
                kinds.remove(kinds.keySet().iterator().next());
            }
            return 0;
        }
        boolean due = !now.isBefore(seen.logged().plus(between));
        kinds.put(
                kind, due ? new Seen(now, now, 0, false) : new Seen(seen.logged(), now, seen.since() + 1, seen.over()));
        return due ? seen.since() + 1 : -1;
    }

    /** What failed in a phase of a log, or of them all, succeeds again. */
    synchronized void succeeded(@Nullable StreamName stream, Phase phase) {
        if (!kinds.isEmpty()) {
            kinds.replaceAll((kind, seen) -> kind.phase() == phase
                            && Objects.equals(kind.stream(), stream)
                            && !OF_ONE_SEGMENT.contains(kind.failure())
                    ? new Seen(seen.logged(), seen.last(), seen.since(), true)
                    : seen);
        }
    }

    private static LoggingEventBuilder with(LoggingEventBuilder line, Subject subject, String kind, Throwable failure) {
        StreamName stream = subject.stream();
        LoggingEventBuilder told = line.addKeyValue("phase", subject.phase())
                .addKeyValue("stream", stream == null ? "" : stream.value())
                .addKeyValue("failure", kind)
                .addKeyValue("reason", failure.getMessage() == null ? kind : failure.getMessage());
        return subject.segment() == SafeObserver.NO_SEGMENT ? told : told.addKeyValue("segment", subject.segment());
    }

    /** Whether Redis is away, of which the reason says all. */
    private static boolean isOutage(Throwable failure) {
        return failure instanceof StoreException store
                && (store.kind() == StoreException.Kind.UNAVAILABLE
                        || store.kind() == StoreException.Kind.OUTCOME_UNKNOWN);
    }

    private static String kind(Throwable failure) {
        if (failure instanceof ColdTierException cold) {
            return cold.kind().name();
        }
        return failure instanceof StoreException store
                ? "store " + store.kind()
                : failure.getClass().getSimpleName();
    }
}
