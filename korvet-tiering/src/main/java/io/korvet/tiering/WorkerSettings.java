package io.korvet.tiering;

import java.time.Duration;

/**
 * The storage worker's rhythm and bounds.
 *
 * @param tick how often all logs are looked at
 * @param lease how long the worker leads without renewing, longer than a tick
 * @param parallelism how many logs are worked on at the same time
 * @param logTimeout how long one log may take before the walk goes on without it
 * @param pruneEvery every how many ticks a log's expired writers are forgotten
 * @param cold what concerns the cold tier
 */
public record WorkerSettings(
        Duration tick, Duration lease, int parallelism, Duration logTimeout, int pruneEvery, Cold cold) {

    /**
     * The work in the cold tier, which has a time of its own.
     *
     * @param parallelism for how many logs it is at work at the same time
     * @param stall how long nothing may be heard of the work for a log before others get its place
     * @param maintainEvery every how many ticks the archive is kept in shape
     */
    public record Cold(int parallelism, Duration stall, int maintainEvery) {

        /** Two logs at a time, two minutes of silence, maintenance every 10 minutes. */
        public static final Cold DEFAULTS = new Cold(2, Duration.ofMinutes(2), 10);

        /** Checks the bounds. */
        public Cold {
            if (parallelism < 1 || stall.toMillis() < 1 || maintainEvery < 1) {
                throw new IllegalArgumentException("work in the cold tier with parallelism " + parallelism
                        + ", stall after " + stall + ", maintenance every " + maintainEvery
                        + " ticks: expected more than 0 for each");
            }
        }
    }

    /** A tick every minute, a lease of two, 8 logs at a time with 30 seconds each, writers pruned every 10 minutes. */
    public static final WorkerSettings DEFAULTS = new WorkerSettings(
            Duration.ofMinutes(1), Duration.ofMinutes(2), 8, Duration.ofSeconds(30), 10, Cold.DEFAULTS);

    /** Checks the bounds. */
    public WorkerSettings {
        if (tick.toMillis() < 1 || lease.compareTo(tick) <= 0) {
            throw new IllegalArgumentException("storage worker with a lease of " + lease + " and a tick of " + tick
                    + ": expected the lease to be longer than the tick");
        }
        if (parallelism < 1 || logTimeout.toMillis() < 1 || pruneEvery < 1) {
            throw new IllegalArgumentException("storage worker with parallelism " + parallelism + ", log timeout "
                    + logTimeout + ", pruning every " + pruneEvery + " ticks: expected more than 0 for each");
        }
    }

    /** These settings with another rhythm. */
    public WorkerSettings with(Duration otherTick, Duration otherLease) {
        return new WorkerSettings(otherTick, otherLease, parallelism, logTimeout, pruneEvery, cold);
    }

    /** These settings with other bounds for the cold tier. */
    public WorkerSettings with(Cold other) {
        return new WorkerSettings(tick, lease, parallelism, logTimeout, pruneEvery, other);
    }
}
