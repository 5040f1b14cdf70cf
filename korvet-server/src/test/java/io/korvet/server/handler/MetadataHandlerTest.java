package io.korvet.server.handler;

import static io.korvet.server.topics.TopicFixture.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.korvet.server.topics.TopicFixture;
import io.korvet.server.topics.TopicNames;
import io.korvet.store.TopicCatalog.Topic;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class MetadataHandlerTest {

    private final TopicFixture broker = new TopicFixture();
    private final MetadataHandler handler = handler(AutoCreation.ALLOWED);

    @Test
    void noListMeansAllTopicsAndAnEmptyListNone() {
        broker.create("a", 1);
        broker.create("b", 1);

        assertThat(ask(new MetadataRequestData().setTopics(null), 13).topics())
                .extracting(MetadataResponseTopic::name)
                .containsExactly("a", "b");
        assertThat(ask(new MetadataRequestData().setTopics(List.of()), 13).topics())
                .isEmpty();
        assertThat(ask(new MetadataRequestData().setTopics(List.of()), 0).topics())
                .hasSize(2);
    }

    @Test
    void everyLiveBrokerIsAReplicaInSyncAndTheLeaderComesFirst() {
        broker.create("orders", 16);

        MetadataResponseTopic topic = only(ask(names("orders"), 13));

        assertThat(topic.partitions()).hasSize(16).allSatisfy(partition -> {
            assertThat(partition.leaderId())
                    .isEqualTo(Requests.CLUSTER
                            .leaderOf("orders", partition.partitionIndex())
                            .id());
            assertThat(partition.replicaNodes()).containsExactlyInAnyOrder(1, 4).startsWith(partition.leaderId());
            assertThat(partition.isrNodes()).isEqualTo(partition.replicaNodes());
            assertThat(partition.leaderEpoch()).isEqualTo(Requests.EPOCH);
        });
        assertThat(topic.isInternal()).isFalse();
    }

    @Test
    void brokersHaveTheEndpointsOfTheListenerTheClientCameThrough() {
        MetadataResponseData inside = ask(names(), 13);
        assertThat(inside.brokers())
                .extracting(node -> node.nodeId(), node -> node.host(), node -> node.port(), node -> node.rack())
                .containsExactly(tuple(1, "one", 9092, null), tuple(4, "four", 9092, "r4"));
        assertThat(inside.controllerId()).isEqualTo(1);
        assertThat(inside.clusterId()).isEqualTo("cluster");

        MetadataResponseData outside = done(handler.handle(Requests.of(ApiKeys.METADATA, 13, "outside"), names()));
        assertThat(outside.brokers())
                .extracting(node -> node.nodeId(), node -> node.host(), node -> node.port())
                .containsExactly(tuple(1, "one", 9092), tuple(4, "out", 1));
    }

    @Test
    void anUnknownTopicIsMadeBeforeTheAnswer() {
        MetadataResponseTopic topic = only(ask(names("orders"), 13));

        assertThat(topic.errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(topic.partitions()).hasSize(1);
        assertThat(broker.topics.byName("orders")).isNotNull();
    }

    @Test
    void nothingIsMadeWhenTheClientOrTheBrokerForbidsIt() {
        assertThat(only(ask(names("orders").setAllowAutoTopicCreation(false), 13))
                        .errorCode())
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        assertThat(only(done(handler(AutoCreation.OFF).handle(Requests.of(ApiKeys.METADATA, 13), names("orders"))))
                        .errorCode())
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        assertThat(broker.topics.all()).isEmpty();
    }

    @Test
    void aBadNameIsInvalidAndMakesNothing() {
        broker.create("a.b", 1);

        assertThat(ask(names("sp ace", "a_b"), 13).topics())
                .extracting(MetadataResponseTopic::errorCode)
                .containsOnly(Errors.INVALID_TOPIC_EXCEPTION.code());
        assertThat(broker.topics.all()).hasSize(1);
    }

    @Test
    void whileTheStoreIsAwayClientsAskAgain() {
        broker.store.down = true;

        assertThat(only(ask(names("orders"), 13)).errorCode()).isEqualTo(Errors.LEADER_NOT_AVAILABLE.code());
    }

    @Test
    void aTopicAskedForTwiceIsAnsweredOnce() {
        assertThat(ask(names("orders", "orders"), 13).topics()).hasSize(1);
    }

    @Test
    void topicsAreFoundByTheirIds() {
        Topic topic = broker.create("orders", 1);
        Uuid unknown = Uuid.randomUuid();

        MetadataResponseData response = ask(
                new MetadataRequestData()
                        .setTopics(Stream.of(TopicNames.wireId(topic.id()), unknown)
                                .map(id ->
                                        new MetadataRequestTopic().setName(null).setTopicId(id))
                                .toList()),
                13);

        assertThat(response.topics())
                .extracting(found -> found.name(), found -> found.topicId(), found -> found.errorCode())
                .containsExactly(
                        tuple("orders", TopicNames.wireId(topic.id()), Errors.NONE.code()),
                        tuple(null, unknown, Errors.UNKNOWN_TOPIC_ID.code()));
    }

    @Test
    void idsAreRefusedBeforeVersion12() {
        assertThat(handler.handle(
                                Requests.of(ApiKeys.METADATA, 11),
                                new MetadataRequestData()
                                        .setTopics(List.of(new MetadataRequestTopic().setTopicId(Uuid.randomUuid()))))
                        .toCompletableFuture())
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(InvalidRequestException.class);
    }

    @Test
    void authorizedOperationsAreToldToThoseWhoAsk() {
        broker.create("orders", 1);

        assertThat(only(ask(names("orders"), 8)).topicAuthorizedOperations()).isEqualTo(Integer.MIN_VALUE);
        MetadataResponseData response = ask(
                names("orders").setIncludeTopicAuthorizedOperations(true).setIncludeClusterAuthorizedOperations(true),
                8);
        assertThat(only(response).topicAuthorizedOperations()).isEqualTo(0b1101_1111_1000);
        assertThat(response.clusterAuthorizedOperations()).isEqualTo(0b1_1111_1010_0000);
    }

    private MetadataHandler handler(AutoCreation autoCreation) {
        return new MetadataHandler(broker.topics, () -> Requests.CLUSTER, "cluster", autoCreation);
    }

    private MetadataResponseData ask(MetadataRequestData request, int version) {
        return done(handler.handle(Requests.of(ApiKeys.METADATA, version), request));
    }

    private static MetadataRequestData names(String... names) {
        return new MetadataRequestData()
                .setTopics(Stream.of(names)
                        .map(name -> new MetadataRequestTopic().setName(name))
                        .toList());
    }

    private static MetadataResponseTopic only(MetadataResponseData response) {
        assertThat(response.topics()).hasSize(1);
        return Objects.requireNonNull(response.topics().iterator().next());
    }
}
