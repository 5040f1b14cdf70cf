package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.broker.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartitionInfo;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * One of three brokers dies, stands still, leaves or loses Redis for a moment while clients work. Short by default; with
 * {@code -Dkorvet.failover.kills=50} the figures of docs/failover.md.
 */
@Timeout(1_200)
class FailoverIT extends BrokerBehaviour {

    private static final int KILLS = Integer.getInteger("korvet.failover.kills", 3);
    private static final int MANY_KILLS = 20;
    private static final int PARTITIONS = 12;
    private static final Duration RECOVERED = Duration.ofSeconds(2);
    private static final String VIEW_CHANGED = "the set of live brokers or their endpoints changed";
    private static final List<KorvetBroker> BROKERS = new ArrayList<>();

    @Nullable
    private static RedisProcess redis;

    @BeforeAll
    static void startBrokers() {
        assumeThat(BrokerUnderTest.kind()).isEqualTo(TestBroker.Kind.KORVET);
        RedisProcess store = new RedisProcess();
        store.start();
        redis = store;
        for (int id = 0; id < 3; id++) {
            BROKERS.add(KorvetBroker.over(store, "korvet.broker.id=" + id));
        }
        CompletableFuture.allOf(BROKERS.stream()
                        .map(broker -> CompletableFuture.runAsync(broker::start))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
    }

    @AfterAll
    static void endBrokers() {
        BROKERS.forEach(KorvetBroker::close);
        BROKERS.clear();
        if (redis != null) {
            redis.close();
        }
    }

    @BeforeEach
    void allAreThere() {
        awaitLive(3, BROKERS);
    }

    @Override
    TestBroker broker() {
        return BROKERS.get(0);
    }

    private static RedisProcess redis() {
        return Objects.requireNonNull(redis);
    }

    private static void awaitLive(int number, List<KorvetBroker> among) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .until(() -> among.stream().allMatch(broker -> broker.meter("korvet_broker_live_brokers") == number));
    }

    private static List<KorvetBroker> othersThan(KorvetBroker one) {
        return BROKERS.stream().filter(broker -> broker != one).toList();
    }

    /** Of all brokers: how often views changed, how many deaths were declared, how many of them falsely. */
    private static List<Double> changes() {
        return BROKERS.stream()
                .flatMapToDouble(broker -> DoubleStream.of(
                        broker.output().split(VIEW_CHANGED, -1).length,
                        broker.meter("korvet_broker_deaths_total"),
                        broker.meter("korvet_broker_false_deaths_total")))
                .boxed()
                .toList();
    }

    private SteadyTraffic traffic(String topic, Object... settings) {
        Map<String, Object> all = new HashMap<>();
        for (int i = 0; i < settings.length; i += 2) {
            all.put((String) settings[i], settings[i + 1]);
        }
        String bootstrap = BROKERS.stream().map(KorvetBroker::bootstrap).collect(Collectors.joining(","));
        SteadyTraffic traffic = closing(new SteadyTraffic(bootstrap, topic, PARTITIONS, all));
        awaitFlowing(traffic);
        return traffic;
    }

    private static void awaitFlowing(SteadyTraffic traffic) {
        traffic.mark();
        awaitFlowing(traffic, IntStream.range(0, PARTITIONS).boxed().collect(Collectors.toSet()));
    }

    private static void awaitFlowing(SteadyTraffic traffic, Set<Integer> partitions) {
        try {
            await().atMost(Duration.ofMinutes(1))
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> traffic.flowing(partitions));
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(traffic.toString(), e);
        }
    }

    private Map<Integer, Set<Integer>> partitionsByLeader(String topic) {
        TopicDescription description = describe(topic);
        Map<Integer, Set<Integer>> led = new HashMap<>();
        for (TopicPartitionInfo partition : description.partitions()) {
            led.computeIfAbsent(partition.leader().id(), id -> new HashSet<>()).add(partition.partition());
        }
        return led;
    }

    @Test
    void clientsGoOnWithinTwoSecondsOfAKill() {
        String topic = topic(PARTITIONS, Encoding.usual());
        SteadyTraffic traffic = traffic(topic);
        Map<Integer, Set<Integer>> led = partitionsByLeader(topic);
        assertThat(led).containsOnlyKeys(0, 1, 2);
        Recoveries producing = new Recoveries("producing again");
        Recoveries reading = new Recoveries("reading again");
        try {
            for (int kill = 0; kill < KILLS; kill++) {
                int victim = kill % BROKERS.size();
                KorvetBroker broker = BROKERS.get(victim);
                traffic.mark();
                broker.kill();
                Set<Integer> orphans = Objects.requireNonNull(led.get(victim));
                awaitFlowing(traffic, orphans);
                producing.add(traffic.acknowledgedAfter(orphans));
                reading.add(traffic.readAfter(orphans));
                awaitLive(2, othersThan(broker));
                broker.start();
                awaitLive(3, BROKERS);
                awaitFlowing(traffic);
            }
        } finally {
            System.out.println(producing + "\n" + reading);
        }
        traffic.assertNothingLostOrDoubled();
        assertThat(BROKERS).allMatch(broker -> broker.meter("korvet_broker_false_deaths_total") == 0);
        if (KILLS >= MANY_KILLS) {
            assertThat(producing.percentile(99)).isLessThanOrEqualTo(RECOVERED.toMillis());
        } else {
            assertThat(producing.percentile(100)).isLessThan(10_000);
        }
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

    /** Times of one kind, in milliseconds. */
    private static final class Recoveries {

        private final String what;
        private final List<Long> all = new ArrayList<>();

        Recoveries(String what) {
            this.what = what;
        }

        void add(long milliseconds) {
            all.add(milliseconds);
        }

        /** By nearest rank. */
        long percentile(int percent) {
            int rank = Math.max(1, (int) Math.ceil(percent / 100.0 * all.size()));
            return all.stream().sorted().toList().get(rank - 1);
        }

        @Override
        public String toString() {
            if (all.isEmpty()) {
                return what + ": no kill";
            }
            return what + " after a kill, ms, of " + all.size() + ": p50 " + percentile(50) + ", p90 " + percentile(90)
                    + ", p99 " + percentile(99) + ", max " + percentile(100) + " " + all;
        }
    }
}
