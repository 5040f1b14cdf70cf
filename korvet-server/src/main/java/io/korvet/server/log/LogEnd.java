package io.korvet.server.log;

import io.korvet.offsets.OffsetAllocator;
import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.server.log.Shipment.Item;
import io.korvet.store.AppendBatch.Roll;
import io.korvet.store.LogState;
import org.jspecify.annotations.Nullable;

/**
 * What an {@link AppendQueue} believes of the end of its log, the appends under way included, and the offsets and segments
 * that follow from it. Not thread-safe.
 */
final class LogEnd {

    private final OffsetEncoding encoding;
    private long lastOffset;
    private @Nullable StreamEntryId lastId;
    private long segment;
    private long segmentBytes;

    LogEnd(OffsetEncoding encoding) {
        this.encoding = encoding;
    }

    /** What is believed before a shipment. */
    record Proposal(@Nullable StreamEntryId last, long segment, long segmentBytes, Roll roll) {}

    /** Takes over the true state. */
    void adopt(LogState state) {
        lastId = state.last();
        lastOffset = Math.max(LogView.ceiling(encoding, state.last()), state.startOffset() - 1);
        segment = state.open().number();
        segmentBytes = state.open().bytes();
    }

    /** Begins a shipment; the next segment is opened with it if its first batch would be too much for the open one. */
    Proposal begin(Item first) {
        Proposal proposal = new Proposal(lastId, segment, segmentBytes, isFullFor(first) ? Roll.SEAL_FIRST : Roll.STAY);
        if (proposal.roll == Roll.SEAL_FIRST) {
            segment++;
            segmentBytes = 0;
        }
        return proposal;
    }

    /** Takes back {@link #begin}: nothing came of the shipment. */
    void takeBack(Proposal proposal) {
        segment = proposal.segment;
        segmentBytes = proposal.segmentBytes;
    }

    /** Whether a batch belongs into the next segment. */
    boolean isFullFor(Item item) {
        return segmentBytes > 0 && segmentBytes > item.segmentLimit - item.batch.entryBytes();
    }

    /** Gives a batch its offsets. */
    void place(Item item, boolean firstOfShipment, long now) {
        item.baseOffset = firstOfShipment ? OffsetAllocator.next(encoding, lastOffset, now) : lastOffset + 1;
        lastOffset = item.lastOffset();
        segmentBytes += item.batch.entryBytes();
    }

    /** The shipment is under way: its last entry is the last one. */
    void shipped() {
        lastId = encoding.idOf(lastOffset);
    }
}
