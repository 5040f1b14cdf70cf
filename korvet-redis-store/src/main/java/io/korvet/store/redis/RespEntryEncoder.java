package io.korvet.store.redis;

import io.korvet.store.AppendBatch.EncodedEntries;
import io.korvet.store.EntryEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Writes entries as RESP bulk strings into one buffer. As long as all entries have the same fields nothing but the fields
 * is written; with the first entry that differs each entry gets its own mask in front.
 */
final class RespEntryEncoder implements EntryEncoder {

    private static final int MIXED = 0;

    private final ByteBufAllocator allocator;
    private ByteBuf buffer;
    private int shape;
    private int count;
    private int arguments;
    private long bytes;
    private long minTimestamp = Long.MAX_VALUE;
    private long maxTimestamp = Long.MIN_VALUE;
    private int maxTimestampIndex;

    RespEntryEncoder(ByteBufAllocator allocator, int expectedEntries, int expectedBytes) {
        this.allocator = allocator;
        // Two fields of up to 9,999 bytes have 20 bytes around them.
        this.buffer = allocator.directBuffer(expectedBytes + 24 * expectedEntries + 64);
    }

    @Override
    public void begin(int entryShape, long timestamp) {
        if (count == 0) {
            shape = entryShape;
        } else if (shape != MIXED && shape != entryShape) {
            leadWithMasks();
        }
        if (shape == MIXED) {
            RespWriter.bulk(buffer, entryShape);
            arguments++;
        }
        minTimestamp = Math.min(minTimestamp, timestamp);
        if (timestamp > maxTimestamp) {
            maxTimestamp = timestamp;
            maxTimestampIndex = count;
        }
        count++;
    }

    private void leadWithMasks() {
        int fields = Integer.bitCount(shape);
        ByteBuf mixed = allocator.directBuffer(buffer.capacity() + 8 * count);
        int from = 0;
        for (int entry = 0; entry < count; entry++) {
            RespWriter.bulk(mixed, shape);
            int to = from;
            for (int field = 0; field < fields; field++) {
                to = afterBulk(to);
            }
            mixed.writeBytes(buffer, from, to - from);
            from = to;
        }
        buffer.release();
        buffer = mixed;
        arguments += count;
        shape = MIXED;
    }

    private int afterBulk(int index) {
        int length = 0;
        int at = index + 1;
        for (byte digit = buffer.getByte(at); digit != '\r'; digit = buffer.getByte(at)) {
            length = 10 * length + digit - '0';
            at++;
        }
        return at + 2 + length + 2;
    }

    @Override
    public void field(ByteBuf source, int index, int length) {
        RespWriter.bulk(buffer, source, index, length);
        arguments++;
        bytes += length;
    }

    @Override
    public void field(long decimal) {
        bytes += RespWriter.bulk(buffer, decimal);
        arguments++;
    }

    @Override
    public EncodedEntries finish() {
        return new EncodedEntries(
                buffer, shape, arguments, count, bytes, minTimestamp, maxTimestamp, maxTimestampIndex);
    }

    @Override
    public void discard() {
        buffer.release();
    }
}
