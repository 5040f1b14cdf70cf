package io.korvet.tiering.iceberg;

import java.nio.ByteBuffer;

/** Takes the rows of a data file in the order of their positions. */
interface RowVisitor {

    /**
     * A row begins.
     *
     * @param position in the file
     * @param segment its segment
     * @param milliseconds of its id
     * @param sequence of its id
     * @param timestamp its timestamp, 0 where it is not read
     * @return whether its fields are wanted
     */
    boolean row(long position, long segment, long milliseconds, long sequence, long timestamp);

    /** A field of the row that began last; number as of {@link io.korvet.store.EntryFields}, -1 for another name. */
    void field(int number, ByteBuffer value);
}
