package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Entries that plain Redis clients write into a partition's stream. */
@Tag("waits")
class ForeignEntriesIT extends OwnBrokerBehaviour {

    private String addToStream(String topic) {
        return addToStream(topic, "*");
    }

    private String addToStream(String topic, String id) {
        return redis().command("XADD korvet:storage:local:{" + topic + ":0}:0 " + id + " value stranger");
    }

    @Test
    void areServedInTheirPlaceWhereOffsetsTellTime() {
        String topic = topic(Encoding.TIME);
        produce(topic, numbers(0, 10));
        assertThat(addToStream(topic)).startsWith("$");
        produce(topic, numbers(10, 10));

        List<String> expected = new java.util.ArrayList<>(numbers(0, 10));
        expected.add("stranger");
        expected.addAll(numbers(10, 10));
        assertThat(values(readAll(topic, 21))).isEqualTo(expected);
    }

    @Test
    void areServedInTheirPlaceInADenseLogWhenTheyTakeItsNextOffset() {
        String topic = topic(Encoding.DENSE);
        produce(topic, numbers(0, 10));
        assertThat(addToStream(topic, "1-10")).startsWith("$");
        assertThat(produce(topic, numbers(10, 10)).get(0)).isEqualTo(11);

        List<String> expected = new java.util.ArrayList<>(numbers(0, 10));
        expected.add("stranger");
        expected.addAll(numbers(10, 10));
        assertThat(values(readAll(topic, 21))).isEqualTo(expected);
    }

    @Test
    void areFoundInAnyOfManyPartitionsThatOneConsumerWaitsFor() {
        String topic = topic(40, Encoding.TIME);
        List<TopicPartition> all = IntStream.range(0, 40)
                .mapToObj(number -> new TopicPartition(topic, number))
                .toList();
        KafkaConsumer<byte[], byte[]> consumer = consumer();
        consumer.assign(all);
        consumer.seekToEnd(all);
        assertThat(consumer.poll(Duration.ofSeconds(1))).isEmpty();

        for (int partition : List.of(39, 20, 0)) {
            String key = "korvet:storage:local:{" + topic + ":" + partition + "}:0";
            assertThat(redis().command("XADD " + key + " * value stranger")).startsWith("$");
            assertThat(read(consumer, 1).get(0).partition()).isEqualTo(partition);
        }
    }

    @Test
    void stopAppendsToADenseLogButNotItsReads() {
        String topic = topic(Encoding.DENSE);
        produce(topic, numbers(0, 10));
        assertThat(addToStream(topic)).startsWith("$");

        KafkaProducer<byte[], byte[]> producer = producer("delivery.timeout.ms", 3_000, "request.timeout.ms", 2_000);
        assertThat(failure(producer.send(record(topic, "refused")))).isInstanceOf(TimeoutException.class);
        assertThat(offset(topic, OffsetSpec.latest())).isEqualTo(10);
        assertThat(values(readAll(topic, 10))).isEqualTo(numbers(0, 10));

        broker().kill();
        broker().start();
        assertThat(offset(topic, OffsetSpec.latest())).isEqualTo(10);
        assertThat(values(readAll(topic, 10))).isEqualTo(numbers(0, 10));
    }
}
