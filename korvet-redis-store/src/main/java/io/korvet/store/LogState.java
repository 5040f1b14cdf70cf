package io.korvet.store;

import io.korvet.offsets.StreamEntryId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A log at one moment.
 *
 * @param incarnation whose log it is
 * @param startOffset the first offset readers may have
 * @param last the last id, {@code null} for a log without any entry so far
 * @param open the segment that takes appends
 * @param sealed the others, oldest first, those that are only in the remote tier (DROPPED) among them
 * @param entries entries in all segments that are in Redis
 * @param bytes bytes in all segments that are in Redis
 * @param copiedEnd the offset after the last entry that was noted to be copied (ADR 0020), 0 for none
 */
public record LogState(
        String incarnation,
        long startOffset,
        @Nullable StreamEntryId last,
        Segment open,
        List<Segment> sealed,
        long entries,
        long bytes,
        long copiedEnd) {

    /** Copies the list. */
    public LogState {
        sealed = List.copyOf(sealed);
    }

    /** A log of which no copies were noted. */
    public LogState(
            String incarnation,
            long startOffset,
            @Nullable StreamEntryId last,
            Segment open,
            List<Segment> sealed,
            long entries,
            long bytes) {
        this(incarnation, startOffset, last, open, sealed, entries, bytes, 0);
    }
}
