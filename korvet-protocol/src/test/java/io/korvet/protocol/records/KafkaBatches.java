package io.korvet.protocol.records;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.ByteUtils;
import org.jspecify.annotations.Nullable;

/** Batches made by kafka-clients, and our cursor's view of a batch as its records. */
final class KafkaBatches {

    private KafkaBatches() {}

    /** Every odd case of a record: null, empty, duplicate and unnamed parts, timestamps out of order. */
    static List<SimpleRecord> oddRecords() {
        return List.of(
                record(1_000, "key", "value"),
                record(900, null, "value"),
                record(1_100, "key", null),
                record(1_000, null, null),
                record(1_000, "", ""),
                record(5, "k", "v", header("a", "1"), header("a", "2"), header("a", "1")),
                record(1_000, "k", "v", header("", "unnamed"), header("null", null), header("empty", "")),
                record(Long.MAX_VALUE / 4, "k", "x".repeat(100_000)));
    }

    static List<SimpleRecord> randomRecords(Random random) {
        List<SimpleRecord> records = new ArrayList<>();
        int count = 1 + random.nextInt(20);
        for (int i = 0; i < count; i++) {
            Header[] headers = new Header[random.nextInt(3)];
            for (int h = 0; h < headers.length; h++) {
                headers[h] = header("h" + h, random.nextBoolean() ? "v".repeat(random.nextInt(9)) : null);
            }
            records.add(record(
                    random.nextInt(1_000_000),
                    random.nextBoolean() ? "k".repeat(random.nextInt(40)) : null,
                    random.nextBoolean() ? "v".repeat(random.nextInt(300)) : null,
                    headers));
        }
        return records;
    }

    static SimpleRecord record(long timestamp, @Nullable String key, @Nullable String value, Header... headers) {
        return new SimpleRecord(timestamp, bytes(key), bytes(value), headers);
    }

    static Header header(String name, @Nullable String value) {
        return new RecordHeader(name, bytes(value));
    }

    /** A batch in a pooled direct buffer, behind some other bytes. */
    static ByteBuf batch(CompressionType type, int padding, List<SimpleRecord> records) {
        MemoryRecords batch =
                MemoryRecords.withRecords(Compression.of(type).build(), records.toArray(new SimpleRecord[0]));
        ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer();
        return buffer.writeZero(padding).writeBytes(batch.buffer());
    }

    /** Reads a verified batch to its end. */
    static List<SimpleRecord> read(ByteBuf buffer, int index, int maxDecompressedBytes) {
        RecordBatch batch = new RecordBatch().wrap(buffer, index);
        batch.verify();
        List<SimpleRecord> records = new ArrayList<>();
        try (RecordCursor cursor =
                RecordCursor.open(batch, buffer, PooledByteBufAllocator.DEFAULT, maxDecompressedBytes)) {
            while (cursor.next()) {
                records.add(new SimpleRecord(
                        cursor.timestamp(),
                        part(cursor.buffer(), cursor.keyIndex(), cursor.keyLength()),
                        part(cursor.buffer(), cursor.valueIndex(), cursor.valueLength()),
                        headers(cursor)));
            }
        }
        return records;
    }

    private static Header[] headers(RecordCursor cursor) {
        ByteBuffer bytes = part(cursor.buffer(), cursor.headersIndex(), cursor.headersLength());
        List<Header> headers = new ArrayList<>();
        while (bytes != null && bytes.hasRemaining()) {
            String name = new String(take(bytes), StandardCharsets.UTF_8);
            headers.add(new RecordHeader(name, take(bytes)));
        }
        return headers.toArray(new Header[0]);
    }

    private static byte @Nullable [] take(ByteBuffer bytes) {
        int length = ByteUtils.readVarint(bytes);
        if (length == -1) {
            return null;
        }
        byte[] taken = new byte[length];
        bytes.get(taken);
        return taken;
    }

    private static @Nullable ByteBuffer part(ByteBuf buffer, int index, int length) {
        if (length < 0) {
            return null;
        }
        byte[] copy = new byte[length];
        buffer.getBytes(index, copy);
        return ByteBuffer.wrap(copy);
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }
}
