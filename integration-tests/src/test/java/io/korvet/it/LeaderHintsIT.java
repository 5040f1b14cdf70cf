package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.FreePorts;
import io.korvet.it.broker.KorvetBroker;
import io.korvet.it.broker.RedisProcess;
import io.korvet.it.broker.TestBroker;
import io.korvet.it.raw.RawConnection;
import io.korvet.it.raw.Requests;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceDataCollection;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.utils.LogContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A broker that doesn't lead says who does, and where, to a client of each listener (KIP-951). */
class LeaderHintsIT extends BrokerBehaviour {

    private static final List<KorvetBroker> BROKERS = new ArrayList<>();
    private static final List<Integer> OUTSIDE = new ArrayList<>();

    @Nullable
    private static RedisProcess redis;

    @BeforeAll
    static void startBrokers() {
        assumeThat(BrokerUnderTest.kind()).as("several brokers over one Redis").isEqualTo(TestBroker.Kind.KORVET);
        RedisProcess store = new RedisProcess();
        redis = store;
        store.start();
        for (int id = 0; id < 2; id++) {
            int outside = FreePorts.next();
            OUTSIDE.add(outside);
            KorvetBroker broker = KorvetBroker.over(
                    store,
                    "korvet.broker.id=" + id,
                    "korvet.broker.rack=rack-" + id,
                    "korvet.broker.listeners[0].name=outside",
                    "korvet.broker.listeners[0].port=" + outside,
                    "korvet.broker.listeners[0].advertised-host=localhost");
            BROKERS.add(broker);
            broker.start();
        }
    }

    @AfterAll
    static void endBrokers() {
        BROKERS.forEach(KorvetBroker::close);
        BROKERS.clear();
        OUTSIDE.clear();
        if (redis != null) {
            redis.close();
        }
    }

    @Override
    TestBroker broker() {
        return BROKERS.get(0);
    }

    /** A topic of one partition that the second broker leads, as the first one knows. */
    private String topicOfTheOther() {
        String topic = topic(Encoding.usual());
        while (leader(topic) != 1) {
            topic = topic(Encoding.usual());
        }
        return topic;
    }

    private int leader(String topic) {
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> describe(topic).partitions().size() == 1
                        && result(admin().describeCluster().nodes()).size() == 2);
        return describe(topic).partitions().get(0).leader().id();
    }

    private static ProduceRequestData produce(String topic, Uuid id) {
        TopicProduceDataCollection topics = new TopicProduceDataCollection();
        MemoryRecords records = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(bytes("x")));
        topics.add(new TopicProduceData()
                .setName(topic)
                .setTopicId(id)
                .setPartitionData(List.of(new PartitionProduceData().setIndex(0).setRecords(records))));
        return new ProduceRequestData().setAcks((short) -1).setTimeoutMs(5_000).setTopicData(topics);
    }

    @Test
    void produceNamesTheLeaderAndItsAddressOnTheListenerOfTheClient() {
        String topic = topicOfTheOther();
        Uuid id = topicId(topic);
        for (int version = 10; version <= ApiKeys.PRODUCE.latestVersion(); version++) {
            assertThat(produceHint(BROKERS.get(0).bootstrap(), topic, id, version))
                    .isEqualTo("1 at 0: 1=" + BROKERS.get(1).bootstrap() + " rack-1");
            assertThat(produceHint("127.0.0.1:" + OUTSIDE.get(0), topic, id, version))
                    .isEqualTo("1 at 0: 1=localhost:" + OUTSIDE.get(1) + " rack-1");
        }
        assertThat(produceHint(BROKERS.get(0).bootstrap(), topic, id, 9)).isEqualTo("-1 at -1:");
    }

    private static String produceHint(String bootstrap, String topic, Uuid id, int version) {
        try (RawConnection connection = RawConnection.open(bootstrap)) {
            ProduceResponseData answer = connection.exchange(ProduceResponseData.class, produce(topic, id), version);
            var partition =
                    answer.responses().iterator().next().partitionResponses().get(0);
            assertThat(Errors.forCode(partition.errorCode())).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
            StringBuilder hint = new StringBuilder(partition.currentLeader().leaderId() + " at "
                    + partition.currentLeader().leaderEpoch() + ":");
            answer.nodeEndpoints()
                    .forEach(node -> hint.append(
                            " " + node.nodeId() + "=" + node.host() + ":" + node.port() + " " + node.rack()));
            return hint.toString();
        }
    }

    @Test
    void fetchNamesTheLeaderAndItsAddressOnTheListenerOfTheClient() {
        String topic = topicOfTheOther();
        Uuid id = topicId(topic);
        for (int version = 16; version <= ApiKeys.FETCH.latestVersion(); version++) {
            assertThat(fetchHint(BROKERS.get(0).bootstrap(), topic, id, version))
                    .isEqualTo("1 at 0: 1=" + BROKERS.get(1).bootstrap() + " rack-1");
            assertThat(fetchHint("127.0.0.1:" + OUTSIDE.get(0), topic, id, version))
                    .isEqualTo("1 at 0: 1=localhost:" + OUTSIDE.get(1) + " rack-1");
        }
        assertThat(fetchHint(BROKERS.get(0).bootstrap(), topic, id, 15)).isEqualTo("-1 at -1:");
    }

    private static String fetchHint(String bootstrap, String topic, Uuid id, int version) {
        try (RawConnection connection = RawConnection.open(bootstrap)) {
            FetchResponseData answer =
                    connection.exchange(FetchResponseData.class, Requests.fetch(topic, id, 0, 100, 1_000), version);
            var partition = answer.responses().get(0).partitions().get(0);
            assertThat(Errors.forCode(partition.errorCode())).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
            StringBuilder hint = new StringBuilder(partition.currentLeader().leaderId() + " at "
                    + partition.currentLeader().leaderEpoch() + ":");
            answer.nodeEndpoints()
                    .forEach(node -> hint.append(
                            " " + node.nodeId() + "=" + node.host() + ":" + node.port() + " " + node.rack()));
            return hint.toString();
        }
    }

    /**
     * What the Java client makes of a hint, given the Metadata that our brokers answer: it takes only a leader of a higher
     * epoch, of which we have none (ADR 0013), and asks for Metadata as ever.
     */
    @Test
    void theJavaClientTakesAHintOfAHigherEpochOnly() {
        String topic = topicOfTheOther();
        TopicPartition partition = partition(topic);
        Metadata client = new Metadata(100, 1_000, 300_000, new LogContext(), new ClusterResourceListeners());
        MetadataResponseData answer;
        try (RawConnection connection = RawConnection.open(broker().bootstrap())) {
            answer = connection.exchange(
                    MetadataResponseData.class,
                    new MetadataRequestData().setTopics(List.of(new MetadataRequestTopic().setName(topic))),
                    ApiKeys.METADATA.latestVersion());
        }
        client.updateWithCurrentRequestVersion(
                new MetadataResponse(answer, ApiKeys.METADATA.latestVersion()), false, 0);
        List<Node> nodes = List.of(new Node(0, "127.0.0.1", 1));
        assertThat(client.currentLeader(partition).epoch).contains(0);
        client.updatePartitionLeadership(
                Map.of(partition, new Metadata.LeaderIdAndEpoch(Optional.of(0), Optional.of(0))), nodes);
        assertThat(leaderKnownTo(client, partition)).isEqualTo(1);
        client.updatePartitionLeadership(
                Map.of(partition, new Metadata.LeaderIdAndEpoch(Optional.of(0), Optional.of(1))), nodes);
        assertThat(leaderKnownTo(client, partition)).isZero();
    }

    private static int leaderKnownTo(Metadata client, TopicPartition partition) {
        return Objects.requireNonNull(client.fetch().leaderFor(partition)).id();
    }
}
