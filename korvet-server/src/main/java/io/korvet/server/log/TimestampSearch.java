package io.korvet.server.log;

import io.korvet.offsets.OffsetEncoding;
import io.korvet.offsets.StreamEntryId;
import io.korvet.store.EntryFields;
import io.korvet.store.EntryLog;
import io.korvet.store.EntrySink;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import io.korvet.store.StreamName;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Finds offsets by timestamp: segments by their bounds, then the sparse index, then the entries from there on.
 *
 * <p>Timestamps need not be in order; the answer is the smallest offset whose timestamp is at or above the target, as
 * Kafka promises.
 */
final class TimestampSearch {

    private static final int PAGE = 1_000;

    private final EntryLog entries;
    private final StreamName stream;
    private final OffsetEncoding encoding;

    TimestampSearch(EntryLog entries, StreamName stream, OffsetEncoding encoding) {
        this.entries = entries;
        this.stream = stream;
        this.encoding = encoding;
    }

    /** The first offset whose timestamp is at or above the target. */
    CompletionStage<TimestampedOffset> atOrAfter(LogState state, long target) {
        return inSegments(state, candidates(state, target), 0, target);
    }

    /** The first offset that has the largest timestamp of all. */
    CompletionStage<TimestampedOffset> largest(LogState state) {
        Segment best = null;
        for (Segment segment : candidates(state, Long.MIN_VALUE)) {
            if (best == null || segment.lastTimestamp() > best.lastTimestamp()) {
                best = segment;
            }
        }
        if (best == null || best.lastTimestampId() == null) {
            return CompletableFuture.completedFuture(TimestampedOffset.NONE);
        }
        StreamEntryId id = best.lastTimestampId();
        if (encoding.fits(id.milliseconds(), id.sequence()) && encoding.offsetOf(id) >= state.startOffset()) {
            return CompletableFuture.completedFuture(
                    new TimestampedOffset(encoding.offsetOf(id), best.lastTimestamp()));
        }
        // DeleteRecords took the entry away: look through what is left.
        return scanForLargest(
                candidates(state, Long.MIN_VALUE), 0, encoding.idOf(state.startOffset()), TimestampedOffset.NONE);
    }

    private static List<Segment> candidates(LogState state, long target) {
        List<Segment> found = new ArrayList<>();
        for (Segment segment : state.sealed()) {
            if (segment.entries() > 0 && segment.lastTimestamp() >= target) {
                found.add(segment);
            }
        }
        if (state.open().entries() > 0 && state.open().lastTimestamp() >= target) {
            found.add(state.open());
        }
        return found;
    }

    private CompletionStage<TimestampedOffset> inSegments(
            LogState state, List<Segment> segments, int index, long target) {
        if (index == segments.size()) {
            return CompletableFuture.completedFuture(TimestampedOffset.NONE);
        }
        Segment candidate = segments.get(index);
        long segment = candidate.number();
        StreamEntryId start = encoding.idOf(state.startOffset());
        return entries.seekTimestamp(stream, segment, target)
                .thenCompose(place -> page(candidate, place.compareTo(start) < 0 ? start : place, target))
                .thenCompose(found -> found.offset() >= 0
                        ? CompletableFuture.completedFuture(found)
                        : inSegments(state, segments, index + 1, target));
    }

    private CompletionStage<TimestampedOffset> page(Segment segment, StreamEntryId from, long target) {
        Scan scan = new Scan(target);
        return entries.read(stream, segment.number(), from, PAGE, scan).thenCompose(read -> {
            scan.end();
            if (scan.first.offset() >= 0 || isExhausted(segment, read, scan)) {
                return CompletableFuture.completedFuture(scan.first);
            }
            return page(segment, new StreamEntryId(scan.milliseconds, scan.sequence + 1), target);
        });
    }

    /** Whether a segment has nothing after a page; fewer entries than asked for are a sign of it only in an open one. */
    private static boolean isExhausted(Segment segment, int read, Scan scan) {
        StreamEntryId last = segment.last();
        if (read == 0) {
            return true;
        }
        return (segment.state() == SegmentState.OPEN || last == null)
                ? read < PAGE
                : new StreamEntryId(scan.milliseconds, scan.sequence).compareTo(last) >= 0;
    }

    private CompletionStage<TimestampedOffset> scanForLargest(
            List<Segment> segments, int index, StreamEntryId from, TimestampedOffset best) {
        if (index == segments.size()) {
            return CompletableFuture.completedFuture(best);
        }
        Scan scan = new Scan(Long.MAX_VALUE);
        scan.largest = best;
        Segment segment = segments.get(index);
        return entries.read(stream, segment.number(), from, PAGE, scan).thenCompose(read -> {
            scan.end();
            return isExhausted(segment, read, scan)
                    ? scanForLargest(segments, index + 1, from, scan.largest)
                    : scanForLargest(
                            segments, index, new StreamEntryId(scan.milliseconds, scan.sequence + 1), scan.largest);
        });
    }

    private final class Scan implements EntrySink {
        private final long target;
        private TimestampedOffset first = TimestampedOffset.NONE;
        private TimestampedOffset largest = TimestampedOffset.NONE;
        private long milliseconds;
        private long sequence;
        private long timestamp;
        private long lastOffset;
        private boolean open;

        Scan(long target) {
            this.target = target;
        }

        @Override
        public void entry(long entryMilliseconds, long entrySequence) {
            end();
            milliseconds = entryMilliseconds;
            sequence = entrySequence;
            open = encoding.fits(entryMilliseconds, entrySequence);
            timestamp = switch (encoding.kind()) {
                case TIME -> entryMilliseconds;
                case DENSE -> -1;
            };
        }

        @Override
        public void field(int field, ByteBuffer value) {
            if (field == EntryFields.TIMESTAMP) {
                long told = EntriesToBatches.decimal(value);
                timestamp = told == Long.MIN_VALUE ? timestamp : told;
            }
        }

        private void end() {
            if (!open) {
                return;
            }
            open = false;
            lastOffset = encoding.offsetOf(milliseconds, sequence);
            if (first.offset() < 0 && timestamp >= target) {
                first = new TimestampedOffset(lastOffset, timestamp);
            }
            if (timestamp > largest.timestamp()) {
                largest = new TimestampedOffset(lastOffset, timestamp);
            }
        }
    }
}
