package io.korvet.benchmarks.load;

import io.korvet.benchmarks.process.Contender;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's own clients with their defaults (idempotent, acks=all, no compression), the same for every contender. */
final class Clients {

    private Clients() {}

    /** A producer that waits so long for a batch to fill. */
    static KafkaProducer<byte[], byte[]> producer(Contender contender, int lingerMilliseconds) {
        return new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        contender.bootstrap(),
                        ProducerConfig.LINGER_MS_CONFIG,
                        lingerMilliseconds,
                        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                        20_000,
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                        30_000,
                        ProducerConfig.MAX_BLOCK_MS_CONFIG,
                        30_000),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /** A consumer without a group. */
    static KafkaConsumer<byte[], byte[]> consumer(Contender contender) {
        return new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        contender.bootstrap(),
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        false,
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    /** A value of random letters, the same in every run. */
    static byte[] value(int bytes) {
        Random random = new Random(bytes);
        byte[] value = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            value[i] = (byte) ('a' + random.nextInt(26));
        }
        return value;
    }
}
