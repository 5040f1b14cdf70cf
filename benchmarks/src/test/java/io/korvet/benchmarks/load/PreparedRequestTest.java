package io.korvet.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponseCollection;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.Test;

class PreparedRequestTest {

    @Test
    void aFrameHoldsOneValidBatchAndTheCorrelationIdAskedFor() {
        byte[] value = Clients.value(100);

        ByteBuffer frame = ByteBuffer.wrap(PreparedRequest.of(new TopicPartition("orders", 3), value, 5, 1_000)
                .frame(77));

        assertThat(frame.getInt()).isEqualTo(frame.remaining());
        assertThat(RequestHeader.parse(frame).correlationId()).isEqualTo(77);
        ProduceRequestData request = new ProduceRequestData(new ByteBufferAccessor(frame), PreparedRequest.VERSION);
        var topic = request.topicData().iterator().next();
        var partition = topic.partitionData().get(0);
        assertThat(topic.name()).isEqualTo("orders");
        assertThat(partition.index()).isEqualTo(3);
        MemoryRecords records = (MemoryRecords) partition.records();
        records.batches().forEach(batch -> batch.ensureValid());
        assertThat(records.records()).hasSize(5).allSatisfy(record -> {
            assertThat(record.timestamp()).isEqualTo(1_000);
            assertThat(record.value()).isEqualTo(ByteBuffer.wrap(value));
        });
    }

    @Test
    void anErrorOfAPartitionOrAnotherCorrelationIdIsNoSuccess() {
        assertThatCode(() -> PreparedRequest.check(answer(7, Errors.NONE), 7)).doesNotThrowAnyException();
        assertThatThrownBy(() -> PreparedRequest.check(answer(7, Errors.NONE), 8))
                .isInstanceOf(BenchmarkException.class)
                .hasMessageContaining("expected 8");
        assertThatThrownBy(() -> PreparedRequest.check(answer(7, Errors.CORRUPT_MESSAGE), 7))
                .isInstanceOf(BenchmarkException.class)
                .hasMessageContaining("CORRUPT_MESSAGE");
    }

    private static byte[] answer(int correlationId, Errors error) {
        ProduceResponseData body = new ProduceResponseData()
                .setResponses(new TopicProduceResponseCollection(List.of(new TopicProduceResponse()
                                .setName("orders")
                                .setPartitionResponses(
                                        List.of(new PartitionProduceResponse().setErrorCode(error.code()))))
                        .iterator()));
        ByteBuffer bytes =
                MessageUtil.toByteBufferAccessor(body, PreparedRequest.VERSION).buffer();
        byte[] answer = new byte[Integer.BYTES + 1 + bytes.remaining()];
        ByteBuffer.wrap(answer).putInt(correlationId).put((byte) 0).put(bytes);
        return answer;
    }
}
