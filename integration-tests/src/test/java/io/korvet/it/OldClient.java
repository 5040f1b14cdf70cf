package io.korvet.it;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A program that uses what kafka-clients has had since 2.5, run with an older jar of it: creates a topic, produces,
 * consumes in a group, commits, resumes. Arguments: bootstrap, topic, group.
 */
public final class OldClient {
    private OldClient() {}

    /** Prints the values read first and after the resumption. */
    public static void main(String[] arguments) throws ExecutionException, InterruptedException {
        Properties config = new Properties();
        config.put("bootstrap.servers", arguments[0]);
        config.put("group.id", arguments[2]);
        config.put("auto.offset.reset", "earliest");
        config.put("enable.auto.commit", "false");
        for (String type : List.of("key", "value")) {
            config.put(type + ".serializer", "org.apache.kafka.common.serialization.StringSerializer");
            config.put(type + ".deserializer", "org.apache.kafka.common.serialization.StringDeserializer");
        }
        String topic = arguments[1];
        try (Admin admin = Admin.create(config)) {
            admin.createTopics(List.of(new NewTopic(topic, Optional.of(1), Optional.empty())))
                    .all()
                    .get();
        }
        produce(config, topic, 0, 10);
        System.out.println("first=" + consume(config, topic, 10));
        produce(config, topic, 10, 15);
        System.out.println("resumed=" + consume(config, topic, 5));
    }

    private static void produce(Properties config, String topic, int from, int to)
            throws ExecutionException, InterruptedException {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(config)) {
            for (int i = from; i < to; i++) {
                producer.send(new ProducerRecord<>(topic, "k", Integer.toString(i)))
                        .get();
            }
        }
    }

    private static String consume(Properties config, String topic, int count) {
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(config)) {
            consumer.subscribe(Collections.singletonList(topic));
            long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (values.size() < count && System.nanoTime() < end) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    values.add(record.value());
                }
            }
            consumer.commitSync();
        }
        return String.join(" ", values);
    }
}
