package io.korvet.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.protocol.records.BufferRecords;
import io.korvet.protocol.records.RecordBatch;
import io.korvet.protocol.records.RecordBatchWriter;
import io.korvet.protocol.records.RecordCursor;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.junit.jupiter.api.Test;

/** The example of the module's README, kept compiling and right. */
class EmbeddingTest {

    @Test
    void theReadmesExampleWorks() {
        ByteBufAllocator allocator = ByteBufAllocator.DEFAULT;
        ByteBuffer value = StandardCharsets.UTF_8.encode("hello");

        ByteBuf batches = allocator.buffer();
        RecordBatchWriter writer = new RecordBatchWriter(batches, CompressionType.ZSTD, TimestampType.CREATE_TIME);
        writer.add(42, 1_700_000_000_000L, null, value, null);
        writer.finish();

        StringBuilder read = new StringBuilder();
        RecordBatch batch = new RecordBatch().wrap(batches, batches.readerIndex());
        batch.verify();
        try (RecordCursor cursor = RecordCursor.open(batch, batches, allocator, 1 << 20)) {
            while (cursor.next()) {
                read.append(batch.baseOffset() + cursor.offsetDelta())
                        .append(' ')
                        .append(cursor.buffer()
                                .toString(cursor.valueIndex(), cursor.valueLength(), StandardCharsets.UTF_8));
            }
        }

        FetchResponseData answer = new FetchResponseData();
        FetchResponseData.FetchableTopicResponse topic =
                new FetchResponseData.FetchableTopicResponse().setTopic("greetings");
        topic.partitions().add(new FetchResponseData.PartitionData().setRecords(new BufferRecords(batches)));
        answer.responses().add(topic);
        ByteBuf encoded = ResponseCodec.encode(allocator, ApiKeys.FETCH, (short) 12, 7, answer);

        assertThat(read).hasToString("42 hello");
        assertThat(encoded.getInt(0)).isEqualTo(encoded.readableBytes() - 4);
        encoded.release();
    }
}
