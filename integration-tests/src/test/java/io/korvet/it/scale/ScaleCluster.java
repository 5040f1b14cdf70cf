package io.korvet.it.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.raw.RawConnection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Broker processes over one Redis; the ids of the brokers are their places in the list. */
final class ScaleCluster implements AutoCloseable {
    private static final int METADATA = 12;
    private static final int FIND_COORDINATOR = 4;

    private final RedisProcess redis = new RedisProcess();
    private final List<KorvetBroker> brokers = new ArrayList<>();
    private final int tickSeconds;

    ScaleCluster(int tickSeconds) {
        this.tickSeconds = tickSeconds;
        redis.start();
    }

    RedisProcess redis() {
        return redis;
    }

    List<KorvetBroker> brokers() {
        return brokers;
    }

    KorvetBroker broker(int id) {
        return brokers.get(id);
    }

    /** Starts one more. */
    void grow() {
        KorvetBroker broker = KorvetBroker.over(
                redis,
                new KorvetBroker.HeapLimit("256m"),
                "korvet.broker.id=" + brokers.size(),
                "korvet.storage.worker.tick-interval=" + tickSeconds + "s",
                "korvet.storage.worker.lease-duration=" + 3 * tickSeconds + "s");
        brokers.add(broker);
        broker.start();
    }

    String bootstrap() {
        return brokers.stream().map(KorvetBroker::bootstrap).collect(Collectors.joining(","));
    }

    /** All brokers and topics as one broker shows them. */
    MetadataResponseData metadata(int broker) {
        try (RawConnection connection = RawConnection.open(broker(broker).bootstrap())) {
            return metadata(connection);
        }
    }

    static MetadataResponseData metadata(RawConnection connection) {
        return connection.exchange(MetadataResponseData.class, everything(), METADATA);
    }

    /** The bytes of an answer to the same request. */
    static int metadataBytes(RawConnection connection) {
        connection.send(everything(), METADATA);
        return connection.receiveFrame().remaining();
    }

    private static MetadataRequestData everything() {
        return new MetadataRequestData().setTopics(null);
    }

    /** The brokers as one of them shows them, without any topic. */
    static MetadataResponseData liveBrokers(RawConnection connection) {
        return connection.exchange(
                MetadataResponseData.class, new MetadataRequestData().setTopics(List.of()), METADATA);
    }

    /** How many partitions each broker leads. */
    static Map<Integer, Integer> led(MetadataResponseData metadata) {
        Map<Integer, Integer> led = new HashMap<>();
        metadata.topics()
                .forEach(topic ->
                        topic.partitions().forEach(partition -> led.merge(partition.leaderId(), 1, Integer::sum)));
        return led;
    }

    /** The ids of the brokers that coordinate some groups. */
    Map<String, Integer> coordinators(List<String> groups) {
        try (RawConnection connection = RawConnection.open(broker(0).bootstrap())) {
            FindCoordinatorResponseData found = connection.exchange(
                    FindCoordinatorResponseData.class,
                    new FindCoordinatorRequestData().setCoordinatorKeys(groups),
                    FIND_COORDINATOR);
            assertThat(found.coordinators())
                    .hasSameSizeAs(groups)
                    .allSatisfy(
                            coordinator -> assertThat(coordinator.errorCode()).isZero());
            return found.coordinators().stream()
                    .collect(Collectors.toMap(
                            FindCoordinatorResponseData.Coordinator::key,
                            FindCoordinatorResponseData.Coordinator::nodeId));
        }
    }

    /** How many walks of the storage worker there were, and how many seconds they took in all. */
    double[] walks() {
        double[] walks = new double[2];
        for (KorvetBroker broker : brokers) {
            String page = broker.page("/actuator/prometheus");
            walks[0] += value(page, "korvet_storage_worker_walk_seconds_count ");
            walks[1] += value(page, "korvet_storage_worker_walk_seconds_sum ");
        }
        return walks;
    }

    private static double value(String page, String name) {
        return page.lines()
                .filter(line -> line.startsWith(name))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
                .sum();
    }

    /** A producer that sends each record by itself and needs little memory for each partition. */
    KafkaProducer<byte[], byte[]> producer() {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", bootstrap(),
                        "batch.size", 256,
                        "linger.ms", 0,
                        "max.block.ms", 60_000,
                        "request.timeout.ms", 20_000,
                        "delivery.timeout.ms", 120_000),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    /** Processor time of each broker so far, in seconds. */
    double[] processors() {
        return brokers.stream().mapToDouble(BrokerProcess::processorSeconds).toArray();
    }

    @Override
    public void close() {
        brokers.forEach(KorvetBroker::close);
        redis.close();
    }
}
