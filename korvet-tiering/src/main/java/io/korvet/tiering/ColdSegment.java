package io.korvet.tiering;

import io.korvet.offsets.DenseEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.store.StreamName;
import org.jspecify.annotations.Nullable;

/**
 * A segment as the cold tier knows it: never by the place of a file, so that an archive may rewrite its files.
 *
 * @param stream whose segment
 * @param incarnation of which incarnation of the log
 * @param segment as the store's catalog has it; sealed, so it never changes
 * @param newestOffloaded the newest segment of this incarnation that the store's catalog says is in the cold tier,
 *     {@code null} when it says so of none. The incarnation has had the log's name in the tier since then
 */
public record ColdSegment(
        StreamName stream,
        String incarnation,
        Segment segment,
        @Nullable Segment newestOffloaded) {

    /** The id of a dense log's first offset; all its ids have these milliseconds. */
    private static final StreamEntryId DENSE = new DenseEncoding().idOf(0);

    /** A segment of which no more is known than its own row. */
    public ColdSegment(StreamName stream, String incarnation, Segment segment) {
        this(stream, incarnation, segment, isOffloaded(segment) ? segment : null);
    }

    /** Whether the store's catalog says that the cold tier has a segment. */
    static boolean isOffloaded(Segment segment) {
        return segment.state() == SegmentState.OFFLOADED || segment.state() == SegmentState.DROPPED;
    }

    /** The segment's number. */
    public long number() {
        return segment.number();
    }

    /** Whether so many entries, the first and the last of them with these ids, are what the catalog says of the segment. */
    public boolean agreesWith(long entries, @Nullable StreamEntryId first, @Nullable StreamEntryId last) {
        if (first == null || last == null) {
            return entries == 0 && segment.entries() == 0;
        }
        return entries == segment.entries() && beginsWith(first) && endsWith(last);
    }

    /** Whether an id may be that of the segment's first entry. */
    public boolean beginsWith(StreamEntryId first) {
        StreamEntryId own = segment.first();
        return first.equals(own) || (hasEntriesWithoutOffset() && (own == null || first.compareTo(own) < 0));
    }

    /** Whether an id may be that of the segment's last entry. */
    public boolean endsWith(StreamEntryId last) {
        StreamEntryId own = segment.last();
        return last.equals(own)
                || (hasEntriesWithoutOffset() && (segment.first() == null || own == null || last.compareTo(own) > 0));
    }

    /**
     * Whether other clients wrote entries into this segment of a log of dense offsets. Such entries count, but the catalog's
     * ids are those of the log's own ones: they have the numbers from first to last without a gap, so there are others when
     * there are more entries.
     */
    public boolean hasEntriesWithoutOffset() {
        StreamEntryId first = segment.first();
        StreamEntryId last = segment.last();
        return last != null
                && last.milliseconds() == DENSE.milliseconds()
                && (first == null
                        || (first.milliseconds() == DENSE.milliseconds()
                                && segment.entries() > last.sequence() - first.sequence() + 1));
    }

    @Override
    public String toString() {
        return "segment " + segment.number() + " of " + stream;
    }
}
