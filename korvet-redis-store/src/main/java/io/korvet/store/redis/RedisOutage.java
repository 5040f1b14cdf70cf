package io.korvet.store.redis;

import io.korvet.store.redis.RedisNode.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Why a server of Redis can't be reached and since when, for all its connections: a line in the log when the first of them
 * can't be made again, one more every ten seconds at the most, and one when all are there again. A connection that is made
 * again at the first attempt is none. Thread-safe.
 */
final class RedisOutage {

    private static final Duration BETWEEN = Duration.ofSeconds(10);

    private final String server;
    private final InstantSource clock;
    private final Logger log;
    private final Map<Kind, Instant> lost = new EnumMap<>(Kind.class); // guarded by this
    private final Set<Kind> failing = EnumSet.noneOf(Kind.class); // guarded by this
    private Instant since = Instant.EPOCH; // guarded by this
    private @Nullable Instant told; // guarded by this
    private boolean over = true; // guarded by this
    private volatile @Nullable String reason;

    /** No outage yet of a server, which people know by this name. */
    RedisOutage(String server) {
        this(server, InstantSource.system(), LoggerFactory.getLogger(RedisOutage.class));
    }

    RedisOutage(String server, InstantSource clock, Logger log) {
        this.server = server;
        this.clock = clock;
        this.log = log;
    }

    /** Why the server can't be reached, as the driver said last; {@code null} when it can, or nobody knows yet. */
    @Nullable
    String reason() {
        return reason;
    }

    /** A connection is lost; the driver begins to make it again. */
    synchronized void disconnected(Kind connection) {
        lost.putIfAbsent(connection, now());
    }

    /** A connection that was lost couldn't be made again. */
    synchronized void failed(Kind connection, Throwable failure) {
        Instant now = now();
        lost.putIfAbsent(connection, now);
        if (failing.isEmpty()) {
            since = Collections.min(lost.values());
        }
        failing.add(connection);
        String why = DriverFailures.reason(failure);
        reason = why;
        Instant last = told;
        if (last != null && !now.isBefore(last) && now.isBefore(last.plus(BETWEEN))) {
            return;
        }
        told = now;
        over = false;
        log.atWarn()
                .addKeyValue("server", server)
                .addKeyValue("since", since)
                .addKeyValue("connections", failing)
                .log("Redis can't be reached, it is tried again: {}", why);
    }

    /** A connection is there again. */
    synchronized void connected(Kind connection) {
        lost.remove(connection);
        if (!failing.remove(connection) || !failing.isEmpty()) {
            return;
        }
        reason = null;
        if (!over) {
            over = true;
            log.atInfo()
                    .addKeyValue("server", server)
                    .addKeyValue("since", since)
                    .log("Redis is reached again, {} s after it was lost", seconds());
        }
    }

    private long seconds() {
        return Duration.between(since, clock.instant()).toSeconds();
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }
}
