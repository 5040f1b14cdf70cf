package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.it.raw.RawConnection;
import io.korvet.it.raw.Requests;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** What a broker that was killed finds again. */
class RestartIT extends OwnBrokerBehaviour {
    private final long now = Instant.now().toEpochMilli();

    @Encoding.InEach
    void recordsOffsetsCommitsAndProducerStateOutliveAKilledBroker(Encoding encoding) {
        String topic = topic(encoding);
        String group = name("group");
        List<Long> told = produce(topic, numbers(0, 100), "compression.type", "lz4");
        OffsetAndMetadata committed = new OffsetAndMetadata(told.get(41) + 1, "checkpoint 7");
        result(admin().alterConsumerGroupOffsets(group, Map.of(partition(topic), committed))
                .all());
        long end = offset(topic, OffsetSpec.latest());
        InitProducerIdResponseData writer = connection()
                .exchange(
                        InitProducerIdResponseData.class,
                        new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(1_000),
                        4);
        PartitionProduceResponse first = idempotent(topic, writer);
        assertThat(first.baseOffset()).isGreaterThanOrEqualTo(end);

        broker().kill();
        broker().start();

        assertThat(idempotent(topic, writer).baseOffset()).isEqualTo(first.baseOffset());
        assertThat(offset(topic, OffsetSpec.latest())).isEqualTo(first.baseOffset() + 1);
        assertThat(result(admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()))
                .containsEntry(partition(topic), committed);
        assertThat(result(admin().listGroups().all()))
                .extracting(GroupListing::groupId)
                .contains(group);
        var records = readAll(topic, 101);
        assertThat(offsets(records).subList(0, 100)).isEqualTo(told);
        assertThat(values(records).subList(0, 100)).isEqualTo(numbers(0, 100));
        long next = produce(topic, List.of("goes on")).get(0);
        assertThat(next).isGreaterThan(first.baseOffset());
    }

    private PartitionProduceResponse idempotent(String topic, InitProducerIdResponseData writer) {
        try (RawConnection connection = RawConnection.open(broker().bootstrap())) {
            PartitionProduceResponse answer = Requests.produceAll(
                    connection,
                    topic,
                    MemoryRecords.withIdempotentRecords(
                            Compression.NONE,
                            writer.producerId(),
                            writer.producerEpoch(),
                            0,
                            new SimpleRecord(now, bytes("once"))));
            assertThat(Requests.error(answer)).isEqualTo(Errors.NONE);
            return answer;
        }
    }
}
