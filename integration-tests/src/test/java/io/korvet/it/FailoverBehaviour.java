package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** What tests of three brokers, one of which goes away while clients work, have at hand; whatever their Redis is. */
@Timeout(1_200)
abstract class FailoverBehaviour extends BrokerBehaviour {

    static final int PARTITIONS = 12;
    static final List<KorvetBroker> BROKERS = new ArrayList<>();

    private static final int KILLS = Integer.getInteger("korvet.failover.kills", 3);
    private static final int MANY_KILLS = 20;
    private static final Duration RECOVERED = Duration.ofSeconds(2);
    private static final String VIEW_CHANGED = "the set of live brokers or their endpoints changed";

    static void onlyKorvet() {
        assumeThat(BrokerUnderTest.kind()).as("several brokers over one Redis").isEqualTo(TestBroker.Kind.KORVET);
    }

    /** Starts brokers 0, 1 and 2 with the settings that say where Redis is. */
    static void startBrokers(String... settings) {
        for (int id = 0; id < 3; id++) {
            String[] all = Arrays.copyOf(settings, settings.length + 1);
            all[settings.length] = "korvet.broker.id=" + id;
            BROKERS.add(KorvetBroker.with(all));
        }
        CompletableFuture.allOf(BROKERS.stream()
                        .map(broker -> CompletableFuture.runAsync(broker::start))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
    }

    /** Before their Redis is ended. */
    static void endBrokers() {
        BROKERS.forEach(KorvetBroker::close);
        BROKERS.clear();
    }

    @BeforeEach
    void allAreThere() {
        awaitLive(3, BROKERS);
    }

    @Override
    TestBroker broker() {
        return BROKERS.get(0);
    }

    static void awaitLive(int number, List<KorvetBroker> among) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .until(() -> among.stream().allMatch(broker -> broker.meter("korvet_broker_live_brokers") == number));
    }

    static List<KorvetBroker> othersThan(KorvetBroker one) {
        return BROKERS.stream().filter(broker -> broker != one).toList();
    }

    /** Of all brokers: how often views changed, how many deaths were declared, how many of them falsely. */
    static List<Double> changes() {
        return BROKERS.stream()
                .flatMapToDouble(broker -> DoubleStream.of(
                        broker.output().split(VIEW_CHANGED, -1).length,
                        broker.meter("korvet_broker_deaths_total"),
                        broker.meter("korvet_broker_false_deaths_total")))
                .boxed()
                .toList();
    }

    final SteadyTraffic traffic(String topic, Object... settings) {
        Map<String, Object> all = new HashMap<>();
        for (int i = 0; i < settings.length; i += 2) {
            all.put((String) settings[i], settings[i + 1]);
        }
        String bootstrap = BROKERS.stream().map(KorvetBroker::bootstrap).collect(Collectors.joining(","));
        SteadyTraffic traffic = closing(new SteadyTraffic(bootstrap, topic, PARTITIONS, all));
        awaitFlowing(traffic);
        return traffic;
    }

    static void awaitFlowing(SteadyTraffic traffic) {
        traffic.mark();
        awaitFlowing(traffic, IntStream.range(0, PARTITIONS).boxed().collect(Collectors.toSet()));
    }

    static void awaitFlowing(SteadyTraffic traffic, Set<Integer> partitions) {
        try {
            await().atMost(Duration.ofMinutes(1))
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> traffic.flowing(partitions));
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(traffic.toString(), e);
        }
    }

    final Map<Integer, Set<Integer>> partitionsByLeader(String topic) {
        TopicDescription description = describe(topic);
        Map<Integer, Set<Integer>> led = new HashMap<>();
        for (TopicPartitionInfo partition : description.partitions()) {
            led.computeIfAbsent(partition.leader().id(), id -> new HashSet<>()).add(partition.partition());
        }
        return led;
    }

    /** Kills one broker after the other under load; how often and what is asked of it says {@code korvet.failover.kills}. */
    final void killInTurn(String topic) {
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
