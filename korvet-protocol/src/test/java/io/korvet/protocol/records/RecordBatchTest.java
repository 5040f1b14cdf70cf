package io.korvet.protocol.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.korvet.protocol.ProtocolException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

class RecordBatchTest {

    @Test
    void readsAHeaderAsKafkaWroteIt() {
        ByteBuf buffer = Unpooled.wrappedBuffer(MemoryRecords.withIdempotentRecords(
                        42L,
                        Compression.gzip().build(),
                        7_000_000_000L,
                        (short) 3,
                        11,
                        5,
                        KafkaBatches.record(2_000, "a", "b"),
                        KafkaBatches.record(1_000, "a", "b"))
                .buffer());

        RecordBatch batch = new RecordBatch().wrap(buffer, 0);
        batch.verify();

        assertThat(batch.sizeInBytes()).isEqualTo(buffer.readableBytes());
        assertThat(batch.baseOffset()).isEqualTo(42);
        assertThat(batch.lastOffset()).isEqualTo(43);
        assertThat(batch.count()).isEqualTo(2);
        assertThat(batch.producerId()).isEqualTo(7_000_000_000L);
        assertThat(batch.producerEpoch()).isEqualTo((short) 3);
        assertThat(batch.baseSequence()).isEqualTo(11);
        assertThat(batch.baseTimestamp()).isEqualTo(2_000);
        assertThat(batch.maxTimestamp()).isEqualTo(2_000);
        assertThat(batch.compression()).isEqualTo(CompressionType.GZIP);
        assertThat(batch.isControl()).isFalse();
        assertThat(batch.isTransactional()).isFalse();
        assertThat(batch.isLogAppendTime()).isFalse();
    }

    @Test
    void seesTransactionsAndControlBatches() {
        ByteBuf marker = Unpooled.wrappedBuffer(MemoryRecords.withEndTransactionMarker(
                        5, (short) 0, new EndTransactionMarker(ControlRecordType.COMMIT, 0))
                .buffer());
        RecordBatch batch = new RecordBatch().wrap(marker, 0);
        batch.verify();
        assertThat(batch.isControl()).isTrue();
        assertThat(batch.isTransactional()).isTrue();
    }

    @Test
    void patchesStayValidForKafka() {
        ByteBuf buffer = KafkaBatches.batch(CompressionType.NONE, 0, KafkaBatches.oddRecords());
        try {
            RecordBatch.patch(buffer, 0, 1L << 50, 9);
            new RecordBatch().wrap(buffer, 0).verify();
            RecordBatch.patchAppendTime(buffer, 0, 123_456);
            new RecordBatch().wrap(buffer, 0).verify();

            var read = MemoryRecords.readableRecords(buffer.nioBuffer())
                    .batches()
                    .iterator()
                    .next();
            read.ensureValid();
            assertThat(read.baseOffset()).isEqualTo(1L << 50);
            assertThat(read.partitionLeaderEpoch()).isEqualTo(9);
            assertThat(read.timestampType()).isEqualTo(TimestampType.LOG_APPEND_TIME);
            assertThat(KafkaBatches.read(buffer, 0, 1 << 20))
                    .extracting(SimpleRecord::timestamp)
                    .containsOnly(123_456L);
        } finally {
            buffer.release();
        }
    }

    @Test
    void verifiesABatchThatLiesInSeveralBuffers() {
        ByteBuf whole = KafkaBatches.batch(CompressionType.NONE, 0, KafkaBatches.oddRecords());
        CompositeByteBuf parts = Unpooled.compositeBuffer()
                .addComponent(true, whole.retainedSlice(0, 100))
                .addComponent(true, whole.retainedSlice(100, whole.readableBytes() - 100));
        try {
            assertThat(KafkaBatches.read(parts, 0, 1 << 20)).isEqualTo(KafkaBatches.oddRecords());
        } finally {
            parts.release();
            whole.release();
        }
    }

    @Test
    void aFlippedBitIsACorruptMessage() {
        refuses(Errors.CORRUPT_MESSAGE, bytes -> bytes.setByte(70, bytes.getByte(70) ^ 1));
    }

    @Test
    void oldFormatsAreRefusedAsKafkaRefusesThem() {
        refuses(Errors.INVALID_RECORD, bytes -> bytes.setByte(RecordBatch.MAGIC_AT, 1));
        refuses(Errors.INVALID_RECORD, bytes -> bytes.setByte(RecordBatch.MAGIC_AT, 0));
        refuses(Errors.CORRUPT_MESSAGE, bytes -> bytes.setByte(RecordBatch.MAGIC_AT, 3));
    }

    @Test
    void impossibleLengthsAreRefused() {
        refuses(Errors.CORRUPT_MESSAGE, bytes -> bytes.setInt(RecordBatch.LENGTH_AT, -1));
        refuses(Errors.CORRUPT_MESSAGE, bytes -> bytes.setInt(RecordBatch.LENGTH_AT, 48));
        refuses(Errors.CORRUPT_MESSAGE, bytes -> bytes.setInt(RecordBatch.LENGTH_AT, Integer.MAX_VALUE));
        refuses(Errors.INVALID_RECORD, bytes -> bytes.setInt(RecordBatch.LENGTH_AT, 1_000_000));
        refuses(Errors.CORRUPT_MESSAGE, bytes -> bytes.writerIndex(60));
        refuses(Errors.CORRUPT_MESSAGE, bytes -> bytes.writerIndex(3));
    }

    @Test
    void countAndOffsetRangeMustAgree() {
        refuses(Errors.INVALID_RECORD, mended(bytes -> bytes.setInt(RecordBatch.COUNT_AT, 0)));
        refuses(Errors.INVALID_RECORD, mended(bytes -> bytes.setInt(RecordBatch.COUNT_AT, -1)));
        refuses(Errors.INVALID_RECORD, mended(bytes -> bytes.setInt(RecordBatch.LAST_OFFSET_DELTA_AT, 5)));
    }

    @Test
    void anUnknownCodecAndAMissingSequenceAreRefused() {
        refuses(Errors.UNSUPPORTED_COMPRESSION_TYPE, mended(bytes -> bytes.setShort(RecordBatch.ATTRIBUTES_AT, 6)));
        refuses(Errors.INVALID_RECORD, mended(bytes -> bytes.setLong(RecordBatch.PRODUCER_ID_AT, 6)));
    }

    private static Consumer<ByteBuf> mended(Consumer<ByteBuf> damage) {
        return damage.andThen(
                bytes -> bytes.setInt(RecordBatch.CRC_AT, RecordBatch.checksum(bytes, 0, bytes.writerIndex())));
    }

    private static void refuses(Errors error, Consumer<ByteBuf> damage) {
        ByteBuffer kafkas = MemoryRecords.withRecords(
                        Compression.NONE,
                        List.of(KafkaBatches.record(0, "key", "value")).toArray(new SimpleRecord[0]))
                .buffer();
        ByteBuf bytes = Unpooled.copiedBuffer(kafkas);
        damage.accept(bytes);
        assertThatExceptionOfType(ProtocolException.class)
                .isThrownBy(() -> new RecordBatch().wrap(bytes, 0).verify())
                .satisfies(e -> assertThat(e.error()).isEqualTo(error));
    }
}
