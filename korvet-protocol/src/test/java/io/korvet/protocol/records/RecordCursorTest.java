package io.korvet.protocol.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.korvet.protocol.ProtocolException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.xerial.snappy.Snappy;

class RecordCursorTest {

    private static final int LIMIT = 1 << 20;

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void readsWhatKafkaClientsWrite(CompressionType type) {
        ByteBuf buffer = KafkaBatches.batch(type, 7, KafkaBatches.oddRecords());
        try {
            assertThat(KafkaBatches.read(buffer, 7, LIMIT)).isEqualTo(KafkaBatches.oddRecords());
        } finally {
            buffer.release();
        }
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void readsABatchOfExactlyTheLimitAndRefusesOneByteMore(CompressionType type) {
        ByteBuf buffer = KafkaBatches.batch(type, 0, List.of(KafkaBatches.record(0, null, "x".repeat(50_000))));
        try {
            int plain = 1 + 1 + 1 + 1 + 3 + 50_000 + 1 + 3;
            assertThat(KafkaBatches.read(buffer, 0, plain)).hasSize(1);
            if (type != CompressionType.NONE) {
                assertThatExceptionOfType(ProtocolException.class)
                        .isThrownBy(() -> KafkaBatches.read(buffer, 0, plain - 1))
                        .satisfies(e -> assertThat(e.error()).isEqualTo(Errors.MESSAGE_TOO_LARGE));
            }
        } finally {
            buffer.release();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = CompressionType.class,
            names = {"GZIP", "LZ4", "ZSTD", "SNAPPY"})
    void aBombIsRefusedWithoutGrowingPastTheLimit(CompressionType type) {
        ByteBuf buffer = KafkaBatches.batch(
                type, 0, Collections.nCopies(64, KafkaBatches.record(0, null, "\0".repeat(1 << 20))));
        RecordBatch batch = new RecordBatch().wrap(buffer, 0);
        LargestBuffer allocator = new LargestBuffer();
        try {
            assertThatExceptionOfType(ProtocolException.class)
                    .isThrownBy(() -> RecordCursor.open(batch, buffer, allocator, LIMIT))
                    .satisfies(e -> assertThat(e.error()).isEqualTo(Errors.MESSAGE_TOO_LARGE));
            assertThat(allocator.largest).isLessThanOrEqualTo(LIMIT);
        } finally {
            buffer.release();
        }
    }

    @Test
    void aSnappyBlockThatClaimsGigabytesIsRefused() {
        byte[] claim = {(byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, 4, 0, 1, 2};
        assertThatExceptionOfType(ProtocolException.class)
                .isThrownBy(() -> RecordCompression.decompress(
                        CompressionType.SNAPPY, ByteBuffer.wrap(claim), PooledByteBufAllocator.DEFAULT, LIMIT))
                .satisfies(e -> assertThat(e.error()).isEqualTo(Errors.CORRUPT_MESSAGE));
    }

    @Test
    void readsSnappyWithoutFraming() throws IOException {
        byte[] plain = "some bytes, some bytes, some bytes".getBytes(StandardCharsets.UTF_8);
        ByteBuf read = RecordCompression.decompress(
                CompressionType.SNAPPY, ByteBuffer.wrap(Snappy.compress(plain)), PooledByteBufAllocator.DEFAULT, LIMIT);
        assertThat(read).isEqualTo(Unpooled.wrappedBuffer(plain));
        read.release();
    }

    @Test
    void refusesAWrongOffsetDelta() {
        refuses(Errors.INVALID_RECORD, bytes -> bytes.setByte(RecordBatch.HEADER_BYTES + 3, 4));
    }

    @Test
    void refusesALengthThatPointsOutside() {
        refuses(Errors.INVALID_RECORD, bytes -> bytes.setByte(RecordBatch.HEADER_BYTES + 4, 0x7e));
    }

    @Test
    void refusesBytesBehindTheLastRecord() {
        refuses(Errors.INVALID_RECORD, bytes -> {
            bytes.writeByte(0);
            bytes.setInt(RecordBatch.LENGTH_AT, bytes.getInt(RecordBatch.LENGTH_AT) + 1);
        });
    }

    @Test
    void refusesFewerRecordsThanTheBatchSays() {
        refuses(Errors.INVALID_RECORD, bytes -> {
            bytes.setInt(RecordBatch.COUNT_AT, 3);
            bytes.setInt(RecordBatch.LAST_OFFSET_DELTA_AT, 2);
        });
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void whateverIsFlippedNothingButAProtocolExceptionComesOut(CompressionType type) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int run = 0; run < 3_000; run++) {
            ByteBuf buffer = KafkaBatches.batch(type, 0, KafkaBatches.randomRecords(random));
            try {
                for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                    int at = RecordBatch.ATTRIBUTES_AT
                            + random.nextInt(buffer.writerIndex() - RecordBatch.ATTRIBUTES_AT);
                    buffer.setByte(at, random.nextInt(256));
                }
                mendChecksum(buffer);
                KafkaBatches.read(buffer, 0, LIMIT);
            } catch (ProtocolException expected) {
                assertThat(expected.error()).isNotEqualTo(Errors.UNKNOWN_SERVER_ERROR);
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + " run " + run, e);
            } finally {
                buffer.release();
            }
        }
    }

    private static void refuses(Errors error, Consumer<ByteBuf> damage) {
        List<SimpleRecord> records =
                List.of(KafkaBatches.record(0, "key", "value"), KafkaBatches.record(0, "key", "value"));
        ByteBuf buffer = KafkaBatches.batch(CompressionType.NONE, 0, records);
        try {
            damage.accept(buffer);
            mendChecksum(buffer);
            assertThatExceptionOfType(ProtocolException.class)
                    .isThrownBy(() -> KafkaBatches.read(buffer, 0, LIMIT))
                    .satisfies(e -> assertThat(e.error()).isEqualTo(error));
        } finally {
            buffer.release();
        }
    }

    private static void mendChecksum(ByteBuf buffer) {
        buffer.setInt(RecordBatch.CRC_AT, RecordBatch.checksum(buffer, 0, buffer.writerIndex()));
    }
}
