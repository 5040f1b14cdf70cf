package io.korvet.store;

import io.korvet.offsets.StreamEntryId;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One atomic append: entries, what must hold for it, and the bookkeeping that goes with it.
 *
 * @param stream the log
 * @param incarnation the incarnation the caller means; another one in Redis fences the append
 * @param segment the open segment as the caller believes
 * @param expectedLast the last id in the log as the caller believes, {@code null} for an empty log
 * @param roll whether the open segment is sealed first and the entries go to the next one
 * @param first the id of the first entry; the others follow at sequence + 1 each, from {@code sequencesPerMillisecond} on
 *     at the next millisecond's sequence 0
 * @param sequencesPerMillisecond where the sequence wraps, {@link Long#MAX_VALUE} for never
 * @param writers states compared before and stored after, none for writers without one
 * @param entries the entries' fields (see {@link EntryEncoder}); owned and released by the store
 * @param nowMilliseconds the caller's clock, kept as the opening time of a new segment
 */
public record AppendBatch(
        StreamName stream,
        String incarnation,
        long segment,
        @Nullable StreamEntryId expectedLast,
        Roll roll,
        StreamEntryId first,
        long sequencesPerMillisecond,
        List<WriterUpdate> writers,
        EncodedEntries entries,
        long nowMilliseconds) {

    /** Copies the list and checks that the first id comes after the expected last one and fits its millisecond. */
    public AppendBatch {
        writers = List.copyOf(writers);
        if (expectedLast != null && first.compareTo(expectedLast) <= 0) {
            throw new IllegalArgumentException(
                    "append to " + stream + ": first id " + first + " is not above the last one, " + expectedLast);
        }
        if (sequencesPerMillisecond < 1 || first.sequence() >= sequencesPerMillisecond) {
            throw new IllegalArgumentException("append to " + stream + ": first id " + first
                    + ", expected a sequence below " + sequencesPerMillisecond);
        }
    }

    /** Whether an append seals the open segment first. */
    public enum Roll {
        /** Append to the open segment. */
        STAY,
        /** Seal the open segment (it has entries) and append to the next. */
        SEAL_FIRST
    }

    /**
     * Entries ready for the wire.
     *
     * @param buffer RESP arguments, made by {@link EntryEncoder}
     * @param shape the set of fields that every entry has, as a bit mask, or 0 when they differ and each entry is led by
     *     its own mask
     * @param arguments how many RESP arguments the buffer holds
     * @param count how many entries, above 0
     * @param bytes the fields' bytes, the measure for segment sizes
     * @param minTimestamp the smallest timestamp
     * @param maxTimestamp the largest timestamp
     * @param maxTimestampIndex index of the first entry that has it
     */
    public record EncodedEntries(
            ByteBuf buffer,
            int shape,
            int arguments,
            int count,
            long bytes,
            long minTimestamp,
            long maxTimestamp,
            int maxTimestampIndex) {}
}
