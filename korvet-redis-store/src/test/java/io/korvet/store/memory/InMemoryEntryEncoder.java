package io.korvet.store.memory;

import io.korvet.store.AppendBatch.EncodedEntries;
import io.korvet.store.EntryEncoder;
import io.korvet.store.EntryFields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes entries in a plain form: mask, then length and bytes of each field. */
final class InMemoryEntryEncoder implements EntryEncoder {

    private final ByteBuf buffer = PooledByteBufAllocator.DEFAULT.buffer();
    private int count;
    private int arguments;
    private long bytes;
    private long minTimestamp = Long.MAX_VALUE;
    private long maxTimestamp = Long.MIN_VALUE;
    private int maxTimestampIndex;

    @Override
    public void begin(int shape, long timestamp) {
        buffer.writeByte(shape);
        minTimestamp = Math.min(minTimestamp, timestamp);
        if (timestamp > maxTimestamp) {
            maxTimestamp = timestamp;
            maxTimestampIndex = count;
        }
        count++;
    }

    @Override
    public void field(ByteBuf source, int index, int length) {
        buffer.writeInt(length);
        buffer.writeBytes(source, index, length);
        arguments++;
        bytes += length;
    }

    @Override
    public void field(long decimal) {
        byte[] digits = Long.toString(decimal).getBytes(StandardCharsets.US_ASCII);
        buffer.writeInt(digits.length);
        buffer.writeBytes(digits);
        arguments++;
        bytes += digits.length;
    }

    @Override
    public EncodedEntries finish() {
        return new EncodedEntries(buffer, 0, arguments, count, bytes, minTimestamp, maxTimestamp, maxTimestampIndex);
    }

    @Override
    public void discard() {
        buffer.release();
    }

    static int fieldOf(String name) {
        for (int field = 0; field < EntryFields.COUNT; field++) {
            if (EntryFields.name(field).equals(name)) {
                return field;
            }
        }
        return -1;
    }

    static List<Map<String, byte[]>> decode(ByteBuf encoded) {
        ByteBuf in = encoded.duplicate();
        List<Map<String, byte[]>> entries = new ArrayList<>();
        while (in.isReadable()) {
            int shape = in.readByte();
            Map<String, byte[]> fields = new LinkedHashMap<>();
            for (int field = 0; field < EntryFields.COUNT; field++) {
                if ((shape & 1 << field) != 0) {
                    byte[] value = new byte[in.readInt()];
                    in.readBytes(value);
                    fields.put(EntryFields.name(field), value);
                }
            }
            entries.add(fields);
        }
        return entries;
    }
}
