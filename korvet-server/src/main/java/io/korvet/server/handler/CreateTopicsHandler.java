package io.korvet.server.handler;

import io.korvet.cluster.ClusterView;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.topics.TopicConfigs;
import io.korvet.server.topics.TopicNames;
import io.korvet.server.topics.TopicSetting;
import io.korvet.server.topics.Topics;
import io.korvet.server.topics.Topics.Outcome;
import io.korvet.store.TopicCatalog.Topic;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicConfigs;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * CreateTopics. Any replication factor is accepted: copies are Redis' business. A manual assignment gives the number of
 * partitions; its brokers are checked for consistency and then not looked at, since leadership is computed.
 */
public final class CreateTopicsHandler implements ApiHandler<CreateTopicsRequestData, CreateTopicsResponseData> {

    private final Topics topics;
    private final TopicConfigs configs;
    private final Supplier<ClusterView> cluster;

    /** Makes topics. */
    public CreateTopicsHandler(Topics topics, TopicConfigs configs, Supplier<ClusterView> cluster) {
        this.topics = topics;
        this.configs = configs;
        this.cluster = cluster;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.CREATE_TOPICS;
    }

    @Override
    public CompletionStage<CreateTopicsResponseData> handle(RequestContext context, CreateTopicsRequestData request) {
        Topics.Mode mode = request.validateOnly() ? Topics.Mode.VALIDATE_ONLY : Topics.Mode.APPLY;
        Set<String> once = new HashSet<>();
        Set<String> repeated = new HashSet<>();
        request.topics().forEach(topic -> {
            if (!once.add(topic.name())) {
                repeated.add(topic.name());
            }
        });
        List<CompletionStage<CreatableTopicResult>> results = new ArrayList<>();
        repeated.forEach(name -> results.add(
                CompletableFuture.completedFuture(refused(name, Errors.INVALID_REQUEST, "Duplicate topic name."))));
        for (CreatableTopic topic : request.topics()) {
            if (!repeated.contains(topic.name())) {
                results.add(create(topic, mode));
            }
        }
        return Stages.all(results).thenApply(all -> {
            CreateTopicsResponseData response = new CreateTopicsResponseData();
            response.topics().addAll(all);
            return response;
        });
    }

    private CompletionStage<CreatableTopicResult> create(CreatableTopic topic, Topics.Mode mode) {
        int partitions;
        Map<String, String> config;
        try {
            config = configOf(topic);
            partitions = partitionsOf(topic);
        } catch (ApiException refusal) {
            Errors error =
                    topics.byName(topic.name()) == null ? Errors.forException(refusal) : Errors.TOPIC_ALREADY_EXISTS;
            return CompletableFuture.completedFuture(refused(topic.name(), error, refusal.getMessage()));
        }
        return topics.create(topic.name(), partitions, config, mode).thenApply(outcome -> result(topic, outcome));
    }

    private static Map<String, String> configOf(CreatableTopic topic) {
        Map<String, String> config = new HashMap<>();
        for (CreatableTopicConfig entry : topic.configs()) {
            if (entry.value() == null) {
                throw new InvalidConfigurationException("Null value not supported for topic configs: " + entry.name());
            }
            config.put(entry.name(), entry.value());
        }
        return config;
    }

    /** How many partitions, -1 for the default. */
    private static int partitionsOf(CreatableTopic topic) {
        if (!topic.assignments().isEmpty()) {
            if (topic.replicationFactor() != -1 || topic.numPartitions() != -1) {
                throw new InvalidRequestException("With a manual partition assignment, replication factor and number"
                        + " of partitions must be -1.");
            }
            Map<Integer, List<Integer>> assignment = new HashMap<>();
            topic.assignments().forEach(partition -> {
                if (assignment.put(partition.partitionIndex(), partition.brokerIds()) != null) {
                    throw ManualAssignment.refusal(
                            "Partition " + partition.partitionIndex() + " is assigned more than once.");
                }
            });
            ManualAssignment.check(assignment);
            return assignment.size();
        }
        if (topic.replicationFactor() < -1 || topic.replicationFactor() == 0) {
            throw new InvalidReplicationFactorException("Replication factor was " + topic.replicationFactor()
                    + ": expected at least 1, or -1 for the default.");
        }
        if (topic.numPartitions() < -1 || topic.numPartitions() == 0) {
            throw new InvalidPartitionsException("Number of partitions was " + topic.numPartitions()
                    + ": expected at least 1, or -1 for the default.");
        }
        return topic.numPartitions();
    }

    private CreatableTopicResult result(CreatableTopic asked, Outcome outcome) {
        Topic topic = outcome.topic();
        if (topic == null) {
            return refused(asked.name(), outcome.error(), outcome.message());
        }
        List<CreatableTopicConfigs> shown = new ArrayList<>();
        for (TopicSetting setting : configs.all()) {
            shown.add(new CreatableTopicConfigs()
                    .setName(setting.name())
                    .setValue(configs.value(setting, topic.config()))
                    .setConfigSource(ConfigShapes.sourceOf(setting, topic.config()))
                    .setReadOnly(setting.use() == TopicSetting.Use.FIXED));
        }
        return new CreatableTopicResult()
                .setName(topic.name())
                .setTopicId(TopicNames.wireId(topic.id()))
                .setNumPartitions(topic.partitions())
                .setReplicationFactor(replicationFactor(asked))
                .setConfigs(shown);
    }

    private short replicationFactor(CreatableTopic asked) {
        if (!asked.assignments().isEmpty()) {
            return (short) asked.assignments().iterator().next().brokerIds().size();
        }
        return asked.replicationFactor() == -1 ? (short) cluster.get().nodes().size() : asked.replicationFactor();
    }

    private static CreatableTopicResult refused(String name, Errors error, @Nullable String message) {
        return new CreatableTopicResult()
                .setName(name)
                .setErrorCode(error.code())
                .setErrorMessage(message);
    }
}
