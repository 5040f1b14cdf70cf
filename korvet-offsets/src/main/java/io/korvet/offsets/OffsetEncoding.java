package io.korvet.offsets;

/**
 * The mapping between Kafka offsets and Redis stream entry ids of one topic, fixed when the topic is made.
 *
 * <p>Both directions are pure arithmetic, so no offset table exists (seed: Concepts, "Offset Encoding"). Values are
 * immutable and may be shared between threads.
 */
public sealed interface OffsetEncoding permits TimeEncoding, DenseEncoding {

    /** Which of the two encodings this is, for exhaustive switches. */
    enum Kind {
        /** {@code offset = (milliseconds << bits) | sequence}. */
        TIME,
        /** {@code 0, 1, 2 …}. */
        DENSE
    }

    /** Which of the two encodings this is. */
    Kind kind();

    /**
     * The offset of an entry.
     *
     * @throws OffsetException when the id doesn't fit the encoding, as ids written by other Redis clients may not
     * @see #fits(long, long)
     */
    default long offsetOf(StreamEntryId id) {
        return offsetOf(id.milliseconds(), id.sequence());
    }

    /** {@link #offsetOf(StreamEntryId)} of an id in two halves, for paths that make no objects. */
    long offsetOf(long milliseconds, long sequence);

    /** Whether an id has an offset in this encoding. */
    boolean fits(long milliseconds, long sequence);

    /** The milliseconds half of the id at an offset (at least 0). */
    long millisecondsOf(long offset);

    /** The sequence half of the id at an offset (at least 0). */
    long sequenceOf(long offset);

    /**
     * The id at an offset, whether or not an entry is there.
     *
     * @throws OffsetException when the offset is negative or beyond the encoding
     */
    StreamEntryId idOf(long offset);

    /** The smallest offset that an append at this time would like to have, whatever is in the log. */
    long proposalAt(long nowMilliseconds);

    /** How many entries one milliseconds half holds; a batch that reaches it runs into the next millisecond. */
    long sequencesPerMillisecond();
}
