package io.korvet.server.handler;

import io.korvet.cluster.ClusterView;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.ErrorMapper;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.topics.Topics;
import io.korvet.store.TopicCatalog.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData.DescribableLogDirTopic;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsPartition;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * DescribeLogDirs: one directory called {@value #DIRECTORY} with the partitions that this broker leads, so that sums over
 * all brokers count each partition once. Sizes are the bytes of records in Redis.
 */
public final class DescribeLogDirsHandler
        implements ApiHandler<DescribeLogDirsRequestData, DescribeLogDirsResponseData> {

    private static final String DIRECTORY = "redis";

    private final Topics topics;
    private final Supplier<ClusterView> cluster;
    private final PartitionNumber bytes;

    /** Answers with sizes from a function. */
    public DescribeLogDirsHandler(Topics topics, Supplier<ClusterView> cluster, PartitionNumber bytes) {
        this.topics = topics;
        this.cluster = cluster;
        this.bytes = bytes;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_LOG_DIRS;
    }

    @Override
    public CompletionStage<DescribeLogDirsResponseData> handle(
            RequestContext context, DescribeLogDirsRequestData request) {
        ClusterView view = cluster.get();
        List<CompletionStage<DescribeLogDirsTopic>> described = new ArrayList<>();
        if (request.topics() == null) {
            for (Topic topic : topics.all()) {
                described.add(describe(
                        view,
                        topic,
                        IntStream.range(0, topic.partitions()).boxed().toList()));
            }
        } else {
            for (DescribableLogDirTopic asked : request.topics()) {
                Topic topic = topics.byName(asked.topic());
                if (topic != null) {
                    described.add(describe(view, topic, asked.partitions()));
                }
            }
        }
        return Stages.all(described).handle((all, failure) -> {
            DescribeLogDirsResult directory = new DescribeLogDirsResult().setLogDir(DIRECTORY);
            if (failure == null) {
                directory.setTopics(all.stream()
                        .filter(topic -> !topic.partitions().isEmpty())
                        .toList());
            } else {
                Errors error = ErrorMapper.errorOf(ErrorMapper.Family.DATA, failure);
                directory.setErrorCode(error.code());
            }
            return new DescribeLogDirsResponseData().setResults(List.of(directory));
        });
    }

    private CompletionStage<DescribeLogDirsTopic> describe(ClusterView view, Topic topic, List<Integer> partitions) {
        List<CompletionStage<DescribeLogDirsPartition>> sizes = partitions.stream()
                .filter(partition ->
                        partition >= 0 && partition < topic.partitions() && view.leads(topic.name(), partition))
                .map(partition -> bytes.of(topic, partition)
                        .thenApply(size -> new DescribeLogDirsPartition()
                                .setPartitionIndex(partition)
                                .setPartitionSize(size)))
                .toList();
        return Stages.all(sizes)
                .thenApply(
                        all -> new DescribeLogDirsTopic().setName(topic.name()).setPartitions(all));
    }
}
