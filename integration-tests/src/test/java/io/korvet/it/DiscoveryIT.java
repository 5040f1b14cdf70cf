package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.broker.TestBroker.Kind;
import io.korvet.it.raw.RawConnection;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How brokers in processes of their own find each other by the registry, and who of them leads. */
@Timeout(180)
class DiscoveryIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Pattern HEARTBEAT = Pattern.compile("\"heartbeat\":\"?(\\d+)");

    private final RedisProcess redis = new RedisProcess();

    @BeforeEach
    void startRedis() {
        assumeThat(BrokerUnderTest.kind()).as("Korvet's registry").isEqualTo(Kind.KORVET);
        redis.start();
    }

    @AfterEach
    void endRedis() {
        redis.close();
    }

    private KorvetBroker broker(int id, String... more) {
        String[] settings = new String[more.length + 1];
        settings[0] = "korvet.broker.id=" + id;
        System.arraycopy(more, 0, settings, 1, more.length);
        return KorvetBroker.over(redis, settings);
    }

    private String row(int id) {
        return redis.command("HGET korvet:broker:nodes " + id);
    }

    private static String port(KorvetBroker broker) {
        return "\"port\":" + broker.bootstrap().replaceAll(".*:", "");
    }

    private static long heartbeat(String row) {
        Matcher matcher = HEARTBEAT.matcher(row);
        assertThat(matcher.find()).as(row).isTrue();
        return Long.parseLong(matcher.group(1));
    }

    private static MetadataResponseData metadata(KorvetBroker broker, String... topics) {
        List<MetadataRequestTopic> asked = List.of(topics).stream()
                .map(name -> new MetadataRequestTopic().setName(name))
                .toList();
        try (RawConnection connection = RawConnection.open(broker.bootstrap())) {
            return connection.exchange(MetadataResponseData.class, new MetadataRequestData().setTopics(asked), 12);
        }
    }

    private static Set<Integer> ids(KorvetBroker broker) {
        return metadata(broker).brokers().stream().map(each -> each.nodeId()).collect(Collectors.toSet());
    }

    @Test
    void aBrokerWhoseIdIsTakenStopsWithBothEndpointsNamedAndLeavesTheOthersEntryAlone() {
        try (KorvetBroker holder = broker(7)) {
            holder.start();
            assertThat(KorvetBroker.refusedStart(redis, "korvet.broker.id=7", "korvet.broker.advertised-port=20999"))
                    .contains("broker id 7", holder.bootstrap(), "127.0.0.1:20999", "korvet.broker.id")
                    .doesNotContain("\tat ");
            assertThat(row(7)).contains(port(holder));
            assertThat(holder.status("/actuator/health/readiness")).isEqualTo(200);
            assertThat(ids(holder)).containsExactly(7);
        }
    }

    @Test
    void aBrokerThatWasKilledTakesItsOwnEntryOverAtOnce() {
        try (KorvetBroker broker = broker(7)) {
            broker.start();
            broker.kill();
            long before = heartbeat(row(7));
            broker.start();
            assertThat(heartbeat(row(7))).isGreaterThan(before);
            assertThat(ids(broker)).containsExactly(7);
        }
    }

    @Test
    void aStaleEntryOfAnotherEndpointIsTakenOver() {
        String[] fast = {"korvet.broker.heartbeat-interval=200ms", "korvet.broker.stale-after=2s"};
        try (KorvetBroker gone = broker(7, fast);
                KorvetBroker heir = broker(7, fast)) {
            gone.start();
            gone.kill();
            String left = row(7);
            assertThat(left).contains(port(gone));
            await().atMost(PATIENCE).until(() -> System.currentTimeMillis() - heartbeat(left) > 2_000);
            heir.start();
            assertThat(row(7)).contains(port(heir));
            assertThat(ids(heir)).containsExactly(7);
        }
    }

    @Test
    void aBrokerThatIsStoppedRemovesItsEntryAndIsGoneForTheOthers() {
        try (KorvetBroker stays = broker(1);
                KorvetBroker leaves = broker(2)) {
            stays.start();
            leaves.start();
            await().atMost(PATIENCE).until(() -> ids(stays).equals(Set.of(1, 2)));
            leaves.stop();
            assertThat(redis.command("HEXISTS korvet:broker:nodes 2")).startsWith(":0");
            assertThat(row(1)).contains(port(stays));
            await().atMost(PATIENCE).until(() -> ids(stays).equals(Set.of(1)));
        }
    }

    @Test
    void aRegistryThatSomebodyDeletesIsThereAgainWithinASecondOrTwo() {
        try (KorvetBroker one = broker(1);
                KorvetBroker two = broker(2)) {
            one.start();
            two.start();
            await().atMost(PATIENCE).until(() -> ids(one).equals(Set.of(1, 2)));
            for (String evidence : List.of("connection", "silence", "age")) {
                assertThat(one.page("/actuator/prometheus"))
                        .contains("korvet_broker_deaths_total{evidence=\"" + evidence + "\"} 0.0");
            }
            redis.command("DEL korvet:broker:nodes");
            await().atMost(Duration.ofSeconds(3)).until(() -> row(1).contains(port(one)) && row(2).contains(port(two)));
            await().atMost(Duration.ofSeconds(3))
                    .until(() -> one.meter("korvet_broker_lost_rows_total") == 1
                            && two.meter("korvet_broker_lost_rows_total") == 1
                            && ids(one).equals(Set.of(1, 2))
                            && ids(two).equals(Set.of(1, 2)));
            assertThat(one.status("/actuator/health/readiness")).isEqualTo(200);
        }
    }

    @Test
    void theIdOfABrokerThatWasDeclaredDeadIsFreeForAnotherEndpointAtOnce() {
        try (KorvetBroker stays = broker(1);
                KorvetBroker gone = broker(2);
                KorvetBroker heir = broker(2)) {
            stays.start();
            gone.start();
            await().atMost(PATIENCE).until(() -> ids(stays).equals(Set.of(1, 2)));
            gone.kill();
            await().atMost(Duration.ofSeconds(5)).until(() -> ids(stays).equals(Set.of(1)));
            heir.start();
            assertThat(row(2)).contains(port(heir)).doesNotContain(port(gone));
            await().atMost(Duration.ofSeconds(5)).until(() -> ids(stays).equals(Set.of(1, 2)));
        }
    }

    @Test
    void anEpochInRedisThatIsNoneKeepsNoDeadBrokerInTheView() {
        try (KorvetBroker stays = broker(1);
                KorvetBroker gone = broker(2)) {
            stays.start();
            gone.start();
            await().atMost(PATIENCE).until(() -> ids(stays).equals(Set.of(1, 2)));
            redis.command("HSET {korvet:broker:nodes}:epoch epoch 99999999999");
            gone.kill();
            await().atMost(Duration.ofSeconds(5)).until(() -> ids(stays).equals(Set.of(1)));
        }
    }

    @Test
    void allBrokersNameTheSameLeadersAndAllLiveBrokersAsReplicasInSync() {
        try (KorvetBroker zero = broker(0, "korvet.broker.default-partitions=24");
                KorvetBroker one = broker(1, "korvet.broker.default-partitions=24");
                KorvetBroker two = broker(2, "korvet.broker.default-partitions=24")) {
            List<KorvetBroker> all = List.of(zero, one, two);
            CompletableFuture.allOf(all.stream()
                            .map(broker -> CompletableFuture.runAsync(broker::start))
                            .toArray(CompletableFuture<?>[]::new))
                    .join();
            await().atMost(PATIENCE)
                    .until(() -> all.stream()
                            .allMatch(broker -> ids(broker).equals(Set.of(0, 1, 2))
                                    && metadata(broker, "orders")
                                                    .topics()
                                                    .find("orders")
                                                    .partitions()
                                                    .size()
                                            == 24));
            Map<Integer, Integer> leaders = leaders(zero);
            assertThat(new HashSet<>(leaders.values())).isEqualTo(Set.of(0, 1, 2));
            assertThat(leaders(one)).isEqualTo(leaders);
            assertThat(leaders(two)).isEqualTo(leaders);
        }
    }

    private static Map<Integer, Integer> leaders(KorvetBroker broker) {
        Map<Integer, Integer> leaders = new TreeMap<>();
        for (MetadataResponsePartition partition :
                metadata(broker, "orders").topics().find("orders").partitions()) {
            assertThat(partition.replicaNodes()).containsExactlyInAnyOrder(0, 1, 2);
            assertThat(partition.isrNodes()).containsExactlyInAnyOrder(0, 1, 2);
            leaders.put(partition.partitionIndex(), partition.leaderId());
        }
        return leaders;
    }
}
