package io.korvet.store;

import java.nio.ByteBuffer;

/**
 * Takes entries one by one as they are decoded from the network, without an object per entry.
 *
 * <p>For each entry: {@link #entry}, then {@link #field} per field, in the order they are stored. An entry is over when
 * the next one begins or the read ends.
 */
public interface EntrySink {

    /** An entry begins. */
    void entry(long milliseconds, long sequence);

    /**
     * A field of the entry that began last.
     *
     * @param field index into the field names the store was opened with ({@link EntryFields}), or -1 for any other name
     * @param value valid during the call only, position to limit; it may be moved but not kept
     */
    void field(int field, ByteBuffer value);

    /**
     * A field whose name is none of the store's own, as other clients may write. Who doesn't care for its name gets it as
     * {@link #field} of -1.
     *
     * @param name valid during the call only, position to limit; UTF-8 as a rule
     * @param value as in {@link #field}
     */
    default void otherField(ByteBuffer name, ByteBuffer value) {
        field(-1, value);
    }
}
