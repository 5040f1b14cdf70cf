package io.korvet.protocol.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.korvet.protocol.ProtocolException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.ByteUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RecordBatchWriterTest {

    private final ByteBuf out = PooledByteBufAllocator.DEFAULT.directBuffer().writeZero(5);

    @AfterEach
    void release() {
        out.release();
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void kafkaClientsReadWhatItWrites(CompressionType type) {
        RecordBatchWriter writer = new RecordBatchWriter(out, type, TimestampType.CREATE_TIME);
        List<SimpleRecord> records = KafkaBatches.oddRecords();
        long offset = 1L << 52;
        for (SimpleRecord record : records) {
            writer.add(offset, record.timestamp(), record.key(), record.value(), blob(record.headers()));
            offset += 10;
        }

        assertThat(writer.finish()).isEqualTo(out.writerIndex() - 5);

        List<MutableRecordBatch> batches = batches();
        assertThat(batches).hasSize(1);
        MutableRecordBatch batch = batches.get(0);
        assertThat(batch.compressionType()).isEqualTo(type);
        assertThat(batch.baseOffset()).isEqualTo(1L << 52);
        assertThat(batch.lastOffset()).isEqualTo((1L << 52) + 10L * (records.size() - 1));
        assertThat(batch.maxTimestamp()).isEqualTo(Long.MAX_VALUE / 4);
        assertThat(batch.countOrNull()).isEqualTo(records.size());
        List<SimpleRecord> read = new ArrayList<>();
        long expected = 1L << 52;
        for (Record record : batch) {
            assertThat(record.offset()).isEqualTo(expected);
            expected += 10;
            read.add(new SimpleRecord(record));
        }
        assertThat(read).isEqualTo(records);
    }

    @Test
    void startsANewBatchWhereTheOffsetSpanEnds() {
        RecordBatchWriter writer = new RecordBatchWriter(out, CompressionType.NONE, TimestampType.CREATE_TIME);
        ByteBuffer value = ByteBuffer.wrap(new byte[] {1});
        writer.add(100, 1, null, value, null);
        writer.add(100L + Integer.MAX_VALUE, 2, null, value, null);
        writer.add(101L + Integer.MAX_VALUE, 3, null, value, null);
        writer.add(1L << 53, 4, null, value, null);
        assertThat(writer.bytesSoFar()).isEqualTo(out.writerIndex() - 5);
        writer.finish();

        List<Long> offsets = new ArrayList<>();
        batches().forEach(batch -> batch.forEach(record -> offsets.add(record.offset())));
        assertThat(batches()).hasSize(3);
        assertThat(offsets).containsExactly(100L, 100L + Integer.MAX_VALUE, 101L + Integer.MAX_VALUE, 1L << 53);
    }

    @Test
    void appendTimesAreEachRecordsOwn() {
        RecordBatchWriter writer = new RecordBatchWriter(out, CompressionType.NONE, TimestampType.LOG_APPEND_TIME);
        writer.add(0, 10, null, null, null);
        writer.add(1, 10, null, null, null);
        writer.add(2, 11, null, null, null);
        writer.finish();

        List<Long> timestamps = new ArrayList<>();
        for (MutableRecordBatch batch : batches()) {
            assertThat(batch.timestampType()).isEqualTo(TimestampType.LOG_APPEND_TIME);
            batch.forEach(record -> timestamps.add(record.timestamp()));
        }
        assertThat(timestamps).containsExactly(10L, 10L, 11L);
    }

    @Test
    void canBeUsedAgainAndWritesNothingForNoRecords() {
        RecordBatchWriter writer = new RecordBatchWriter(out, CompressionType.LZ4, TimestampType.CREATE_TIME);
        assertThat(writer.finish()).isZero();
        writer.add(0, 10, null, null, null);
        int first = writer.finish();
        writer.add(1, 10, null, null, null);
        assertThat(writer.finish()).isEqualTo(first);
        assertThat(batches()).hasSize(2);
    }

    @Test
    void refusesMalformedHeadersAndWritesNothing() {
        RecordBatchWriter writer = new RecordBatchWriter(out, CompressionType.NONE, TimestampType.CREATE_TIME);
        assertThatExceptionOfType(ProtocolException.class)
                .isThrownBy(() -> writer.add(0, 0, null, null, ByteBuffer.wrap(new byte[] {20, 'a'})))
                .satisfies(e -> assertThat(e.error()).isEqualTo(Errors.INVALID_RECORD));
        assertThat(writer.bytesSoFar()).isZero();
    }

    private List<MutableRecordBatch> batches() {
        List<MutableRecordBatch> batches = new ArrayList<>();
        MemoryRecords.readableRecords(out.nioBuffer(5, out.writerIndex() - 5))
                .batches()
                .forEach(batch -> {
                    batch.ensureValid();
                    batches.add(batch);
                });
        return batches;
    }

    private static ByteBuffer blob(Header[] headers) {
        ByteBuffer blob = ByteBuffer.allocate(1_000);
        for (Header header : headers) {
            byte[] name = header.key().getBytes(StandardCharsets.UTF_8);
            ByteUtils.writeVarint(name.length, blob);
            blob.put(name);
            ByteUtils.writeVarint(header.value() == null ? -1 : header.value().length, blob);
            if (header.value() != null) {
                blob.put(header.value());
            }
        }
        return blob.flip();
    }
}
