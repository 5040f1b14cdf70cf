package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * One of three brokers dies, stands still, leaves or loses Redis for a moment while clients work. Short by default; with
 * {@code -Dkorvet.failover.kills=50} the figures of docs/failover.md.
 */
class FailoverIT extends FailoverBehaviour {

    @Nullable
    private static RedisProcess redis;

    @BeforeAll
    static void start() {
        onlyKorvet();
        RedisProcess store = new RedisProcess();
        store.start();
        redis = store;
        startBrokers("korvet.redis.uri=" + store.uri());
    }

    @AfterAll
    static void end() {
        endBrokers();
        if (redis != null) {
            redis.close();
        }
    }

    private static RedisProcess redis() {
        return Objects.requireNonNull(redis);
    }

    @Test
    void clientsGoOnWithinTwoSecondsOfAKill() {
        killInTurn(topic(PARTITIONS, Encoding.usual()));
    }

    @Test
    void aBrokerThatStandsStillIsReplacedAndComesBackWithNothingLostOrDoubled() {
        String topic = topic(PARTITIONS, Encoding.usual());
        SteadyTraffic traffic = traffic(topic, "request.timeout.ms", 3_000);
        Set<Integer> orphans = Objects.requireNonNull(partitionsByLeader(topic).get(1));
        KorvetBroker still = BROKERS.get(1);
        double before = still.meter("korvet_broker_false_deaths_total");
        still.pause();
        try {
            awaitLive(2, othersThan(still));
            traffic.mark();
            awaitFlowing(traffic, orphans);
        } finally {
            still.resume();
        }
        awaitLive(3, BROKERS);
        assertThat(still.meter("korvet_broker_false_deaths_total")).isEqualTo(before + 1);
        awaitFlowing(traffic);
        traffic.assertNothingLostOrDoubled();
    }

    @Test
    void aBrokerThatIsStoppedIsReplacedAtOnce() {
        String topic = topic(PARTITIONS, Encoding.usual());
        SteadyTraffic traffic = traffic(topic);
        Set<Integer> orphans = Objects.requireNonNull(partitionsByLeader(topic).get(2));
        KorvetBroker leaving = BROKERS.get(2);
        List<Double> deaths = othersThan(leaving).stream()
                .map(broker -> broker.meter("korvet_broker_deaths_total"))
                .toList();
        traffic.mark();
        leaving.stop();
        awaitFlowing(traffic, orphans);
        System.out.println("stopped: producing again after " + traffic.acknowledgedAfter(orphans)
                + " ms, reading again after " + traffic.readAfter(orphans) + " ms");
        assertThat(othersThan(leaving).stream()
                        .map(broker -> broker.meter("korvet_broker_deaths_total"))
                        .toList())
                .isEqualTo(deaths);
        leaving.start();
        awaitLive(3, BROKERS);
        traffic.assertNothingLostOrDoubled();
    }

    @Test
    void connectionsToRedisThatAreCutMoveNothing() {
        String topic = topic(PARTITIONS, Encoding.usual());
        SteadyTraffic traffic = traffic(topic);
        Map<Integer, Set<Integer>> led = partitionsByLeader(topic);
        List<Double> before = changes();
        for (int cut = 0; cut < 3; cut++) {
            redis().command("CLIENT KILL TYPE pubsub");
            redis().command("CLIENT KILL TYPE normal");
            await().during(Duration.ofSeconds(1))
                    .atMost(PATIENCE)
                    .until(() -> changes().equals(before));
            awaitFlowing(traffic);
        }
        assertThat(partitionsByLeader(topic)).isEqualTo(led);
        traffic.assertNothingLostOrDoubled();
        assertThat(changes()).isEqualTo(before);
    }

    @Test
    void aRestartOfRedisMovesNothing() {
        String topic = topic(PARTITIONS, Encoding.usual());
        SteadyTraffic traffic = traffic(topic);
        Map<Integer, Set<Integer>> led = partitionsByLeader(topic);
        List<Double> before = changes();
        redis().kill();
        await().atMost(PATIENCE)
                .until(() -> BROKERS.stream().allMatch(broker -> broker.status("/actuator/health/readiness") == 503));
        redis().start();
        awaitFlowing(traffic);
        await().atMost(PATIENCE)
                .until(() -> BROKERS.stream().allMatch(broker -> broker.status("/actuator/health/readiness") == 200));
        await().during(Duration.ofSeconds(2))
                .atMost(PATIENCE)
                .until(() -> changes().equals(before));
        assertThat(partitionsByLeader(topic)).isEqualTo(led);
        traffic.assertNothingLostOrDoubled();
        assertThat(changes()).isEqualTo(before);
    }
}
