package io.korvet.tiering.iceberg;

import io.korvet.tiering.iceberg.SegmentModel.Row;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.parquet.Parquet;

/** Writes data and delete files of a table with Iceberg's generic writers, as any engine may, for tests. */
final class SegmentFiles {

    private final Table table;
    private final StructLike partition;

    /** A row with its segment. */
    record Placed(long segment, Row row) {}

    /** How a file is divided. */
    record Shape(int rowGroupBytes, int pageBytes, int pageRows) {
        static final Shape SMALL = new Shape(20_000, 2_000, 50);
        static final Shape WHOLE = new Shape(128 << 20, 1 << 20, 20_000);
    }

    SegmentFiles(Table table) {
        this.table = table;
        this.partition = ArchiveSchema.partition(table.spec(), SegmentModel.STREAM_KEY);
    }

    /** What Korvet notes in a file that it writes for one segment. */
    static Map<String, String> notes(long segment, String incarnation) {
        return Map.of(
                ArchiveSchema.SUMMARY_STREAM_KEY,
                SegmentModel.STREAM_KEY,
                ArchiveSchema.SUMMARY_SEGMENT_ID,
                Long.toString(segment),
                ArchiveSchema.SUMMARY_INCARNATION,
                incarnation);
    }

    /** A data file with rows in the given order. */
    DataFile write(List<Placed> rows, Map<String, String> notes, Shape shape) {
        try {
            Parquet.DataWriteBuilder builder = Parquet.writeData(newFile("data"))
                    .forTable(table)
                    .createWriterFunc(GenericParquetWriter::create)
                    .withPartition(partition)
                    .set("write.parquet.row-group-size-bytes", Integer.toString(shape.rowGroupBytes()))
                    .set("write.parquet.row-group-check-min-record-count", "10")
                    .set("write.parquet.row-group-check-max-record-count", "50")
                    .set("write.parquet.page-size-bytes", Integer.toString(shape.pageBytes()))
                    .set("write.parquet.page-row-limit", Integer.toString(shape.pageRows()));
            notes.forEach(builder::meta);
            DataWriter<Record> writer = builder.build();
            try (writer) {
                for (Placed placed : rows) {
                    writer.write(row(placed));
                }
            }
            return writer.toDataFile();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A file that deletes rows of another one by their positions. */
    DeleteFile deletePositions(DataFile file, List<Integer> positions) {
        try {
            PositionDeleteWriter<Record> writer = Parquet.writeDeletes(newFile("positions"))
                    .withSpec(table.spec())
                    .withPartition(partition)
                    .buildPositionWriter();
            try (writer) {
                for (int position : positions) {
                    PositionDelete<Record> delete = PositionDelete.create();
                    writer.write(delete.set(file.location(), position));
                }
            }
            return writer.toDeleteFile();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A file that deletes all earlier rows with the segment and id of one of these. */
    DeleteFile deleteEqual(List<Placed> rows) {
        try {
            EqualityDeleteWriter<Record> writer = Parquet.writeDeletes(newFile("equal"))
                    .forTable(table)
                    .rowSchema(table.schema().select("segment_id", "message_id"))
                    .withPartition(partition)
                    .createWriterFunc(GenericParquetWriter::create)
                    .equalityFieldIds(2, 3)
                    .buildEqualityWriter();
            try (writer) {
                for (Placed placed : rows) {
                    GenericRecord key = GenericRecord.create(table.schema().select("segment_id", "message_id"));
                    key.setField("segment_id", placed.segment());
                    key.setField("message_id", placed.row().id().toString());
                    writer.write(key);
                }
            }
            return writer.toDeleteFile();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private OutputFile newFile(String kind) {
        return table.io()
                .newOutputFile(table.locationProvider()
                        .newDataLocation(table.spec(), partition, kind + "-" + UUID.randomUUID() + ".parquet"));
    }

    private Record row(Placed placed) {
        Map<String, ByteBuffer> fields = new LinkedHashMap<>();
        placed.row().fields().forEach((name, value) -> fields.put(name, ByteBuffer.wrap(value)));
        GenericRecord row = GenericRecord.create(table.schema());
        row.setField("stream_key", SegmentModel.STREAM_KEY);
        row.setField("segment_id", placed.segment());
        row.setField("message_id", placed.row().id().toString());
        row.setField("ts", placed.row().timestamp());
        row.setField("fields", fields);
        return row;
    }
}
