package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.IsolationLevel;

/** Looking offsets up: the ends, the newest timestamp, and by time. */
class ListOffsetsIT extends BrokerBehaviour {
    private static final int[] SECONDS = {0, 10, 20, 20, 40, 30, 60, 50, 80};

    /** Asked second -> index in SECONDS of the first record at or after it; -1 for none. */
    private static final int[][] EXPECTED = {
        {-5, 0}, {0, 0}, {1, 1}, {10, 1}, {15, 2}, {20, 2}, {25, 4}, {35, 4}, {45, 6}, {55, 6}, {65, 8}, {80, 8},
        {81, -1}
    };

    private final long base = Instant.now().toEpochMilli() - 200_000;

    @Encoding.InEach
    void anEmptyPartitionHasEqualEndsAndNoTimestamps(Encoding encoding) {
        String topic = topic(encoding);
        long start = offset(topic, OffsetSpec.earliest());
        assertThat(offset(topic, OffsetSpec.latest())).isEqualTo(start);
        assertThat(offset(topic, OffsetSpec.maxTimestamp())).isEqualTo(-1);
        assertThat(offset(topic, OffsetSpec.forTimestamp(0))).isEqualTo(-1);
        if (encoding.dense()) {
            assertThat(start).isZero();
        }
    }

    @Encoding.InEach
    void theEndsAndTheNewestTimestampAreTold(Encoding encoding) {
        String topic = topic(encoding);
        List<Long> told = fill(topic, new int[] {0, 30, 10, 20}, 0);
        assertThat(offset(topic, OffsetSpec.earliest())).isLessThanOrEqualTo(told.get(0));
        assertThat(offset(topic, OffsetSpec.latest())).isEqualTo(told.get(3) + 1);
        var newest = result(admin().listOffsets(Map.of(partition(topic), OffsetSpec.maxTimestamp()))
                .partitionResult(partition(topic)));
        assertThat(newest.offset()).isEqualTo(told.get(1));
        assertThat(newest.timestamp()).isEqualTo(base + 30_000);
        for (IsolationLevel level : IsolationLevel.values()) {
            assertThat(result(admin().listOffsets(
                                            Map.of(partition(topic), OffsetSpec.latest()),
                                            new ListOffsetsOptions(level))
                                    .partitionResult(partition(topic)))
                            .offset())
                    .isEqualTo(told.get(3) + 1);
        }
        if (encoding.dense()) {
            assertThat(offset(topic, OffsetSpec.earliest())).isZero();
        }
    }

    @Encoding.InEach
    void timeFindsTheEarliestOffsetAtOrAfterItForTimestampsOutOfOrder(Encoding encoding) {
        String topic = topic(encoding);
        assertFinds(topic, fill(topic, SECONDS, 0), 0);
    }

    @Encoding.InEach
    void timeLooksInsideCompressedBatches(Encoding encoding) {
        for (String codec : List.of("gzip", "lz4", "zstd", "snappy")) {
            String topic = topic(encoding);
            assertFinds(topic, fill(topic, SECONDS, 200, "compression.type", codec), 0);
        }
    }

    @Encoding.InEach
    void timeNeverAnswersBelowTheLogStartAfterDeleteRecords(Encoding encoding) {
        for (int linger : new int[] {0, 200}) {
            String topic = topic(encoding);
            List<Long> told = fill(topic, SECONDS, linger);
            result(admin().deleteRecords(Map.of(partition(topic), RecordsToDelete.beforeOffset(told.get(3))))
                    .all());
            assertFinds(topic, told, 3);
            assertThat(offset(topic, OffsetSpec.earliest())).isEqualTo(told.get(3));
            assertThat(offset(topic, OffsetSpec.latest())).isEqualTo(told.get(8) + 1);
        }
    }

    @Encoding.InEach
    void aConsumerIsToldTheRecordsOwnTimestamp(Encoding encoding) {
        String topic = topic(encoding);
        List<Long> told = fill(topic, SECONDS, 0);
        KafkaConsumer<byte[], byte[]> consumer = reader(topic);
        OffsetAndTimestamp found =
                Objects.requireNonNull(consumer.offsetsForTimes(Map.of(partition(topic), base + 15_000))
                        .get(partition(topic)));
        assertThat(found.offset()).isEqualTo(told.get(2));
        assertThat(found.timestamp()).isEqualTo(base + 20_000);
        assertThat(consumer.offsetsForTimes(Map.of(partition(topic), base + 81_000)))
                .containsEntry(partition(topic), null);
    }

    private void assertFinds(String topic, List<Long> told, int start) {
        for (int[] each : EXPECTED) {
            int index = each[1];
            if (index >= 0 && index < start) {
                index = firstAtOrAfter(each[0], start);
            }
            assertThat(offset(topic, OffsetSpec.forTimestamp(base + each[0] * 1_000L)))
                    .as("first offset at or after second " + each[0] + " of " + told)
                    .isEqualTo(index < 0 ? -1 : told.get(index));
        }
    }

    private static int firstAtOrAfter(int second, int start) {
        int index = start;
        while (SECONDS[index] < second) {
            index++;
        }
        return index;
    }

    /** Records with timestamps a number of seconds after the base; without linger a batch each. */
    private List<Long> fill(String topic, int[] seconds, int linger, Object... config) {
        List<Object> all = new ArrayList<>(List.of("linger.ms", linger));
        all.addAll(List.of(config));
        KafkaProducer<byte[], byte[]> producer = producer(all.toArray());
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int second : seconds) {
            sent.add(producer.send(new ProducerRecord<>(topic, 0, base + second * 1_000L, null, bytes("v"))));
            if (linger == 0) {
                producer.flush();
            }
        }
        producer.flush();
        List<Long> told = new ArrayList<>();
        for (Future<RecordMetadata> each : sent) {
            told.add(result(each).offset());
        }
        return told;
    }
}
