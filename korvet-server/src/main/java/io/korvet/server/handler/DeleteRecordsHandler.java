package io.korvet.server.handler;

import io.korvet.cluster.ClusterView;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.ErrorMapper;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.log.PartitionLog;
import io.korvet.server.log.PartitionLogs;
import io.korvet.server.topics.Topics;
import io.korvet.store.TopicCatalog.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import org.apache.kafka.common.message.DeleteRecordsResponseData.DeleteRecordsTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** DeleteRecords (KIP-107): moves the start of logs; the entries leave Redis with their segment. */
public final class DeleteRecordsHandler implements ApiHandler<DeleteRecordsRequestData, DeleteRecordsResponseData> {

    private static final long TO_THE_END = -1;

    private final Topics topics;
    private final PartitionLogs logs;
    private final Supplier<ClusterView> cluster;

    /** A handler that moves the starts of partitions led by this broker. */
    public DeleteRecordsHandler(Topics topics, PartitionLogs logs, Supplier<ClusterView> cluster) {
        this.topics = topics;
        this.logs = logs;
        this.cluster = cluster;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DELETE_RECORDS;
    }

    @Override
    public CompletionStage<DeleteRecordsResponseData> handle(RequestContext context, DeleteRecordsRequestData request) {
        DeleteRecordsResponseData response = new DeleteRecordsResponseData();
        List<CompletableFuture<?>> answers = new ArrayList<>();
        ClusterView view = cluster.get();
        for (DeleteRecordsTopic topicRequest : request.topics()) {
            DeleteRecordsTopicResult topicResult = new DeleteRecordsTopicResult().setName(topicRequest.name());
            response.topics().add(topicResult);
            Topic topic = topics.byName(topicRequest.name());
            for (DeleteRecordsPartition partition : topicRequest.partitions()) {
                DeleteRecordsPartitionResult slot = new DeleteRecordsPartitionResult()
                        .setPartitionIndex(partition.partitionIndex())
                        .setLowWatermark(-1);
                topicResult.partitions().add(slot);
                PartitionLog log = topic == null ? null : logs.log(topic, partition.partitionIndex());
                if (log == null) {
                    slot.setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
                } else if (!view.leads(log.topic(), log.partition())) {
                    slot.setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code());
                } else {
                    answers.add(truncate(log, partition.offset(), slot).toCompletableFuture());
                }
            }
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(all -> response);
    }

    private static CompletionStage<?> truncate(PartitionLog log, long offset, DeleteRecordsPartitionResult slot) {
        return log.offsets()
                .bounds()
                .thenCompose(bounds -> {
                    long start = offset == TO_THE_END ? bounds.endOffset() : offset;
                    if (start < 0 || start > bounds.endOffset()) {
                        throw Errors.OFFSET_OUT_OF_RANGE.exception(
                                "offset " + offset + ": expected -1, or 0 to " + bounds.endOffset());
                    }
                    return log.truncateBefore(start);
                })
                .handle((start, failure) -> {
                    if (failure != null) {
                        slot.setErrorCode(ErrorMapper.errorOf(ErrorMapper.Family.DATA, failure)
                                .code());
                    } else {
                        slot.setLowWatermark(start);
                    }
                    return slot;
                });
    }
}
