package io.korvet.offsets;

/**
 * {@code offset = (milliseconds << bits) | sequence}: offsets that tell the time of the append, the default.
 *
 * @param bits how many bits the sequence takes, 1 to 16; with 10, offsets stay below 2^53 until the year 2248
 */
public record TimeEncoding(int bits) implements OffsetEncoding {

    /** The default of {@code offset.sequence.bits}. */
    public static final int DEFAULT_BITS = 10;

    /** The largest number of bits. */
    public static final int MAX_BITS = 16;

    /** Checks the range of bits. */
    public TimeEncoding {
        if (bits < 1 || bits > MAX_BITS) {
            throw new OffsetException("offset sequence bits " + bits + ": expected 1 to " + MAX_BITS);
        }
    }

    @Override
    public Kind kind() {
        return Kind.TIME;
    }

    @Override
    public long offsetOf(long milliseconds, long sequence) {
        if (!fits(milliseconds, sequence)) {
            throw new OffsetException("stream entry id " + milliseconds + "-" + sequence + " has no offset with " + bits
                    + " sequence bits: expected a sequence below " + (1L << bits) + " and milliseconds up to "
                    + (Long.MAX_VALUE >> bits));
        }
        return milliseconds << bits | sequence;
    }

    @Override
    public boolean fits(long milliseconds, long sequence) {
        return sequence >= 0 && sequence < 1L << bits && milliseconds >= 0 && milliseconds <= Long.MAX_VALUE >> bits;
    }

    @Override
    public long millisecondsOf(long offset) {
        return offset >> bits;
    }

    @Override
    public long sequenceOf(long offset) {
        return offset & (1L << bits) - 1;
    }

    @Override
    public StreamEntryId idOf(long offset) {
        if (offset < 0) {
            throw new OffsetException("offset " + offset + ": expected >= 0");
        }
        return new StreamEntryId(millisecondsOf(offset), sequenceOf(offset));
    }

    @Override
    public long proposalAt(long nowMilliseconds) {
        // Redis has no entry 0-0, so offset 0 is never given away.
        return Math.max(1, nowMilliseconds << bits);
    }

    @Override
    public long sequencesPerMillisecond() {
        return 1L << bits;
    }
}
