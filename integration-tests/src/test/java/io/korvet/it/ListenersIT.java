package io.korvet.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.FreePorts;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.broker.TestBroker.Kind;
import io.korvet.it.raw.RawConnection;
import io.korvet.it.raw.Requests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicCollection;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Brokers with more than one listener answer each client with addresses of the listener it came through. */
@Timeout(300)
class ListenersIT {
    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 24;
    /** With leaders' addresses in answers to fetches (KIP-951), and topic ids. */
    private static final int FETCH_WITH_ADDRESSES = 17;

    @BeforeEach
    void korvetOnly() {
        assumeThat(BrokerUnderTest.kind()).as("Korvet's settings").isEqualTo(Kind.KORVET);
    }

    @Test
    void clientsAreSentToTheListenerTheyCameThrough() {
        int port = FreePorts.next();
        try (KorvetBroker broker = KorvetBroker.ephemeral(
                "korvet.broker.listeners[0].name=outside",
                "korvet.broker.listeners[0].port=" + port,
                "korvet.broker.listeners[0].advertised-host=localhost")) {
            broker.start();
            assertAllAddresses(broker.bootstrap(), broker.bootstrap());
            assertAllAddresses("127.0.0.1:" + port, "localhost:" + port);
        }
    }

    private static void assertAllAddresses(String through, String expected) {
        try (RawConnection connection = RawConnection.open(through)) {
            assertThat(metadata(connection)).isEqualTo(Map.of(0, expected));
            assertThat(cluster(connection)).isEqualTo(Map.of(0, expected));
            assertThat(coordinators(connection)).isEqualTo(Map.of(0, expected));
        }
    }

    /** Three brokers: 0 and 1 have the listener {@code host}, 2 has only its primary one. */
    @Test
    void allAnswersNameTheListenersAddressesBeforeAndAfterABrokerIsKilled() {
        List<Integer> hostPorts = List.of(FreePorts.next(), FreePorts.next());
        List<KorvetBroker> brokers = new ArrayList<>();
        try (RedisProcess redis = new RedisProcess()) {
            redis.start();
            brokers.add(broker(redis, 0, "host", hostPorts.get(0)));
            brokers.add(broker(redis, 1, "host", hostPorts.get(1)));
            brokers.add(KorvetBroker.over(redis, "korvet.broker.id=2"));
            CompletableFuture.allOf(brokers.stream()
                            .map(broker -> CompletableFuture.runAsync(broker::start))
                            .toArray(CompletableFuture<?>[]::new))
                    .join();
            Map<Integer, String> primary = new TreeMap<>();
            for (int id = 0; id < 3; id++) {
                primary.put(id, brokers.get(id).bootstrap());
            }
            Map<Integer, String> host = new TreeMap<>(primary);
            host.put(0, "localhost:" + hostPorts.get(0));
            host.put(1, "localhost:" + hostPorts.get(1));
            awaitBrokers(primary, primary);
            Uuid topic = createTopic(brokers.get(1).bootstrap());

            assertListeners(primary, host, topic);
            assertThat(redis.command("HGET korvet:broker:nodes 0"))
                    .contains("\"listeners\":{\"host\":{\"host\":\"localhost\",\"port\":" + hostPorts.get(0) + "}}");
            assertThat(redis.command("HGET korvet:broker:nodes 2")).contains("\"listeners\":{}");

            brokers.get(0).kill();
            Map<Integer, String> primaryLeft = without(primary, 0);
            Map<Integer, String> hostLeft = without(host, 0);
            awaitBrokers(primaryLeft, primaryLeft);
            assertListeners(primaryLeft, hostLeft, topic);

            brokers.get(0).start();
            awaitBrokers(primary, primary);
            assertListeners(primary, host, topic);
        } finally {
            brokers.forEach(KorvetBroker::close);
        }
    }

    private static KorvetBroker broker(RedisProcess redis, int id, String listener, int port) {
        return KorvetBroker.over(
                redis,
                "korvet.broker.id=" + id,
                "korvet.broker.listeners[0].name=" + listener,
                "korvet.broker.listeners[0].port=" + port,
                "korvet.broker.listeners[0].advertised-host=localhost");
    }

    /** Waits until each of some brokers names exactly the expected ones. */
    private static void awaitBrokers(Map<Integer, String> asked, Map<Integer, String> expected) {
        await().atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> asked.values().stream().allMatch(through -> {
                    try (RawConnection connection = RawConnection.open(through)) {
                        return metadata(connection).equals(expected);
                    }
                }));
    }

    private static Uuid createTopic(String through) {
        CreatableTopicCollection topics = new CreatableTopicCollection();
        topics.add(
                new CreatableTopic().setName(TOPIC).setNumPartitions(PARTITIONS).setReplicationFactor((short) 1));
        try (RawConnection connection = RawConnection.open(through)) {
            var created = connection
                    .exchange(
                            CreateTopicsResponseData.class,
                            new CreateTopicsRequestData().setTopics(topics).setTimeoutMs(20_000),
                            7)
                    .topics()
                    .find(TOPIC);
            assertThat(Errors.forCode(created.errorCode())).isEqualTo(Errors.NONE);
            return created.topicId();
        }
    }

    /** Asks each broker through each of its listeners. */
    private static void assertListeners(Map<Integer, String> primary, Map<Integer, String> host, Uuid topic) {
        primary.forEach((id, through) -> assertAnswers(id, through, primary, topic));
        host.forEach((id, through) -> {
            if (!through.equals(primary.get(id))) {
                assertAnswers(id, through, host, topic);
            }
        });
    }

    private static void assertAnswers(int asked, String through, Map<Integer, String> expected, Uuid topic) {
        Map<Integer, String> others = without(expected, asked);
        try (RawConnection connection = RawConnection.open(through)) {
            awaitTopic(connection);
            assertThat(metadata(connection)).as("Metadata through " + through).isEqualTo(expected);
            assertThat(cluster(connection)).as("DescribeCluster").isEqualTo(expected);
            assertThat(coordinators(connection)).as("FindCoordinator").isEqualTo(expected);
            assertThat(produceHints(connection)).as("hints of Produce").isEqualTo(others);
            assertThat(fetchHints(connection, topic)).as("hints of Fetch").isEqualTo(others);
        }
    }

    /** Each broker learns of a topic by itself. */
    private static void awaitTopic(RawConnection connection) {
        MetadataRequestData request =
                new MetadataRequestData().setTopics(List.of(new MetadataRequestTopic().setName(TOPIC)));
        await().atMost(Duration.ofSeconds(30))
                .until(() -> connection
                                .exchange(MetadataResponseData.class, request, 12)
                                .topics()
                                .find(TOPIC)
                                .partitions()
                                .size()
                        == PARTITIONS);
    }

    private static Map<Integer, String> without(Map<Integer, String> all, int id) {
        Map<Integer, String> rest = new TreeMap<>(all);
        rest.remove(id);
        return rest;
    }

    private static Map<Integer, String> metadata(RawConnection connection) {
        Map<Integer, String> found = new TreeMap<>();
        connection
                .exchange(MetadataResponseData.class, new MetadataRequestData().setTopics(List.of()), 12)
                .brokers()
                .forEach(each -> found.put(each.nodeId(), each.host() + ":" + each.port()));
        return found;
    }

    private static Map<Integer, String> cluster(RawConnection connection) {
        Map<Integer, String> found = new TreeMap<>();
        connection
                .exchange(DescribeClusterResponseData.class, new DescribeClusterRequestData(), 0)
                .brokers()
                .forEach(each -> found.put(each.brokerId(), each.host() + ":" + each.port()));
        return found;
    }

    /** The coordinators of so many groups that each broker has some. */
    private static Map<Integer, String> coordinators(RawConnection connection) {
        List<String> groups =
                IntStream.range(0, 60).mapToObj(number -> "group-" + number).toList();
        Map<Integer, String> found = new TreeMap<>();
        connection
                .exchange(
                        FindCoordinatorResponseData.class,
                        new FindCoordinatorRequestData().setCoordinatorKeys(groups),
                        4)
                .coordinators()
                .forEach(each -> assertThat(found.put(each.nodeId(), each.host() + ":" + each.port()))
                        .isIn(null, each.host() + ":" + each.port()));
        return found;
    }

    /** What a broker says of the leaders of all partitions that it is asked to write to and doesn't lead. */
    private static Map<Integer, String> produceHints(RawConnection connection) {
        MemoryRecords records = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord("one".getBytes(UTF_8)));
        var request = Requests.produce(TOPIC, -1, records);
        request.topicData()
                .iterator()
                .next()
                .setPartitionData(IntStream.range(0, PARTITIONS)
                        .mapToObj(partition -> new PartitionProduceData()
                                .setIndex(partition)
                                .setRecords(MemoryRecords.readableRecords(
                                        records.buffer().duplicate())))
                        .toList());
        ProduceResponseData answer = connection.exchange(ProduceResponseData.class, request, Requests.PRODUCE);
        answer.responses()
                .iterator()
                .next()
                .partitionResponses()
                .forEach(each ->
                        assertThat(Errors.forCode(each.errorCode())).isIn(Errors.NONE, Errors.NOT_LEADER_OR_FOLLOWER));
        Map<Integer, String> found = new TreeMap<>();
        answer.nodeEndpoints().forEach(each -> found.put(each.nodeId(), each.host() + ":" + each.port()));
        return found;
    }

    private static Map<Integer, String> fetchHints(RawConnection connection, Uuid topic) {
        FetchRequestData request = Requests.fetch("", topic, 0, 0, 1_000_000);
        request.topics()
                .get(0)
                .setPartitions(IntStream.range(0, PARTITIONS)
                        .mapToObj(partition -> new FetchRequestData.FetchPartition()
                                .setPartition(partition)
                                .setPartitionMaxBytes(1_000))
                        .toList());
        FetchResponseData answer = connection.exchange(FetchResponseData.class, request, FETCH_WITH_ADDRESSES);
        Map<Integer, String> found = new TreeMap<>();
        answer.nodeEndpoints().forEach(each -> found.put(each.nodeId(), each.host() + ":" + each.port()));
        return found;
    }
}
