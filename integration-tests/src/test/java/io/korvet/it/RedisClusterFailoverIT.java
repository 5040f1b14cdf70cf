package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.KorvetBroker;
import io.korvet.store.redis.RedisClusterProcesses;
import io.korvet.store.redis.RedisServerProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Three brokers over a Redis Cluster of three masters with a replica each. The registry of brokers lies in one slot; the
 * connections that stand for the brokers follow it wherever it goes, and a death is noticed there as quickly as before.
 */
class RedisClusterFailoverIT extends FailoverBehaviour {

    private static final String REGISTRY = "korvet:broker:nodes";
    private static final int REGISTRY_SLOT = RedisClusterProcesses.slotOf(REGISTRY);
    private static final String DEATHS_BY_CONNECTION = "korvet_broker_deaths_total{evidence=\"connection\"}";

    /** The age of a sign at which silence alone is a death; a closed connection must be noticed sooner. */
    private static final Duration SILENCE = Duration.ofSeconds(5);

    @Nullable
    private static RedisClusterProcesses redis;

    @BeforeAll
    static void start() {
        onlyKorvet();
        RedisClusterProcesses cluster = new RedisClusterProcesses(3, 1);
        redis = cluster;
        startBrokers("korvet.redis.uri=" + cluster.uri(), "korvet.redis.cluster=true");
    }

    @AfterAll
    static void end() {
        endBrokers();
        if (redis != null) {
            redis.close();
        }
    }

    private static RedisClusterProcesses cluster() {
        return Objects.requireNonNull(redis);
    }

    private String copiedTopic() {
        return topic(PARTITIONS, Encoding.usual(), "min.insync.replicas", "2");
    }

    @Test
    void clientsGoOnWithinTwoSecondsOfAKill() {
        killInTurn(copiedTopic());
    }

    @ParameterizedTest
    @ValueSource(strings = {"killed", "paused"})
    void aDeathIsNoticedByItsConnectionAfterTheRegistrysMasterFailedOver(String failure) {
        String topic = copiedTopic();
        SteadyTraffic traffic = traffic(topic);
        Map<Integer, Set<Integer>> led = partitionsByLeader(topic);
        List<Double> before = changes();
        RedisServerProcess failed = cluster().masterOf(REGISTRY_SLOT);
        if (failure.equals("killed")) {
            failed.kill();
        } else {
            failed.pause();
        }
        await().atMost(PATIENCE).until(() -> cluster().masterOf(REGISTRY_SLOT) != failed);
        awaitConnectionsAtTheRegistry();
        // It comes back as a replica of the one that took its place, which alone had nobody to copy to.
        if (failure.equals("killed")) {
            failed.restart();
        } else {
            failed.resume();
        }
        awaitLooks();
        traffic.mark();
        awaitFlowing(traffic);
        assertThat(partitionsByLeader(topic)).isEqualTo(led);
        assertThat(changes()).isEqualTo(before);
        killOneUnder(traffic, led);
        assertThat(connectionsAt(failed)).as("connections left behind").containsExactly(0L, 0L, 0L);
    }

    @Test
    void aDeathIsNoticedByItsConnectionAfterTheRegistrysSlotWasMoved() {
        String topic = copiedTopic();
        SteadyTraffic traffic = traffic(topic);
        Map<Integer, Set<Integer>> led = partitionsByLeader(topic);
        List<Double> before = changes();
        RedisServerProcess from = cluster().masterOf(REGISTRY_SLOT);
        RedisServerProcess to = Stream.of(0, 8_000, 16_000)
                .map(cluster()::masterOf)
                .filter(node -> node != from)
                .findFirst()
                .orElseThrow();
        cluster().move(REGISTRY_SLOT, to);
        assertThat(cluster().masterOf(REGISTRY_SLOT)).isSameAs(to);
        awaitConnectionsAtTheRegistry();
        awaitLooks();
        traffic.mark();
        awaitFlowing(traffic);
        assertThat(partitionsByLeader(topic)).isEqualTo(led);
        assertThat(changes()).isEqualTo(before);
        killOneUnder(traffic, led);
        assertThat(connectionsAt(from)).as("connections left behind").containsExactly(0L, 0L, 0L);
    }

    /** How many connections stand for brokers 0, 1 and 2 at a node. */
    private static List<Long> connectionsAt(RedisServerProcess node) {
        String channel = "{" + REGISTRY + "}:signs:";
        List<String> told = node.words("PUBSUB", "NUMSUB", channel + 0, channel + 1, channel + 2);
        return List.of(Long.valueOf(told.get(1)), Long.valueOf(told.get(3)), Long.valueOf(told.get(5)));
    }

    private static void awaitConnectionsAtTheRegistry() {
        long begun = System.nanoTime();
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> connectionsAt(cluster().masterOf(REGISTRY_SLOT)).equals(List.of(1L, 1L, 1L)));
        System.out.println("connections at the registry's master after "
                + Duration.ofNanos(System.nanoTime() - begun).toMillis() + " ms");
    }

    /**
     * Waits until each broker has signed twice, so that it has looked five times in between: whoever was not seen connected
     * since an observer's own connection is there is given the time of silence.
     */
    private static void awaitLooks() {
        for (int round = 0; round < 2; round++) {
            List<String> before = signs();
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> IntStream.range(0, before.size())
                            .noneMatch(i -> signs().get(i).equals(before.get(i))));
        }
    }

    private static List<String> signs() {
        return cluster().masterOf(REGISTRY_SLOT).words("HMGET", "{" + REGISTRY + "}:signs", "0", "1", "2");
    }

    /** Kills broker 1 and starts it again; all that clients were told is there at the end. */
    private void killOneUnder(SteadyTraffic traffic, Map<Integer, Set<Integer>> led) {
        KorvetBroker victim = BROKERS.get(1);
        List<KorvetBroker> others = othersThan(victim);
        double deaths = deathsByConnection(others);
        Set<Integer> orphans = Objects.requireNonNull(led.get(1));
        traffic.mark();
        victim.kill();
        long killed = System.nanoTime();
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> deathsByConnection(others) == deaths + 1);
        Duration noticed = Duration.ofNanos(System.nanoTime() - killed);
        awaitFlowing(traffic, orphans);
        System.out.println("a killed broker noticed after " + noticed.toMillis() + " ms, producing again after "
                + traffic.acknowledgedAfter(orphans) + " ms, reading again after " + traffic.readAfter(orphans)
                + " ms");
        assertThat(noticed).isLessThan(SILENCE);
        assertThat(traffic.acknowledgedAfter(orphans)).isLessThan(10_000);
        victim.start();
        awaitLive(3, BROKERS);
        awaitFlowing(traffic);
        traffic.assertNothingLostOrDoubled();
        assertThat(BROKERS).allMatch(broker -> broker.meter("korvet_broker_false_deaths_total") == 0);
    }

    private static double deathsByConnection(List<KorvetBroker> brokers) {
        return brokers.stream()
                .mapToDouble(broker -> broker.meter(DEATHS_BY_CONNECTION))
                .sum();
    }
}
