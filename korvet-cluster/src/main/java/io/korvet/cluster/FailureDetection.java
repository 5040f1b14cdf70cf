package io.korvet.cluster;

import io.korvet.store.LifeSigns;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How a broker notices the death of another before its row is stale (docs/failover.md).
 *
 * @param signs where the brokers show that they live
 * @param interval how long after one look at the signs the next one follows
 * @param timeout for how long, counted in looks, a broker may give no sign while its connection is there; at least five
 *     intervals. Signs are given, and looks count as late, after a fifth of it
 * @param nanoTime a clock that only goes on, as {@link System#nanoTime}
 */
public record FailureDetection(LifeSigns signs, Duration interval, Duration timeout, LongSupplier nanoTime) {

    private static final int SIGNS_PER_TIMEOUT = 5;

    /** Checks that the durations fit each other. */
    public FailureDetection {
        if (interval.toMillis() < 1 || timeout.compareTo(interval.multipliedBy(SIGNS_PER_TIMEOUT)) < 0) {
            throw new IllegalArgumentException("looks at signs of life every " + interval + ", dead after " + timeout
                    + ": expected 0 < interval, " + SIGNS_PER_TIMEOUT + " intervals <= timeout");
        }
    }

    /** After how many looks without a new sign a broker counts as dead. */
    int looksOfSilence() {
        return Math.toIntExact((timeout.toMillis() + interval.toMillis() - 1) / interval.toMillis());
    }

    /** After how many looks the next sign is due. */
    int looksPerSign() {
        return Math.max(1, looksOfSilence() / SIGNS_PER_TIMEOUT);
    }

    /** How long a look may take to tell anything. */
    long lateNanoseconds() {
        return timeout.toNanos() / SIGNS_PER_TIMEOUT;
    }
}
