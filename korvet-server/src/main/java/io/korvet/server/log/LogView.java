package io.korvet.server.log;

import io.korvet.offsets.OffsetAllocator;
import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A partition as its leader last saw it: where it starts and ends and which segment holds which offsets. Immutable.
 *
 * @param startOffset the first offset readers may have
 * @param endOffset the offset after the last entry that consumers see
 * @param logEndOffset the offset after the last entry, larger where consumers see only what is copied
 * @param segments oldest first, the open one last
 * @param averageEntryBytes mean size of an entry's fields, at least 1
 */
record LogView(long startOffset, long endOffset, long logEndOffset, List<Part> segments, int averageEntryBytes) {

    /**
     * One segment.
     *
     * @param number its number in the store
     * @param lastOffset its last offset; {@link Long#MAX_VALUE} for the open one
     * @param tier where its entries were
     */
    record Part(long number, long lastOffset, Tier tier) {}

    LogView {
        segments = List.copyOf(segments);
    }

    static LogView of(LogState state, OffsetEncoding encoding) {
        List<Part> parts = new ArrayList<>();
        for (Segment sealed : state.sealed()) {
            parts.add(new Part(
                    sealed.number(),
                    ceiling(encoding, sealed.last()),
                    sealed.state() == SegmentState.DROPPED ? Tier.COLD : Tier.LOCAL));
        }
        parts.add(new Part(state.open().number(), Long.MAX_VALUE, Tier.LOCAL));
        long end = Math.max(ceiling(encoding, state.last()) + 1, state.startOffset());
        int average =
                state.entries() == 0 ? 256 : (int) Math.max(1, Math.min(1 << 20, state.bytes() / state.entries()));
        return new LogView(state.startOffset(), end, end, parts, average);
    }

    /** The first offset from which on all is in Redis. */
    static long earliestLocal(LogState state, OffsetEncoding encoding) {
        long start = state.startOffset();
        for (Segment sealed : state.sealed()) {
            if (sealed.state() == SegmentState.DROPPED) {
                start = Math.max(start, ceiling(encoding, sealed.last()) + 1);
            }
        }
        return start;
    }

    /** The last offset that is in the cold tier, -1 for none. */
    static long latestTiered(LogState state, OffsetEncoding encoding) {
        long last = -1;
        for (Segment sealed : state.sealed()) {
            if (sealed.state() == SegmentState.DROPPED || sealed.state() == SegmentState.OFFLOADED) {
                last = Math.max(last, ceiling(encoding, sealed.last()));
            }
        }
        return last < state.startOffset() ? -1 : last;
    }

    /** The offset of an id, or for one that has none the last offset below it, {@link OffsetAllocator#NONE} for null. */
    static long ceiling(OffsetEncoding encoding, @Nullable StreamEntryId id) {
        if (id == null) {
            return OffsetAllocator.NONE;
        }
        if (encoding.fits(id.milliseconds(), id.sequence())) {
            return encoding.offsetOf(id);
        }
        return switch (encoding.kind()) {
            case TIME -> encoding.offsetOf(id.milliseconds(), encoding.sequencesPerMillisecond() - 1);
            case DENSE ->
                throw new StoreException(
                        StoreException.Kind.CORRUPT,
                        "entry " + id + " was written into a log of dense offsets by another Redis client: expected ids"
                                + " 1-<offset>. Nothing can follow it; delete the topic, and write to such topics"
                                + " through Kafka only");
        };
    }

    /** The index of the segment to read an offset from. */
    int indexOf(long offset) {
        int low = 0;
        int high = segments.size() - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (segments.get(middle).lastOffset() < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Whether an offset is where consumers see the end, or behind it in the log. */
    boolean isAtEnd(long offset) {
        return offset >= endOffset && offset <= logEndOffset;
    }

    /** Where the entries at an offset were. */
    Tier tierOf(long offset) {
        return segments.get(indexOf(offset)).tier();
    }

    LogView endingAt(long newEnd) {
        return with(startOffset, Math.max(newEnd, endOffset), Math.max(newEnd, logEndOffset));
    }

    /** After an append that consumers don't see yet. */
    LogView growingTo(long newLogEnd) {
        return with(startOffset, endOffset, Math.max(newLogEnd, logEndOffset));
    }

    /** The same log, of which consumers see no more than what is before an offset. */
    LogView visibleTo(long offset) {
        return with(startOffset, Math.max(startOffset, Math.min(logEndOffset, offset)), logEndOffset);
    }

    LogView startingAt(long newStart) {
        return with(Math.max(newStart, startOffset), Math.max(newStart, endOffset), Math.max(newStart, logEndOffset));
    }

    private LogView with(long start, long end, long logEnd) {
        return new LogView(start, end, logEnd, segments, averageEntryBytes);
    }

    LogView averaging(int entryBytes) {
        return new LogView(startOffset, endOffset, logEndOffset, segments, Math.max(1, entryBytes));
    }

    /** After a roll: the open segment ended before the batch, the next one is open. */
    LogView rolled(long lastOffsetOfOpen, long openNumber) {
        List<Part> parts = new ArrayList<>(segments);
        Part open = parts.remove(parts.size() - 1);
        parts.add(new Part(open.number(), lastOffsetOfOpen, open.tier()));
        parts.add(new Part(openNumber, Long.MAX_VALUE, Tier.LOCAL));
        return new LogView(startOffset, endOffset, logEndOffset, parts, averageEntryBytes);
    }
}
