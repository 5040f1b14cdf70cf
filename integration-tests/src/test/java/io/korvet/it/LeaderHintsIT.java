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
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
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

    private static final int TEN_MINUTES = 600_000;
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
        int epoch = told(BROKERS.get(0), topic).get(0).leaderEpoch();
        assertThat(epoch).isPositive();
        for (int version = 10; version <= ApiKeys.PRODUCE.latestVersion(); version++) {
            assertThat(produceHint(BROKERS.get(0).bootstrap(), topic, id, version))
                    .isEqualTo("1 at " + epoch + ": 1=" + BROKERS.get(1).bootstrap() + " rack-1");
            assertThat(produceHint("127.0.0.1:" + OUTSIDE.get(0), topic, id, version))
                    .isEqualTo("1 at " + epoch + ": 1=localhost:" + OUTSIDE.get(1) + " rack-1");
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
        int epoch = told(BROKERS.get(0), topic).get(0).leaderEpoch();
        assertThat(epoch).isPositive();
        for (int version = 16; version <= ApiKeys.FETCH.latestVersion(); version++) {
            assertThat(fetchHint(BROKERS.get(0).bootstrap(), topic, id, version))
                    .isEqualTo("1 at " + epoch + ": 1=" + BROKERS.get(1).bootstrap() + " rack-1");
            assertThat(fetchHint("127.0.0.1:" + OUTSIDE.get(0), topic, id, version))
                    .isEqualTo("1 at " + epoch + ": 1=localhost:" + OUTSIDE.get(1) + " rack-1");
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

    /** What the Java client makes of a hint: it takes only a leader of a higher epoch than Metadata has told it. */
    @Test
    void theJavaClientTakesAHintOfAHigherEpochOnly() {
        String topic = topicOfTheOther();
        TopicPartition partition = partition(topic);
        Metadata client = new Metadata(100, 1_000, 300_000, new LogContext(), new ClusterResourceListeners());
        MetadataResponseData answer = metadata(BROKERS.get(0), topic);
        int epoch = answer.topics().iterator().next().partitions().get(0).leaderEpoch();
        client.updateWithCurrentRequestVersion(
                new MetadataResponse(answer, ApiKeys.METADATA.latestVersion()), false, 0);
        List<Node> nodes = List.of(new Node(0, "127.0.0.1", 1));
        assertThat(client.currentLeader(partition).epoch).contains(epoch);
        client.updatePartitionLeadership(
                Map.of(partition, new Metadata.LeaderIdAndEpoch(Optional.of(0), Optional.of(epoch))), nodes);
        assertThat(leaderKnownTo(client, partition)).isEqualTo(1);
        client.updatePartitionLeadership(
                Map.of(partition, new Metadata.LeaderIdAndEpoch(Optional.of(0), Optional.of(epoch + 1))), nodes);
        assertThat(leaderKnownTo(client, partition)).isZero();
    }

    private static int leaderKnownTo(Metadata client, TopicPartition partition) {
        return Objects.requireNonNull(client.fetch().leaderFor(partition)).id();
    }

    private static MetadataResponseData metadata(KorvetBroker broker, String topic) {
        try (RawConnection connection = RawConnection.open(broker.bootstrap())) {
            return connection.exchange(
                    MetadataResponseData.class,
                    new MetadataRequestData().setTopics(List.of(new MetadataRequestTopic().setName(topic))),
                    ApiKeys.METADATA.latestVersion());
        }
    }

    /** What a broker's Metadata tells of a topic's partitions, by rising number. */
    private static List<MetadataResponsePartition> told(KorvetBroker broker, String topic) {
        return metadata(broker, topic).topics().iterator().next().partitions().stream()
                .sorted(Comparator.comparingInt(MetadataResponsePartition::partitionIndex))
                .toList();
    }

    /** Until all brokers tell the same leaders at the same epoch, the last one of them among the leaders. */
    private static List<MetadataResponsePartition> agreed(List<KorvetBroker> brokers, String topic) {
        int last = brokers.size() - 1;
        await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            var first = told(brokers.get(0), topic);
            return first.stream().anyMatch(partition -> partition.leaderId() == last)
                    && brokers.stream().allMatch(broker -> told(broker, topic).equals(first));
        });
        return told(brokers.get(0), topic);
    }

    /**
     * A third broker comes and takes partitions over while clients may ask for Metadata only once in ten minutes: they get
     * to it by what the former leaders tell them.
     */
    @Test
    void javaClientsFollowTheHintToTheNewLeaderWithoutAskingForMetadata() {
        int partitions = 12;
        String topic = topic(partitions, Encoding.usual());
        List<TopicPartition> all = IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        List<MetadataResponsePartition> before = agreed(BROKERS, topic);
        Object[] rarely = {"retry.backoff.ms", TEN_MINUTES, "retry.backoff.max.ms", TEN_MINUTES};
        KafkaProducer<byte[], byte[]> producer = producer(rarely);
        KafkaConsumer<byte[], byte[]> consumer = consumer(rarely);
        sendToEach(producer, topic, partitions, "before");
        consumer.assign(all);
        consumer.seekToBeginning(all);
        assertThat(values(read(consumer, partitions))).containsOnly("before");
        // Positions as the Java client commits them, with the records' epoch, and with the epoch that Metadata told.
        Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
        for (TopicPartition each : all) {
            int epoch = each.partition() % 2 == 0 ? 0 : before.get(0).leaderEpoch();
            positions.put(each, new OffsetAndMetadata(consumer.position(each), Optional.of(epoch), ""));
        }
        String group = name("group");
        result(admin().alterConsumerGroupOffsets(group, positions).all());

        KorvetBroker third = KorvetBroker.over(Objects.requireNonNull(redis), "korvet.broker.id=2");
        closing(third).start();
        List<KorvetBroker> three = List.of(BROKERS.get(0), BROKERS.get(1), third);
        List<MetadataResponsePartition> after = agreed(three, topic);
        assertThat(after.get(0).leaderEpoch()).isGreaterThan(before.get(0).leaderEpoch());

        sendToEach(producer, topic, partitions, "after");
        assertThat(values(read(consumer, partitions))).containsOnly("after");
        KafkaConsumer<byte[], byte[]> member = consumer("group.id", group, "auto.offset.reset", "none");
        member.subscribe(List.of(topic));
        assertThat(values(read(member, partitions))).containsOnly("after");
        member.commitSync();

        // It goes: all partitions move back, at a higher epoch again, and nobody loses its position.
        third.stop();
        List<MetadataResponsePartition> last = agreed(BROKERS, topic);
        assertThat(last.get(0).leaderEpoch()).isGreaterThan(after.get(0).leaderEpoch());
        sendToEach(producer(), topic, partitions, "last");
        assertThat(values(read(member, partitions))).containsOnly("last");
    }

    private static void sendToEach(KafkaProducer<byte[], byte[]> producer, String topic, int partitions, String value) {
        IntStream.range(0, partitions)
                .mapToObj(partition -> producer.send(new ProducerRecord<>(topic, partition, null, bytes(value))))
                .toList()
                .forEach(BrokerBehaviour::result);
    }
}
