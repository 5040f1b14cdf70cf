package io.korvet.tiering;

import io.korvet.store.Segment;
import io.korvet.store.StreamName;

/**
 * A segment as the cold tier knows it: never by the place of a file, so that an archive may rewrite its files.
 *
 * @param stream whose segment
 * @param incarnation of which incarnation of the log
 * @param segment as the store's catalog has it; sealed, so it never changes
 */
public record ColdSegment(StreamName stream, String incarnation, Segment segment) {

    /** The segment's number. */
    public long number() {
        return segment.number();
    }

    @Override
    public String toString() {
        return "segment " + segment.number() + " of " + stream;
    }
}
