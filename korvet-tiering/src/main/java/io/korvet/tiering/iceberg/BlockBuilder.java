package io.korvet.tiering.iceberg;

import io.korvet.store.EntrySink;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Collects entries into a {@link Block}. Single use, for one thread. */
final class BlockBuilder implements EntrySink {

    private static final int LARGEST = Integer.MAX_VALUE - 8;

    private int count;
    private int fields;
    private int size;
    private long[] milliseconds;
    private long[] sequences;
    private int[] fieldEnds;
    private byte[] fieldNumbers;
    private int[] byteEnds;
    private byte[] bytes;

    BlockBuilder(int expectedEntries, int expectedBytes) {
        int entries = Math.max(16, expectedEntries);
        milliseconds = new long[entries];
        sequences = new long[entries];
        fieldEnds = new int[entries];
        fieldNumbers = new byte[2 * entries];
        byteEnds = new int[2 * entries];
        bytes = new byte[Math.max(256, expectedBytes)];
    }

    @Override
    public void entry(long entryMilliseconds, long sequence) {
        if (count == milliseconds.length) {
            int grown = 2 * count;
            milliseconds = Arrays.copyOf(milliseconds, grown);
            sequences = Arrays.copyOf(sequences, grown);
            fieldEnds = Arrays.copyOf(fieldEnds, grown);
        }
        milliseconds[count] = entryMilliseconds;
        sequences[count] = sequence;
        fieldEnds[count] = fields;
        count++;
    }

    @Override
    public void field(int field, ByteBuffer value) {
        if (fields == byteEnds.length) {
            fieldNumbers = Arrays.copyOf(fieldNumbers, 2 * fields);
            byteEnds = Arrays.copyOf(byteEnds, 2 * fields);
        }
        int length = value.remaining();
        if ((long) size + length > bytes.length) {
            if ((long) size + length > LARGEST) {
                throw new OutOfMemoryError("entries of more than 2 GiB in one block");
            }
            bytes = Arrays.copyOf(bytes, (int) Math.min(LARGEST, Math.max(2L * bytes.length, (long) size + length)));
        }
        value.get(bytes, size, length);
        size += length;
        fieldNumbers[fields] = (byte) field;
        byteEnds[fields] = size;
        fields++;
        fieldEnds[count - 1] = fields;
    }

    /** How many entries so far. */
    int count() {
        return count;
    }

    /** The block, without slack. */
    Block build() {
        return new Block(
                count,
                Arrays.copyOf(milliseconds, count),
                Arrays.copyOf(sequences, count),
                Arrays.copyOf(fieldEnds, count),
                Arrays.copyOf(fieldNumbers, fields),
                Arrays.copyOf(byteEnds, fields),
                size > bytes.length - bytes.length / 8 ? bytes : Arrays.copyOf(bytes, size));
    }
}
