package io.korvet.store;

import io.netty.buffer.ByteBuf;

/**
 * Writes entries as the RESP arguments that the append script takes, without an object per entry.
 *
 * <p>Per entry: {@link #begin}, {@link #field} for each field in the order of {@link EntryFields}. Not
 * thread-safe; one encoder serves one batch. {@link #finish} hands the buffer on.
 */
public interface EntryEncoder {

    /**
     * Begins an entry.
     *
     * @param shape bit mask of the fields that follow, at least one bit
     * @param timestamp for the bookkeeping, in milliseconds
     */
    void begin(int shape, long timestamp);

    /** Writes a field's bytes, from position to limit; the source's indexes do not move. */
    void field(ByteBuf source, int index, int length);

    /** Writes a field as decimal digits. */
    void field(long decimal);

    /** Ends the batch; no call may follow. */
    AppendBatch.EncodedEntries finish();

    /** Releases the buffer of a batch that won't be finished. */
    void discard();
}
