package io.korvet.server.handler;

import static io.korvet.server.topics.TopicFixture.done;
import static org.assertj.core.api.Assertions.assertThat;

import io.korvet.protocol.ApiCatalog;
import io.korvet.server.config.KorvetConfig;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.topics.TopicFixture;
import io.korvet.store.TopicCatalog.Topic;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.Test;

/** Every answer can be written in every served version: no field is set that an older version has no place for. */
class AnswersInAllVersionsTest {

    private final TopicFixture broker = new TopicFixture();
    private final Topic topic = broker.create("orders", 2, Map.of("retention.ms", "1000"));

    @Test
    void metadata() {
        MetadataHandler handler =
                new MetadataHandler(broker.topics, () -> Requests.CLUSTER, "cluster", AutoCreation.ALLOWED);
        everyVersion(
                handler,
                new MetadataRequestData()
                        .setTopics(List.of(
                                new MetadataRequestTopic().setName("orders"),
                                new MetadataRequestTopic().setName("sp ace"))));
    }

    @Test
    void createTopics() {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setValidateOnly(true);
        request.topics()
                .add(new CreatableTopic().setName("a").setNumPartitions(1).setReplicationFactor((short) 1));
        request.topics().add(new CreatableTopic().setName("orders").setNumPartitions(0));
        everyVersion(new CreateTopicsHandler(broker.topics, broker.configs, () -> Requests.CLUSTER), request);
    }

    @Test
    void deleteTopics() {
        DeleteTopicsHandler handler = new DeleteTopicsHandler(broker.topics);
        everyVersion(handler, new DeleteTopicsRequestData().setTopicNames(List.of("orders", "unknown")));
        assertThat(broker.topics.byId(topic.id())).isNull();
    }

    @Test
    void describeConfigs() {
        DescribeConfigsHandler handler = new DescribeConfigsHandler(
                broker.topics,
                broker.configs,
                BrokerConfigs.of(KorvetConfig.of(Map.of("korvet.broker.id", "4")), broker.configs),
                () -> Requests.CLUSTER);
        everyVersion(
                handler,
                new DescribeConfigsRequestData()
                        .setIncludeSynonyms(true)
                        .setIncludeDocumentation(true)
                        .setResources(List.of(
                                new DescribeConfigsResource()
                                        .setResourceType(ConfigResource.Type.TOPIC.id())
                                        .setResourceName("orders"),
                                new DescribeConfigsResource()
                                        .setResourceType(ConfigResource.Type.BROKER.id())
                                        .setResourceName("4"))));
    }

    @Test
    void theOthers() {
        everyVersion(new DescribeClusterHandler(() -> Requests.CLUSTER, "cluster"), new DescribeClusterRequestData());
        everyVersion(
                new DescribeTopicPartitionsHandler(broker.topics, () -> Requests.CLUSTER),
                new DescribeTopicPartitionsRequestData());
        everyVersion(
                new DescribeLogDirsHandler(
                        broker.topics,
                        () -> Requests.CLUSTER,
                        (described, partition) -> CompletableFuture.completedFuture(7L)),
                new DescribeLogDirsRequestData().setTopics(null));
        everyVersion(
                new InitProducerIdHandler(new ProducerIds(broker.store.sequences())),
                new InitProducerIdRequestData().setTransactionalId(null));
    }

    private static <Q extends ApiMessage, R extends ApiMessage> void everyVersion(ApiHandler<Q, R> handler, Q request) {
        ApiCatalog.Api api = Objects.requireNonNull(ApiCatalog.SERVED.api(handler.key()));
        for (short version = api.minimum(); version <= api.maximum(); version++) {
            R answer = done(handler.handle(Requests.of(handler.key(), version), request));
            assertThat(MessageUtil.toByteBufferAccessor(Objects.requireNonNull(answer), version)
                            .buffer()
                            .remaining())
                    .as("%s version %s", handler.key(), version)
                    .isPositive();
        }
    }
}
