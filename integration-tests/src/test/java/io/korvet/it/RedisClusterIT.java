package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.TestBroker;
import io.korvet.store.redis.RedisClusterProcesses;
import io.korvet.store.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Redis Cluster of three masters with a replica each, whose slots move and whose masters are killed under load. */
class RedisClusterIT extends BrokerBehaviour {
    private static final int PARTITIONS = 12;

    @Nullable
    private RedisClusterProcesses redis;

    @Nullable
    private KorvetBroker own;

    @BeforeEach
    void start() {
        RedisClusterProcesses cluster = new RedisClusterProcesses(3, 1);
        redis = cluster;
        KorvetBroker broker = KorvetBroker.with("korvet.redis.uri=" + cluster.uri(), "korvet.redis.cluster=true");
        own = broker;
        broker.start();
    }

    @AfterEach
    void end() {
        if (own != null) {
            own.close();
        }
        if (redis != null) {
            redis.close();
        }
    }

    @Override
    TestBroker broker() {
        return Objects.requireNonNull(own);
    }

    @Test
    void nothingAcknowledgedIsLostWhileSlotsMoveAndAMasterIsKilled() throws InterruptedException {
        RedisClusterProcesses cluster = Objects.requireNonNull(redis);
        String topic = topic(PARTITIONS, Encoding.usual(), "min.insync.replicas", "2");
        List<Integer> slots = IntStream.range(0, PARTITIONS)
                .mapToObj(partition -> RedisClusterProcesses.slotOf("{" + topic + ":" + partition + "}"))
                .toList();
        assertThat(slots.stream().map(cluster::masterOf).collect(Collectors.toSet()))
                .as("masters that have partitions")
                .hasSize(3);
        NumberSender sender = new NumberSender(
                producer("delivery.timeout.ms", 120_000, "linger.ms", 5, "acks", "all"), topic, PARTITIONS);
        Follower follower = new Follower(consumer("group.id", name("group")), topic);
        awaitMore(sender, 2_000);

        for (int slot : slots.subList(0, 3)) {
            RedisServerProcess from = cluster.masterOf(slot);
            RedisServerProcess to = slots.stream()
                    .map(cluster::masterOf)
                    .filter(node -> node != from)
                    .findFirst()
                    .orElseThrow();
            cluster.move(slot, to);
            awaitMore(sender, 500);
        }

        int slot = slots.get(PARTITIONS - 1);
        RedisServerProcess killed = cluster.masterOf(slot);
        killed.kill();
        await().atMost(PATIENCE).until(() -> cluster.masterOf(slot) != killed);
        // It comes back as a replica of the one that took its place, which alone had nobody to copy to.
        killed.restart();
        awaitMore(sender, 2_000);
        sender.stop();
        assertThat(sender.failures()).isEmpty();

        assertThat(sender.lost(consumer())).isEmpty();
        await().atMost(PATIENCE).until(() -> follower.seen.containsAll(sender.told()));
        follower.stop();
    }

    private static void awaitMore(NumberSender sender, int count) {
        int before = sender.acknowledged();
        await().atMost(PATIENCE).until(() -> sender.acknowledged() > before + count);
    }

    /** A consumer in a group that reads on all the time. */
    private static final class Follower {
        final Set<Integer> seen = ConcurrentHashMap.newKeySet();
        private final Thread thread;
        private volatile boolean enough;

        Follower(KafkaConsumer<byte[], byte[]> consumer, String topic) {
            thread = new Thread(() -> {
                consumer.subscribe(List.of(topic));
                while (!enough) {
                    consumer.poll(Duration.ofMillis(100))
                            .forEach(record -> seen.add(Integer.parseInt(text(record.value()))));
                }
            });
            thread.start();
        }

        void stop() throws InterruptedException {
            enough = true;
            thread.join(30_000);
        }
    }
}
