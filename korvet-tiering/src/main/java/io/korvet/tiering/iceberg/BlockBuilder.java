package io.korvet.tiering.iceberg;

import io.korvet.store.EntrySink;
import java.nio.ByteBuffer;

/** Collects entries into a {@link Block}. Single use, for one thread. */
final class BlockBuilder implements EntrySink {

    private static final int LARGEST = Integer.MAX_VALUE - 8;

    private final BlockSpace space;
    private int count;
    private int size;
    private int entry;
    private byte[] array;

    /** A builder of a block in a space. */
    BlockBuilder(BlockSpace space) {
        this.space = space;
        this.array = space.take();
    }

    @Override
    public void entry(long milliseconds, long sequence) {
        ensure(Block.ENTRY_BYTES + Integer.BYTES);
        entry = size;
        Block.LONG.set(array, entry, milliseconds);
        Block.LONG.set(array, entry + Long.BYTES, sequence);
        Block.INT.set(array, entry + 2 * Long.BYTES, 0);
        size += Block.ENTRY_BYTES;
        Block.INT.set(array, Block.slot(array, count), entry);
        count++;
    }

    @Override
    public void field(int field, ByteBuffer value) {
        int length = value.remaining();
        ensure((long) Block.FIELD_BYTES + length);
        int fields = entry + 2 * Long.BYTES;
        Block.INT.set(array, fields, (int) Block.INT.get(array, fields) + 1);
        array[size] = (byte) field;
        Block.INT.set(array, size + 1, length);
        value.get(array, size + Block.FIELD_BYTES, length);
        size += Block.FIELD_BYTES + length;
    }

    /** Makes room between the entries and what says where they begin. */
    private void ensure(long more) {
        long needed = size + more + (long) Integer.BYTES * count;
        if (needed > array.length) {
            if (needed > LARGEST) {
                throw new OutOfMemoryError("entries of more than 2 GiB in one block");
            }
            resize((int) Math.min(LARGEST, Math.max(needed, 2L * array.length)));
        }
    }

    private void resize(int length) {
        byte[] resized = new byte[length];
        int slots = Integer.BYTES * count;
        System.arraycopy(array, 0, resized, 0, size);
        System.arraycopy(array, array.length - slots, resized, length - slots, slots);
        space.giveBack(array);
        array = resized;
    }

    /** How many entries so far. */
    int count() {
        return count;
    }

    /** Puts the entries in the order of their ids; those with equal ids keep theirs. */
    void sort() {
        long[] milliseconds = new long[count];
        long[] sequences = new long[count];
        int[] starts = new int[count];
        for (int i = 0; i < count; i++) {
            starts[i] = (int) Block.INT.get(array, Block.slot(array, i));
            milliseconds[i] = (long) Block.LONG.get(array, starts[i]);
            sequences[i] = (long) Block.LONG.get(array, starts[i] + Long.BYTES);
        }
        int[] order = IdOrder.of(milliseconds, sequences, count);
        for (int i = 0; i < count; i++) {
            Block.INT.set(array, Block.slot(array, i), starts[order[i]]);
        }
    }

    /** The block: in an array of its own, without slack, when it has much less or more than a slice. */
    Block build() {
        int exact = size + Integer.BYTES * count;
        if (array.length != BlockSpace.BYTES ? exact < array.length - array.length / 8 : exact < array.length / 2) {
            resize(exact);
        }
        return new Block(count, array, space);
    }
}
