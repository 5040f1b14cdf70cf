package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.TestBroker;
import io.korvet.it.broker.TestBroker.Kind;
import io.korvet.store.redis.RedisServerProcess;
import io.korvet.store.redis.SentinelProcesses;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The master of Redis killed under producers, and replaced by a replica that sentinels choose; both have passwords. */
class SentinelIT extends BrokerBehaviour {
    private SentinelProcesses redis;
    private KorvetBroker own;

    @BeforeEach
    void start() {
        assumeThat(BrokerUnderTest.kind()).as("Kafka has no Redis").isEqualTo(Kind.KORVET);
        redis = closing(SentinelProcesses.withPasswords(1, "of-servers", "of-sentinels"));
        own = closing(KorvetBroker.with(
                "korvet.redis.sentinel.nodes=" + redis.nodes(),
                "korvet.redis.sentinel.master=" + SentinelProcesses.MASTER,
                "korvet.redis.sentinel.password=of-sentinels",
                "korvet.redis.password=of-servers"));
        own.start();
    }

    @Override
    TestBroker broker() {
        return own;
    }

    @Test
    void producersGoOnByThemselvesAndOnlyWhatNoReplicaHadCanBeLost() throws InterruptedException {
        String one = topic(1, Encoding.usual(), "min.insync.replicas", "1");
        String two = topic(1, Encoding.usual(), "min.insync.replicas", "2");
        List<NumberSender> senders = List.of(sender(one), sender(two));
        await().atMost(PATIENCE).until(() -> senders.stream().allMatch(each -> each.acknowledged() > 1_000));

        RedisServerProcess killed = redis.master();
        killed.kill();
        List<Integer> before = senders.stream().map(NumberSender::newest).toList();
        await().atMost(PATIENCE).until(() -> redis.master() != killed);
        // As a replica of the next master, which alone had nobody to copy to; sentinels would do it after ten seconds.
        killed.restart();
        killed.command("REPLICAOF", "127.0.0.1", Integer.toString(redis.master().port()));
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

    @Test
    void aBrokerThatIsStartedWhileTheMasterIsGoneWaitsUntilAReplicaHasTakenItsPlace() {
        own.kill();
        RedisServerProcess killed = redis.master();
        redis.downAfter(Duration.ofMinutes(10));
        killed.kill();
        own.launch();
        await().atMost(PATIENCE).until(() -> own.output().contains("The start waits for it, 60 s at the most"));
        redis.downAfter(Duration.ofMillis(500));
        own.awaitReady();
        assertThat(redis.master()).isNotSameAs(killed);
        assertThat(own.output()).contains("Redis is ready after");
        produce(topic(Encoding.usual()), List.of("after"));
    }

    private NumberSender sender(String topic) {
        return new NumberSender(producer("delivery.timeout.ms", 120_000, "linger.ms", 5, "acks", "all"), topic, 1);
    }
}
