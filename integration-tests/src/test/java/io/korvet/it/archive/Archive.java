package io.korvet.it.archive;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;

/** An archive whose files lie on this machine, read anew at each question from its newest metadata. */
public final class Archive {

    /**
     * One archived record.
     *
     * @param messageId as in Redis
     * @param fields by their names
     */
    public record Row(long segment, String messageId, long timestamp, Map<String, byte[]> fields) {

        /** The value as text, empty when it is absent. */
        public String value() {
            byte[] value = fields.get("value");
            return value == null ? "" : new String(value, StandardCharsets.UTF_8);
        }

        private long part(int index) {
            return Long.parseLong(messageId.split("-", 2)[index]);
        }
    }

    private final Path root;
    private final LocalFiles files;

    private Archive(Path root, LocalFiles files) {
        this.root = root;
        this.files = files;
    }

    /** The archive in a directory. */
    public static Archive in(Path directory) {
        return new Archive(directory, new LocalFiles("file://", Path.of("")));
    }

    /** The archive at {@code s3://bucket/prefix}, where a server keeps the bucket's objects as files. */
    public static Archive in(String bucket, Path bucketFolder, String prefix) {
        return new Archive(bucketFolder.resolve(prefix), new LocalFiles("s3://" + bucket, bucketFolder));
    }

    /** The stream key of a topic's partition 0. */
    public static String streamKey(String topic) {
        return "korvet:storage:local:{" + topic + ":0}";
    }

    /** Whether a first version of the table is there. */
    public boolean exists() {
        return Files.exists(root.resolve("metadata/version-hint.text"));
    }

    /** The newest metadata: what {@code version-hint.text} says, or a later version. */
    public Path metadata() {
        try {
            Path folder = root.resolve("metadata");
            int version = Integer.parseInt(
                    Files.readString(folder.resolve("version-hint.text")).strip());
            while (Files.exists(folder.resolve("v" + (version + 1) + ".metadata.json"))) {
                version++;
            }
            return folder.resolve("v" + version + ".metadata.json");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The table as it is now; later changes are not in it. */
    public Table table() {
        return new BaseTable(new StaticTableOperations(metadata().toString(), files), "segments");
    }

    /** The live data files that Iceberg can't rule out for a filter. */
    public List<DataFile> files(Expression filter) {
        List<DataFile> found = new ArrayList<>();
        try (CloseableIterable<FileScanTask> tasks =
                table().newScan().filter(filter).planFiles()) {
            tasks.forEach(task -> found.add(task.file()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    /** Where those files lie on this machine. */
    public List<Path> paths(Expression filter) {
        return files(filter).stream().map(file -> files.path(file.location())).toList();
    }

    /** All rows of a topic's partition 0 in Kafka's order. */
    public List<Row> rows(String topic) {
        List<Row> rows = new ArrayList<>();
        try (CloseableIterable<Record> records = IcebergGenerics.read(table())
                .where(Expressions.equal("stream_key", streamKey(topic)))
                .build()) {
            records.forEach(record -> rows.add(row(record)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        rows.sort(Comparator.comparingLong(Row::segment)
                .thenComparingLong(row -> row.part(0))
                .thenComparingLong(row -> row.part(1)));
        return rows;
    }

    private static Row row(Record record) {
        Map<String, byte[]> fields = new TreeMap<>();
        ((Map<?, ?>) record.getField("fields"))
                .forEach((name, value) -> fields.put(String.valueOf(name), bytes((ByteBuffer) value)));
        return new Row(
                (Long) record.getField("segment_id"),
                String.valueOf(record.getField("message_id")),
                (Long) record.getField("ts"),
                fields);
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
