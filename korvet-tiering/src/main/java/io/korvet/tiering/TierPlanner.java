package io.korvet.tiering;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.tiering.TierAction.Reason;
import io.korvet.tiering.TierAction.Remove;
import io.korvet.tiering.TierAction.Seal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides what is due for a log's segments: a pure function of its state, its policy and the time.
 *
 * <p>Removals follow Kafka's rules for whole segments, counted from the oldest and ending at the first segment that must
 * stay: the largest timestamp is older than the retention (a timestamp in the future keeps its segment); without the
 * segment the log still has at least the bytes to be kept; the start of the log has passed it.
 *
 * <p>The open segment is never removed, since it may have grown by the time the plan is carried out. It is sealed when
 * any of these rules would take it, when it is as old as {@code segmentMilliseconds} or as the retention, whichever is
 * shorter; the next plan then treats it as any other.
 */
public final class TierPlanner {

    private TierPlanner() {}

    /**
     * The actions that are due, oldest segment first.
     *
     * @param log as it was read just now
     * @param nowMilliseconds the time, on the clock that entries are stamped by
     */
    public static List<TierAction> plan(
            LogState log, OffsetEncoding encoding, TierPolicy policy, long nowMilliseconds) {
        List<Segment> segments = new ArrayList<>(log.sealed());
        segments.add(log.open());
        List<TierAction> actions = new ArrayList<>();
        long bytes = log.bytes();
        for (int index = 0; index < log.sealed().size(); index++) {
            Segment segment = segments.get(index);
            long sealedMilliseconds = segments.get(index + 1).openedMilliseconds();
            Reason reason = removal(
                    segment, sealedMilliseconds, bytes, log.startOffset(), encoding, policy.total(), nowMilliseconds);
            if (reason == null) {
                break;
            }
            bytes -= segment.bytes();
            long start = startAfter(segments.subList(index, segments.size()), log.startOffset(), encoding);
            actions.add(new Remove(segment.number(), reason, start));
        }
        Reason reason = log.open().entries() == 0 ? null : sealing(log, encoding, policy, nowMilliseconds);
        if (reason != null) {
            actions.add(new Seal(log.open().number(), reason));
        }
        return actions;
    }

    private static @Nullable Reason removal(
            Segment segment,
            long sealedMilliseconds,
            long bytes,
            long startOffset,
            OffsetEncoding encoding,
            Retention retention,
            long nowMilliseconds) {
        if (passed(segment, startOffset, encoding)) {
            return Reason.DELETED;
        }
        // Entries without a timestamp: the segment took none of them after it was sealed.
        long newest = segment.lastTimestamp() >= 0 ? segment.lastTimestamp() : sealedMilliseconds;
        if (retention.milliseconds() >= 0 && nowMilliseconds - newest > retention.milliseconds()) {
            return Reason.AGE;
        }
        return retention.bytes() >= 0 && bytes - segment.bytes() >= retention.bytes() ? Reason.SIZE : null;
    }

    private static @Nullable Reason sealing(
            LogState log, OffsetEncoding encoding, TierPolicy policy, long nowMilliseconds) {
        Segment open = log.open();
        Retention retention = policy.total();
        if (passed(open, log.startOffset(), encoding)) {
            return Reason.DELETED;
        }
        boolean outlived = retention.milliseconds() >= 0
                && open.lastTimestamp() >= 0
                && nowMilliseconds - open.lastTimestamp() > retention.milliseconds();
        long age = retention.milliseconds() < 0
                ? policy.segmentMilliseconds()
                : Math.min(policy.segmentMilliseconds(), retention.milliseconds());
        if (outlived || nowMilliseconds - open.openedMilliseconds() >= age) {
            return Reason.AGE;
        }
        return retention.bytes() >= 0 && open.bytes() >= Math.max(1, retention.bytes()) ? Reason.SIZE : null;
    }

    /** Whether all entries of a segment lie below the start of the log. */
    private static boolean passed(Segment segment, long startOffset, OffsetEncoding encoding) {
        StreamEntryId last = segment.last();
        return last != null
                && encoding.fits(last.milliseconds(), last.sequence())
                && encoding.offsetOf(last) < startOffset;
    }

    /** Where a log begins without the first of some segments; ids that only foreign clients write don't count. */
    private static long startAfter(List<Segment> segments, long startOffset, OffsetEncoding encoding) {
        for (Segment next : segments.subList(1, segments.size())) {
            StreamEntryId first = next.first();
            if (first != null && encoding.fits(first.milliseconds(), first.sequence())) {
                return Math.max(startOffset, encoding.offsetOf(first));
            }
        }
        StreamEntryId last = segments.get(0).last();
        return last != null && encoding.fits(last.milliseconds(), last.sequence())
                ? Math.max(startOffset, encoding.offsetOf(last) + 1)
                : startOffset;
    }
}
