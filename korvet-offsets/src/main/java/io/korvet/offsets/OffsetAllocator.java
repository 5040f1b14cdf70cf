package io.korvet.offsets;

/**
 * The rule by which a batch gets its offsets: the consecutive ones from {@code max(last + 1, proposal(now))}.
 *
 * <p>A batch is therefore always contiguous, bursts run ahead of the clock, and a clock that steps back never breaks
 * the order.
 */
public final class OffsetAllocator {

    /** Stands for the last offset of a log without entries. */
    public static final long NONE = -1;

    private OffsetAllocator() {}

    /**
     * The offset of the first record of the next batch.
     *
     * @param last the last offset in the log, or {@link #NONE}
     * @param nowMilliseconds the time of the append
     */
    public static long next(OffsetEncoding encoding, long last, long nowMilliseconds) {
        return Math.max(last + 1, encoding.proposalAt(nowMilliseconds));
    }
}
