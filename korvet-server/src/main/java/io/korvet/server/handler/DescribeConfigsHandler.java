package io.korvet.server.handler;

import io.korvet.cluster.ClusterView;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.topics.TopicConfigs;
import io.korvet.server.topics.TopicNames;
import io.korvet.server.topics.TopicSetting;
import io.korvet.server.topics.Topics;
import io.korvet.store.TopicCatalog.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;

/**
 * DescribeConfigs of topics and brokers. Broker settings are read-only; dynamic ones (the empty broker name) don't exist,
 * so their list is empty.
 */
public final class DescribeConfigsHandler
        implements ApiHandler<DescribeConfigsRequestData, DescribeConfigsResponseData> {

    private final Topics topics;
    private final TopicConfigs topicConfigs;
    private final BrokerConfigs brokerConfigs;
    private final Supplier<ClusterView> cluster;

    /** Shows the settings of topics and of this broker. */
    public DescribeConfigsHandler(
            Topics topics, TopicConfigs topicConfigs, BrokerConfigs brokerConfigs, Supplier<ClusterView> cluster) {
        this.topics = topics;
        this.topicConfigs = topicConfigs;
        this.brokerConfigs = brokerConfigs;
        this.cluster = cluster;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_CONFIGS;
    }

    @Override
    public CompletionStage<DescribeConfigsResponseData> handle(
            RequestContext context, DescribeConfigsRequestData request) {
        boolean unknownTopic = request.resources().stream()
                .anyMatch(resource -> resource.resourceType() == ConfigResource.Type.TOPIC.id()
                        && topics.byName(resource.resourceName()) == null);
        CompletionStage<Void> ready = unknownTopic ? topics.refresh() : CompletableFuture.completedFuture(null);
        return ready.thenApply(nothing -> new DescribeConfigsResponseData()
                .setResults(request.resources().stream()
                        .map(resource -> describe(resource, request))
                        .toList()));
    }

    private DescribeConfigsResult describe(DescribeConfigsResource resource, DescribeConfigsRequestData request) {
        DescribeConfigsResult result = new DescribeConfigsResult()
                .setResourceType(resource.resourceType())
                .setResourceName(resource.resourceName());
        try {
            List<DescribeConfigsResourceResult> entries = entries(resource);
            List<String> keys = resource.configurationKeys();
            if (keys != null && !keys.isEmpty()) {
                entries.removeIf(entry -> !keys.contains(entry.name()));
            }
            for (DescribeConfigsResourceResult entry : entries) {
                if (!request.includeSynonyms()) {
                    entry.setSynonyms(List.of());
                }
                if (!request.includeDocumentation()) {
                    entry.setDocumentation(null);
                }
            }
            return result.setConfigs(entries);
        } catch (ApiException refusal) {
            return result.setErrorCode(Errors.forException(refusal).code()).setErrorMessage(refusal.getMessage());
        }
    }

    private List<DescribeConfigsResourceResult> entries(DescribeConfigsResource resource) {
        ConfigResource.Type type = ConfigResource.Type.forId(resource.resourceType());
        return switch (type) {
            case TOPIC -> topicEntries(resource.resourceName());
            case BROKER -> brokerEntries(resource.resourceName());
            case BROKER_LOGGER, CLIENT_METRICS, GROUP, UNKNOWN ->
                throw new InvalidRequestException(
                        "Resources of type " + type + " have no settings here: expected TOPIC or BROKER.");
        };
    }

    private List<DescribeConfigsResourceResult> topicEntries(String name) {
        String problem = TopicNames.problem(name);
        if (problem != null) {
            throw new InvalidTopicException(problem);
        }
        Topic topic = topics.byName(name);
        if (topic == null) {
            throw new UnknownTopicOrPartitionException();
        }
        List<DescribeConfigsResourceResult> entries = new ArrayList<>();
        for (TopicSetting setting : topicConfigs.all()) {
            entries.add(topicEntry(setting, topic.config()));
        }
        return entries;
    }

    private DescribeConfigsResourceResult topicEntry(TopicSetting setting, Map<String, String> config) {
        List<DescribeConfigsSynonym> synonyms = new ArrayList<>();
        String value = topicConfigs.value(setting, config);
        if (config.containsKey(setting.name())) {
            synonyms.add(synonym(setting.name(), value, ConfigSource.TOPIC_CONFIG));
        }
        String brokerName = setting.synonym();
        if (brokerName != null) {
            synonyms.add(synonym(brokerName, setting.defaultValue(), ConfigSource.DEFAULT_CONFIG));
        }
        return new DescribeConfigsResourceResult()
                .setName(setting.name())
                .setValue(value)
                .setReadOnly(setting.use() == TopicSetting.Use.FIXED)
                .setConfigSource(ConfigShapes.sourceOf(setting, config))
                .setSynonyms(synonyms)
                .setConfigType(ConfigShapes.typeOf(setting.type()))
                .setDocumentation(setting.documentation());
    }

    private List<DescribeConfigsResourceResult> brokerEntries(String name) {
        if (name.isEmpty()) {
            return new ArrayList<>();
        }
        int self = cluster.get().self();
        if (!name.equals(String.valueOf(self))) {
            throw new InvalidRequestException(
                    "Unexpected broker id, expected " + self + " or empty string, but received " + name);
        }
        List<DescribeConfigsResourceResult> entries = new ArrayList<>();
        for (BrokerConfigs.Entry entry : brokerConfigs.all()) {
            ConfigSource source = entry.isSet() ? ConfigSource.STATIC_BROKER_CONFIG : ConfigSource.DEFAULT_CONFIG;
            List<DescribeConfigsSynonym> synonyms = new ArrayList<>();
            synonyms.add(synonym(entry.name(), entry.value(), source));
            if (entry.isSet()) {
                synonyms.add(synonym(entry.name(), entry.defaultValue(), ConfigSource.DEFAULT_CONFIG));
            }
            entries.add(new DescribeConfigsResourceResult()
                    .setName(entry.name())
                    .setValue(entry.value())
                    .setReadOnly(true)
                    .setConfigSource(source.id())
                    .setSynonyms(synonyms)
                    .setConfigType(ConfigShapes.typeOf(entry.type()))
                    .setDocumentation(entry.documentation()));
        }
        return entries;
    }

    private static DescribeConfigsSynonym synonym(String name, String value, ConfigSource source) {
        return new DescribeConfigsSynonym().setName(name).setValue(value).setSource(source.id());
    }
}
