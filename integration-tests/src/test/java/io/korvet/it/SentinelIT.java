package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.TestBroker;
import io.korvet.store.redis.RedisServerProcess;
import io.korvet.store.redis.SentinelProcesses;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The master of Redis killed under producers, and replaced by a replica that sentinels choose. */
class SentinelIT extends BrokerBehaviour {

    @Nullable
    private SentinelProcesses redis;

    @Nullable
    private KorvetBroker own;

    @BeforeEach
    void start() {
        SentinelProcesses servers = new SentinelProcesses(1);
        redis = servers;
        KorvetBroker broker = KorvetBroker.with(
                "korvet.redis.sentinel.nodes=" + servers.nodes(),
                "korvet.redis.sentinel.master=" + SentinelProcesses.MASTER);
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
    void producersGoOnByThemselvesAndOnlyWhatNoReplicaHadCanBeLost() throws InterruptedException {
        String one = topic(1, Encoding.usual(), "min.insync.replicas", "1");
        String two = topic(1, Encoding.usual(), "min.insync.replicas", "2");
        List<NumberSender> senders = List.of(sender(one), sender(two));
        await().atMost(PATIENCE).until(() -> senders.stream().allMatch(each -> each.acknowledged() > 1_000));

        SentinelProcesses servers = Objects.requireNonNull(redis);
        RedisServerProcess killed = servers.master();
        killed.kill();
        List<Integer> before = senders.stream().map(NumberSender::newest).toList();
        await().atMost(PATIENCE).until(() -> servers.master() != killed);
        // As a replica of the next master, which alone had nobody to copy to; sentinels would do it after ten seconds.
        killed.restart();
        killed.command(
                "REPLICAOF", "127.0.0.1", Integer.toString(servers.master().port()));
        await().atMost(PATIENCE)
                .until(() -> senders.get(0).newest() > before.get(0) + 1_000
                        && senders.get(1).newest() > before.get(1) + 1_000);
        for (NumberSender sender : senders) {
            sender.stop();
            assertThat(sender.failures()).isEmpty();
        }

        // Without WAIT a record may be acknowledged that the master had no time to pass on; nothing later is lost.
        assertThat(senders.get(0).lost(reader(one))).allMatch(number -> number <= before.get(0));
        assertThat(senders.get(1).lost(reader(two))).isEmpty();
    }

    private NumberSender sender(String topic) {
        return new NumberSender(producer("delivery.timeout.ms", 120_000, "linger.ms", 5, "acks", "all"), topic, 1);
    }
}
