package io.korvet.tiering.iceberg;

import io.korvet.store.EntryFields;
import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import io.korvet.tiering.iceberg.LoadTurns.Pace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.stream.IntStream;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.statistics.LongStatistics;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.internal.filter2.columnindex.RowRanges;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/**
 * Reads some rows of one row group: only the pages they are in where the file has page indexes, only the columns asked
 * for, without an object per row. Blocks; single use, for one thread.
 */
final class RowGroupReader {

    /** Row groups of which more than this must be in memory are read one at a time, whoever wants them. */
    private static final long LARGE = 32 << 20;

    /** A power of two less one. */
    private static final int ROWS_BETWEEN_STEPS = 63;

    private static final byte[][] NAMES = IntStream.range(0, EntryFields.COUNT)
            .mapToObj(field -> EntryFields.name(field).getBytes(StandardCharsets.US_ASCII))
            .toArray(byte[][]::new);

    private final StoredFile file;
    private final int rowGroup;
    private final @Nullable String onlyStream;
    private final @Nullable LongStatistics segments;
    private final long constantSegment;
    private final LoadTurns turns;

    private long milliseconds;
    private long sequence;
    private @Nullable Binary lastName;
    private int lastNumber;

    /** What is read of a row beside its id and segment. */
    enum Content {
        /** The timestamp column. */
        TIMESTAMP,
        /** All fields. */
        FIELDS
    }

    /**
     * A reader.
     *
     * @param onlyStream the stream whose rows are wanted where the file may have others, else {@code null}
     */
    RowGroupReader(StoredFile file, int rowGroup, @Nullable String onlyStream, LoadTurns turns) {
        this.turns = turns;
        this.file = file;
        this.rowGroup = rowGroup;
        this.onlyStream = onlyStream;
        this.segments = file.longBounds(rowGroup, file.columns().segment());
        this.constantSegment = segments != null && segments.getMin() == segments.getMax() ? segments.getMin() : -1;
    }

    /** Whether the row group can have rows of a segment. */
    boolean mayHave(long segment) {
        return segments == null || (segments.getMin() <= segment && segment <= segments.getMax());
    }

    /** Shows a visitor the rows from one position in the row group to before another. */
    void read(long from, long to, Content content, RowVisitor visitor) {
        try {
            List<Type> wanted = new ArrayList<>();
            if (onlyStream != null) {
                wanted.add(file.columns().streamKey());
            }
            if (constantSegment < 0) {
                wanted.add(file.columns().segment());
            }
            wanted.add(file.columns().messageId());
            wanted.add(
                    switch (content) {
                        case TIMESTAMP -> file.columns().timestamp();
                        case FIELDS -> file.columns().fields();
                    });
            MessageType projection = file.projection(wanted);
            RowRanges ranges = ranges(from, to, content);
            boolean large = ranges == null && file.storedBytes(rowGroup, projection) > LARGE;
            if (large) {
                turns.beginLarge();
            }
            try (ParquetFileReader reader = file.reader()) {
                reader.setRequestedSchema(projection);
                try (PageReadStore pages = ranges == null
                        ? reader.readRowGroup(rowGroup)
                        : reader.readFilteredRowGroup(rowGroup, ranges)) {
                    turns.decode(pace -> show(pages, projection, from, to, content, visitor, pace));
                }
            } finally {
                if (large) {
                    turns.endLarge();
                }
            }
        } catch (IOException | RuntimeException e) {
            throw ReadFailures.ofContent(file.location(), e);
        }
    }

    private @Nullable RowRanges ranges(long from, long to, Content content) throws IOException {
        long rows = file.rows(rowGroup);
        if (from <= 0 && to >= rows) {
            return null;
        }
        ColumnDescriptor widest = switch (content) {
            case TIMESTAMP -> file.descriptor(file.columns().messageId());
            case FIELDS -> file.fieldValues();
        };
        OffsetIndex pages = file.pages(rowGroup, widest);
        if (pages == null) {
            return null;
        }
        IntStream wanted = IntStream.range(0, pages.getPageCount())
                .filter(page -> pages.getFirstRowIndex(page) < to && pages.getLastRowIndex(page, rows) >= from);
        return RowRanges.create(rows, wanted.iterator(), pages);
    }

    private void show(
            PageReadStore pages,
            MessageType projection,
            long from,
            long to,
            Content content,
            RowVisitor visitor,
            Pace pace) {
        ColumnReadStoreImpl store =
                new ColumnReadStoreImpl(pages, new NoConverter(projection), projection, file.createdBy());
        ColumnReader ids = store.getColumnReader(file.descriptor(file.columns().messageId()));
        ColumnReader segmentIds = constantSegment >= 0
                ? null
                : store.getColumnReader(file.descriptor(file.columns().segment()));
        ColumnReader streams = onlyStream == null
                ? null
                : store.getColumnReader(file.descriptor(file.columns().streamKey()));
        boolean fields = content == Content.FIELDS;
        ColumnReader timestamps = fields
                ? null
                : store.getColumnReader(file.descriptor(file.columns().timestamp()));
        ColumnReader names = fields ? store.getColumnReader(file.fieldNames()) : null;
        ColumnReader values = fields ? store.getColumnReader(file.fieldValues()) : null;
        Binary stream = onlyStream == null ? null : Binary.fromString(onlyStream);
        long first = file.firstRow(rowGroup);
        PrimitiveIterator.OfLong positions = pages.getRowIndexes().orElse(null);
        for (long left = pages.getRowCount(), next = 0; left > 0; left--, next++) {
            long position = positions == null ? next : positions.nextLong();
            boolean wanted = position >= from && position < to;
            if ((left & ROWS_BETWEEN_STEPS) == 0) {
                pace.step();
            }
            if (streams != null) {
                wanted &= streams.getBinary().equals(stream);
                streams.consume();
            }
            long segment = constantSegment;
            if (segmentIds != null) {
                segment = segmentIds.getLong();
                segmentIds.consume();
            }
            long timestamp = 0;
            if (timestamps != null) {
                timestamp = timestamps.getLong();
                timestamps.consume();
            }
            if (wanted) {
                id(ids.getBinary());
                wanted = visitor.row(first + position, segment, milliseconds, sequence, timestamp);
            } else {
                ids.skip();
            }
            ids.consume();
            if (names != null && values != null) {
                fields(names, values, wanted ? visitor : null);
            }
        }
    }

    private void fields(ColumnReader names, ColumnReader values, @Nullable RowVisitor visitor) {
        int nameThere = names.getDescriptor().getMaxDefinitionLevel();
        int valueThere = values.getDescriptor().getMaxDefinitionLevel();
        do {
            boolean named = names.getCurrentDefinitionLevel() == nameThere;
            boolean valued = values.getCurrentDefinitionLevel() == valueThere;
            if (visitor != null && named && valued) {
                visitor.field(number(names.getBinary()), values.getBinary().toByteBuffer());
            } else {
                // What is consumed without being read or skipped is read again as the next.
                if (named) {
                    names.skip();
                }
                if (valued) {
                    values.skip();
                }
            }
            names.consume();
            values.consume();
        } while (names.getCurrentRepetitionLevel() > 0);
    }

    /** Names come from a dictionary, a few objects over and over. */
    @SuppressWarnings("ReferenceEquality")
    private int number(Binary name) {
        if (name != lastName) {
            lastNumber = numberOf(name.toByteBuffer());
            lastName = name;
        }
        return lastNumber;
    }

    private static int numberOf(ByteBuffer name) {
        for (int i = 0; i < NAMES.length; i++) {
            if (name.equals(ByteBuffer.wrap(NAMES[i]))) {
                return i;
            }
        }
        return -1;
    }

    private void id(Binary id) {
        ByteBuffer text = id.toByteBuffer();
        int at = text.position();
        int end = text.limit();
        int dash = at;
        long number = 0;
        while (dash < end && text.get(dash) != '-') {
            number = digit(number, text.get(dash++), id);
        }
        milliseconds = number;
        number = 0;
        for (int i = dash + 1; i < end; i++) {
            number = digit(number, text.get(i), id);
        }
        if (dash == at || dash + 1 >= end) {
            throw new ColdTierException(
                    Kind.CORRUPT,
                    "message_id '" + id.toStringUsingUTF8() + "': expected " + "<milliseconds>-<sequence>, in "
                            + file.location());
        }
        sequence = number;
    }

    private long digit(long number, byte digit, Binary id) {
        if (digit < '0' || digit > '9') {
            throw new ColdTierException(
                    Kind.CORRUPT,
                    "message_id '" + id.toStringUsingUTF8() + "': expected " + "<milliseconds>-<sequence>, in "
                            + file.location());
        }
        return 10 * number + digit - '0';
    }
}
