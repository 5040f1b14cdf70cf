package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Schema;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.types.Types;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.statistics.LongStatistics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ColumnPath;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/**
 * A data file whose footer and page indexes are in memory. Columns are found by the table's field ids, so that neither
 * their order nor other columns matter. Immutable.
 */
final class StoredFile {

    private static final long FIRST_READ = 64 << 10;
    private static final long LARGEST_TAIL = 8 << 20;

    private final StorageInput input;
    private final ParquetMetadata footer;
    private final Columns columns;
    private final List<Long> firstRows;

    /** The columns that a segment's rows are in; a data file that another engine wrote may lack a timestamp. */
    record Columns(Type streamKey, Type segment, Type messageId, Type timestamp, GroupType fields) {}

    private StoredFile(StorageInput input, ParquetMetadata footer, Columns columns) {
        this.input = input;
        this.footer = footer;
        this.columns = columns;
        this.firstRows = new ArrayList<>();
        long rows = 0;
        for (BlockMetaData group : footer.getBlocks()) {
            firstRows.add(rows);
            rows += group.getRowCount();
        }
    }

    /** Reads the end of a file; blocks. */
    static StoredFile open(InputFile file, long length, Schema schema) {
        StorageInput input = new StorageInput(file, length);
        try {
            input.keepTail(FIRST_READ);
            ParquetMetadata footer;
            try (SeekableInputStream stream = input.newStream();
                    ParquetFileReader reader = new ParquetFileReader(input, options(), stream)) {
                footer = reader.getFooter();
            }
            long indexes = startOfIndexes(footer, length);
            if (length - indexes > input.tailBytes() && length - indexes <= LARGEST_TAIL) {
                input.keepTail(length - indexes);
            }
            input.forgetBefore(indexes);
            return new StoredFile(input, footer, columns(file.location(), footer, schema));
        } catch (IOException | RuntimeException e) {
            throw ReadFailures.ofContent(file.location(), e);
        }
    }

    private static long startOfIndexes(ParquetMetadata footer, long length) {
        long start = length;
        for (BlockMetaData group : footer.getBlocks()) {
            for (ColumnChunkMetaData chunk : group.getColumns()) {
                if (chunk.getColumnIndexReference() != null) {
                    start = Math.min(start, chunk.getColumnIndexReference().getOffset());
                }
                if (chunk.getOffsetIndexReference() != null) {
                    start = Math.min(start, chunk.getOffsetIndexReference().getOffset());
                }
            }
        }
        return start;
    }

    private static Columns columns(String location, ParquetMetadata footer, Schema schema) {
        MessageType type = footer.getFileMetaData().getSchema();
        Type fields = column(location, type, schema, "fields");
        if (fields.isPrimitive()
                || fields.asGroupType().getFieldCount() != 1
                || fields.asGroupType().getType(0).isPrimitive()
                || fields.asGroupType().getType(0).asGroupType().getFieldCount() != 2) {
            throw new ColdTierException(Kind.CORRUPT, location + ": column fields is not a map: " + fields);
        }
        return new Columns(
                column(location, type, schema, "stream_key"),
                column(location, type, schema, "segment_id"),
                column(location, type, schema, "message_id"),
                column(location, type, schema, "ts"),
                fields.asGroupType());
    }

    private static Type column(String location, MessageType type, Schema schema, String name) {
        Types.NestedField field = schema.findField(name);
        if (field == null) {
            throw new ColdTierException(
                    Kind.CORRUPT, "the table has no column " + name + " any more: expected the columns Korvet made");
        }
        for (Type candidate : type.getFields()) {
            if (candidate.getId() != null && candidate.getId().intValue() == field.fieldId()) {
                return candidate;
            }
        }
        if (type.containsField(name)) {
            return type.getType(name);
        }
        throw new ColdTierException(Kind.CORRUPT, location + " has no column " + name);
    }

    /** The file's address. */
    String location() {
        return input.location();
    }

    /** About how much memory this takes. */
    long sizeInBytes() {
        return 4_000L + 3L * input.tailBytes();
    }

    /** What its writer noted about it. */
    Map<String, String> notes() {
        return footer.getFileMetaData().getKeyValueMetaData();
    }

    Columns columns() {
        return columns;
    }

    String createdBy() {
        return String.valueOf(footer.getFileMetaData().getCreatedBy());
    }

    int rowGroups() {
        return footer.getBlocks().size();
    }

    /** How many rows a row group has. */
    long rows(int rowGroup) {
        return footer.getBlocks().get(rowGroup).getRowCount();
    }

    /** The position in the file of a row group's first row. */
    long firstRow(int rowGroup) {
        return firstRows.get(rowGroup);
    }

    /** How many rows the file has. */
    long rows() {
        return footer.getBlocks().stream().mapToLong(BlockMetaData::getRowCount).sum();
    }

    /** How many bytes of a row group a projection takes in the file. */
    long storedBytes(int rowGroup, MessageType projection) {
        return projection.getColumns().stream()
                .mapToLong(column -> chunk(rowGroup, column).getTotalSize())
                .sum();
    }

    /** A projection to some of the columns. */
    MessageType projection(List<Type> wanted) {
        return new MessageType(footer.getFileMetaData().getSchema().getName(), wanted);
    }

    /** A column of one value per row. */
    ColumnDescriptor descriptor(Type column) {
        return footer.getFileMetaData().getSchema().getColumnDescription(new String[] {column.getName()});
    }

    /** The names of a map's entries. */
    ColumnDescriptor fieldNames() {
        return fieldColumn(0);
    }

    /** The values of a map's entries. */
    ColumnDescriptor fieldValues() {
        return fieldColumn(1);
    }

    private ColumnDescriptor fieldColumn(int child) {
        GroupType entry = columns.fields().getType(0).asGroupType();
        return footer.getFileMetaData().getSchema().getColumnDescription(new String[] {
            columns.fields().getName(), entry.getName(), entry.getType(child).getName()
        });
    }

    ColumnChunkMetaData chunk(int rowGroup, ColumnDescriptor column) {
        ColumnPath path = ColumnPath.get(column.getPath());
        for (ColumnChunkMetaData chunk : footer.getBlocks().get(rowGroup).getColumns()) {
            if (chunk.getPath().equals(path)) {
                return chunk;
            }
        }
        throw new ColdTierException(
                Kind.CORRUPT, location() + ": row group " + rowGroup + " has no column " + path.toDotString());
    }

    /** The bounds of a column of numbers in a row group, {@code null} when they are not known. */
    @Nullable
    LongStatistics longBounds(int rowGroup, Type column) {
        Statistics<?> statistics = chunk(rowGroup, descriptor(column)).getStatistics();
        return statistics instanceof LongStatistics bounds && bounds.hasNonNullValue() ? bounds : null;
    }

    /** Where a column's pages begin in a row group, {@code null} when the file doesn't say. */
    @Nullable
    OffsetIndex pages(int rowGroup, ColumnDescriptor column) throws IOException {
        ColumnChunkMetaData chunk = chunk(rowGroup, column);
        if (chunk.getOffsetIndexReference() == null) {
            return null;
        }
        try (ParquetFileReader reader = reader()) {
            return reader.readOffsetIndex(chunk);
        }
    }

    /** Options for one reader alone: they hold its decompressors, which are for one thread and which it ends when closed. */
    private static ParquetReadOptions options() {
        return ParquetReadOptions.builder(new PlainParquetConfiguration())
                .withUseHadoopVectoredIo(false)
                .usePageChecksumVerification(true)
                .build();
    }

    /** A reader of row groups; to be closed. */
    ParquetFileReader reader() throws IOException {
        return new ParquetFileReader(input, footer, options(), input.newStream());
    }
}
