package io.korvet.server.handler;

import io.korvet.cluster.ClusterView;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.ErrorMapper;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.topics.Topics;
import io.korvet.store.TopicCatalog.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * OffsetForLeaderEpoch. All records belong to epoch {@value LeaderEpochs#OF_RECORDS}; every epoch up to the current one ends
 * where the log ends, since no leader has ever left another's records behind. A later one has no end (epoch -1, offset -1).
 */
public final class OffsetForLeaderEpochHandler
        implements ApiHandler<OffsetForLeaderEpochRequestData, OffsetForLeaderEpochResponseData> {

    private final Topics topics;
    private final Supplier<ClusterView> cluster;
    private final PartitionNumber endOffset;

    /** Answers with end offsets from a function, asked only for partitions that this broker leads. */
    public OffsetForLeaderEpochHandler(Topics topics, Supplier<ClusterView> cluster, PartitionNumber endOffset) {
        this.topics = topics;
        this.cluster = cluster;
        this.endOffset = endOffset;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.OFFSET_FOR_LEADER_EPOCH;
    }

    @Override
    public CompletionStage<OffsetForLeaderEpochResponseData> handle(
            RequestContext context, OffsetForLeaderEpochRequestData request) {
        ClusterView view = cluster.get();
        List<CompletionStage<OffsetForLeaderTopicResult>> results = new ArrayList<>();
        for (OffsetForLeaderTopic asked : request.topics()) {
            Topic topic = topics.byName(asked.topic());
            List<CompletionStage<EpochEndOffset>> partitions = new ArrayList<>();
            for (OffsetForLeaderPartition partition : asked.partitions()) {
                EpochEndOffset answer = new EpochEndOffset().setPartition(partition.partition());
                partitions.add(
                        topic == null
                                ? failed(answer, Errors.UNKNOWN_TOPIC_OR_PARTITION)
                                : answer(view, topic, partition, answer));
            }
            results.add(Stages.all(partitions)
                    .thenApply(all -> new OffsetForLeaderTopicResult()
                            .setTopic(asked.topic())
                            .setPartitions(all)));
        }
        return Stages.all(results).thenApply(all -> {
            OffsetForLeaderEpochResponseData response = new OffsetForLeaderEpochResponseData();
            response.topics().addAll(all);
            return response;
        });
    }

    private CompletionStage<EpochEndOffset> answer(
            ClusterView view, Topic topic, OffsetForLeaderPartition asked, EpochEndOffset answer) {
        int partition = asked.partition();
        if (partition < 0 || partition >= topic.partitions()) {
            return failed(answer, Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        Errors problem = LeaderEpochs.problem(view, topic.name(), partition, asked.currentLeaderEpoch());
        if (problem != Errors.NONE) {
            return failed(answer, problem);
        }
        int epoch = asked.leaderEpoch();
        if (epoch < LeaderEpochs.OF_RECORDS || epoch > view.leaderEpoch()) {
            return CompletableFuture.completedFuture(answer);
        }
        // As Kafka names it: the epoch now, which has no records yet, or else the last one before it that has.
        int named = epoch == view.leaderEpoch() ? epoch : LeaderEpochs.OF_RECORDS;
        return endOffset
                .of(topic, partition)
                .handle((end, failure) -> failure == null
                        ? answer.setLeaderEpoch(named).setEndOffset(end)
                        : answer.setErrorCode(ErrorMapper.errorOf(ErrorMapper.Family.DATA, failure)
                                .code()));
    }

    private static CompletionStage<EpochEndOffset> failed(EpochEndOffset answer, Errors error) {
        return CompletableFuture.completedFuture(answer.setErrorCode(error.code()));
    }
}
