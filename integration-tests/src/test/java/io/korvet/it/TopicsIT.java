package io.korvet.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.korvet.it.broker.BrokerUnderTest;
import io.korvet.it.broker.TestBroker.Kind;
import io.korvet.it.raw.Requests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

/** How topics come to be, and how they go. */
class TopicsIT extends BrokerBehaviour {

    @Test
    void metadataCreatesATopicWhenAskedTo() {
        String topic = name("auto");
        await().atMost(PATIENCE).until(() -> error(metadata(topic, Creation.ALLOWED)) == Errors.NONE);
        assertThat(describe(topic).partitions()).hasSize(1);
        assertThat(metadata(topic, Creation.ALLOWED).topicId()).isEqualTo(topicId(topic));
    }

    @Test
    void metadataCreatesNothingWhenNotAskedTo() {
        String topic = name("auto");
        assertThat(error(metadata(topic, Creation.FORBIDDEN))).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(topics()).doesNotContain(topic);
    }

    @Test
    void aProducerCreatesTheTopicItWritesTo() {
        String topic = name("auto");
        produce(topic, List.of("first"));
        assertThat(values(readAll(topic, 1))).containsExactly("first");
    }

    @Test
    void aProduceRequestAloneCreatesNothing() {
        String topic = name("auto");
        var records = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(1L, bytes("v")));
        assertThat(Requests.error(Requests.produceAll(connection(), topic, records)))
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(topics()).doesNotContain(topic);
    }

    @Test
    void aBadNameIsRefusedAndCreatesNothing() {
        List<String> bad = List.of(".", "..", "a b", "a/b", "ä", "x".repeat(250), "with:colon", "{tag}", "a\nb");
        for (String name : bad) {
            assertThat(error(metadata(name, Creation.ALLOWED)))
                    .as("Metadata of '" + name + "'")
                    .isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
            assertThat(failure(createTopic(name, Map.of())))
                    .as("CreateTopics of '" + name + "'")
                    .isInstanceOf(InvalidTopicException.class);
        }
        assertThat(topics()).doesNotContainAnyElementsOf(bad);
    }

    @Test
    void aNameOf249LettersIsFine() {
        String longest = (name("long") + "x".repeat(249)).substring(0, 249);
        create(longest, 1, Encoding.usual());
        produce(longest, List.of("v"));
        readAll(longest, 1);
    }

    @Test
    void namesThatDifferOnlyInDotAndUnderscoreCollide() {
        String topic = name("a.b_c");
        create(topic, 1, Encoding.usual());
        assertThat(failure(createTopic(topic.replace('.', '_'), Map.of()))).isInstanceOf(InvalidTopicException.class);
    }

    @Test
    void whatCannotBeCreatedIsRefused() {
        String topic = topic(Encoding.usual());
        assertThat(failure(createTopic(topic, Map.of()))).isInstanceOf(TopicExistsException.class);
        assertThat(failure(createTopic(name("t"), Map.of("no.such.key", "1"))))
                .isInstanceOf(InvalidConfigurationException.class);
        assertThat(failure(createTopic(name("t"), Map.of("retention.ms", "soon"))))
                .isInstanceOf(InvalidConfigurationException.class);
        NewTopic none = new NewTopic(name("t"), Optional.of(0), Optional.empty());
        assertThat(failure(admin().createTopics(List.of(none)).all())).isInstanceOf(InvalidPartitionsException.class);
    }

    private org.apache.kafka.common.KafkaFuture<Void> createTopic(String name, Map<String, String> config) {
        return admin().createTopics(List.of(new NewTopic(name, Optional.of(1), Optional.empty()).configs(config)))
                .all();
    }

    @Test
    void anyReplicationFactorIsAccepted() {
        assumeThat(BrokerUnderTest.kind())
                .as("Kafka makes no more copies than there are brokers")
                .isEqualTo(Kind.KORVET);
        String topic = name("copies");
        result(admin().createTopics(List.of(new NewTopic(topic, 2, (short) 3))).all());
        await().atMost(PATIENCE).until(() -> topics().contains(topic));
        assertThat(describe(topic).partitions()).hasSize(2);
    }

    @Test
    void aDeletedTopicIsGone() {
        String topic = topic(Encoding.usual());
        produce(topic, List.of("v"));
        result(admin().deleteTopics(List.of(topic)).all());
        await().atMost(PATIENCE).until(() -> !topics().contains(topic));
        assertThat(error(metadata(topic, Creation.FORBIDDEN))).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(failure(admin().deleteTopics(List.of(topic)).all()))
                .isInstanceOf(UnknownTopicOrPartitionException.class);
    }

    @Encoding.InEach
    void aTopicMadeAnewUnderAnAttachedConsumerNeverShowsOldRecords(Encoding encoding) {
        String topic = topic(encoding);
        produce(topic, numbers(0, 10).stream().map(number -> "old" + number).toList());
        Uuid old = topicId(topic);
        KafkaConsumer<byte[], byte[]> consumer = reader(topic, "metadata.max.age.ms", 500);
        assertThat(read(consumer, 10)).hasSize(10);

        result(admin().deleteTopics(List.of(topic)).all());
        await().atMost(PATIENCE).until(() -> !topics().contains(topic));
        consumer.poll(Duration.ofMillis(500));
        create(topic, 1, encoding);
        assertThat(topicId(topic)).isNotEqualTo(old);
        produce(topic, List.of("new0", "new1", "new2"));

        List<ConsumerRecord<byte[], byte[]>> after = read(consumer, 3);
        assertThat(values(after)).containsExactly("new0", "new1", "new2");
        FetchResponseData stale = connection()
                .exchange(FetchResponseData.class, Requests.fetch("", old, 0, 100, 1_000), Requests.FETCH_BY_ID);
        assertThat(Errors.forCode(stale.responses().get(0).partitions().get(0).errorCode()))
                .isEqualTo(Errors.UNKNOWN_TOPIC_ID);
        assertThat(values(readAll(topic, 3))).containsExactly("new0", "new1", "new2");
    }

    private enum Creation {
        ALLOWED,
        FORBIDDEN
    }

    private MetadataResponseTopic metadata(String topic, Creation creation) {
        MetadataRequestData request = new MetadataRequestData()
                .setTopics(new ArrayList<>(List.of(new MetadataRequestTopic().setName(topic))))
                .setAllowAutoTopicCreation(creation == Creation.ALLOWED);
        return connection()
                .exchange(MetadataResponseData.class, request, 12)
                .topics()
                .iterator()
                .next();
    }

    private static Errors error(MetadataResponseTopic topic) {
        return Errors.forCode(topic.errorCode());
    }

    private Set<String> topics() {
        return new TreeSet<>(result(admin().listTopics().names()));
    }
}
