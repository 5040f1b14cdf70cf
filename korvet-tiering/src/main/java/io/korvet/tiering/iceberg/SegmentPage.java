package io.korvet.tiering.iceberg;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.EntrySink;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Some entries of a segment, copied as they come from the network into arrays that are used again. What goes beyond the
 * page's bytes is left out (one entry is always taken), so that the memory is bounded whatever the entries' sizes are.
 *
 * <p>Filled by one thread, then read by one; whoever hands it over sees to the order.
 */
final class SegmentPage implements EntrySink {

    private static final int SMALLEST = 1_024;

    private final int mostBytes;
    private int count;
    private int fields;
    private int size;
    private boolean full;
    private long[] milliseconds = new long[SMALLEST];
    private long[] sequences = new long[SMALLEST];
    private int[] fieldEnds = new int[SMALLEST];
    private byte[] fieldNumbers = new byte[2 * SMALLEST];
    private int[] byteEnds = new int[2 * SMALLEST];
    private byte[] bytes = new byte[64 << 10];
    private final Map<Integer, byte[]> names = new HashMap<>();

    /** An empty page for about so many bytes of fields. */
    SegmentPage(int mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Forgets all entries. */
    void clear() {
        count = 0;
        fields = 0;
        size = 0;
        full = false;
        names.clear();
        if (bytes.length > 2 * mostBytes) {
            bytes = new byte[mostBytes];
        }
    }

    @Override
    public void entry(long entryMilliseconds, long sequence) {
        full |= count > 0 && size >= mostBytes;
        if (full) {
            return;
        }
        if (count == milliseconds.length) {
            milliseconds = Arrays.copyOf(milliseconds, 2 * count);
            sequences = Arrays.copyOf(sequences, 2 * count);
            fieldEnds = Arrays.copyOf(fieldEnds, 2 * count);
        }
        milliseconds[count] = entryMilliseconds;
        sequences[count] = sequence;
        fieldEnds[count] = fields;
        count++;
    }

    @Override
    public void field(int field, ByteBuffer value) {
        if (full) {
            return;
        }
        if (fields == byteEnds.length) {
            fieldNumbers = Arrays.copyOf(fieldNumbers, 2 * fields);
            byteEnds = Arrays.copyOf(byteEnds, 2 * fields);
        }
        int length = value.remaining();
        int end = Math.addExact(size, length);
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(2L * bytes.length, end)));
        }
        value.get(bytes, size, length);
        size = end;
        fieldNumbers[fields] = (byte) field;
        byteEnds[fields] = size;
        fields++;
        fieldEnds[count - 1] = fields;
    }

    @Override
    public void otherField(ByteBuffer name, ByteBuffer value) {
        if (!full) {
            byte[] copy = new byte[name.remaining()];
            name.get(copy);
            names.put(fields, copy);
            field(-1, value);
        }
    }

    /** How many entries it has. */
    int count() {
        return count;
    }

    /** The bytes of their fields. */
    int size() {
        return size;
    }

    /** How much memory it takes, whatever it has. */
    long memoryBytes() {
        return 20L * milliseconds.length + 5L * byteEnds.length + bytes.length;
    }

    long milliseconds(int entry) {
        return milliseconds[entry];
    }

    long sequence(int entry) {
        return sequences[entry];
    }

    /** The id of an entry. */
    StreamEntryId id(int entry) {
        return new StreamEntryId(milliseconds[entry], sequences[entry]);
    }

    /** The first of an entry's fields; they end where those of the next one begin. */
    int firstField(int entry) {
        return entry == 0 ? 0 : fieldEnds[entry - 1];
    }

    int fieldsEnd(int entry) {
        return fieldEnds[entry];
    }

    /** A field's number ({@link io.korvet.store.EntryFields}), -1 for one with a {@link #name}. */
    int number(int field) {
        return fieldNumbers[field];
    }

    /** The name of a field without number. */
    byte[] name(int field) {
        return names.getOrDefault(field, new byte[0]);
    }

    /** Where all fields' bytes are. */
    byte[] bytes() {
        return bytes;
    }

    int start(int field) {
        return field == 0 ? 0 : byteEnds[field - 1];
    }

    int end(int field) {
        return byteEnds[field];
    }
}
