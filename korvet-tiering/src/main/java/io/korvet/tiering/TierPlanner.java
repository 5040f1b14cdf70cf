package io.korvet.tiering;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.tiering.TierAction.DropLocal;
import io.korvet.tiering.TierAction.Offload;
import io.korvet.tiering.TierAction.Reason;
import io.korvet.tiering.TierAction.Remove;
import io.korvet.tiering.TierAction.Seal;
import io.korvet.tiering.TierPolicy.Tiering;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides what is due for a log's segments: a pure function of its state, its policy and the time.
 *
 * <p>Limits follow Kafka's rules for whole segments, counted from the oldest and ending at the first segment that must stay:
 * the largest timestamp is older than the retention (a timestamp in the future keeps its segment); without the segment the
 * log still has at least the bytes to be kept; the start of the log has passed it. The total retention removes segments
 * from both tiers and counts the bytes of both. Where tiering is enabled (KIP-405), each sealed segment is copied to the cold
 * tier, and the local retention, which counts all bytes in Redis, drops from Redis what is confirmed to be there. A segment
 * that isn't yet keeps itself, and takes from the bytes that may stay; those after it don't wait for it, so that Redis
 * doesn't fill behind a segment that can't be copied.
 *
 * <p>The open segment is never removed or copied, since it may have grown by the time the plan is carried out. It is sealed
 * when any of these rules would take it, when it is as old as {@code segmentMilliseconds} or as a retention, whichever is
 * shorter; the next plan then treats it as any other.
 */
public final class TierPlanner {

    private final LogState log;
    private final OffsetEncoding encoding;
    private final TierPolicy policy;
    private final long now;
    private final List<Segment> segments;
    private final List<TierAction> actions = new ArrayList<>();

    private TierPlanner(LogState log, OffsetEncoding encoding, TierPolicy policy, long now) {
        this.log = log;
        this.encoding = encoding;
        this.policy = policy;
        this.now = now;
        this.segments = new ArrayList<>(log.sealed());
        segments.add(log.open());
    }

    /**
     * The actions that are due: removals, oldest segment first, then what is to be dropped from Redis, what is to be
     * copied, and the open segment.
     *
     * @param log as it was read just now
     * @param nowMilliseconds the time, on the clock that entries are stamped by
     */
    public static List<TierAction> plan(
            LogState log, OffsetEncoding encoding, TierPolicy policy, long nowMilliseconds) {
        return new TierPlanner(log, encoding, policy, nowMilliseconds).plan();
    }

    private boolean tiered() {
        return policy.tiering() == Tiering.ENABLED;
    }

    private List<TierAction> plan() {
        int kept = planRemovals();
        if (tiered()) {
            planLocalDrops(kept);
            for (Segment segment : log.sealed().subList(kept, log.sealed().size())) {
                if (segment.state() == SegmentState.SEALED) {
                    actions.add(new Offload(segment.number(), Reason.SEALED));
                }
            }
        }
        Reason reason = log.open().entries() == 0 ? null : sealing();
        if (reason != null) {
            actions.add(new Seal(log.open().number(), reason));
        }
        return actions;
    }

    /** The index of the first segment that stays. */
    private int planRemovals() {
        long bytes = segments.stream().mapToLong(Segment::bytes).sum();
        int index = 0;
        for (; index < log.sealed().size(); index++) {
            Segment segment = segments.get(index);
            Reason reason = passed(segment) ? Reason.DELETED : beyond(index, bytes, policy.total());
            if (reason == null) {
                break;
            }
            bytes -= segment.bytes();
            actions.add(new Remove(segment.number(), reason, startAfter(index), segment.state()));
        }
        return index;
    }

    private void planLocalDrops(int from) {
        long bytes = 0;
        for (Segment segment : segments.subList(from, segments.size())) {
            bytes += segment.state() == SegmentState.DROPPED ? 0 : segment.bytes();
        }
        for (int index = from; index < log.sealed().size(); index++) {
            Segment segment = segments.get(index);
            if (segment.state() == SegmentState.DROPPED) {
                continue;
            }
            Reason reason = beyond(index, bytes, policy.local());
            if (reason == null) {
                break;
            }
            if (segment.state() == SegmentState.OFFLOADED) {
                bytes -= segment.bytes();
                actions.add(new DropLocal(segment.number(), reason));
            }
        }
    }

    /** Why a segment may go, where all segments from it on have so many bytes together. */
    private @Nullable Reason beyond(int index, long bytes, Retention retention) {
        Segment segment = segments.get(index);
        // Entries without a timestamp: the segment took none of them after it was sealed.
        long newest = segment.lastTimestamp() >= 0
                ? segment.lastTimestamp()
                : segments.get(index + 1).openedMilliseconds();
        if (retention.milliseconds() >= 0 && now - newest > retention.milliseconds()) {
            return Reason.AGE;
        }
        return retention.bytes() >= 0 && bytes - segment.bytes() >= retention.bytes() ? Reason.SIZE : null;
    }

    private @Nullable Reason sealing() {
        if (passed(log.open())) {
            return Reason.DELETED;
        }
        Reason total = sealing(policy.total());
        return total == null && tiered() ? sealing(policy.local()) : total;
    }

    private @Nullable Reason sealing(Retention retention) {
        Segment open = log.open();
        boolean outlived = retention.milliseconds() >= 0
                && open.lastTimestamp() >= 0
                && now - open.lastTimestamp() > retention.milliseconds();
        long age = retention.milliseconds() < 0
                ? policy.segmentMilliseconds()
                : Math.min(policy.segmentMilliseconds(), retention.milliseconds());
        if (outlived || now - open.openedMilliseconds() >= age) {
            return Reason.AGE;
        }
        return retention.bytes() >= 0 && open.bytes() >= Math.max(1, retention.bytes()) ? Reason.SIZE : null;
    }

    /** Whether all entries of a segment lie below the start of the log. */
    private boolean passed(Segment segment) {
        StreamEntryId last = segment.last();
        return last != null
                && encoding.fits(last.milliseconds(), last.sequence())
                && encoding.offsetOf(last) < log.startOffset();
    }

    /** Where the log begins without a segment and those before it; ids that only foreign clients write don't count. */
    private long startAfter(int index) {
        for (Segment next : segments.subList(index + 1, segments.size())) {
            StreamEntryId first = next.first();
            if (first != null && encoding.fits(first.milliseconds(), first.sequence())) {
                return Math.max(log.startOffset(), encoding.offsetOf(first));
            }
        }
        StreamEntryId last = segments.get(index).last();
        return last != null && encoding.fits(last.milliseconds(), last.sequence())
                ? Math.max(log.startOffset(), encoding.offsetOf(last) + 1)
                : log.startOffset();
    }
}
