package io.korvet.offsets;

/** What one Kafka record batch can hold: offset deltas are 32-bit, so a batch spans at most 2^31 offsets. */
public final class BatchSpan {

    /** The largest offset delta within a batch. */
    public static final long MAX_DELTA = Integer.MAX_VALUE;

    private BatchSpan() {}

    /** Whether a record may go into a batch that starts at the base offset. */
    public static boolean holds(long baseOffset, long offset) {
        return offset >= baseOffset && offset - baseOffset <= MAX_DELTA;
    }
}
