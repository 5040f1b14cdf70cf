package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.korvet.it.raw.RawConnection;
import io.korvet.it.raw.Requests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.Record;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Produced offsets are consumed offsets, and every position makes progress. */
@Tag("waits")
class OffsetsIT extends BrokerBehaviour {

    @Encoding.InEach
    void offsetsToldToTheProducerAreThoseConsumedAlsoForABatchOfFiveThousand(Encoding encoding) {
        String topic = topic(encoding);
        List<Long> told = new ArrayList<>(produce(topic, numbers(0, 5_000)));
        told.addAll(produce(topic, numbers(5_000, 1)));
        told.addAll(produce(topic, numbers(5_001, 5_000), "compression.type", "lz4"));

        List<ConsumerRecord<byte[], byte[]>> records = readAll(topic, 10_001);

        assertThat(offsets(records)).isEqualTo(told);
        assertThat(values(records)).isEqualTo(numbers(0, 10_001));
        assertThat(told).isSorted().doesNotHaveDuplicates();
        assertThat(told.get(4_999) - told.get(0)).as("a batch is contiguous").isEqualTo(4_999);
        if (encoding.dense()) {
            assertThat(told.get(10_000)).isEqualTo(10_000);
        }
    }

    @Encoding.InEach
    void aSeekToAnyReturnedOffsetReturnsThatRecordFirst(Encoding encoding) {
        String topic = topic(encoding);
        List<Long> told = new ArrayList<>();
        for (int size : new int[] {1, 2, 40, 1, 7, 90}) {
            told.addAll(produce(topic, numbers(told.size(), size)));
            told.addAll(produce(topic, numbers(told.size(), size), "compression.type", "gzip"));
        }
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < told.size(); i++) {
            order.add(i);
        }
        Collections.shuffle(order, new Random(11));
        KafkaConsumer<byte[], byte[]> consumer = reader(topic, "max.poll.records", 1);
        for (int i : order) {
            consumer.seek(partition(topic), told.get(i));
            ConsumerRecord<byte[], byte[]> first = read(consumer, 1).get(0);
            assertThat(first.offset()).isEqualTo(told.get(i));
            assertThat(text(first.value())).isEqualTo(Integer.toString(i));
        }
    }

    @Encoding.InEach
    void aSeekIntoAGapGoesOnWithTheNextRecord(Encoding encoding) {
        String topic = topic(encoding);
        List<Long> told = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            told.addAll(produce(topic, numbers(i, 1)));
        }
        KafkaConsumer<byte[], byte[]> consumer = reader(topic);
        for (int i = 0; i + 1 < told.size(); i++) {
            long between = told.get(i) + (told.get(i + 1) - told.get(i) + 1) / 2;
            consumer.seek(partition(topic), between);
            assertThat(read(consumer, 1).get(0).offset()).isEqualTo(told.get(i + 1));
        }
    }

    @Encoding.InEach
    void theLastOffsetPlusOneIsTheEndAndWaitsForTheNextRecord(Encoding encoding) {
        String topic = topic(encoding);
        List<Long> told = produce(topic, numbers(0, 10));
        long next = told.get(9) + 1;

        assertThat(offset(topic, OffsetSpec.latest())).isEqualTo(next);
        KafkaConsumer<byte[], byte[]> consumer = reader(topic);
        consumer.seekToEnd(List.of(partition(topic)));
        assertThat(consumer.position(partition(topic))).isEqualTo(next);
        assertThat(consumer.poll(Duration.ofMillis(300)).count()).isZero();
        long after = produce(topic, numbers(10, 1)).get(0);
        assertThat(after).isGreaterThanOrEqualTo(next);
        assertThat(read(consumer, 1)).singleElement().satisfies(record -> {
            assertThat(record.offset()).isEqualTo(after);
            assertThat(text(record.value())).isEqualTo("10");
        });
    }

    @Encoding.InEach
    void aFetchInsideABatchReturnsTheRestOfIt(Encoding encoding) {
        for (String codec : List.of("none", "zstd")) {
            String topic = topic(encoding);
            List<Long> told = produce(topic, numbers(0, 200), "compression.type", codec);
            Uuid id = topicId(topic);
            RawConnection connection = connection();
            for (int i : new int[] {1, 100, 199}) {
                FetchResponseData answer = connection.exchange(
                        FetchResponseData.class,
                        Requests.fetch(topic, id, told.get(i), 1_000, 1 << 20),
                        Requests.FETCH_BY_ID);
                List<Long> got = new ArrayList<>();
                for (Record record : Requests.records(answer).records()) {
                    if (record.offset() >= told.get(i)) {
                        got.add(record.offset());
                    }
                }
                assertThat(got).as(codec + " from record " + i).isEqualTo(told.subList(i, 200));
            }
        }
    }

    @Encoding.InEach
    void theFirstRecordComesWholeEvenAboveTheByteLimits(Encoding encoding) {
        String topic = topic(encoding);
        String large = "x".repeat(300_000);
        produce(topic, List.of(large));
        produce(topic, List.of("small"));

        List<ConsumerRecord<byte[], byte[]>> records =
                readAll(topic, 2, "max.partition.fetch.bytes", 100, "fetch.max.bytes", 100);
        assertThat(values(records)).isEqualTo(List.of(large, "small"));

        FetchResponseData raw = connection()
                .exchange(
                        FetchResponseData.class,
                        Requests.fetch(topic, topicId(topic), records.get(0).offset(), 1_000, 1),
                        Requests.FETCH_BY_ID);
        assertThat(Requests.records(raw).sizeInBytes()).isGreaterThan(300_000);
    }

    @Encoding.InEach
    void positionsOutOfRangeAreTold(Encoding encoding) {
        String topic = topic(encoding);
        List<Long> told = produce(topic, numbers(0, 10));
        result(admin().deleteRecords(Map.of(partition(topic), RecordsToDelete.beforeOffset(told.get(5))))
                .all());
        for (long outside : new long[] {told.get(4), told.get(9) + 2}) {
            KafkaConsumer<byte[], byte[]> strict = reader(topic, "auto.offset.reset", "none");
            strict.seek(partition(topic), outside);
            assertThatThrownBy(() -> read(strict, 1))
                    .as("offset " + outside + " of " + told)
                    .isInstanceOf(OffsetOutOfRangeException.class);
            FetchResponseData raw = connection()
                    .exchange(
                            FetchResponseData.class,
                            Requests.fetch(topic, topicId(topic), outside, 100, 1_000),
                            Requests.FETCH_BY_ID);
            var answer = raw.responses().get(0).partitions().get(0);
            assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.OFFSET_OUT_OF_RANGE);
            KafkaConsumer<byte[], byte[]> resetting = reader(topic, "auto.offset.reset", "earliest");
            resetting.seek(partition(topic), outside);
            assertThat(read(resetting, 1).get(0).offset()).isEqualTo(told.get(5));
        }
    }

    @Encoding.InEach
    void manyProducersAtOnceGetOffsetsOfTheirOwnAndKeepTheirOrder(Encoding encoding) {
        String topic = topic(encoding);
        int producers = 4;
        int each = 500;
        List<List<Future<RecordMetadata>>> sent = new ArrayList<>();
        List<KafkaProducer<byte[], byte[]>> clients = new ArrayList<>();
        for (int p = 0; p < producers; p++) {
            sent.add(new ArrayList<>());
            clients.add(producer("batch.size", 2_000, "linger.ms", p));
        }
        for (int i = 0; i < each; i++) {
            for (int p = 0; p < producers; p++) {
                sent.get(p).add(clients.get(p).send(new ProducerRecord<>(topic, 0, bytes("" + p), bytes("" + i))));
            }
        }
        List<ConsumerRecord<byte[], byte[]>> records = readAll(topic, producers * each);
        for (int p = 0; p < producers; p++) {
            String key = "" + p;
            List<ConsumerRecord<byte[], byte[]>> own = records.stream()
                    .filter(record -> key.equals(text(record.key())))
                    .toList();
            assertThat(values(own)).isEqualTo(numbers(0, each));
            assertThat(offsets(own))
                    .isEqualTo(sent.get(p).stream()
                            .map(future -> result(future).offset())
                            .toList());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "all"})
    void everyLevelOfAcknowledgementStores(String acks) {
        String topic = topic(Encoding.usual());
        KafkaProducer<byte[], byte[]> producer = producer("acks", acks, "enable.idempotence", false);
        for (String value : numbers(0, 50)) {
            RecordMetadata metadata = send(producer, record(topic, value));
            assertThat(metadata.hasOffset()).isEqualTo(!acks.equals("0"));
        }
        assertThat(values(readAll(topic, 50))).isEqualTo(numbers(0, 50));
    }
}
