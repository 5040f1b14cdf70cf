package io.korvet.tiering.iceberg;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.EntrySink;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Some consecutive entries of one segment, decoded, in one array: from its front the entries, each with its id, how many
 * fields it has, and of each field number, length and bytes; from its end backwards, where each entry begins.
 *
 * <p>Immutable. Whoever made it uses it, and so does everybody who was allowed to ({@link #retain}); after the last
 * {@link #release} the array is used for another block.
 */
final class Block {

    static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    /** An entry without its fields: the id's two parts, how many fields. */
    static final int ENTRY_BYTES = 2 * Long.BYTES + Integer.BYTES;
    /** A field without its bytes: number, length. */
    static final int FIELD_BYTES = 1 + Integer.BYTES;

    private static final int FIXED_BYTES = 100;

    private final int count;
    private final byte[] array;
    private final BlockSpace space;
    private final AtomicInteger users = new AtomicInteger(1);

    /** A block of so many entries in an array, which goes back to its space in the end. */
    Block(int count, byte[] array, BlockSpace space) {
        this.count = count;
        this.array = array;
        this.space = space;
    }

    /** Where an array says at which index an entry begins. */
    static int slot(byte[] array, int entry) {
        return array.length - Integer.BYTES * (entry + 1);
    }

    /** One user more; false when the last one has gone. */
    boolean retain() {
        for (int now = users.get(); now > 0; now = users.get()) {
            if (users.compareAndSet(now, now + 1)) {
                return true;
            }
        }
        return false;
    }

    /** One user less. */
    void release() {
        int left = users.decrementAndGet();
        if (left == 0) {
            space.giveBack(array);
        } else if (left < 0) {
            throw new IllegalStateException("released more often than retained");
        }
    }

    /** How many entries. */
    int count() {
        return count;
    }

    private int start(int entry) {
        return (int) INT.get(array, slot(array, entry));
    }

    private long milliseconds(int entry) {
        return (long) LONG.get(array, start(entry));
    }

    private long sequence(int entry) {
        return (long) LONG.get(array, start(entry) + Long.BYTES);
    }

    /** The id of an entry. */
    StreamEntryId id(int entry) {
        return new StreamEntryId(milliseconds(entry), sequence(entry));
    }

    /** About how much memory it takes. */
    long sizeInBytes() {
        return FIXED_BYTES + (long) array.length;
    }

    /** The first entry at or after an id, {@link #count()} when there is none. */
    int indexOf(StreamEntryId from) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (IdOrder.compare(milliseconds(middle), sequence(middle), from.milliseconds(), from.sequence()) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The first entry whose id is not above that of the one before it, 0 when all are in order. */
    int firstOutOfOrder() {
        for (int i = 1; i < count; i++) {
            if (IdOrder.compare(milliseconds(i), sequence(i), milliseconds(i - 1), sequence(i - 1)) <= 0) {
                return i;
            }
        }
        return 0;
    }

    /** Gives a sink up to {@code most} entries from an index on; answers how many. */
    int deliver(int first, int most, EntrySink sink) {
        int end = (int) Math.min(count, (long) first + most);
        ByteBuffer view = ByteBuffer.wrap(array);
        for (int entry = first; entry < end; entry++) {
            int at = start(entry);
            sink.entry((long) LONG.get(array, at), (long) LONG.get(array, at + Long.BYTES));
            int fields = (int) INT.get(array, at + 2 * Long.BYTES);
            at += ENTRY_BYTES;
            for (int field = 0; field < fields; field++) {
                int value = at + FIELD_BYTES;
                int valueEnd = value + (int) INT.get(array, at + 1);
                sink.field(array[at], view.limit(valueEnd).position(value));
                at = valueEnd;
            }
        }
        return Math.max(0, end - first);
    }
}
