package io.korvet.tiering.iceberg;

import io.korvet.store.EntryFields;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.SortDirection;
import org.apache.iceberg.SortField;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.parquet.ParquetSchemaUtil;
import org.apache.iceberg.parquet.ParquetUtil;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor;
import org.apache.parquet.hadoop.CodecFactory;
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/**
 * Writes the entries of one segment as a Parquet file of the archive, page by page and column by column, without an object
 * per entry. A row group ends at the bytes asked for, at {@value #GROUP_ROWS} rows or at 16 MiB that wait, whichever comes
 * first: that bounds the memory, and what a reader that begins in the middle has to read (ADR 0017).
 *
 * <p>For one thread at a time. It must be closed; a file that was not finished is for the caller to delete.
 */
final class SegmentFileWriter implements AutoCloseable {

    static final int GROUP_ROWS = 65_536;
    private static final long GROUP_BYTES = 16 << 20;
    private static final int PAGE_BYTES = 256 << 10;
    private static final int PAGE_ROWS = 4_096;
    private static final int NONE = -1;
    private static final int LONGEST_ID = 41;

    /** What a file's footer says whose rows they are. */
    record Identity(
            String streamKey,
            long segment,
            String incarnation,
            @Nullable String seal) {
        /** As it is written down. */
        Map<String, String> notes() {
            Map<String, String> notes = new LinkedHashMap<>();
            notes.put(ArchiveSchema.SUMMARY_STREAM_KEY, streamKey);
            notes.put(ArchiveSchema.SUMMARY_SEGMENT_ID, Long.toString(segment));
            notes.put(ArchiveSchema.SUMMARY_INCARNATION, incarnation);
            if (seal != null) {
                notes.put(ArchiveSchema.SUMMARY_SEAL, seal);
            }
            return notes;
        }
    }

    private final Table table;
    private final Identity identity;
    private final OutputFile output;
    private final MeteredFile file;
    private final Schema schema;
    private final MessageType parquetSchema;
    private final ParquetProperties properties;
    private final CompressionCodecFactory codecs;
    private final BytesInputCompressor compressor;
    private final long groupBytes;
    private final ParquetFileWriter writer;

    private final Binary streamKey;
    private final Binary[] fieldNames = new Binary[EntryFields.COUNT];
    private final byte[] id = new byte[LONGEST_ID];
    private long idMilliseconds = NONE;
    private int idPrefix;

    private ColumnChunkPageWriteStore pages;
    private ColumnWriteStore columns;
    private ColumnWriter[] column;
    private int groupRows;
    private int groups;
    private long rows;
    private long lastTimestamp = Long.MIN_VALUE;
    private boolean sorted = true;
    private long mostBufferedBytes;
    private boolean open = true;

    /**
     * A writer of a new file.
     *
     * @param groupBytes where a row group ends at the latest
     */
    SegmentFileWriter(Table table, Identity identity, OutputFile output, long groupBytes) throws IOException {
        this.table = table;
        this.identity = identity;
        this.output = output;
        this.file = new MeteredFile(output);
        this.groupBytes = Math.min(groupBytes, GROUP_BYTES);
        schema = columnsOf(table.schema());
        parquetSchema = ParquetSchemaUtil.convert(schema, ArchiveSchema.TABLE);
        properties = properties();
        codecs = new CodecFactory(new Configuration(false), PAGE_BYTES);
        compressor = codecs.getCompressor(codec(table));
        streamKey = Binary.fromString(identity.streamKey());
        for (int field = 0; field < fieldNames.length; field++) {
            fieldNames[field] = Binary.fromString(EntryFields.name(field));
        }
        writer = new ParquetFileWriter(
                file, parquetSchema, ParquetFileWriter.Mode.CREATE, this.groupBytes, 0, null, properties);
        writer.start();
        beginGroup();
    }

    /** The archive's own columns; others that somebody added are left out, and so null. */
    private static Schema columnsOf(Schema schema) {
        return schema.select(ArchiveSchema.SCHEMA.columns().stream()
                .map(column -> column.name())
                .toList());
    }

    private static CompressionCodecName codec(Table table) {
        String name = table.properties().getOrDefault(TableProperties.PARQUET_COMPRESSION, "zstd");
        return CompressionCodecName.fromConf(name.toUpperCase(Locale.ROOT));
    }

    private static ParquetProperties properties() {
        String value = ArchiveSchema.FIELDS + ".key_value.value";
        String key = ArchiveSchema.FIELDS + ".key_value.key";
        return ParquetProperties.builder()
                .withWriterVersion(ParquetProperties.WriterVersion.PARQUET_1_0)
                .withPageSize(PAGE_BYTES)
                .withPageRowCountLimit(PAGE_ROWS)
                .withDictionaryEncoding(true)
                // They differ from row to row, so a dictionary would be made and thrown away.
                .withDictionaryEncoding(ArchiveSchema.MESSAGE_ID, false)
                .withDictionaryEncoding(ArchiveSchema.TS, false)
                .withDictionaryEncoding(value, false)
                .withStatisticsEnabled(value, false)
                .withStatisticsEnabled(key, false)
                .withSizeStatisticsEnabled(false)
                .build();
    }

    private void beginGroup() {
        pages = new ColumnChunkPageWriteStore(
                compressor,
                parquetSchema,
                properties.getAllocator(),
                properties.getColumnIndexTruncateLength(),
                properties.getPageWriteChecksumEnabled(),
                null,
                groups);
        columns = properties.newColumnWriteStore(parquetSchema, pages, pages);
        List<ColumnDescriptor> descriptors = parquetSchema.getColumns();
        column = new ColumnWriter[descriptors.size()];
        for (int index = 0; index < column.length; index++) {
            column[index] = columns.getColumnWriter(descriptors.get(index));
        }
        groupRows = 0;
    }

    private void endGroup() throws IOException {
        mostBufferedBytes = Math.max(mostBufferedBytes, bufferedBytes());
        columns.flush();
        mostBufferedBytes = Math.max(mostBufferedBytes, bufferedBytes());
        if (groupRows > 0) {
            writer.startBlock(groupRows);
            pages.flushToFileWriter(writer);
            writer.endBlock();
            groups++;
        }
        columns.close();
        pages.close();
    }

    /** Adds all entries of a page. */
    void add(SegmentPage page) throws IOException {
        for (int entry = 0; entry < page.count(); entry++) {
            add(page, entry);
            groupRows++;
            rows++;
            if (groupRows >= GROUP_ROWS || ((groupRows & 255) == 0 && columns.getBufferedSize() >= groupBytes)) {
                endGroup();
                beginGroup();
            }
        }
        if (columns.getBufferedSize() >= groupBytes) {
            endGroup();
            beginGroup();
        }
    }

    private void add(SegmentPage page, int entry) {
        column[0].write(streamKey, 0, 0);
        column[1].write(identity.segment(), 0, 0);
        column[2].write(idOf(page, entry), 0, 0);
        int first = page.firstField(entry);
        int end = page.fieldsEnd(entry);
        long timestamp = NONE;
        boolean told = false;
        int repetition = 0;
        int seen = 0;
        for (int field = first; field < end; field++) {
            int number = page.number(field);
            if (number == EntryFields.TIMESTAMP) {
                long decimal = decimal(page.bytes(), page.start(field), page.end(field));
                told = decimal != Long.MIN_VALUE;
                timestamp = told ? decimal : timestamp;
            }
            if (isRepeated(page, field, end)) {
                continue;
            }
            seen++;
            Binary name = number >= 0 ? fieldNames[number] : Binary.fromConstantByteArray(page.name(field));
            column[4].write(name, repetition, 1);
            column[5].write(
                    Binary.fromReusedByteArray(page.bytes(), page.start(field), page.end(field) - page.start(field)),
                    repetition,
                    1);
            repetition = 1;
        }
        if (seen == 0) {
            column[4].writeNull(0, 0);
            column[5].writeNull(0, 0);
        }
        long ts = told ? timestamp : timestampOf(page.milliseconds(entry));
        sorted &= ts >= lastTimestamp;
        lastTimestamp = ts;
        column[3].write(ts, 0, 0);
        columns.endRecord();
    }

    /** An id's own time: dense ids are all of millisecond 1 and tell none, as in {@code OffsetEncoding}. */
    private static long timestampOf(long milliseconds) {
        return milliseconds <= 1 ? NONE : milliseconds;
    }

    /** Whether a later field of the entry has the same name; a map has one value for each. */
    private static boolean isRepeated(SegmentPage page, int field, int end) {
        int number = page.number(field);
        for (int later = field + 1; later < end; later++) {
            if (page.number(later) == number
                    && (number >= 0 || java.util.Arrays.equals(page.name(later), page.name(field)))) {
                return true;
            }
        }
        return false;
    }

    private Binary idOf(SegmentPage page, int entry) {
        long milliseconds = page.milliseconds(entry);
        if (milliseconds != idMilliseconds) {
            idMilliseconds = milliseconds;
            idPrefix = digits(milliseconds, 0);
            id[idPrefix++] = '-';
        }
        int end = digits(page.sequence(entry), idPrefix);
        return Binary.fromReusedByteArray(id, 0, end);
    }

    /** Writes an unsigned number's digits and answers where they end. */
    private int digits(long number, int at) {
        if (number < 0) {
            byte[] text = Long.toUnsignedString(number).getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(text, 0, id, at, text.length);
            return at + text.length;
        }
        int end = at;
        for (long rest = number; rest >= 10; rest /= 10) {
            end++;
        }
        long rest = number;
        for (int place = end; place >= at; place--) {
            id[place] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return end + 1;
    }

    /** A decimal number of at most 18 digits, {@link Long#MIN_VALUE} for anything else. */
    private static long decimal(byte[] bytes, int start, int end) {
        boolean negative = start < end && bytes[start] == '-';
        int from = negative ? start + 1 : start;
        if (from == end || end - from > 18) {
            return Long.MIN_VALUE;
        }
        long number = 0;
        for (int at = from; at < end; at++) {
            int digit = bytes[at] - '0';
            if (digit < 0 || digit > 9) {
                return Long.MIN_VALUE;
            }
            number = 10 * number + digit;
        }
        return negative ? -number : number;
    }

    /** How many entries were added. */
    long rows() {
        return rows;
    }

    /** How long the object store took so far. */
    long uploadNanoseconds() {
        return file.nanoseconds();
    }

    /** How much processor time that took of the thread that writes. */
    long uploadProcessorNanoseconds() {
        return file.processorNanoseconds();
    }

    /** How many bytes the file has so far. */
    long written() {
        return file.written();
    }

    /** About how much memory is in use for columns. */
    long bufferedBytes() {
        return open ? columns.getAllocatedSize() + columns.getBufferedSize() : 0;
    }

    /** The most that this was when a row group ended. */
    long mostBufferedBytes() {
        return mostBufferedBytes;
    }

    /** Completes the file; it is durable when this returns. */
    DataFile finish() throws IOException {
        endGroup();
        open = false;
        Map<String, String> notes = new HashMap<>(identity.notes());
        notes.put("iceberg.schema", SchemaParser.toJson(schema));
        writer.end(notes);
        ParquetMetadata footer = writer.getFooter();
        codecs.release();
        return DataFiles.builder(table.spec())
                .withPath(output.location())
                .withFormat("parquet")
                .withPartition(ArchiveSchema.partition(table.spec(), identity.streamKey()))
                .withFileSizeInBytes(file.written())
                .withMetrics(ParquetUtil.footerMetrics(footer, Stream.empty(), MetricsConfig.forTable(table)))
                .withSplitOffsets(ParquetUtil.getSplitOffsets(footer))
                .withSortOrder(sorted ? orderByTimestamp(table) : SortOrder.unsorted())
                .build();
    }

    /** The table's order, if it is still that by timestamp. */
    static SortOrder orderByTimestamp(Table table) {
        SortOrder order = table.sortOrder();
        int timestamp = table.schema().findField(ArchiveSchema.TS).fieldId();
        if (order.fields().size() != 1) {
            return SortOrder.unsorted();
        }
        SortField field = order.fields().get(0);
        return field.sourceId() == timestamp && field.transform().isIdentity() && field.direction() == SortDirection.ASC
                ? order
                : SortOrder.unsorted();
    }

    /** Ends a file that was not finished; what was written of it may remain. */
    @Override
    public void close() {
        if (open) {
            open = false;
            columns.close();
            pages.close();
            codecs.release();
            writer.abort();
            try {
                writer.close();
            } catch (IOException | RuntimeException e) {
                // What was being written is thrown away.
            }
        }
    }
}
