package io.korvet.server.handler;

import io.korvet.cluster.BrokerNode;
import io.korvet.cluster.ClusterView;
import io.korvet.cluster.Endpoint;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.topics.TopicNames;
import io.korvet.server.topics.Topics;
import io.korvet.store.TopicCatalog.Topic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * Metadata: the live brokers, at the endpoints of the listener the client came through, and topics with their leaders.
 *
 * <p>A topic that is to be made is made first, so that its leaders are already in the answer.
 */
public final class MetadataHandler implements ApiHandler<MetadataRequestData, MetadataResponseData> {

    /** The first version in which topics can be asked for by id. */
    private static final short FIRST_WITH_IDS = 12;

    private final Topics topics;
    private final Supplier<ClusterView> cluster;
    private final String clusterId;
    private final AutoCreation autoCreation;
    private final RefusedCreations refused = new RefusedCreations();

    /** Answers from the two views. */
    public MetadataHandler(Topics topics, Supplier<ClusterView> cluster, String clusterId, AutoCreation autoCreation) {
        this.topics = topics;
        this.cluster = cluster;
        this.clusterId = clusterId;
        this.autoCreation = autoCreation;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.METADATA;
    }

    @Override
    public CompletionStage<MetadataResponseData> handle(RequestContext context, MetadataRequestData request) {
        List<MetadataRequestTopic> asked = request.topics();
        if (asked == null || (context.version() == 0 && asked.isEmpty())) {
            Answer answer = new Answer(context, request);
            topics.all().forEach(answer::describe);
            return CompletableFuture.completedFuture(answer.response);
        }
        Set<String> names = new LinkedHashSet<>();
        Set<Uuid> ids = new LinkedHashSet<>();
        for (MetadataRequestTopic topic : asked) {
            boolean byId = !topic.topicId().equals(Uuid.ZERO_UUID);
            if (context.version() < FIRST_WITH_IDS && (byId || topic.name() == null)) {
                return CompletableFuture.failedFuture(new InvalidRequestException(
                        "Metadata version " + context.version() + " needs a name and no id for each topic."));
            }
            if (byId) {
                ids.add(topic.topicId());
            } else if (topic.name() != null) {
                names.add(topic.name());
            }
        }
        return ids.isEmpty() ? byName(context, request, names) : byId(context, request, ids);
    }

    /** Ids go before names: when a request has ids, its names are not looked at. */
    private CompletionStage<MetadataResponseData> byId(
            RequestContext context, MetadataRequestData request, Set<Uuid> ids) {
        Answer answer = new Answer(context, request);
        for (Uuid id : ids) {
            Topic topic = topics.byId(TopicNames.catalogId(id));
            if (topic == null) {
                answer.refuse(new MetadataResponseTopic().setName(null).setTopicId(id), Errors.UNKNOWN_TOPIC_ID);
            } else {
                answer.describe(topic);
            }
        }
        return CompletableFuture.completedFuture(answer.response);
    }

    private CompletionStage<MetadataResponseData> byName(
            RequestContext context, MetadataRequestData request, Set<String> names) {
        Map<String, Errors> missing = new LinkedHashMap<>();
        List<CompletableFuture<Void>> creations = new ArrayList<>();
        for (String name : names) {
            if (topics.byName(name) != null) {
                continue;
            }
            if (TopicNames.problem(name) != null) {
                missing.put(name, Errors.INVALID_TOPIC_EXCEPTION);
            } else {
                missing.put(name, Errors.UNKNOWN_TOPIC_OR_PARTITION);
                if (autoCreation == AutoCreation.ALLOWED && request.allowAutoTopicCreation()) {
                    creations.add(topics.create(name, -1, Map.of(), Topics.Mode.APPLY)
                            .thenAccept(outcome -> {
                                if (outcome.error() == Errors.INVALID_CONFIG) {
                                    refused.note(name, outcome.message());
                                }
                                synchronized (missing) {
                                    missing.put(name, whyNotThere(outcome.error()));
                                }
                            })
                            .toCompletableFuture());
                }
            }
        }
        return CompletableFuture.allOf(creations.toArray(CompletableFuture[]::new))
                .thenApply(nothing -> {
                    Answer answer = new Answer(context, request);
                    for (String name : names) {
                        Topic topic = topics.byName(name);
                        if (topic == null) {
                            answer.refuse(
                                    new MetadataResponseTopic().setName(name),
                                    missing.getOrDefault(name, Errors.UNKNOWN_TOPIC_OR_PARTITION));
                        } else {
                            answer.describe(topic);
                        }
                    }
                    return answer.response;
                });
    }

    /** The code for a topic that creation didn't bring: clients ask again after LEADER_NOT_AVAILABLE. */
    private static Errors whyNotThere(Errors outcome) {
        if (outcome == Errors.NONE || outcome == Errors.TOPIC_ALREADY_EXISTS) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
        return outcome.exception() instanceof RetriableException ? Errors.LEADER_NOT_AVAILABLE : outcome;
    }

    /** One answer under construction, of one view of the cluster. */
    private final class Answer {

        private final MetadataResponseData response = new MetadataResponseData();
        private final BrokerList brokers = new BrokerList(cluster.get());
        private final int topicOperations;

        Answer(RequestContext context, MetadataRequestData request) {
            topicOperations = request.includeTopicAuthorizedOperations()
                    ? AuthorizedOperations.TOPIC
                    : AuthorizedOperations.NOT_ASKED;
            response.setClusterId(clusterId).setControllerId(brokers.controllerId());
            if (request.includeClusterAuthorizedOperations()) {
                response.setClusterAuthorizedOperations(AuthorizedOperations.CLUSTER);
            }
            for (BrokerNode node : brokers.nodes()) {
                Endpoint endpoint = node.endpoint(context.listener());
                response.brokers()
                        .add(new MetadataResponseBroker()
                                .setNodeId(node.id())
                                .setHost(endpoint.host())
                                .setPort(endpoint.port())
                                .setRack(node.rack()));
            }
        }

        void refuse(MetadataResponseTopic topic, Errors error) {
            response.topics().add(topic.setErrorCode(error.code()).setTopicAuthorizedOperations(topicOperations));
        }

        void describe(Topic topic) {
            Collection<MetadataResponsePartition> partitions = new ArrayList<>(topic.partitions());
            for (int partition = 0; partition < topic.partitions(); partition++) {
                int leader = brokers.leader(topic.name(), partition);
                partitions.add(new MetadataResponsePartition()
                        .setPartitionIndex(partition)
                        .setLeaderId(leader)
                        .setLeaderEpoch(brokers.leaderEpoch())
                        .setReplicaNodes(brokers.replicas(leader))
                        .setIsrNodes(brokers.replicas(leader)));
            }
            response.topics()
                    .add(new MetadataResponseTopic()
                            .setName(topic.name())
                            .setTopicId(TopicNames.wireId(topic.id()))
                            .setPartitions(List.copyOf(partitions))
                            .setTopicAuthorizedOperations(topicOperations));
        }
    }
}
