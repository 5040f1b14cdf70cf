package io.korvet.tiering.iceberg;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * How much of the processors cold reads may take while there is hot traffic (KIP-956 bounds bytes for the same end): work
 * of some processor time is followed by a pause in proportion. Without hot traffic nothing waits. Thread-safe.
 */
final class ReadShare {

    /** How long traffic counts after it was seen. */
    private static final long HOT_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** What was seen so recently is not written down again, so that hot paths share no cache line that changes. */
    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** A pause is looked at anew after so long: the traffic may have ended. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** What a large piece of work owes is forgiven beyond this. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int WHOLE = 100;

    private final double processors;
    private final LongSupplier clock;
    private volatile long hot;
    private long free; // guarded by this
    private long expected = 1_000_000; // guarded by this

    /**
     * A share.
     *
     * @param percent of all processors, from 1; 100 for no bound
     * @param clock nanoseconds from anywhere
     */
    ReadShare(int percent, int processors, LongSupplier clock) {
        this.processors = percent >= WHOLE ? Double.POSITIVE_INFINITY : percent * (double) processors / WHOLE;
        this.clock = clock;
        long now = clock.getAsLong();
        free = now;
        hot = now - HOT_NANOS;
    }

    /** Hot traffic is being served. Cheap. */
    void giveWay() {
        long now = clock.getAsLong();
        if (now - hot > FRESH_NANOS) {
            hot = now;
        }
    }

    /** Nanoseconds until the next piece of work may begin, not above 0 when it begins now and is counted. */
    long begin() {
        long now = clock.getAsLong();
        if (now - hot >= HOT_NANOS) {
            return 0;
        }
        synchronized (this) {
            if (free - now > 0) {
                return free - now;
            }
            owe(now, expected);
            return 0;
        }
    }

    /** A piece of work is done. */
    synchronized void done(long processorNanos) {
        owe(clock.getAsLong(), processorNanos - expected);
        expected += (processorNanos - expected) / 8;
    }

    /** Work that waited for nothing is done, which what follows pays for. */
    synchronized void used(long processorNanos) {
        owe(clock.getAsLong(), processorNanos);
    }

    private void owe(long now, long processorNanos) {
        long from = free - now > 0 ? free : now;
        long owed = from - now + (long) ((double) processorNanos / processors);
        free = now + Math.max(0, Math.min(LONGEST_NANOS, owed));
    }

    /** Waits until the next piece of work may begin; answers false when the thread is interrupted. */
    boolean await() {
        for (long left = begin(); left > 0; left = begin()) {
            LockSupport.parkNanos(this, Math.min(left, LOOK_NANOS));
            if (Thread.currentThread().isInterrupted()) {
                return false;
            }
        }
        return true;
    }
}
