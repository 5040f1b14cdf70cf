package io.korvet.faults.client;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * How the clients of a run are set.
 *
 * @param folder where histories go
 * @param rate records per second and producer
 * @param requestTimeout milliseconds until a client takes a connection for dead
 */
record Settings(String bootstrap, Path folder, long seed, int rate, int requestTimeout) {
    static final String GROUP = "faults";
    /** How long each producer tries to deliver, milliseconds: the first often gives up while a fault is on. */
    private static final int[] DELIVERY = {4_000, 20_000, 60_000};

    static int producers() {
        return DELIVERY.length;
    }

    private Map<String, Object> common() {
        Map<String, Object> common = new HashMap<>();
        common.put("bootstrap.servers", bootstrap);
        common.put("request.timeout.ms", requestTimeout);
        common.put("reconnect.backoff.max.ms", 500);
        common.put("socket.connection.setup.timeout.ms", 2_000);
        common.put("socket.connection.setup.timeout.max.ms", 4_000);
        return common;
    }

    Map<String, Object> admin() {
        return common();
    }

    /** An idempotent producer that wants all acknowledgements, with batches so small that several are under way. */
    KafkaProducer<byte[], byte[]> producer(int index) {
        Map<String, Object> all = common();
        all.put("enable.idempotence", true);
        all.put("acks", "all");
        all.put("request.timeout.ms", Math.min(requestTimeout, DELIVERY[index] - 1_000));
        all.put("delivery.timeout.ms", DELIVERY[index]);
        all.put("linger.ms", 5);
        all.put("batch.size", 4_096);
        all.put("max.block.ms", 3_000);
        return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** A reader without a group, who is told when its place isn't there. */
    KafkaConsumer<byte[], byte[]> reader() {
        Map<String, Object> all = common();
        all.put("auto.offset.reset", "none");
        all.put("enable.auto.commit", false);
        all.put("default.api.timeout.ms", 15_000);
        return new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** A member of the group, which starts at the beginning when nothing is committed. */
    KafkaConsumer<byte[], byte[]> member() {
        Map<String, Object> all = common();
        all.put("group.id", GROUP);
        all.put("auto.offset.reset", "earliest");
        all.put("enable.auto.commit", false);
        all.put("session.timeout.ms", 6_000);
        all.put("heartbeat.interval.ms", 1_000);
        all.put("default.api.timeout.ms", 15_000);
        return new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }
}
