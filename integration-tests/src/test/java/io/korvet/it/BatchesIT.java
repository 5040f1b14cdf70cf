package io.korvet.it;

import static io.korvet.it.raw.Requests.error;
import static io.korvet.it.raw.Requests.produceAll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.korvet.it.raw.RawConnection;
import io.korvet.it.raw.Requests;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

/** Batches that no client would send, and batches sent twice. */
class BatchesIT extends BrokerBehaviour {

    @Test
    void aBrokenChecksumIsCorruptMessageAndNothingIsWritten() {
        String topic = topic(Encoding.usual());
        RawConnection connection = connection();
        MemoryRecords broken = MemoryRecords.withRecords(Compression.NONE, records("a", "b"));
        int last = broken.sizeInBytes() - 1;
        broken.buffer().put(last, (byte) (broken.buffer().get(last) ^ 1));
        assertThat(error(produceAll(connection, topic, broken))).isEqualTo(Errors.CORRUPT_MESSAGE);

        MemoryRecords whole = MemoryRecords.withRecords(Compression.NONE, records("c"));
        assertThat(error(produceAll(connection, topic, whole))).isEqualTo(Errors.NONE);
        assertThat(values(readAll(topic, 1))).containsExactly("c");
    }

    @Test
    void compressedGarbageIsRefusedAndNothingIsWritten() {
        String topic = topic(Encoding.usual());
        for (Compression codec : List.of(
                Compression.gzip().build(),
                Compression.snappy().build(),
                Compression.lz4().build(),
                Compression.zstd().build())) {
            RawConnection connection = connection();
            MemoryRecords records = MemoryRecords.withRecords(codec, records("x".repeat(1_000)));
            ByteBuffer buffer = records.buffer();
            for (int i = 61; i < records.sizeInBytes(); i++) {
                buffer.put(i, (byte) (buffer.get(i) ^ 0x5a));
            }
            java.util.zip.CRC32C checksum = new java.util.zip.CRC32C();
            checksum.update(buffer.duplicate().position(21));
            buffer.putInt(17, (int) checksum.getValue());
            assertThat(error(produceAll(connection, topic, records)))
                    .as(codec.type().name)
                    .isNotEqualTo(Errors.NONE);
        }
        produce(topic, List.of("after"));
        assertThat(values(readAll(topic, 1))).containsExactly("after");
    }

    @Test
    void aBatchOverMaxMessageBytesIsMessageTooLarge() {
        String topic = topic(Encoding.usual(), "max.message.bytes", "1000");
        PartitionProduceResponse answer = produceAll(
                connection(), topic, MemoryRecords.withRecords(Compression.NONE, records("x".repeat(2_000))));
        assertThat(error(answer)).isEqualTo(Errors.MESSAGE_TOO_LARGE);
    }

    @Test
    void aBatchThatInflatesAThousandTimesCostsBoundedMemory() {
        assumeThat(broker().residentBytes())
                .as("the broker's process is ours to look at")
                .isPositive();
        String topic = topic(Encoding.usual());
        MemoryRecords bomb = inflating(32 * 1024);
        assertThat(bomb.sizeInBytes()).isLessThan(100_000);
        RawConnection[] connections = {connection(), connection(), connection(), connection()};
        long before = broker().residentBytes();
        for (RawConnection connection : connections) {
            connection.send(Requests.produce(topic, -1, bomb), Requests.PRODUCE);
        }
        for (RawConnection connection : connections) {
            ProduceResponseData answer = (ProduceResponseData)
                    connection.receive(org.apache.kafka.common.protocol.ApiKeys.PRODUCE, Requests.PRODUCE);
            var partition =
                    answer.responses().iterator().next().partitionResponses().get(0);
            assertThat(error(partition)).isIn(Errors.NONE, Errors.MESSAGE_TOO_LARGE);
        }
        assertThat(broker().residentBytes() - before)
                .as("growth of the broker's memory for 4 x 32 MiB inflated")
                .isLessThan(300L << 20);
        produce(topic(Encoding.usual()), List.of("it still works"));
    }

    /** 1 KiB values of one byte, zstd. */
    private static MemoryRecords inflating(int count) {
        MemoryRecordsBuilder builder = MemoryRecords.builder(
                ByteBuffer.allocate(1 << 20), Compression.zstd().build(), TimestampType.CREATE_TIME, 0);
        long now = Instant.now().toEpochMilli();
        byte[] zeros = new byte[1_000];
        for (int i = 0; i < count; i++) {
            builder.append(now, null, zeros);
        }
        return builder.build();
    }

    @Encoding.InEach
    void aBatchSentTwiceIsWrittenOnceAndAnsweredWithItsFirstOffset(Encoding encoding) {
        String topic = topic(encoding);
        RawConnection connection = connection();
        InitProducerIdResponseData writer = writer(connection);
        List<Long> told = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            PartitionProduceResponse first = produceAll(connection, topic, batch(writer, 0, i * 2, "" + i, i + "b"));
            assertThat(error(first)).isEqualTo(Errors.NONE);
            told.add(first.baseOffset());
        }
        for (int i = 0; i < 5; i++) {
            PartitionProduceResponse again = produceAll(connection, topic, batch(writer, 0, i * 2, "" + i, i + "b"));
            assertThat(error(again)).isEqualTo(Errors.NONE);
            assertThat(again.baseOffset()).isEqualTo(told.get(i));
        }
        assertThat(values(readAll(topic, 10))).containsExactly("0", "0b", "1", "1b", "2", "2b", "3", "3b", "4", "4b");
    }

    @Test
    void aGapInTheSequenceIsOutOfOrder() {
        String topic = topic(Encoding.usual());
        RawConnection connection = connection();
        InitProducerIdResponseData writer = writer(connection);
        assertThat(error(produceAll(connection, topic, batch(writer, 0, 0, "a"))))
                .isEqualTo(Errors.NONE);
        assertThat(error(produceAll(connection, topic, batch(writer, 0, 2, "c"))))
                .isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        assertThat(error(produceAll(connection, topic, batch(writer, 0, 1, "b"))))
                .isEqualTo(Errors.NONE);
        assertThat(values(readAll(topic, 2))).containsExactly("a", "b");
    }

    @Test
    void anOldEpochIsInvalidAndANewOneStartsAtSequenceZero() {
        String topic = topic(Encoding.usual());
        RawConnection connection = connection();
        InitProducerIdResponseData writer = writer(connection);
        assertThat(error(produceAll(connection, topic, batch(writer, 0, 0, "a"))))
                .isEqualTo(Errors.NONE);
        assertThat(error(produceAll(connection, topic, batch(writer, 1, 7, "x"))))
                .isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        assertThat(error(produceAll(connection, topic, batch(writer, 1, 0, "b"))))
                .isEqualTo(Errors.NONE);
        assertThat(error(produceAll(connection, topic, batch(writer, 0, 1, "y"))))
                .isEqualTo(Errors.INVALID_PRODUCER_EPOCH);
        assertThat(values(readAll(topic, 2))).containsExactly("a", "b");
    }

    @Test
    void producerIdsAreNeverGivenTwice() {
        RawConnection connection = connection();
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            ids.add(writer(connection).producerId());
        }
        assertThat(ids).doesNotHaveDuplicates();
    }

    @Test
    void theNewestProduceVersionNamesTheTopicById() {
        String topic = topic(Encoding.usual());
        RawConnection connection = connection();
        var request = Requests.produce(topic, 1, MemoryRecords.withRecords(Compression.NONE, records("by id")));
        request.topicData().iterator().next().setName("").setTopicId(topicId(topic));
        var answer = connection.exchange(ProduceResponseData.class, request, 13);
        assertThat(answer.responses().iterator().next().topicId()).isEqualTo(topicId(topic));
        assertThat(values(readAll(topic, 1))).containsExactly("by id");

        request.topicData().iterator().next().setTopicId(Uuid.randomUuid());
        var unknown = connection.exchange(ProduceResponseData.class, request, 13);
        assertThat(error(unknown.responses()
                        .iterator()
                        .next()
                        .partitionResponses()
                        .get(0)))
                .isEqualTo(Errors.UNKNOWN_TOPIC_ID);
    }

    private static InitProducerIdResponseData writer(RawConnection connection) {
        InitProducerIdResponseData answer = connection.exchange(
                InitProducerIdResponseData.class,
                new InitProducerIdRequestData().setTransactionalId(null).setTransactionTimeoutMs(60_000),
                4);
        assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.NONE);
        return answer;
    }

    private static MemoryRecords batch(
            InitProducerIdResponseData writer, int laterEpoch, int sequence, String... values) {
        return MemoryRecords.withIdempotentRecords(
                Compression.NONE,
                writer.producerId(),
                (short) (writer.producerEpoch() + laterEpoch),
                sequence,
                records(values));
    }

    private static SimpleRecord[] records(String... values) {
        SimpleRecord[] records = new SimpleRecord[values.length];
        for (int i = 0; i < values.length; i++) {
            records[i] = new SimpleRecord(Instant.now().toEpochMilli(), null, bytes(values[i]));
        }
        return records;
    }
}
