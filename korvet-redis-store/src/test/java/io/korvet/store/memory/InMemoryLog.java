package io.korvet.store.memory;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.LogState;
import io.korvet.store.Segment;
import io.korvet.store.SegmentState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** One log: its streams, and the bookkeeping that the append script keeps. Guarded by the entry log's lock. */
final class InMemoryLog {

    /** What Redis keeps for one segment. */
    static final class Stream {
        final TreeMap<StreamEntryId, Map<String, byte[]>> entries = new TreeMap<>();
        final TreeMap<Long, StreamEntryId> points = new TreeMap<>();

        void add(StreamEntryId id, Map<String, byte[]> fields) {
            if (!entries.isEmpty() && id.compareTo(entries.lastKey()) <= 0) {
                throw new IllegalArgumentException(id + " is not above " + entries.lastKey());
            }
            entries.put(id, fields);
        }
    }

    /** What the meta hash says of the open segment. */
    static final class Bookkeeping {
        @Nullable
        StreamEntryId first;

        @Nullable
        StreamEntryId maxTimestampId;

        long entries;
        long bytes;
        long opened;
        long minTimestamp = Long.MAX_VALUE;
        long maxTimestamp = Long.MIN_VALUE;
    }

    private static final AtomicLong SEALS = new AtomicLong();

    final String incarnation;
    final Map<Long, Stream> streams = new HashMap<>();
    final TreeMap<Long, Segment> sealed = new TreeMap<>();
    final Map<String, String> writers = new HashMap<>();
    long openNumber;
    long startOffset;

    @Nullable
    StreamEntryId last;

    Bookkeeping open = new Bookkeeping();

    InMemoryLog(String incarnation) {
        this.incarnation = incarnation;
    }

    Stream stream(long segment) {
        return streams.computeIfAbsent(segment, number -> new Stream());
    }

    /** Takes what foreign clients wrote into the bookkeeping. */
    void absorb(long nowMilliseconds) {
        TreeMap<StreamEntryId, Map<String, byte[]>> entries = stream(openNumber).entries;
        if (open.entries == 0) {
            open.opened = nowMilliseconds;
        }
        open.entries = entries.size();
        if (entries.isEmpty() || entries.lastKey().equals(last)) {
            return;
        }
        last = entries.lastKey();
        open.first = entries.firstKey();
        open.minTimestamp = Math.min(open.minTimestamp, entries.firstKey().milliseconds());
        if (last.milliseconds() > open.maxTimestamp) {
            open.maxTimestamp = last.milliseconds();
            open.maxTimestampId = last;
        }
    }

    void seal(long nowMilliseconds) {
        Segment row = segment(openNumber, SegmentState.SEALED, Long.toString(SEALS.incrementAndGet()));
        sealed.put(openNumber, row);
        openNumber++;
        streams.remove(openNumber);
        open = new Bookkeeping();
        open.opened = nowMilliseconds;
    }

    Segment segment(long number, SegmentState state, @Nullable String seal) {
        boolean empty = open.entries == 0;
        return new Segment(
                number,
                state,
                empty ? null : open.first,
                empty ? null : last,
                empty ? -1 : open.minTimestamp,
                empty ? -1 : open.maxTimestamp,
                empty ? null : open.maxTimestampId,
                open.entries,
                open.bytes,
                open.opened,
                null,
                seal);
    }

    void move(long number, SegmentState state, @Nullable String remoteFile) {
        Segment row = Objects.requireNonNull(sealed.get(number));
        sealed.put(
                number,
                new Segment(
                        number,
                        state,
                        row.first(),
                        row.last(),
                        row.firstTimestamp(),
                        row.lastTimestamp(),
                        row.lastTimestampId(),
                        row.entries(),
                        row.bytes(),
                        row.openedMilliseconds(),
                        remoteFile,
                        row.seal()));
    }

    LogState state() {
        long entries = open.entries;
        long bytes = open.bytes;
        for (Segment segment : sealed.values()) {
            if (segment.state() != SegmentState.DROPPED) {
                entries += segment.entries();
                bytes += segment.bytes();
            }
        }
        return new LogState(
                incarnation,
                startOffset,
                last,
                segment(openNumber, SegmentState.OPEN, null),
                new ArrayList<>(sealed.values()),
                entries,
                bytes);
    }
}
