package io.korvet.tiering;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Hears what the storage worker does, for metrics and logs. Called from the worker's threads, several at a time; it must
 * not block, and what it throws is logged and passed over.
 */
public interface WorkerObserver {

    /** Hears nothing. */
    WorkerObserver SILENT = new WorkerObserver() {};

    /** Whether this process is the one that works. */
    enum Standing {
        /** It holds the lease. */
        LEADING,
        /** Another process holds it. */
        FOLLOWING,
        /** The store doesn't say, or the worker is stopped. */
        UNKNOWN
    }

    /** What the worker was about when something failed. */
    enum Phase {
        /** Taking or renewing the lease. */
        LEASE,
        /** Listing the logs. */
        LIST,
        /** Reading a log's state. */
        READ,
        /** Sealing a segment. */
        SEAL,
        /** Removing a segment. */
        REMOVE,
        /** Forgetting expired writers. */
        PRUNE,
        /** Waiting for a log that takes too long, or still for one of an earlier walk. */
        TIMEOUT
    }

    /**
     * A walk over all logs.
     *
     * @param logs how many there were
     * @param actions how many actions were carried out
     * @param failed how many logs could not be worked through
     * @param took how long it took
     */
    record Walk(int logs, int actions, int failed, Duration took) {}

    /** The worker's standing changed. */
    default void standing(Standing standing) {}

    /** A walk is over. */
    default void walked(Walk walk) {}

    /** An action was carried out. */
    default void acted(ManagedLog log, TierAction action) {}

    /** Expired writers of a log were forgotten. */
    default void pruned(ManagedLog log, int writers) {}

    /**
     * Something failed; it is tried again with the next tick.
     *
     * @param log the log, {@code null} when it concerns them all
     */
    default void failed(Phase phase, @Nullable ManagedLog log, Throwable failure) {}
}
