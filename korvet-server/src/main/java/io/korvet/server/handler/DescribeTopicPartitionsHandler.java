package io.korvet.server.handler;

import io.korvet.cluster.ClusterView;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.topics.TopicNames;
import io.korvet.server.topics.Topics;
import io.korvet.store.TopicCatalog.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.Cursor;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponsePartition;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * DescribeTopicPartitions: topics in the order of their names, page by page, at most {@value #MAX_PARTITIONS} partitions
 * each; a cursor says where the next page begins.
 */
public final class DescribeTopicPartitionsHandler
        implements ApiHandler<DescribeTopicPartitionsRequestData, DescribeTopicPartitionsResponseData> {

    private static final int MAX_PARTITIONS = 2_000;

    private final Topics topics;
    private final Supplier<ClusterView> cluster;

    /** Answers from the two views. */
    public DescribeTopicPartitionsHandler(Topics topics, Supplier<ClusterView> cluster) {
        this.topics = topics;
        this.cluster = cluster;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_TOPIC_PARTITIONS;
    }

    @Override
    public CompletionStage<DescribeTopicPartitionsResponseData> handle(
            RequestContext context, DescribeTopicPartitionsRequestData request) {
        DescribeTopicPartitionsRequestData.Cursor cursor = request.cursor();
        String firstTopic = cursor == null ? "" : cursor.topicName();
        int firstPartition = cursor == null ? 0 : cursor.partitionIndex();
        SortedSet<String> names = new TreeSet<>();
        if (request.topics().isEmpty()) {
            topics.all().forEach(topic -> names.add(topic.name()));
        } else {
            request.topics().forEach(topic -> names.add(topic.name()));
            if (cursor != null && !names.contains(firstTopic)) {
                return CompletableFuture.failedFuture(
                        new InvalidRequestException("The cursor's topic " + firstTopic + " is not among the topics."));
            }
        }
        if (firstPartition < 0) {
            return CompletableFuture.failedFuture(
                    new InvalidRequestException("The cursor's partition " + firstPartition + " is negative."));
        }
        Page page = new Page(Math.max(1, Math.min(MAX_PARTITIONS, request.responsePartitionLimit())));
        for (String name : names.tailSet(firstTopic)) {
            if (!page.add(name, name.equals(firstTopic) ? firstPartition : 0)) {
                break;
            }
        }
        return CompletableFuture.completedFuture(page.response);
    }

    /** One page under construction. */
    private final class Page {

        private final DescribeTopicPartitionsResponseData response = new DescribeTopicPartitionsResponseData();
        private final BrokerList brokers = new BrokerList(cluster.get());
        private int room;

        Page(int room) {
            this.room = room;
        }

        /** Adds what fits of a topic; false when the page is full. */
        boolean add(String name, int from) {
            if (room == 0) {
                response.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(from));
                return false;
            }
            DescribeTopicPartitionsResponseTopic shape = new DescribeTopicPartitionsResponseTopic()
                    .setName(name)
                    .setTopicAuthorizedOperations(AuthorizedOperations.TOPIC);
            response.topics().add(shape);
            Topic topic = topics.byName(name);
            if (topic == null) {
                Errors error = TopicNames.problem(name) == null
                        ? Errors.UNKNOWN_TOPIC_OR_PARTITION
                        : Errors.INVALID_TOPIC_EXCEPTION;
                shape.setErrorCode(error.code());
                return true;
            }
            int to = (int) Math.min(topic.partitions(), (long) from + room);
            shape.setTopicId(TopicNames.wireId(topic.id())).setPartitions(partitions(topic, from, to));
            room -= Math.max(0, to - from);
            if (to < topic.partitions()) {
                response.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(to));
                return false;
            }
            return true;
        }

        private List<DescribeTopicPartitionsResponsePartition> partitions(Topic topic, int from, int to) {
            List<DescribeTopicPartitionsResponsePartition> partitions = new ArrayList<>();
            for (int partition = from; partition < to; partition++) {
                int leader = brokers.leader(topic.name(), partition);
                partitions.add(new DescribeTopicPartitionsResponsePartition()
                        .setPartitionIndex(partition)
                        .setLeaderId(leader)
                        .setLeaderEpoch(brokers.leaderEpoch())
                        .setReplicaNodes(brokers.replicas(leader))
                        .setIsrNodes(brokers.replicas(leader))
                        .setEligibleLeaderReplicas(List.of())
                        .setLastKnownElr(List.of()));
            }
            return partitions;
        }
    }
}
