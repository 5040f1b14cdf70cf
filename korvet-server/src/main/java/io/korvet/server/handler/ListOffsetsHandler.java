package io.korvet.server.handler;

import io.korvet.cluster.ClusterView;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.ErrorMapper;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.log.PartitionLog;
import io.korvet.server.log.PartitionLogs;
import io.korvet.server.log.TimestampedOffset;
import io.korvet.server.topics.Topics;
import io.korvet.store.TopicCatalog.Topic;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ListOffsetsRequest;

/** ListOffsets: first, last, by timestamp, of the largest timestamp; the special timestamps are those of KIP-79, 734, 405, 1005. */
public final class ListOffsetsHandler implements ApiHandler<ListOffsetsRequestData, ListOffsetsResponseData> {

    private static final int FIRST_VERSION_WITH_LEADER_EPOCH = 4;

    private final Topics topics;
    private final PartitionLogs logs;
    private final Supplier<ClusterView> cluster;

    /** A handler that asks the partitions led by this broker. */
    public ListOffsetsHandler(Topics topics, PartitionLogs logs, Supplier<ClusterView> cluster) {
        this.topics = topics;
        this.logs = logs;
        this.cluster = cluster;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.LIST_OFFSETS;
    }

    @Override
    public CompletionStage<ListOffsetsResponseData> handle(RequestContext context, ListOffsetsRequestData request) {
        ListOffsetsResponseData response = new ListOffsetsResponseData();
        List<CompletableFuture<?>> answers = new ArrayList<>();
        ClusterView view = cluster.get();
        for (ListOffsetsTopic topicRequest : request.topics()) {
            ListOffsetsTopicResponse topicResponse = new ListOffsetsTopicResponse().setName(topicRequest.name());
            response.topics().add(topicResponse);
            Topic topic = topics.byName(topicRequest.name());
            Set<Integer> seen = new HashSet<>();
            Set<Integer> twice = new HashSet<>();
            topicRequest.partitions().forEach(partition -> {
                if (!seen.add(partition.partitionIndex())) {
                    twice.add(partition.partitionIndex());
                }
            });
            for (ListOffsetsPartition partition : topicRequest.partitions()) {
                ListOffsetsPartitionResponse slot = new ListOffsetsPartitionResponse()
                        .setPartitionIndex(partition.partitionIndex())
                        .setOffset(-1)
                        .setTimestamp(-1);
                topicResponse.partitions().add(slot);
                PartitionLog log = topic == null ? null : logs.log(topic, partition.partitionIndex());
                if (twice.contains(partition.partitionIndex())) {
                    slot.setErrorCode(Errors.INVALID_REQUEST.code());
                } else if (log == null) {
                    slot.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
                } else {
                    Errors problem =
                            LeaderEpochs.problem(view, log.topic(), log.partition(), partition.currentLeaderEpoch());
                    if (problem == Errors.NONE) {
                        answers.add(fill(context.version(), log, partition.timestamp(), slot)
                                .toCompletableFuture());
                    } else {
                        slot.setErrorCode(problem.code());
                    }
                }
            }
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(all -> response);
    }

    private static CompletionStage<?> fill(
            short version, PartitionLog log, long timestamp, ListOffsetsPartitionResponse slot) {
        return find(log, timestamp).handle((found, failure) -> {
            if (failure != null) {
                slot.setErrorCode(
                        ErrorMapper.errorOf(ErrorMapper.Family.DATA, failure).code());
            } else {
                slot.setOffset(found.offset()).setTimestamp(found.timestamp());
                if (found.offset() >= 0 && version >= FIRST_VERSION_WITH_LEADER_EPOCH) {
                    slot.setLeaderEpoch(LeaderEpochs.OF_RECORDS);
                }
            }
            return slot;
        });
    }

    private static CompletionStage<TimestampedOffset> find(PartitionLog log, long timestamp) {
        if (timestamp == ListOffsetsRequest.LATEST_TIMESTAMP) {
            return log.offsets().bounds().thenApply(bounds -> new TimestampedOffset(bounds.endOffset(), -1));
        }
        if (timestamp == ListOffsetsRequest.EARLIEST_TIMESTAMP) {
            return log.offsets().bounds().thenApply(bounds -> new TimestampedOffset(bounds.startOffset(), -1));
        }
        if (timestamp == ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP) {
            return log.offsets().earliestLocal().thenApply(offset -> new TimestampedOffset(offset, -1));
        }
        if (timestamp == ListOffsetsRequest.LATEST_TIERED_TIMESTAMP) {
            return log.offsets().latestTiered().thenApply(offset -> new TimestampedOffset(offset, -1));
        }
        if (timestamp == ListOffsetsRequest.MAX_TIMESTAMP) {
            return log.offsets().offsetOfLargestTimestamp();
        }
        if (timestamp < 0) {
            // What later versions add.
            return CompletableFuture.completedFuture(TimestampedOffset.NONE);
        }
        return log.offsets().offsetAt(timestamp);
    }
}
