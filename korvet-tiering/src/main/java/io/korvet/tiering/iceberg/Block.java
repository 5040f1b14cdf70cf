package io.korvet.tiering.iceberg;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.EntrySink;
import java.nio.ByteBuffer;

/**
 * Some consecutive entries of one segment, decoded: ids, and all fields' bytes one after the other. Immutable.
 *
 * <p>Fields are numbered through all entries; entry {@code i} has those from {@code fieldEnds[i - 1]} to
 * {@code fieldEnds[i]}, and field {@code f} the bytes from {@code byteEnds[f - 1]} to {@code byteEnds[f]}.
 */
final class Block {

    private static final int FIXED_BYTES = 200;

    private final int count;
    private final long[] milliseconds;
    private final long[] sequences;
    private final int[] fieldEnds;
    private final byte[] fieldNumbers;
    private final int[] byteEnds;
    private final byte[] bytes;

    Block(
            int count,
            long[] milliseconds,
            long[] sequences,
            int[] fieldEnds,
            byte[] fieldNumbers,
            int[] byteEnds,
            byte[] bytes) {
        this.count = count;
        this.milliseconds = milliseconds;
        this.sequences = sequences;
        this.fieldEnds = fieldEnds;
        this.fieldNumbers = fieldNumbers;
        this.byteEnds = byteEnds;
        this.bytes = bytes;
    }

    /** How many entries. */
    int count() {
        return count;
    }

    /** The id of an entry. */
    StreamEntryId id(int entry) {
        return new StreamEntryId(milliseconds[entry], sequences[entry]);
    }

    /** About how much memory it takes. */
    long sizeInBytes() {
        return FIXED_BYTES + 20L * milliseconds.length + 5L * byteEnds.length + bytes.length;
    }

    /** The first entry at or after an id, {@link #count()} when there is none. */
    int indexOf(StreamEntryId from) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (compare(middle, from) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private int compare(int entry, StreamEntryId id) {
        return IdOrder.compare(milliseconds[entry], sequences[entry], id.milliseconds(), id.sequence());
    }

    /** The first entry whose id is not above that of the one before it, 0 when all are in order. */
    int firstOutOfOrder() {
        for (int i = 1; i < count; i++) {
            if (IdOrder.compare(milliseconds[i], sequences[i], milliseconds[i - 1], sequences[i - 1]) <= 0) {
                return i;
            }
        }
        return 0;
    }

    /** Gives a sink up to {@code most} entries from an index on; answers how many. */
    int deliver(int first, int most, EntrySink sink) {
        int end = (int) Math.min(count, (long) first + most);
        int field = first == 0 ? 0 : fieldEnds[first - 1];
        int at = field == 0 ? 0 : byteEnds[field - 1];
        ByteBuffer view = ByteBuffer.wrap(bytes);
        for (int entry = first; entry < end; entry++) {
            sink.entry(milliseconds[entry], sequences[entry]);
            for (; field < fieldEnds[entry]; field++) {
                int fieldEnd = byteEnds[field];
                sink.field(fieldNumbers[field], view.limit(fieldEnd).position(at));
                at = fieldEnd;
            }
        }
        return Math.max(0, end - first);
    }

    /** The same entries in the order of their ids. */
    Block sorted() {
        if (firstOutOfOrder() == 0) {
            return this;
        }
        int[] order = IdOrder.of(milliseconds, sequences, count);
        BlockBuilder sorted = new BlockBuilder(count, bytes.length);
        for (int entry : order) {
            sorted.entry(milliseconds[entry], sequences[entry]);
            for (int field = entry == 0 ? 0 : fieldEnds[entry - 1]; field < fieldEnds[entry]; field++) {
                int start = field == 0 ? 0 : byteEnds[field - 1];
                sorted.field(fieldNumbers[field], ByteBuffer.wrap(bytes, start, byteEnds[field] - start));
            }
        }
        return sorted.build();
    }
}
