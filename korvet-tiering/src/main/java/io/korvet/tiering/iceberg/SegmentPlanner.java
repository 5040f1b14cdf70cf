package io.korvet.tiering.iceberg;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.Segment;
import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.iceberg.Slice.SourceFile;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;

/**
 * Finds where a segment's rows are, and that they are all there. A file that Korvet wrote for the segment is believed to
 * be in order; the rows of all others are looked at. Blocks; thread-safe.
 */
final class SegmentPlanner {

    private static final int IDS_IN_MEMORY = 500_000;
    private static final long SLICE_BYTES = 1 << 20;
    private static final int MOST_ROWS = 8_192;
    private static final int FEWEST_ROWS = 16;

    private final Table table;
    private final SegmentIndex index;
    private final StoredFiles files;
    private final LoadTurns turns;
    private final ReentrantLock scanTurn = new ReentrantLock();

    SegmentPlanner(Table table, SegmentIndex index, StoredFiles files, LoadTurns turns) {
        this.table = table;
        this.index = index;
        this.files = files;
        this.turns = turns;
    }

    /** How much a file's writer is believed. */
    enum Trust {
        /** Files of Korvet are in order. */
        WRITER,
        /** Only the rows tell. */
        ROWS
    }

    private record Found(SourceFile source, StoredFile file) {}

    /** Plans by what the index knows now. */
    SegmentPlan plan(ColdSegment segment, String streamKey, Trust trust) {
        List<Found> found = found(segment, streamKey);
        Segment expected = segment.segment();
        if (found.isEmpty()) {
            throw new ColdTierException(
                    Kind.CORRUPT,
                    segment + " is not in table " + table.name() + ": expected " + expected.entries()
                            + " rows of stream_key " + streamKey);
        }
        if (trust == Trust.WRITER && found.size() == 1 && expected.last() != null) {
            Found only = found.get(0);
            if (only.source().live() == null
                    && only.source().onlyStream() == null
                    && FileNotes.isWrittenFor(only.file().notes(), streamKey, segment)
                    && only.file().rows() == expected.entries()) {
                StreamEntryId last = segment.hasEntriesWithoutOffset() ? OrderedSlices.UNKNOWN : expected.last();
                return new SegmentPlan(OrderedSlices.of(only.file(), only.source(), last), true);
            }
        }
        return scanned(segment, found);
    }

    private List<Found> found(ColdSegment segment, String streamKey) {
        Map<String, FileScanTask> deletes = index.hasDeletes() ? index.deletes(streamKey, segment.number()) : Map.of();
        List<Found> found = new ArrayList<>();
        for (ArchivedFile file : index.files(streamKey, segment.number())) {
            if (!file.format().equals("PARQUET")) {
                throw new ColdTierException(
                        Kind.CORRUPT,
                        file.location() + " was written as " + file.format() + " by another engine: Kafka reads need"
                                + " PARQUET; rewrite it with write.format.default=parquet");
            }
            StoredFile stored = files.open(file);
            if (FileNotes.isOfAnotherIncarnation(stored.notes(), segment)) {
                continue;
            }
            FileScanTask task = deletes.get(file.location());
            BitSet live = task == null ? null : LiveRows.of(table, task);
            String onlyStream = file.streamKey() == null ? streamKey : null;
            found.add(new Found(new SourceFile(file, onlyStream, live), stored));
        }
        return found;
    }

    private SegmentPlan scanned(ColdSegment segment, List<Found> found) {
        Segment expected = segment.segment();
        List<IdScan.Part> parts = new ArrayList<>();
        for (Found part : found) {
            for (int group = 0; group < part.file().rowGroups(); group++) {
                if (new RowGroupReader(part.file(), group, part.source().onlyStream(), turns)
                        .mayHave(segment.number())) {
                    parts.add(new IdScan.Part(part.source(), part.file(), group));
                }
            }
        }
        long average = Math.max(1, expected.bytes() / Math.max(1, expected.entries()));
        int rowsPerSlice = (int) Math.max(FEWEST_ROWS, Math.min(MOST_ROWS, SLICE_BYTES / average));
        List<Slice> slices;
        scanTurn.lock();
        try {
            slices = new IdScan(segment.number(), parts, IDS_IN_MEMORY, rowsPerSlice, turns).slices();
        } finally {
            scanTurn.unlock();
        }
        long rows = slices.stream().mapToLong(Slice::rows).sum();
        if (rows != expected.entries()) {
            throw new ColdTierException(
                    Kind.CORRUPT,
                    segment + " has " + rows + " rows in " + names(found) + ": expected " + expected.entries()
                            + (rows > expected.entries() ? "; somebody added rows" : "; rows are missing"));
        }
        return new SegmentPlan(slices, false);
    }

    private static String names(List<Found> found) {
        return found.stream().map(part -> part.file().location()).toList().toString();
    }

    /** Decodes a slice, its rows in the order in which its sources have them. */
    Block load(ColdSegment segment, Slice slice) {
        BlockBuilder builder = new BlockBuilder(slice.rows(), (int) Math.min(
                1 << 22,
                slice.rows()
                        * (segment.segment().bytes()
                                / Math.max(1, segment.segment().entries()))));
        for (Slice.Source source : slice.sources()) {
            StoredFile file = files.open(source.file().stored());
            new RowGroupReader(file, source.rowGroup(), source.file().onlyStream(), turns)
                    .read(
                            source.from(),
                            source.to(),
                            RowGroupReader.Content.FIELDS,
                            new SliceVisitor(segment.number(), slice, source.file(), builder));
        }
        return builder.build();
    }

    /** Names the files of a slice. */
    static String filesOf(Slice slice) {
        return slice.sources().stream()
                .map(source -> source.file().stored().location())
                .distinct()
                .toList()
                .toString();
    }

    private record SliceVisitor(long segment, Slice slice, SourceFile source, BlockBuilder builder)
            implements RowVisitor {
        @Override
        public boolean row(long position, long rowSegment, long milliseconds, long sequence, long timestamp) {
            boolean wanted = rowSegment == segment
                    && IdOrder.compare(
                                    milliseconds,
                                    sequence,
                                    slice.after().milliseconds(),
                                    slice.after().sequence())
                            > 0
                    && IdOrder.compare(
                                    milliseconds,
                                    sequence,
                                    slice.through().milliseconds(),
                                    slice.through().sequence())
                            <= 0
                    && source.isLive(position);
            if (wanted) {
                builder.entry(milliseconds, sequence);
            }
            return wanted;
        }

        @Override
        public void field(int number, java.nio.ByteBuffer value) {
            builder.field(number, value);
        }
    }
}
