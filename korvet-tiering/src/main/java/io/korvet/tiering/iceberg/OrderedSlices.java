package io.korvet.tiering.iceberg;

import io.korvet.offsets.OffsetException;
import io.korvet.offsets.StreamEntryId;
import io.korvet.tiering.iceberg.Slice.Source;
import io.korvet.tiering.iceberg.Slice.SourceFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.statistics.LongStatistics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.internal.column.columnindex.ColumnIndex;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a file whose writer promises rows of one segment in the order of their ids, by its footer and page indexes alone:
 * no row is read.
 */
final class OrderedSlices {

    static final StreamEntryId UNKNOWN = new StreamEntryId(Long.MAX_VALUE, Long.MAX_VALUE);

    private static final long BYTES = 256 << 10;
    private static final int ROWS = 16_384;

    private final StoredFile file;
    private final SourceFile source;
    private final List<Slice> slices = new ArrayList<>();

    private OrderedSlices(StoredFile file, SourceFile source) {
        this.file = file;
        this.source = source;
    }

    /** The slices of a file, of which the last ends with an id that is known. */
    static List<Slice> of(StoredFile file, SourceFile source, StreamEntryId lastId) {
        OrderedSlices cut = new OrderedSlices(file, source);
        try (ParquetFileReader reader = file.reader()) {
            for (int group = 0; group < file.rowGroups(); group++) {
                cut.rowGroup(reader, group);
            }
        } catch (IOException | RuntimeException e) {
            throw ReadFailures.ofContent(file.location(), e);
        }
        return tightened(cut.slices, lastId);
    }

    /** No id is above those of the slices that follow. */
    private static List<Slice> tightened(List<Slice> slices, StreamEntryId lastId) {
        StreamEntryId through = lastId;
        for (int i = slices.size() - 1; i >= 0; i--) {
            Slice slice = slices.get(i);
            through = slice.through().compareTo(through) < 0 ? slice.through() : through;
            slices.set(i, new Slice(slice.after(), through, slice.rows(), slice.largestTimestamp(), slice.sources()));
        }
        return slices;
    }

    private void rowGroup(ParquetFileReader reader, int group) throws IOException {
        long rows = file.rows(group);
        ColumnChunkMetaData values = file.chunk(group, file.fieldValues());
        OffsetIndex pages = reader.readOffsetIndex(values);
        Pages ids = Pages.of(
                reader, file.chunk(group, file.descriptor(file.columns().messageId())));
        Pages timestamps = Pages.of(
                reader, file.chunk(group, file.descriptor(file.columns().timestamp())));
        LongStatistics timestampBounds = file.longBounds(group, file.columns().timestamp());
        long groupTimestamp = timestampBounds == null ? Long.MAX_VALUE : timestampBounds.getMax();
        StreamEntryId groupThrough = through(file.descriptor(file.columns().messageId()), group);
        double expansion = (double) values.getTotalUncompressedSize() / Math.max(1, values.getTotalSize());
        long start = 0;
        double bytes = 0;
        for (int page = 0; pages != null && page < pages.getPageCount(); page++) {
            long end = pages.getLastRowIndex(page, rows) + 1;
            double size = pages.getCompressedPageSize(page) * expansion;
            boolean full = bytes + size > BYTES || end - start > ROWS;
            long pageStart = pages.getFirstRowIndex(page);
            if (full && pageStart > start) {
                add(group, start, pageStart, ids, groupThrough, timestamps, groupTimestamp);
                start = pageStart;
                bytes = 0;
            }
            bytes += size;
        }
        if (rows > start) {
            add(group, start, rows, ids, groupThrough, timestamps, groupTimestamp);
        }
    }

    private void add(
            int group,
            long from,
            long to,
            @Nullable Pages ids,
            StreamEntryId groupThrough,
            @Nullable Pages timestamps,
            long groupTimestamp) {
        StreamEntryId through = groupThrough;
        if (ids != null) {
            int page = ids.pageOf(to - 1);
            StreamEntryId ofPage = through(ids.least(page), ids.most(page));
            through = ofPage.compareTo(through) < 0 ? ofPage : through;
        }
        long timestamp = groupTimestamp;
        if (timestamps != null) {
            timestamp = Long.MIN_VALUE;
            for (int page = timestamps.pageOf(from); page <= timestamps.pageOf(to - 1); page++) {
                timestamp = Math.max(
                        timestamp,
                        timestamps.most(page).order(ByteOrder.LITTLE_ENDIAN).getLong(0));
            }
        }
        slices.add(new Slice(
                StreamEntryId.MINIMUM,
                through,
                (int) (to - from),
                timestamp,
                List.of(new Source(source, group, from, to))));
    }

    private StreamEntryId through(ColumnDescriptor ids, int group) {
        Statistics<?> statistics = file.chunk(group, ids).getStatistics();
        return statistics == null || !statistics.hasNonNullValue()
                ? UNKNOWN
                : through(ByteBuffer.wrap(statistics.getMinBytes()), ByteBuffer.wrap(statistics.getMaxBytes()));
    }

    /**
     * An id that none is above, from the smallest and largest id as texts. Texts compare as numbers do only while they
     * have the same number of digits.
     */
    static StreamEntryId through(ByteBuffer least, ByteBuffer most) {
        String low = StandardCharsets.US_ASCII.decode(least).toString();
        String high = StandardCharsets.US_ASCII.decode(most).toString();
        int lowDash = low.indexOf('-');
        int highDash = high.indexOf('-');
        if (lowDash < 0 || lowDash != highDash) {
            return UNKNOWN;
        }
        try {
            StreamEntryId id = StreamEntryId.parse(high);
            return low.length() == high.length() && low.regionMatches(0, high, 0, lowDash)
                    ? id
                    : new StreamEntryId(id.milliseconds(), Long.MAX_VALUE);
        } catch (OffsetException e) {
            // A bound that was cut short by its writer.
            return UNKNOWN;
        }
    }

    /** The pages of one column with their bounds. */
    private record Pages(OffsetIndex offsets, ColumnIndex bounds) {

        static @Nullable Pages of(ParquetFileReader reader, ColumnChunkMetaData chunk) throws IOException {
            OffsetIndex offsets = reader.readOffsetIndex(chunk);
            ColumnIndex bounds = reader.readColumnIndex(chunk);
            return offsets == null || bounds == null || bounds.getNullPages().contains(true)
                    ? null
                    : new Pages(offsets, bounds);
        }

        int pageOf(long row) {
            int page = 0;
            while (page < offsets.getPageCount() - 1 && offsets.getFirstRowIndex(page + 1) <= row) {
                page++;
            }
            return page;
        }

        ByteBuffer least(int page) {
            return bounds.getMinValues().get(page).duplicate();
        }

        ByteBuffer most(int page) {
            return bounds.getMaxValues().get(page).duplicate();
        }
    }
}
