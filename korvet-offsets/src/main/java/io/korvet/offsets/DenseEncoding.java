package io.korvet.offsets;

/**
 * Offsets 0, 1, 2 … as Kafka itself counts; offset {@code n} is the entry {@code 1-n}.
 *
 * <p>The constant milliseconds half is 1 because Redis has no entry {@code 0-0}.
 */
public record DenseEncoding() implements OffsetEncoding {

    /** The milliseconds half of every id. */
    public static final long MILLISECONDS = 1;

    @Override
    public Kind kind() {
        return Kind.DENSE;
    }

    @Override
    public long offsetOf(long milliseconds, long sequence) {
        if (!fits(milliseconds, sequence)) {
            throw new OffsetException(
                    "stream entry id " + milliseconds + "-" + sequence + " has no dense offset: expected 1-<offset>");
        }
        return sequence;
    }

    @Override
    public boolean fits(long milliseconds, long sequence) {
        return milliseconds == MILLISECONDS && sequence >= 0;
    }

    @Override
    public long millisecondsOf(long offset) {
        return MILLISECONDS;
    }

    @Override
    public long sequenceOf(long offset) {
        return offset;
    }

    @Override
    public StreamEntryId idOf(long offset) {
        if (offset < 0) {
            throw new OffsetException("offset " + offset + ": expected >= 0");
        }
        return new StreamEntryId(MILLISECONDS, offset);
    }

    @Override
    public long proposalAt(long nowMilliseconds) {
        return 0;
    }

    @Override
    public long sequencesPerMillisecond() {
        return Long.MAX_VALUE;
    }
}
