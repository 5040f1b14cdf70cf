package io.korvet.server.handler;

import static io.korvet.server.topics.TopicFixture.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.korvet.server.config.KorvetConfig;
import io.korvet.server.topics.TopicFixture;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** DescribeConfigs, AlterConfigs and IncrementalAlterConfigs. */
class ConfigHandlersTest {

    private static final byte TOPIC = ConfigResource.Type.TOPIC.id();
    private static final byte BROKER = ConfigResource.Type.BROKER.id();

    private final TopicFixture broker = new TopicFixture();

    @Nested
    class DescribeConfigs {

        private final DescribeConfigsHandler handler = new DescribeConfigsHandler(
                broker.topics,
                broker.configs,
                BrokerConfigs.of(
                        KorvetConfig.of(Map.of(
                                "korvet.broker.id", "4",
                                "korvet.broker.auto-create-topics", "false",
                                "korvet.broker.rebalance-delay", "0s")),
                        broker.configs),
                () -> Requests.CLUSTER);

        @Test
        void topicsShowEverySettingWithItsSource() {
            broker.create("orders", 1, Map.of("retention.ms", "1000"));

            DescribeConfigsResult result = describe(TOPIC, "orders", List.of());

            assertThat(result.configs()).hasSize(broker.configs.all().size());
            DescribeConfigsResourceResult retention = entry(result, "retention.ms");
            assertThat(retention.value()).isEqualTo("1000");
            assertThat(retention.configSource()).isEqualTo((byte) 1);
            assertThat(retention.configType()).isEqualTo((byte) 5);
            assertThat(retention.documentation()).isNotEmpty();
            assertThat(retention.synonyms())
                    .extracting(
                            DescribeConfigsSynonym::name, DescribeConfigsSynonym::value, DescribeConfigsSynonym::source)
                    .containsExactly(
                            tuple("retention.ms", "1000", (byte) 1), tuple("log.retention.ms", "604800000", (byte) 5));
            assertThat(entry(result, "offset.encoding").readOnly()).isTrue();
            assertThat(entry(result, "cleanup.policy").configSource()).isEqualTo((byte) 5);
        }

        @Test
        void onlyTheKeysAskedForAreShown() {
            broker.create("orders", 1);

            assertThat(describe(TOPIC, "orders", List.of("retention.ms", "unknown"))
                            .configs())
                    .extracting(DescribeConfigsResourceResult::name)
                    .containsExactly("retention.ms");
        }

        @Test
        void synonymsAndDocumentationAreLeftOutWhenNotAskedFor() {
            broker.create("orders", 1);

            DescribeConfigsResult result = done(handler.handle(
                            Requests.of(ApiKeys.DESCRIBE_CONFIGS, 4),
                            new DescribeConfigsRequestData()
                                    .setResources(List.of(resource(TOPIC, "orders", List.of())))))
                    .results()
                    .get(0);

            assertThat(result.configs()).allSatisfy(entry -> {
                assertThat(entry.synonyms()).isEmpty();
                assertThat(entry.documentation()).isNull();
            });
        }

        @Test
        void thisBrokerShowsWhatToolsLookFor() {
            DescribeConfigsResult result = describe(BROKER, "4", List.of());

            assertThat(result.configs())
                    .extracting(entry -> entry.name(), entry -> entry.value(), entry -> entry.configSource())
                    .contains(
                            tuple("auto.create.topics.enable", "false", (byte) 4),
                            tuple("group.initial.rebalance.delay.ms", "0", (byte) 4),
                            tuple("group.min.session.timeout.ms", "6000", (byte) 5),
                            tuple("group.max.session.timeout.ms", "1800000", (byte) 5),
                            tuple("num.partitions", "1", (byte) 5),
                            tuple("message.max.bytes", "1048588", (byte) 5),
                            tuple("log.retention.ms", "604800000", (byte) 5),
                            tuple("log.cleanup.policy", "delete", (byte) 5));
            assertThat(result.configs()).allMatch(DescribeConfigsResourceResult::readOnly);
        }

        @Test
        void otherResourcesAreRefusedOrEmpty() {
            assertThat(describe(BROKER, "", List.of()).configs()).isEmpty();
            assertThat(describe(BROKER, "1", List.of()).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
            assertThat(describe(TOPIC, "unknown", List.of()).errorCode())
                    .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
            assertThat(describe(TOPIC, "sp ace", List.of()).errorCode())
                    .isEqualTo(Errors.INVALID_TOPIC_EXCEPTION.code());
            assertThat(describe((byte) 99, "x", List.of()).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
        }

        private DescribeConfigsResult describe(byte type, String name, List<String> keys) {
            return done(handler.handle(
                            Requests.of(ApiKeys.DESCRIBE_CONFIGS, 4),
                            new DescribeConfigsRequestData()
                                    .setIncludeSynonyms(true)
                                    .setIncludeDocumentation(true)
                                    .setResources(List.of(resource(type, name, keys)))))
                    .results()
                    .get(0);
        }

        private static DescribeConfigsResource resource(byte type, String name, List<String> keys) {
            return new DescribeConfigsResource()
                    .setResourceType(type)
                    .setResourceName(name)
                    .setConfigurationKeys(keys.isEmpty() ? null : keys);
        }

        private static DescribeConfigsResourceResult entry(DescribeConfigsResult result, String name) {
            return result.configs().stream()
                    .filter(entry -> entry.name().equals(name))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Nested
    class AlterConfigs {

        private final AlterConfigsHandler handler = new AlterConfigsHandler(broker.topics);

        @Test
        void whatIsNotNamedReturnsToItsDefault() {
            broker.create("orders", 1, Map.of("retention.ms", "1000"));
            AlterConfigsRequestData request = new AlterConfigsRequestData();
            AlterConfigsRequestData.AlterConfigsResource resource = new AlterConfigsRequestData.AlterConfigsResource()
                    .setResourceType(TOPIC)
                    .setResourceName("orders");
            resource.configs()
                    .add(new AlterConfigsRequestData.AlterableConfig()
                            .setName("segment.ms")
                            .setValue("5"));
            request.resources().add(resource);

            assertThat(done(handler.handle(Requests.of(ApiKeys.ALTER_CONFIGS, 2), request))
                            .responses())
                    .allMatch(response -> response.errorCode() == 0);
            assertThat(config("orders")).isEqualTo(Map.of("segment.ms", "5"));
        }
    }

    @Nested
    class IncrementalAlterConfigs {

        private final IncrementalAlterConfigsHandler handler =
                new IncrementalAlterConfigsHandler(broker.topics, broker.configs);

        @Test
        void settingsAreSetAndDeleted() {
            broker.create("orders", 1, Map.of("retention.ms", "1000", "segment.ms", "5"));

            assertThat(alter(
                                    "orders",
                                    op("retention.ms", OpType.SET, "2000"),
                                    op("segment.ms", OpType.DELETE, "ignored"))
                            .errorCode())
                    .isZero();
            assertThat(config("orders")).isEqualTo(Map.of("retention.ms", "2000"));
        }

        @Test
        void listsGrowAndShrinkFromWhatHolds() {
            broker.create("orders", 1);

            assertThat(alter("orders", op("cleanup.policy", OpType.APPEND, "compact,delete"))
                            .errorCode())
                    .isZero();
            assertThat(config("orders")).isEqualTo(Map.of("cleanup.policy", "delete,compact"));
            assertThat(alter("orders", op("cleanup.policy", OpType.SUBTRACT, "delete"))
                            .errorCode())
                    .isZero();
            assertThat(config("orders")).isEqualTo(Map.of("cleanup.policy", "compact"));
        }

        @Test
        void onlyListsGrow() {
            broker.create("orders", 1);

            assertThat(alter("orders", op("retention.ms", OpType.APPEND, "1")).errorCode())
                    .isEqualTo(Errors.INVALID_CONFIG.code());
        }

        @Test
        void badChangesAreRefusedAsAWhole() {
            broker.create("orders", 1);

            assertThat(alter("orders", op("segment.ms", OpType.SET, "5"), op("nonsense", OpType.SET, "1")))
                    .satisfies(response -> {
                        assertThat(response.errorCode()).isEqualTo(Errors.INVALID_CONFIG.code());
                        assertThat(response.errorMessage()).contains("nonsense");
                    });
            assertThat(alter("orders", op("offset.encoding", OpType.SET, "dense"))
                            .errorCode())
                    .isEqualTo(Errors.INVALID_CONFIG.code());
            assertThat(alter("orders", op("segment.ms", OpType.SET, null)).errorCode())
                    .isEqualTo(Errors.INVALID_REQUEST.code());
            assertThat(alter("unknown", op("segment.ms", OpType.SET, "5")).errorCode())
                    .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
            assertThat(config("orders")).isEmpty();
        }

        @Test
        void brokersAreNotChangedAtRunTime() {
            AlterConfigsResourceResponse response = send(
                    new AlterConfigsResource().setResourceType(BROKER).setResourceName("4"),
                    op("log.retention.ms", OpType.SET, "5"));

            assertThat(response.errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
            assertThat(response.errorMessage()).contains("log.retention.ms").contains("configuration");
        }

        private AlterConfigsResourceResponse alter(String topic, AlterableConfig... changes) {
            return send(new AlterConfigsResource().setResourceType(TOPIC).setResourceName(topic), changes);
        }

        private AlterConfigsResourceResponse send(AlterConfigsResource resource, AlterableConfig... changes) {
            List.of(changes).forEach(resource.configs()::add);
            IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
            request.resources().add(resource);
            return done(handler.handle(Requests.of(ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1), request))
                    .responses()
                    .get(0);
        }

        private static AlterableConfig op(String name, OpType operation, @Nullable String value) {
            return new AlterableConfig()
                    .setName(name)
                    .setConfigOperation(operation.id())
                    .setValue(value);
        }
    }

    private Map<String, String> config(String topic) {
        return Objects.requireNonNull(broker.topics.byName(topic)).config();
    }
}
