package io.korvet.server.handler;

import static io.korvet.server.topics.TopicFixture.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.korvet.server.topics.TopicFixture;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.Cursor;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** DescribeCluster, DescribeTopicPartitions, DescribeLogDirs, OffsetForLeaderEpoch and InitProducerId. */
class ClusterHandlersTest {

    private final TopicFixture broker = new TopicFixture();

    @Nested
    class DescribeCluster {

        private final DescribeClusterHandler handler = new DescribeClusterHandler(() -> Requests.CLUSTER, "cluster");

        @Test
        void brokersAreDescribedAtTheListenersEndpoints() {
            DescribeClusterResponseData response = done(handler.handle(
                    Requests.of(ApiKeys.DESCRIBE_CLUSTER, 2, "outside"), new DescribeClusterRequestData()));

            assertThat(response.errorCode()).isZero();
            assertThat(response.controllerId()).isEqualTo(1);
            assertThat(response.brokers())
                    .extracting(node -> node.brokerId(), node -> node.host(), node -> node.port())
                    .containsExactly(tuple(1, "one", 9092), tuple(4, "out", 1));
        }

        @Test
        void controllersAreNotDescribed() {
            assertThat(error(2)).isEqualTo(Errors.MISMATCHED_ENDPOINT_TYPE.code());
            assertThat(error(7)).isEqualTo(Errors.UNSUPPORTED_ENDPOINT_TYPE.code());
        }

        private short error(int type) {
            return done(handler.handle(
                            Requests.of(ApiKeys.DESCRIBE_CLUSTER, 2),
                            new DescribeClusterRequestData().setEndpointType((byte) type)))
                    .errorCode();
        }
    }

    @Nested
    class DescribeTopicPartitions {

        private final DescribeTopicPartitionsHandler handler =
                new DescribeTopicPartitionsHandler(broker.topics, () -> Requests.CLUSTER);

        @Test
        void pagesGoThroughAllPartitionsOnce() {
            broker.create("a", 3);
            broker.create("b", 2);
            broker.create("c", 1);
            DescribeTopicPartitionsRequestData request =
                    new DescribeTopicPartitionsRequestData().setResponsePartitionLimit(2);

            DescribeTopicPartitionsResponseData first = ask(request);
            assertThat(shown(first)).containsExactly("a0", "a1");
            assertThat(first.topics().find("a").partitions())
                    .allMatch(partition -> partition.leaderEpoch() == Requests.EPOCH);
            DescribeTopicPartitionsResponseData second = ask(request.setCursor(next(first)));
            assertThat(shown(second)).containsExactly("a2", "b0");
            DescribeTopicPartitionsResponseData third = ask(request.setCursor(next(second)));
            assertThat(shown(third)).containsExactly("b1", "c0");
            assertThat(third.nextCursor()).isNull();
        }

        @Test
        void aPageThatEndsWithATopicGoesOnWithTheNext() {
            broker.create("a", 2);
            broker.create("b", 1);

            DescribeTopicPartitionsResponseData first =
                    ask(new DescribeTopicPartitionsRequestData().setResponsePartitionLimit(2));

            assertThat(next(first)).isEqualTo(new Cursor().setTopicName("b").setPartitionIndex(0));
        }

        @Test
        void unknownTopicsAreToldAndNotMade() {
            DescribeTopicPartitionsResponseData response = ask(new DescribeTopicPartitionsRequestData()
                    .setTopics(List.of(new TopicRequest().setName("unknown"), new TopicRequest().setName("sp ace"))));

            assertThat(response.topics())
                    .extracting(DescribeTopicPartitionsResponseTopic::name, topic -> topic.errorCode())
                    .containsExactly(
                            tuple("sp ace", Errors.INVALID_TOPIC_EXCEPTION.code()),
                            tuple("unknown", Errors.UNKNOWN_TOPIC_OR_PARTITION.code()));
            assertThat(broker.topics.all()).isEmpty();
        }

        private DescribeTopicPartitionsResponseData ask(DescribeTopicPartitionsRequestData request) {
            return done(handler.handle(Requests.of(ApiKeys.DESCRIBE_TOPIC_PARTITIONS, 0), request));
        }

        private static Stream<String> shown(DescribeTopicPartitionsResponseData response) {
            return response.topics().stream()
                    .flatMap(topic ->
                            topic.partitions().stream().map(partition -> topic.name() + partition.partitionIndex()));
        }

        private static Cursor next(DescribeTopicPartitionsResponseData response) {
            DescribeTopicPartitionsResponseData.Cursor next = Objects.requireNonNull(response.nextCursor());
            return new Cursor().setTopicName(next.topicName()).setPartitionIndex(next.partitionIndex());
        }
    }

    @Test
    void logDirectoriesShowThePartitionsThisBrokerLeads() {
        broker.create("orders", 16);
        DescribeLogDirsHandler handler = new DescribeLogDirsHandler(
                broker.topics,
                () -> Requests.CLUSTER,
                (topic, partition) -> CompletableFuture.completedFuture(100L + partition));

        var directories = done(handler.handle(
                        Requests.of(ApiKeys.DESCRIBE_LOG_DIRS, 4), new DescribeLogDirsRequestData().setTopics(null)))
                .results();

        assertThat(directories).hasSize(1);
        assertThat(directories.get(0).logDir()).isEqualTo("redis");
        assertThat(directories.get(0).topics()).hasSize(1);
        assertThat(directories.get(0).topics().get(0).partitions())
                .extracting(partition -> partition.partitionIndex())
                .containsExactlyElementsOf(IntStream.range(0, 16)
                        .filter(partition -> Requests.CLUSTER.leads("orders", partition))
                        .boxed()
                        .toList());
        assertThat(directories.get(0).topics().get(0).partitions())
                .allMatch(partition -> partition.partitionSize() == 100 + partition.partitionIndex());
    }

    @Nested
    class OffsetForLeaderEpoch {

        private final OffsetForLeaderEpochHandler handler = new OffsetForLeaderEpochHandler(
                broker.topics, () -> Requests.CLUSTER, (topic, partition) -> CompletableFuture.completedFuture(42L));

        @Test
        void everyEpochUpToTheCurrentOneEndsAtTheEndOfTheLog() {
            broker.create("orders", 16);
            int led = IntStream.range(0, 16)
                    .filter(partition -> Requests.CLUSTER.leads("orders", partition))
                    .findFirst()
                    .orElseThrow();
            int other = IntStream.range(0, 16)
                    .filter(partition -> !Requests.CLUSTER.leads("orders", partition))
                    .findFirst()
                    .orElseThrow();

            assertThat(ask("orders", led, -1, 0))
                    .extracting(EpochEndOffset::errorCode, EpochEndOffset::leaderEpoch, EpochEndOffset::endOffset)
                    .containsExactly((short) 0, 0, 42L);
            assertThat(ask("orders", led, 3, 3))
                    .extracting(EpochEndOffset::errorCode, EpochEndOffset::leaderEpoch, EpochEndOffset::endOffset)
                    .containsExactly((short) 0, 0, 42L);
            assertThat(ask("orders", led, Requests.EPOCH, Requests.EPOCH))
                    .extracting(EpochEndOffset::errorCode, EpochEndOffset::leaderEpoch, EpochEndOffset::endOffset)
                    .containsExactly((short) 0, Requests.EPOCH, 42L);
            assertThat(ask("orders", led, 0, Requests.EPOCH + 1))
                    .extracting(EpochEndOffset::errorCode, EpochEndOffset::leaderEpoch, EpochEndOffset::endOffset)
                    .containsExactly((short) 0, -1, -1L);
            assertThat(ask("orders", led, Requests.EPOCH + 1, 0).errorCode())
                    .isEqualTo(Errors.UNKNOWN_LEADER_EPOCH.code());
            assertThat(ask("orders", other, Requests.EPOCH + 1, 0).errorCode())
                    .isEqualTo(Errors.UNKNOWN_LEADER_EPOCH.code());
            assertThat(ask("orders", other, 0, 0).errorCode()).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER.code());
            assertThat(ask("orders", 16, 0, 0).errorCode()).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
            assertThat(ask("unknown", 0, 0, 0).errorCode()).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        }

        private EpochEndOffset ask(String topic, int partition, int currentEpoch, int epoch) {
            OffsetForLeaderEpochRequestData request = new OffsetForLeaderEpochRequestData();
            request.topics()
                    .add(new OffsetForLeaderTopic()
                            .setTopic(topic)
                            .setPartitions(List.of(new OffsetForLeaderPartition()
                                    .setPartition(partition)
                                    .setCurrentLeaderEpoch(currentEpoch)
                                    .setLeaderEpoch(epoch))));
            return done(handler.handle(Requests.of(ApiKeys.OFFSET_FOR_LEADER_EPOCH, 4), request))
                    .topics()
                    .iterator()
                    .next()
                    .partitions()
                    .get(0);
        }
    }

    @Nested
    class InitProducerId {

        private final InitProducerIdHandler handler =
                new InitProducerIdHandler(new ProducerIds(broker.store.sequences()));

        @Test
        void idsAreNeverGivenTwiceByAnyBroker() {
            InitProducerIdHandler other = new InitProducerIdHandler(new ProducerIds(broker.store.sequences()));
            Set<Long> ids = new HashSet<>();
            for (int call = 0; call < 1_500; call++) {
                assertThat(ids.add(ask(handler, idempotent()).producerId())).isTrue();
                assertThat(ids.add(ask(other, idempotent()).producerId())).isTrue();
            }
        }

        @Test
        void aProducerThatComesBackGetsAFreshId() {
            InitProducerIdResponseData first = ask(handler, idempotent());

            InitProducerIdResponseData second = ask(
                    handler, idempotent().setProducerId(first.producerId()).setProducerEpoch(first.producerEpoch()));

            assertThat(second.errorCode()).isZero();
            assertThat(second.producerId()).isNotEqualTo(first.producerId());
            assertThat(second.producerEpoch()).isZero();
        }

        @Test
        void transactionsAreRefused() {
            assertThat(ask(handler, new InitProducerIdRequestData().setTransactionalId("t"))
                            .errorCode())
                    .isEqualTo(Errors.UNSUPPORTED_VERSION.code());
            assertThat(ask(handler, new InitProducerIdRequestData().setTransactionalId(""))
                            .errorCode())
                    .isEqualTo(Errors.INVALID_REQUEST.code());
        }

        @Test
        void anIdWithoutAnEpochIsRefused() {
            assertThat(ask(handler, idempotent().setProducerId(5)).errorCode())
                    .isEqualTo(Errors.INVALID_REQUEST.code());
        }

        @Test
        void whileTheStoreIsAwayProducersAskAgain() {
            broker.store.down = true;
            assertThat(ask(handler, idempotent()).errorCode()).isEqualTo(Errors.COORDINATOR_LOAD_IN_PROGRESS.code());
            broker.store.down = false;
            assertThat(ask(handler, idempotent()).errorCode()).isZero();
        }

        private static InitProducerIdRequestData idempotent() {
            return new InitProducerIdRequestData().setTransactionalId(null);
        }

        private static InitProducerIdResponseData ask(
                InitProducerIdHandler handler, InitProducerIdRequestData request) {
            return done(handler.handle(Requests.of(ApiKeys.INIT_PRODUCER_ID, 5), request));
        }
    }
}
