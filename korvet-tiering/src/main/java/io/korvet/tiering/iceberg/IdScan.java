package io.korvet.tiering.iceberg;

import io.korvet.offsets.StreamEntryId;
import io.korvet.tiering.iceberg.RowGroupReader.Content;
import io.korvet.tiering.iceberg.Slice.Source;
import io.korvet.tiering.iceberg.Slice.SourceFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the order of a segment's rows by looking at their ids, wherever they are: several files, other segments between
 * them, any order. Memory is bounded: where there are more ids than fit, the range of ids is halved and each half
 * scanned. Blocks; single use, for one thread.
 */
final class IdScan {

    private static final StreamEntryId BEFORE_ALL = StreamEntryId.MINIMUM;

    private final long segment;
    private final List<Part> parts;
    private final int mostIds;
    private final int rowsPerSlice;
    private final LoadTurns turns;
    private final List<Slice> slices = new ArrayList<>();
    private StreamEntryId last = BEFORE_ALL;
    private @Nullable StreamEntryId first;
    private boolean scanned;

    private int count;
    private long[] milliseconds = new long[1024];
    private long[] sequences = new long[1024];
    private long[] timestamps = new long[1024];
    private int[] partOf = new int[1024];
    private int[] rowOf = new int[1024];

    /** A row group that can have rows of the segment. */
    record Part(SourceFile source, StoredFile file, int rowGroup) {}

    /**
     * A scan.
     *
     * @param mostIds how many ids may be in memory
     * @param rowsPerSlice how many rows a slice has at the most
     */
    IdScan(long segment, List<Part> parts, int mostIds, int rowsPerSlice, LoadTurns turns) {
        this.turns = turns;
        this.segment = segment;
        this.parts = parts;
        this.mostIds = mostIds;
        this.rowsPerSlice = rowsPerSlice;
    }

    /** The slices of all rows, in the order of ids; rows with one id are both in them. The first call reads them all. */
    List<Slice> slices() {
        if (!scanned) {
            scanned = true;
            within(BEFORE_ALL, new StreamEntryId(Long.MAX_VALUE, Long.MAX_VALUE));
        }
        return slices;
    }

    /** The smallest id of all rows once they were scanned, {@code null} when there are none. */
    @Nullable
    StreamEntryId first() {
        return first;
    }

    private void within(StreamEntryId low, StreamEntryId high) {
        count = 0;
        StreamEntryId least = high;
        StreamEntryId most = low;
        boolean fits = true;
        for (int part = 0; part < parts.size(); part++) {
            Collector collector = new Collector(part, low, high);
            Part scanned = parts.get(part);
            new RowGroupReader(
                            scanned.file(), scanned.rowGroup(), scanned.source().onlyStream(), turns)
                    .read(0, Long.MAX_VALUE, Content.TIMESTAMP, collector);
            fits &= !collector.overflow;
            if (collector.any) {
                least = min(least, collector.least());
                most = max(most, collector.most());
            }
        }
        if (fits) {
            cut();
        } else if (least.compareTo(most) >= 0) {
            // As many rows with one id can't be right, and whoever counts them says so.
            cut();
        } else {
            StreamEntryId middle = middle(least, most);
            within(low, middle);
            within(next(middle), high);
        }
    }

    private static StreamEntryId min(StreamEntryId one, StreamEntryId other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    private static StreamEntryId max(StreamEntryId one, StreamEntryId other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** An id at or above the lower one and below the higher one. */
    static StreamEntryId middle(StreamEntryId low, StreamEntryId high) {
        if (low.milliseconds() == high.milliseconds()) {
            return new StreamEntryId(low.milliseconds(), low.sequence() + (high.sequence() - low.sequence()) / 2);
        }
        return new StreamEntryId(
                low.milliseconds() + (high.milliseconds() - 1 - low.milliseconds()) / 2, Long.MAX_VALUE);
    }

    private static StreamEntryId next(StreamEntryId id) {
        return id.sequence() == Long.MAX_VALUE
                ? new StreamEntryId(id.milliseconds() + 1, 0)
                : new StreamEntryId(id.milliseconds(), id.sequence() + 1);
    }

    private void cut() {
        int[] order = IdOrder.of(milliseconds, sequences, count);
        if (first == null && count > 0) {
            first = new StreamEntryId(milliseconds[order[0]], sequences[order[0]]);
        }
        for (int start = 0; start < count; start += rowsPerSlice) {
            int end = Math.min(count, start + rowsPerSlice);
            Map<Integer, long[]> ranges = new HashMap<>();
            long largest = Long.MIN_VALUE;
            for (int i = start; i < end; i++) {
                int row = order[i];
                long[] range = ranges.computeIfAbsent(partOf[row], missing -> new long[] {Long.MAX_VALUE, 0});
                range[0] = Math.min(range[0], rowOf[row]);
                range[1] = Math.max(range[1], rowOf[row] + 1L);
                largest = Math.max(largest, timestamps[row]);
            }
            List<Source> sources = new ArrayList<>();
            ranges.entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(entry -> {
                Part part = parts.get(entry.getKey());
                sources.add(new Source(part.source(), part.rowGroup(), entry.getValue()[0], entry.getValue()[1]));
            });
            StreamEntryId through = new StreamEntryId(milliseconds[order[end - 1]], sequences[order[end - 1]]);
            slices.add(new Slice(last, through, end - start, largest, sources));
            last = through;
        }
    }

    private final class Collector implements RowVisitor {
        private final int part;
        private final long firstRow;
        private final StreamEntryId low;
        private final StreamEntryId high;
        private boolean overflow;
        private boolean any;
        private long leastMilliseconds;
        private long leastSequence;
        private long mostMilliseconds;
        private long mostSequence;

        Collector(int part, StreamEntryId low, StreamEntryId high) {
            this.part = part;
            this.firstRow = parts.get(part).file().firstRow(parts.get(part).rowGroup());
            this.low = low;
            this.high = high;
        }

        StreamEntryId least() {
            return new StreamEntryId(leastMilliseconds, leastSequence);
        }

        StreamEntryId most() {
            return new StreamEntryId(mostMilliseconds, mostSequence);
        }

        @Override
        public boolean row(long position, long rowSegment, long idMilliseconds, long idSequence, long timestamp) {
            if (rowSegment != segment
                    || compare(idMilliseconds, idSequence, low) < 0
                    || compare(idMilliseconds, idSequence, high) > 0
                    || !parts.get(part).source().isLive(position)) {
                return false;
            }
            if (!any || IdOrder.compare(idMilliseconds, idSequence, leastMilliseconds, leastSequence) < 0) {
                leastMilliseconds = idMilliseconds;
                leastSequence = idSequence;
            }
            if (!any || IdOrder.compare(idMilliseconds, idSequence, mostMilliseconds, mostSequence) > 0) {
                mostMilliseconds = idMilliseconds;
                mostSequence = idSequence;
            }
            any = true;
            if (count == mostIds) {
                overflow = true;
                return false;
            }
            if (count == milliseconds.length) {
                int grown = Math.min(mostIds, 2 * count);
                milliseconds = Arrays.copyOf(milliseconds, grown);
                sequences = Arrays.copyOf(sequences, grown);
                timestamps = Arrays.copyOf(timestamps, grown);
                partOf = Arrays.copyOf(partOf, grown);
                rowOf = Arrays.copyOf(rowOf, grown);
            }
            milliseconds[count] = idMilliseconds;
            sequences[count] = idSequence;
            timestamps[count] = timestamp;
            partOf[count] = part;
            rowOf[count] = (int) (position - firstRow);
            count++;
            return false;
        }

        @Override
        public void field(int number, ByteBuffer value) {
            throw new IllegalStateException("fields are not read");
        }

        private static int compare(long idMilliseconds, long idSequence, StreamEntryId other) {
            return IdOrder.compare(idMilliseconds, idSequence, other.milliseconds(), other.sequence());
        }
    }
}
