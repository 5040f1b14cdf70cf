package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Who may use the processor and the memory among the threads that load: many may wait for the object store at a time, few
 * decode, and one reads something that is large. Thread-safe.
 */
final class LoadTurns {

    private static final int WAITERS_PER_DECODER = 4;
    private static final int MOST_THREADS = 32;
    private static final long PIECE_NANOS = 250_000;

    private final ReadShare share;
    private final Semaphore decoders;
    private final ReentrantLock large = new ReentrantLock();

    /** Turns for so many decoders at a time, within a share of the processors. */
    LoadTurns(int most, ReadShare share) {
        this.share = share;
        decoders = new Semaphore(Math.max(1, most));
    }

    /** How many threads keep so many decoders busy although they wait for the object store in between. */
    static int threadsFor(int decoders) {
        return Math.min(MOST_THREADS, Math.max(1, decoders) * WAITERS_PER_DECODER);
    }

    /** Decodes when it is its turn; the work takes a step every now and then. */
    void decode(Consumer<Pace> work) {
        try {
            decoders.acquire();
        } catch (InterruptedException e) {
            throw closed(e);
        }
        try {
            Pace pace = new Pace();
            try {
                work.accept(pace);
            } finally {
                pace.pay();
            }
        } finally {
            decoders.release();
        }
    }

    /**
     * Cuts decoding into pieces of some processor time with pauses in between, while there is hot traffic: whoever needs
     * the processor meanwhile waits for the end of a piece at the most. For one thread.
     */
    final class Pace {
        private long began;

        private Pace() {
            begin();
        }

        private void begin() {
            if (!share.await()) {
                throw closed(new InterruptedException("while waiting for its share of the processors"));
            }
            began = ProcessorTime.nanoseconds();
        }

        private void pay() {
            share.done(ProcessorTime.nanoseconds() - began);
        }

        /** Pauses when the piece was long enough. */
        void step() {
            if (ProcessorTime.nanoseconds() - began >= PIECE_NANOS) {
                pay();
                begin();
            }
        }
    }

    /** Waits until nobody else has something large in memory; {@link #endLarge} follows. */
    void beginLarge() {
        try {
            large.lockInterruptibly();
        } catch (InterruptedException e) {
            throw closed(e);
        }
    }

    /** Lets the next one have something large. */
    void endLarge() {
        large.unlock();
    }

    private static ColdTierException closed(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new ColdTierException(Kind.UNAVAILABLE, "the archive is being closed", e);
    }
}
