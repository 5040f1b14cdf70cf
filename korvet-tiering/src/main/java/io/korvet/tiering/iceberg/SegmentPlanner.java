package io.korvet.tiering.iceberg;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.Segment;
import io.korvet.tiering.ColdSegment;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.iceberg.ReadFailures.FileGone;
import io.korvet.tiering.iceberg.Slice.SourceFile;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;

/**
 * Finds where a segment's rows are, and that they are all there. A file that Korvet wrote for the segment is believed to
 * be in order; the rows of all others are looked at. Blocks; thread-safe.
 */
final class SegmentPlanner {

    private static final int IDS_IN_MEMORY = 500_000;
    private static final long SLICE_BYTES = 256 << 10;
    private static final int MOST_ROWS = 8_192;
    private static final int FEWEST_ROWS = 16;

    private final Table table;
    private final SegmentIndex index;
    private final StoredFiles files;
    private final LoadTurns turns;
    private final BlockSpace space;
    private final ReentrantLock scanTurn = new ReentrantLock();

    SegmentPlanner(Table table, SegmentIndex index, StoredFiles files, LoadTurns turns, BlockSpace space) {
        this.table = table;
        this.index = index;
        this.files = files;
        this.turns = turns;
        this.space = space;
    }

    /** How much a file's writer is believed. */
    enum Trust {
        /** Files of Korvet are in order. */
        WRITER,
        /** Only the rows tell. */
        ROWS
    }

    private record Found(SourceFile source, StoredFile file) {}

    /** The files that are the segment's own, and what kept others from being looked at. */
    private record Search(
            List<Found> found,
            @Nullable RuntimeException broken,
            @Nullable String stale) {
        /** Whether there is enough to begin with: a broken file may have rows, unless others are known to be all. */
        void check(ColdSegment segment, String table, String streamKey) {
            boolean sealed = found.stream()
                    .allMatch(one -> FileNotes.isOfThatSealing(one.file().notes(), segment));
            if (broken != null && (found.isEmpty() || !sealed)) {
                throw broken;
            }
            if (found.isEmpty()) {
                throw new ColdTierException(
                        Kind.CORRUPT,
                        segment + " is not in table " + table + ": expected "
                                + segment.segment().entries() + " rows of stream_key " + streamKey
                                + (stale == null
                                        ? ""
                                        : "; " + stale + " has that segment as it was sealed another time, before Redis"
                                                + " went back"));
            }
        }
    }

    /**
     * Plans by what the index knows now. Files that have the segment as it was sealed another time are none of it.
     *
     * @throws ColdTierException CORRUPT when not exactly the segment's rows are there
     */
    SegmentPlan plan(ColdSegment segment, String streamKey, Trust trust) {
        Search search = search(segment, streamKey);
        Segment expected = segment.segment();
        if (trust == Trust.WRITER && expected.last() != null) {
            Found only = whole(segment, streamKey, search);
            if (only != null) {
                StreamEntryId last = segment.hasEntriesWithoutOffset() ? OrderedSlices.UNKNOWN : expected.last();
                return new SegmentPlan(OrderedSlices.of(only.file(), only.source(), last), true);
            }
        }
        return new SegmentPlan(scanned(segment, search).slices(), false);
    }

    /**
     * Makes certain, by what the index knows now, that exactly the segment's rows are live. Rows in files that say nothing
     * of the sealing are told from those of another one by their number, the first and last id, and the latest timestamp.
     *
     * @return a file that has them, or some of them
     * @throws ColdTierException CORRUPT when it is otherwise
     * @throws FileGone when a file that has some of them isn't there
     */
    String confirm(ColdSegment segment, String streamKey) {
        Search search = search(segment, streamKey);
        Found only = whole(segment, streamKey, search);
        String file = search.found().get(0).file().location();
        if (only != null && FileNotes.isOfThatSealing(only.file().notes(), segment)) {
            return file;
        }
        IdScan scan = scanned(segment, search);
        List<Slice> slices = scan.slices();
        StreamEntryId first = scan.first();
        StreamEntryId last =
                slices.isEmpty() ? null : slices.get(slices.size() - 1).through();
        Segment expected = segment.segment();
        long rows = slices.stream().mapToLong(Slice::rows).sum();
        if (!segment.agreesWith(rows, first, last)) {
            throw new ColdTierException(
                    Kind.CORRUPT,
                    segment + " has rows from " + first + " to " + last + " in " + names(search.found()) + ": expected "
                            + expected.first() + " to " + expected.last());
        }
        long latest = slices.stream().mapToLong(Slice::largestTimestamp).max().orElse(-1);
        if (latest != expected.lastTimestamp() && !segment.hasEntriesWithoutOffset()) {
            throw new ColdTierException(
                    Kind.CORRUPT,
                    segment + " has rows up to timestamp " + latest + " in " + names(search.found())
                            + ": expected up to "
                            + expected.lastTimestamp()
                            + ", so these are of the segment as it was sealed another time, before Redis went back");
        }
        return file;
    }

    /** The one file that has all of a segment by its writer's word and by the number of its rows. */
    private static @Nullable Found whole(ColdSegment segment, String streamKey, Search search) {
        Found only = search.found().get(0);
        return search.found().size() == 1
                        && only.source().live() == null
                        && only.source().onlyStream() == null
                        && FileNotes.isWrittenFor(only.file().notes(), streamKey, segment)
                        && only.file().rows() == segment.segment().entries()
                ? only
                : null;
    }

    private Search search(ColdSegment segment, String streamKey) {
        Map<String, FileScanTask> deletes = index.hasDeletes() ? index.deletes(streamKey, segment.number()) : Map.of();
        List<Found> found = new ArrayList<>();
        RuntimeException broken = null;
        String stale = null;
        for (ArchivedFile file : index.files(streamKey, segment.number())) {
            try {
                StoredFile stored = open(file);
                if (FileNotes.isOfAnotherIncarnation(stored.notes(), segment)) {
                    continue;
                }
                if (FileNotes.isOfAnotherSealing(stored.notes(), segment)) {
                    stale = file.location();
                    continue;
                }
                FileScanTask task = deletes.get(file.location());
                BitSet live = task == null ? null : LiveRows.of(table, task);
                String onlyStream = file.streamKey() == null ? streamKey : null;
                found.add(new Found(new SourceFile(file, onlyStream, live), stored));
            } catch (FileGone e) {
                broken = broken == null ? e : broken;
            } catch (ColdTierException e) {
                if (e.kind() != Kind.CORRUPT) {
                    throw e;
                }
                broken = broken == null ? e : broken;
            }
        }
        Search search = new Search(found, broken, stale);
        search.check(segment, table.name(), streamKey);
        return search;
    }

    private StoredFile open(ArchivedFile file) {
        if (!file.format().equals("PARQUET")) {
            throw new ColdTierException(
                    Kind.CORRUPT,
                    file.location() + " was written as " + file.format() + " by another engine: Kafka reads need"
                            + " PARQUET; rewrite it with write.format.default=parquet");
        }
        return files.open(file);
    }

    private IdScan scanned(ColdSegment segment, Search search) {
        Segment expected = segment.segment();
        List<Found> found = search.found();
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
        IdScan scan = new IdScan(segment.number(), parts, IDS_IN_MEMORY, rowsPerSlice, turns);
        long rows;
        scanTurn.lock();
        try {
            rows = scan.slices().stream().mapToLong(Slice::rows).sum();
        } finally {
            scanTurn.unlock();
        }
        if (rows != expected.entries()) {
            RuntimeException broken = search.broken();
            if (broken != null) {
                throw broken;
            }
            throw new ColdTierException(
                    Kind.CORRUPT,
                    segment + " has " + rows + " rows in " + names(found) + ": expected " + expected.entries()
                            + (rows > expected.entries() ? "; somebody added rows" : "; rows are missing"));
        }
        return scan;
    }

    private static String names(List<Found> found) {
        return found.stream().map(part -> part.file().location()).toList().toString();
    }

    /** Decodes a slice; rows that nobody vouches for are put in order. */
    Block load(ColdSegment segment, Slice slice, boolean vouched) {
        BlockBuilder builder = new BlockBuilder(space);
        for (Slice.Source source : slice.sources()) {
            StoredFile file = files.open(source.file().stored());
            new RowGroupReader(file, source.rowGroup(), source.file().onlyStream(), turns)
                    .read(
                            source.from(),
                            source.to(),
                            RowGroupReader.Content.FIELDS,
                            new SliceVisitor(segment.number(), slice, source.file(), builder));
        }
        if (!vouched) {
            builder.sort();
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
