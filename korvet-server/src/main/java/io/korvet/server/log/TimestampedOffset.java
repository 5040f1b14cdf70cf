package io.korvet.server.log;

/** An offset and its record's timestamp, both -1 for none. */
public record TimestampedOffset(long offset, long timestamp) {

    /** No such record. */
    public static final TimestampedOffset NONE = new TimestampedOffset(-1, -1);
}
