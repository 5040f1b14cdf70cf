package io.korvet.tiering;

import io.korvet.tiering.OffloadProgress.Step;
import java.time.Duration;
import java.util.Map;
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
        /** Copying a segment to the cold tier, and marking it. */
        OFFLOAD,
        /** Dropping a segment from Redis that is in the cold tier. */
        DROP,
        /** Removing a segment. */
        REMOVE,
        /** Removing a deleted log from the cold tier. */
        FORGET,
        /** Forgetting expired writers. */
        PRUNE,
        /** Becoming the one that writes to the cold tier. */
        LEAD,
        /** Keeping the archive in shape. */
        MAINTAIN,
        /** Waiting for a log that takes too long, or still for one of an earlier walk. */
        TIMEOUT
    }

    /**
     * A walk over all logs.
     *
     * @param logs how many there were
     * @param actions how many actions were carried out; those in the cold tier, which go on by themselves, don't count
     * @param failed how many logs could not be worked through
     * @param took how long it took
     */
    record Walk(int logs, int actions, int failed, Duration took) {}

    /**
     * What a walk found to be waiting for the cold tier.
     *
     * @param segments how many sealed segments of tiered logs are not confirmed to be there
     * @param oldest how long ago the first of them was sealed, zero when there is none
     */
    record Lag(int segments, Duration oldest) {}

    /**
     * An offload that ended without a failure.
     *
     * @param segment the segment's number
     * @param outcome what is known; the segment is marked only when it is committed
     * @param entries how many entries the segment has
     * @param bytes the bytes of their fields
     * @param copied how many entries this attempt copied, 0 when the segment was there already
     * @param costs what it took
     */
    record Archived(long segment, OffloadOutcome outcome, long entries, long bytes, long copied, Costs costs) {}

    /**
     * What an offload took.
     *
     * @param spent how long each step took
     * @param worked processor time of the tier's own threads for each step
     * @param mostBytes how many bytes it had in memory at the most, pages and columns
     */
    record Costs(Map<Step, Duration> spent, Map<Step, Duration> worked, long mostBytes) {

        /** Copies the maps. */
        public Costs {
            spent = Map.copyOf(spent);
            worked = Map.copyOf(worked);
        }
    }

    /** The worker's standing changed. */
    default void standing(Standing standing) {}

    /** A walk is over. */
    default void walked(Walk walk) {}

    /** What a walk found waiting; told with every walk when there is a cold tier. */
    default void lag(Lag lag) {}

    /** An action was carried out. */
    default void acted(ManagedLog log, TierAction action) {}

    /** An offload ended. */
    default void archived(ManagedLog log, Archived archived) {}

    /** Expired writers of a log were forgotten. */
    default void pruned(ManagedLog log, int writers) {}

    /** The archive was kept in shape. */
    default void maintained(Duration took) {}

    /**
     * Something failed; it is tried again with the next tick.
     *
     * @param log the log, {@code null} when it concerns them all or one that is deleted
     * @param failure a {@link ColdTierException} or a store's, among others
     */
    default void failed(Phase phase, @Nullable ManagedLog log, Throwable failure) {}
}
