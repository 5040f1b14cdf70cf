package io.korvet.server;

import io.korvet.cluster.ClusterView;
import io.korvet.coordinator.GroupCoordinator;
import io.korvet.protocol.ApiCatalog;
import io.korvet.server.config.KorvetConfig;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.handler.AlterConfigsHandler;
import io.korvet.server.handler.ApiVersionsHandler;
import io.korvet.server.handler.AutoCreation;
import io.korvet.server.handler.BrokerConfigs;
import io.korvet.server.handler.CreatePartitionsHandler;
import io.korvet.server.handler.CreateTopicsHandler;
import io.korvet.server.handler.DeleteGroupsHandler;
import io.korvet.server.handler.DeleteRecordsHandler;
import io.korvet.server.handler.DeleteTopicsHandler;
import io.korvet.server.handler.DescribeClusterHandler;
import io.korvet.server.handler.DescribeConfigsHandler;
import io.korvet.server.handler.DescribeGroupsHandler;
import io.korvet.server.handler.DescribeLogDirsHandler;
import io.korvet.server.handler.DescribeTopicPartitionsHandler;
import io.korvet.server.handler.FetchHandler;
import io.korvet.server.handler.FindCoordinatorHandler;
import io.korvet.server.handler.HeartbeatHandler;
import io.korvet.server.handler.IncrementalAlterConfigsHandler;
import io.korvet.server.handler.InitProducerIdHandler;
import io.korvet.server.handler.JoinGroupHandler;
import io.korvet.server.handler.LeaveGroupHandler;
import io.korvet.server.handler.ListGroupsHandler;
import io.korvet.server.handler.ListOffsetsHandler;
import io.korvet.server.handler.MetadataHandler;
import io.korvet.server.handler.OffsetCommitHandler;
import io.korvet.server.handler.OffsetDeleteHandler;
import io.korvet.server.handler.OffsetFetchHandler;
import io.korvet.server.handler.OffsetForLeaderEpochHandler;
import io.korvet.server.handler.PartitionNumber;
import io.korvet.server.handler.ProduceHandler;
import io.korvet.server.handler.ProducerIds;
import io.korvet.server.handler.SyncGroupHandler;
import io.korvet.server.log.LogBounds;
import io.korvet.server.log.PartitionLog;
import io.korvet.server.log.PartitionLogs;
import io.korvet.server.topics.TopicConfigs;
import io.korvet.server.topics.Topics;
import io.korvet.store.Store;
import io.netty.buffer.ByteBufAllocator;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The handler of each API key, made of the broker's parts. */
final class Handlers {

    private static final int FETCH_MAX_BYTES = 55 << 20;

    private Handlers() {}

    /** What handlers are made of. */
    record Parts(
            KorvetConfig config,
            Store store,
            Topics topics,
            TopicConfigs topicConfigs,
            PartitionLogs logs,
            Supplier<ClusterView> cluster,
            String clusterId,
            GroupCoordinator coordinator,
            ScheduledExecutorService scheduler,
            ByteBufAllocator allocator,
            InstantSource clock) {}

    static List<ApiHandler<?, ?>> all(Parts parts) {
        Topics topics = parts.topics();
        PartitionLogs logs = parts.logs();
        Supplier<ClusterView> cluster = parts.cluster();
        KorvetConfig config = parts.config();
        GroupCoordinator coordinator = parts.coordinator();
        PartitionNumber endOffset = (topic, partition) -> {
            @Nullable PartitionLog log = logs.log(topic, partition);
            return log == null
                    ? CompletableFuture.completedFuture(-1L)
                    : log.offsets().bounds().thenApply(LogBounds::endOffset);
        };
        PartitionNumber bytes = (topic, partition) -> parts.store()
                .entries()
                .state(PartitionLog.streamOf(topic.name(), partition))
                .thenApply(state -> state == null ? 0L : state.bytes());
        AutoCreation autoCreation = config.broker().autoCreateTopics() ? AutoCreation.ALLOWED : AutoCreation.OFF;
        return List.of(
                new ApiVersionsHandler(ApiCatalog.SERVED),
                new MetadataHandler(topics, cluster, parts.clusterId(), autoCreation),
                new DescribeTopicPartitionsHandler(topics, cluster),
                new DescribeClusterHandler(cluster, parts.clusterId()),
                new ProduceHandler(topics, logs, cluster),
                new FetchHandler(
                        topics,
                        logs,
                        cluster,
                        parts.scheduler(),
                        parts.allocator(),
                        parts.clock(),
                        new FetchHandler.FetchLimits(
                                config.broker().fetchMaxWait(),
                                config.broker().fetchPartitionMaxBytes(),
                                FETCH_MAX_BYTES)),
                new ListOffsetsHandler(topics, logs, cluster),
                new DeleteRecordsHandler(topics, logs, cluster),
                new OffsetForLeaderEpochHandler(topics, cluster, endOffset),
                new DescribeLogDirsHandler(topics, cluster, bytes),
                new InitProducerIdHandler(new ProducerIds(parts.store().sequences())),
                new CreateTopicsHandler(topics, parts.topicConfigs(), cluster),
                new DeleteTopicsHandler(topics),
                new CreatePartitionsHandler(topics),
                new DescribeConfigsHandler(
                        topics, parts.topicConfigs(), BrokerConfigs.of(config, parts.topicConfigs()), cluster),
                new AlterConfigsHandler(topics),
                new IncrementalAlterConfigsHandler(topics, parts.topicConfigs()),
                new FindCoordinatorHandler(cluster),
                new JoinGroupHandler(coordinator),
                new SyncGroupHandler(coordinator),
                new HeartbeatHandler(coordinator),
                new LeaveGroupHandler(coordinator),
                new OffsetCommitHandler(coordinator, topics),
                new OffsetFetchHandler(coordinator, topics),
                new OffsetDeleteHandler(coordinator, topics),
                new ListGroupsHandler(coordinator),
                new DescribeGroupsHandler(coordinator),
                new DeleteGroupsHandler(coordinator));
    }
}
