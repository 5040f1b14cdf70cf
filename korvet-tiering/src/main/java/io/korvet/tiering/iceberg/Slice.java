package io.korvet.tiering.iceberg;

import io.korvet.offsets.StreamEntryId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a segment that is decoded at once.
 *
 * @param after the slice's ids are above this one
 * @param through no id of the slice is above this one
 * @param rows how many rows it has
 * @param largestTimestamp no row's timestamp is above it
 * @param sources the row ranges that together have its rows, and maybe others
 */
record Slice(StreamEntryId after, StreamEntryId through, int rows, long largestTimestamp, List<Source> sources) {

    /**
     * A range of rows of one row group.
     *
     * @param file the file
     * @param rowGroup its row group
     * @param from the first row, counted from the row group's
     * @param to the row after the last
     */
    record Source(SourceFile file, int rowGroup, long from, long to) {}

    /**
     * A data file as a segment sees it.
     *
     * @param stored its address and length
     * @param onlyStream the stream whose rows count, {@code null} when it has no others
     * @param live which rows no delete file takes away, {@code null} for all
     */
    record SourceFile(ArchivedFile stored, @Nullable String onlyStream, java.util.@Nullable BitSet live) {

        /** Whether a row counts. */
        boolean isLive(long position) {
            return live == null || live.get((int) position);
        }
    }

    Slice {
        sources = List.copyOf(sources);
    }
}
