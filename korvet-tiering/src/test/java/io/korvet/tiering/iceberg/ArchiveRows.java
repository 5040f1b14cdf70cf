package io.korvet.tiering.iceberg;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.parquet.Parquet;

/** Writes and reads rows of the archive with Iceberg's own generic writer and reader, for tests. */
final class ArchiveRows {

    private ArchiveRows() {}

    /** A file with some rows of one segment: ids {@code <from>-0} and on, timestamps the same. */
    static DataFile write(
            ArchiveTable archive, String streamKey, long segment, String incarnation, int from, int count) {
        return write(
                archive,
                streamKey,
                segment,
                incarnation,
                from,
                count,
                row -> ByteBuffer.wrap(("value " + row).getBytes(StandardCharsets.UTF_8)));
    }

    private static DataFile write(
            ArchiveTable archive,
            String streamKey,
            long segment,
            String incarnation,
            int from,
            int count,
            IntFunction<ByteBuffer> values) {
        OutputFile file = archive.newDataFile(streamKey, segment);
        Table table = archive.table();
        try {
            DataWriter<Record> writer = Parquet.writeData(file)
                    .forTable(table)
                    .createWriterFunc(GenericParquetWriter::create)
                    .withPartition(ArchiveSchema.partition(table.spec(), streamKey))
                    .withSortOrder(table.sortOrder())
                    .meta(ArchiveSchema.SUMMARY_STREAM_KEY, streamKey)
                    .meta(ArchiveSchema.SUMMARY_SEGMENT_ID, Long.toString(segment))
                    .meta(ArchiveSchema.SUMMARY_INCARNATION, incarnation)
                    .build();
            try (writer) {
                for (int row = 0; row < count; row++) {
                    writer.write(row(table, streamKey, segment, from + row, values.apply(from + row)));
                }
            }
            return writer.toDataFile();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A file of so many rows of 1 MiB that nothing makes smaller. */
    static DataFile writeIncompressible(ArchiveTable archive, String streamKey, long segment, int count) {
        Random random = new Random(count);
        return write(archive, streamKey, segment, "i", 0, count, row -> {
            byte[] value = new byte[1 << 20];
            random.nextBytes(value);
            return ByteBuffer.wrap(value);
        });
    }

    private static Record row(Table table, String streamKey, long segment, int number, ByteBuffer value) {
        GenericRecord row = GenericRecord.create(table.schema());
        row.setField(ArchiveSchema.STREAM_KEY, streamKey);
        row.setField(ArchiveSchema.SEGMENT_ID, segment);
        row.setField(ArchiveSchema.MESSAGE_ID, number + "-0");
        row.setField(ArchiveSchema.TS, (long) number);
        row.setField(ArchiveSchema.FIELDS, Map.of("value", value));
        return row;
    }

    /** An append of a file, not yet committed. */
    static AppendFiles append(ArchiveTable archive, DataFile file, String streamKey, long segment, String incarnation) {
        return archive.table()
                .newAppend()
                .appendFile(file)
                .set(ArchiveSchema.SUMMARY_STREAM_KEY, streamKey)
                .set(ArchiveSchema.SUMMARY_SEGMENT_ID, Long.toString(segment))
                .set(ArchiveSchema.SUMMARY_INCARNATION, incarnation);
    }

    /** Writes and commits a segment. */
    static CommitOutcome offload(ArchiveTable archive, String streamKey, long segment, int from, int count) {
        DataFile file = write(archive, streamKey, segment, "i", from, count);
        return archive.commit(append(archive, file, streamKey, segment, "i"));
    }

    /** Every row of the table as {@code stream/segment/id}, file by file in the files' own order. */
    static List<String> read(Table table) {
        List<String> rows = new ArrayList<>();
        try (CloseableIterable<Record> records = IcebergGenerics.read(table).build()) {
            records.forEach(row -> rows.add(row.getField(ArchiveSchema.STREAM_KEY) + "/"
                    + row.getField(ArchiveSchema.SEGMENT_ID) + "/" + row.getField(ArchiveSchema.MESSAGE_ID)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return rows;
    }

    /** The locations of the table's live data files. */
    static List<String> files(Table table) {
        try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
            List<String> files = new ArrayList<>();
            tasks.forEach(task -> files.add(task.file().location()));
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
