package io.korvet.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

@KorvetTest("broker.default-partitions=3")
class KorvetTestIT {

    @Test
    void aRecordProducedIsConsumed(EmbeddedKorvet korvet) throws Exception {
        try (Producer<String, String> producer = korvet.producer(new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>("orders", "key", "value")).get(30, TimeUnit.SECONDS);
        }
        try (Consumer<String, String> consumer =
                korvet.consumer("billing", new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("orders"));
            ConsumerRecords<String, String> records = consumer.poll(Duration.ofSeconds(30));
            assertThat(records).extracting(ConsumerRecord::value).containsExactly("value");
        }
    }

    @Test
    void settingsOfTheAnnotationHold(EmbeddedKorvet korvet) throws Exception {
        try (Producer<String, String> producer = korvet.producer(new StringSerializer(), new StringSerializer());
                Admin admin = korvet.admin()) {
            producer.send(new ProducerRecord<>("parcels", "value")).get(30, TimeUnit.SECONDS);
            assertThat(admin.describeTopics(List.of("parcels"))
                            .allTopicNames()
                            .get(30, TimeUnit.SECONDS)
                            .values())
                    .singleElement()
                    .satisfies(topic -> assertThat(topic.partitions()).hasSize(3));
        }
        assertThat(korvet.redisUri().getPort()).isPositive();
        assertThat(korvet.httpUri().getPort()).isPositive();
    }

    @Test
    void severalCanRunAtOnce(EmbeddedKorvet korvet) {
        try (EmbeddedKorvet other = EmbeddedKorvet.start(Map.of("korvet.broker.id", "7"))) {
            assertThat(other.bootstrapServers()).isNotEqualTo(korvet.bootstrapServers());
            assertThat(other.redisUri()).isNotEqualTo(korvet.redisUri());
        }
    }
}
