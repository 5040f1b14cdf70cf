package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.TestBroker;
import io.korvet.it.broker.TestBroker.Kind;
import io.korvet.store.redis.RedisClusterProcesses;
import io.korvet.store.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Redis Cluster of three masters with a replica each, whose slots move and whose masters are killed under load. */
class RedisClusterIT extends BrokerBehaviour {
    private static final int PARTITIONS = 12;
    private static final int TOPICS_SLOT = RedisClusterProcesses.slotOf("korvet:topics");

    private RedisClusterProcesses redis;
    private KorvetBroker own;

    @BeforeEach
    void start() {
        assumeThat(BrokerUnderTest.kind()).as("Kafka has no Redis").isEqualTo(Kind.KORVET);
        redis = closing(new RedisClusterProcesses(3, 1));
        own = closing(KorvetBroker.with("korvet.redis.uri=" + redis.uri(), "korvet.redis.cluster=true"));
        own.start();
    }

    @Override
    TestBroker broker() {
        return own;
    }

    @Test
    void nothingAcknowledgedIsLostWhileSlotsMoveAndAMasterIsKilled() throws InterruptedException {
        String topic = topic(PARTITIONS, Encoding.usual(), "min.insync.replicas", "2");
        List<Integer> slots = IntStream.range(0, PARTITIONS)
                .mapToObj(partition -> RedisClusterProcesses.slotOf("{" + topic + ":" + partition + "}"))
                .toList();
        assertThat(slots.stream().map(redis::masterOf).collect(Collectors.toSet()))
                .as("masters that have partitions")
                .hasSize(3);
        NumberSender sender = new NumberSender(
                producer("delivery.timeout.ms", 120_000, "linger.ms", 5, "acks", "all"), topic, PARTITIONS);
        Follower follower = new Follower(consumer("group.id", name("group")), topic);
        awaitMore(sender, 2_000);

        for (int slot : slots.subList(0, 3)) {
            RedisServerProcess from = redis.masterOf(slot);
            RedisServerProcess to = slots.stream()
                    .map(redis::masterOf)
                    .filter(node -> node != from)
                    .findFirst()
                    .orElseThrow();
            redis.move(slot, to);
            awaitMore(sender, 500);
        }

        int slot = slots.get(PARTITIONS - 1);
        RedisServerProcess killed = redis.masterOf(slot);
        killed.kill();
        await().atMost(PATIENCE).until(() -> redis.masterOf(slot) != killed);
        // It comes back as a replica of the one that took its place, which alone had nobody to copy to.
        killed.restart();
        awaitMore(sender, 2_000);
        sender.stop();
        assertThat(sender.failures()).isEmpty();

        assertThat(sender.lost(consumer())).isEmpty();
        await().atMost(PATIENCE).until(() -> follower.seen.containsAll(sender.told()));
        follower.stop();
    }

    @Test
    void aBrokerThatIsStartedWhileAMasterIsGoneGoesOnWhenAReplicaHasTakenItsPlace() {
        own.kill();
        RedisServerProcess killed = killUnreplaced();
        own.launch();
        awaitWaiting(own);
        letReplicasTakeOver(true);
        own.awaitReady();
        assertThat(redis.masterOf(TOPICS_SLOT)).isNotSameAs(killed);
        assertThat(own.output()).contains("Redis is ready after");
        produce(topic(Encoding.usual()), List.of("after"));
    }

    @Test
    void aStartWaitsOnlySoLongForAMasterThatNobodyReplacesAndEndsWhenItIsStopped() {
        killUnreplaced();
        String[] settings = {"korvet.redis.uri=" + redis.uri(), "korvet.redis.cluster=true"};
        assertThat(KorvetBroker.refusedStart(settings[0], settings[1], "korvet.redis.start-timeout=2s"))
                .contains("korvet: Redis at ", "can't be used yet", "korvet.redis.start-timeout")
                .doesNotContain("\tat ");
        KorvetBroker waiting = closing(KorvetBroker.with(settings));
        waiting.launch();
        awaitWaiting(waiting);
        long asked = System.nanoTime();
        waiting.stop();
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(20));
    }

    /** Kills the master that has the catalog of topics; no replica takes its place until it is let. */
    private RedisServerProcess killUnreplaced() {
        letReplicasTakeOver(false);
        RedisServerProcess master = redis.masterOf(TOPICS_SLOT);
        master.kill();
        return master;
    }

    private void letReplicasTakeOver(boolean let) {
        redis.nodes().stream()
                .filter(RedisServerProcess::isAlive)
                .forEach(node -> node.command("CONFIG", "SET", "cluster-replica-no-failover", let ? "no" : "yes"));
    }

    private static void awaitWaiting(KorvetBroker broker) {
        await().atMost(PATIENCE).until(() -> broker.output().contains("The start waits for it, 60 s at the most"));
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
