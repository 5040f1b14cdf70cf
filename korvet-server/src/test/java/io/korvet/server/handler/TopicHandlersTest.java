package io.korvet.server.handler;

import static io.korvet.server.topics.TopicFixture.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.korvet.server.topics.TopicFixture;
import io.korvet.server.topics.TopicNames;
import io.korvet.store.TopicCatalog.Topic;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsAssignment;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData.CreatePartitionsTopicResult;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** CreateTopics, DeleteTopics and CreatePartitions. */
class TopicHandlersTest {

    private final TopicFixture broker = new TopicFixture();

    @Nested
    class CreateTopics {

        private final CreateTopicsHandler handler =
                new CreateTopicsHandler(broker.topics, broker.configs, () -> Requests.CLUSTER);

        @Test
        void theAnswerDescribesTheTopicWithItsSettings() {
            CreatableTopic asked = topic("orders", 3, 3);
            asked.configs()
                    .add(new CreatableTopicConfig().setName("retention.ms").setValue("1000"));

            CreatableTopicResult result = only(create(asked));

            Topic topic = Objects.requireNonNull(broker.topics.byName("orders"));
            assertThat(result.errorCode()).isEqualTo(Errors.NONE.code());
            assertThat(result.topicId()).isEqualTo(TopicNames.wireId(topic.id()));
            assertThat(result.numPartitions()).isEqualTo(3);
            assertThat(result.replicationFactor()).isEqualTo((short) 3);
            assertThat(result.configs())
                    .extracting(config -> config.name(), config -> config.value(), config -> config.configSource())
                    .contains(tuple("retention.ms", "1000", (byte) 1), tuple("retention.bytes", "-1", (byte) 5));
        }

        @Test
        void aTopicNamedTwiceIsRefusedAndTheOthersAreMade() {
            assertThat(create(topic("a", 1, 1), topic("a", 2, 1), topic("b", 1, 1)))
                    .extracting(CreatableTopicResult::name, CreatableTopicResult::errorCode)
                    .containsExactlyInAnyOrder(
                            tuple("a", Errors.INVALID_REQUEST.code()), tuple("b", Errors.NONE.code()));
            assertThat(broker.topics.byName("a")).isNull();
        }

        @Test
        void eachTopicHasItsOwnError() {
            broker.create("taken", 1);

            assertThat(create(
                            topic("taken", 1, 1),
                            topic("taken_", 0, 1),
                            topic("x", 1, 0),
                            topic("y", -2, 1),
                            topic("sp ace", 1, 1)))
                    .extracting(CreatableTopicResult::name, CreatableTopicResult::errorCode)
                    .containsExactlyInAnyOrder(
                            tuple("taken", Errors.TOPIC_ALREADY_EXISTS.code()),
                            tuple("taken_", Errors.INVALID_PARTITIONS.code()),
                            tuple("x", Errors.INVALID_REPLICATION_FACTOR.code()),
                            tuple("y", Errors.INVALID_PARTITIONS.code()),
                            tuple("sp ace", Errors.INVALID_TOPIC_EXCEPTION.code()));
        }

        @Test
        void aSettingWithoutAValueIsRefused() {
            CreatableTopic asked = topic("orders", 1, 1);
            asked.configs()
                    .add(new CreatableTopicConfig().setName("retention.ms").setValue(null));

            assertThat(only(create(asked)).errorCode()).isEqualTo(Errors.INVALID_CONFIG.code());
        }

        @Test
        void aManualAssignmentGivesTheNumberOfPartitions() {
            assertThat(only(create(assigned("orders", List.of(7, 8), List.of(8, 9)))))
                    .extracting(CreatableTopicResult::numPartitions, CreatableTopicResult::replicationFactor)
                    .containsExactly(2, (short) 2);
        }

        @Test
        void aManualAssignmentMustBeConsistent() {
            CreatableTopic counted = assigned("counted", List.of(1)).setNumPartitions(1);

            assertThat(only(create(counted)).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
            assertThat(List.of(
                            assigned("a", List.of(1), List.of(1, 2)),
                            assigned("b", List.<Integer>of()),
                            assigned("c", List.of(1, 1)),
                            assigned("d", List.of(-1))))
                    .allSatisfy(asked -> assertThat(only(create(asked)).errorCode())
                            .isEqualTo(Errors.INVALID_REPLICA_ASSIGNMENT.code()));
            assertThat(broker.topics.all()).isEmpty();
        }

        @Test
        void validationAloneMakesNothing() {
            CreateTopicsRequestData request = new CreateTopicsRequestData().setValidateOnly(true);
            request.topics().add(topic("orders", 2, 1));

            assertThat(only(List.copyOf(done(handler.handle(Requests.of(ApiKeys.CREATE_TOPICS, 7), request))
                                    .topics()))
                            .numPartitions())
                    .isEqualTo(2);
            assertThat(broker.topics.all()).isEmpty();
        }

        private List<CreatableTopicResult> create(CreatableTopic... topics) {
            CreateTopicsRequestData request = new CreateTopicsRequestData();
            Stream.of(topics).forEach(request.topics()::add);
            return List.copyOf(done(handler.handle(Requests.of(ApiKeys.CREATE_TOPICS, 7), request))
                    .topics());
        }
    }

    @Nested
    class DeleteTopics {

        private final DeleteTopicsHandler handler = new DeleteTopicsHandler(broker.topics);

        @Test
        void topicsAreDeletedByNameAndById() {
            broker.create("a", 1);
            Topic second = broker.create("b", 1);

            assertThat(delete(byName("a"), byId(TopicNames.wireId(second.id()))))
                    .extracting(DeletableTopicResult::name, DeletableTopicResult::errorCode)
                    .containsExactly(tuple("a", (short) 0), tuple("b", (short) 0));
            assertThat(broker.topics.all()).isEmpty();
        }

        @Test
        void oldVersionsGiveNamesAlone() {
            broker.create("a", 1);

            assertThat(done(handler.handle(
                                    Requests.of(ApiKeys.DELETE_TOPICS, 5),
                                    new DeleteTopicsRequestData().setTopicNames(List.of("a"))))
                            .responses())
                    .hasSize(1);
            assertThat(broker.topics.all()).isEmpty();
        }

        @Test
        void whatIsNotThereIsUnknown() {
            assertThat(delete(byName("a"), byId(Uuid.randomUuid())))
                    .extracting(DeletableTopicResult::errorCode)
                    .containsExactly(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), Errors.UNKNOWN_TOPIC_ID.code());
        }

        @Test
        void aTopicMeantTwiceStays() {
            Topic topic = broker.create("a", 1);

            assertThat(delete(byName("a"), byId(TopicNames.wireId(topic.id()))))
                    .extracting(DeletableTopicResult::errorCode)
                    .containsOnly(Errors.INVALID_REQUEST.code());
            assertThat(delete(byName("b"), byName("b")))
                    .extracting(DeletableTopicResult::errorCode)
                    .containsOnly(Errors.INVALID_REQUEST.code());
            assertThat(broker.topics.byName("a")).isEqualTo(topic);
        }

        @Test
        void eitherNameOrIdMustBeGiven() {
            assertThat(delete(byName("a").setTopicId(Uuid.randomUuid()), byId(Uuid.ZERO_UUID)))
                    .extracting(DeletableTopicResult::errorCode)
                    .containsOnly(Errors.INVALID_REQUEST.code());
        }

        private List<DeletableTopicResult> delete(DeleteTopicState... states) {
            return List.copyOf(done(handler.handle(
                            Requests.of(ApiKeys.DELETE_TOPICS, 6),
                            new DeleteTopicsRequestData().setTopics(List.of(states))))
                    .responses());
        }
    }

    @Nested
    class CreatePartitions {

        private final CreatePartitionsHandler handler = new CreatePartitionsHandler(broker.topics);

        @Test
        void theNumberIsRaised() {
            broker.create("orders", 1);

            assertThat(grow(new CreatePartitionsTopic().setName("orders").setCount(3)))
                    .extracting(CreatePartitionsTopicResult::errorCode)
                    .containsExactly(Errors.NONE.code());
            assertThat(broker.topics.byName("orders"))
                    .extracting(Topic::partitions)
                    .isEqualTo(3);
        }

        @Test
        void assignmentsMustFitTheNumber() {
            broker.create("orders", 1);
            CreatePartitionsTopic asked = new CreatePartitionsTopic()
                    .setName("orders")
                    .setCount(3)
                    .setAssignments(List.of(new CreatePartitionsAssignment().setBrokerIds(List.of(1))));

            assertThat(grow(asked))
                    .extracting(CreatePartitionsTopicResult::errorCode)
                    .containsExactly(Errors.INVALID_REPLICA_ASSIGNMENT.code());
        }

        @Test
        void refusalsAreKafkas() {
            broker.create("orders", 2);

            assertThat(grow(
                            new CreatePartitionsTopic().setName("orders").setCount(2),
                            new CreatePartitionsTopic().setName("unknown").setCount(2)))
                    .extracting(CreatePartitionsTopicResult::errorCode)
                    .containsExactly(Errors.INVALID_PARTITIONS.code(), Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        }

        private List<CreatePartitionsTopicResult> grow(CreatePartitionsTopic... topics) {
            CreatePartitionsRequestData request = new CreatePartitionsRequestData();
            Stream.of(topics).forEach(request.topics()::add);
            return done(handler.handle(Requests.of(ApiKeys.CREATE_PARTITIONS, 3), request))
                    .results();
        }
    }

    private static CreatableTopic topic(String name, int partitions, int replicas) {
        return new CreatableTopic().setName(name).setNumPartitions(partitions).setReplicationFactor((short) replicas);
    }

    @SafeVarargs
    private static CreatableTopic assigned(String name, List<Integer>... brokers) {
        CreatableTopic topic = topic(name, -1, -1);
        for (int partition = 0; partition < brokers.length; partition++) {
            topic.assignments()
                    .add(new CreatableReplicaAssignment()
                            .setPartitionIndex(partition)
                            .setBrokerIds(brokers[partition]));
        }
        return topic;
    }

    private static DeleteTopicState byName(String name) {
        return new DeleteTopicState().setName(name);
    }

    private static DeleteTopicState byId(Uuid id) {
        return new DeleteTopicState().setName(null).setTopicId(id);
    }

    private static CreatableTopicResult only(List<CreatableTopicResult> results) {
        assertThat(results).hasSize(1);
        return results.get(0);
    }
}
