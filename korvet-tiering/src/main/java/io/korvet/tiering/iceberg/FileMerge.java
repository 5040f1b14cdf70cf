package io.korvet.tiering.iceberg;

import io.korvet.offsets.StreamEntryId;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetReaders;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.parquet.Parquet;

/**
 * Copies the rows of neighbouring files of one log, all columns of them, into one file, in the order of segment and id.
 * What the footers say of segments and incarnation stands in the new file's, too. One row group of at most 16 MiB is in
 * memory on either side. Single use, for one thread.
 */
final class FileMerge {

    private static final long GROUP_BYTES = 16 << 20;

    private final ArchiveTable archive;
    private final Table table;
    private final String streamKey;
    private final OutputFile output;

    /** The incarnation that all rows are of, as soon as one is known. */
    private String incarnation = "";

    /** The file whose content is being looked at. */
    private String at = "";

    private long rows;
    private long lastSegment = Long.MIN_VALUE;
    private StreamEntryId lastId = StreamEntryId.MINIMUM;
    private long lastTimestamp = Long.MIN_VALUE;
    private boolean sorted = true;

    FileMerge(ArchiveTable archive, String streamKey, long firstSegment) {
        this.archive = archive;
        this.table = archive.table();
        this.streamKey = streamKey;
        this.output = archive.newDataFile(streamKey, firstSegment);
    }

    /** Where the new file is, or would have been. */
    String location() {
        return output.location();
    }

    /** The file that was being copied, so that a failure to do so is about it. */
    String at() {
        return at;
    }

    /**
     * Writes the file, which is durable when this returns and not yet part of the table.
     *
     * @throws ColdTierException CORRUPT when the files' rows or notes aren't what Korvet writes, so that they are better
     *     left alone
     */
    DataFile write(List<StoredFile> inputs) {
        try {
            Parquet.DataWriteBuilder builder = Parquet.writeData(output)
                    .forTable(table)
                    .set("write.parquet.row-group-size-bytes", Long.toString(groupBytes()))
                    .createWriterFunc(GenericParquetWriter::create)
                    .withPartition(ArchiveSchema.partition(table.spec(), streamKey));
            notes(inputs).forEach(builder::meta);
            DataWriter<Record> writer = builder.build();
            try (writer) {
                for (StoredFile input : inputs) {
                    copy(input, writer);
                }
            }
            return DataFiles.builder(table.spec())
                    .copy(writer.toDataFile())
                    .withSortOrder(sorted ? SegmentFileWriter.orderByTimestamp(table) : SortOrder.unsorted())
                    .build();
        } catch (IOException e) {
            throw ArchiveFailures.of("putting files of " + streamKey + " together", e);
        }
    }

    private long groupBytes() {
        return Math.min(archive.settings().rowGroupBytes(), GROUP_BYTES);
    }

    private Map<String, String> notes(List<StoredFile> inputs) {
        List<String> segments = new ArrayList<>();
        for (StoredFile input : inputs) {
            at = input.location();
            String noted = FileNotes.incarnation(input.notes());
            if (noted == null || !streamKey.equals(input.notes().get(ArchiveSchema.SUMMARY_STREAM_KEY))) {
                throw unfit(input, "was not written by Korvet for this log");
            }
            if (!incarnation.isEmpty() && !incarnation.equals(noted)) {
                throw unfit(input, "has rows of incarnation " + noted + ", its neighbours of " + incarnation);
            }
            incarnation = noted;
            String several = input.notes().get(ArchiveSchema.FOOTER_SEGMENTS);
            String seal = input.notes().get(ArchiveSchema.SUMMARY_SEAL);
            segments.add(
                    several != null
                            ? several
                            : input.notes().get(ArchiveSchema.SUMMARY_SEGMENT_ID)
                                    + ":"
                                    + noted
                                    + (seal == null ? "" : ":" + seal));
        }
        Map<String, String> notes = new LinkedHashMap<>();
        notes.put(ArchiveSchema.SUMMARY_STREAM_KEY, streamKey);
        notes.put(ArchiveSchema.SUMMARY_INCARNATION, incarnation);
        notes.put(ArchiveSchema.FOOTER_SEGMENTS, String.join(",", segments));
        return notes;
    }

    private void copy(StoredFile input, DataWriter<Record> writer) throws IOException {
        at = input.location();
        long before = rows;
        try (CloseableIterable<Record> records = Parquet.read(archive.io().newInputFile(input.location()))
                .project(table.schema())
                .createReaderFunc(type -> GenericParquetReaders.buildReader(table.schema(), type))
                .build()) {
            for (Record row : records) {
                check(input, row);
                writer.write(row);
                rows++;
            }
        }
        if (rows - before != input.rows()) {
            throw unfit(input, "gave " + (rows - before) + " rows, expected " + input.rows());
        }
    }

    private void check(StoredFile input, Record row) {
        long segment = (Long) row.getField(ArchiveSchema.SEGMENT_ID);
        StreamEntryId id = StreamEntryId.parse((String) row.getField(ArchiveSchema.MESSAGE_ID));
        long timestamp = (Long) row.getField(ArchiveSchema.TS);
        boolean follows = segment > lastSegment || (segment == lastSegment && id.compareTo(lastId) > 0);
        if (!follows || !streamKey.equals(row.getField(ArchiveSchema.STREAM_KEY))) {
            throw unfit(input, "has " + id + " of segment " + segment + " after " + lastId + " of " + lastSegment);
        }
        lastSegment = segment;
        lastId = id;
        sorted &= timestamp >= lastTimestamp;
        lastTimestamp = timestamp;
    }

    private ColdTierException unfit(StoredFile input, String problem) {
        return new ColdTierException(
                Kind.CORRUPT, "file " + input.location() + " of " + streamKey + " " + problem + ": it stays as it is");
    }
}
