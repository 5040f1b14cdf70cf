package io.korvet.server.handler;

import io.korvet.cluster.BrokerNode;
import io.korvet.cluster.ClusterView;
import io.korvet.protocol.records.BufferRecords;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.log.PartitionLog;
import io.korvet.server.log.PartitionLogs;
import io.korvet.server.log.ReadOutcome;
import io.korvet.server.topics.TopicNames;
import io.korvet.server.topics.Topics;
import io.korvet.store.TopicCatalog.Topic;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** Fetch: sessions, long polling by parking, topic names and ids. */
public final class FetchHandler implements ApiHandler<FetchRequestData, FetchResponseData> {

    private static final int FIRST_VERSION_WITH_TOPIC_IDS = 13;
    private static final int FIRST_VERSION_WITH_LEADER_HINT = 16;
    private static final int SESSIONS = 1_000;

    private final Topics topics;
    private final PartitionLogs logs;
    private final Supplier<ClusterView> cluster;
    private final ScheduledExecutorService timers;
    private final ByteBufAllocator allocator;
    private final FetchLimits limits;
    private final FetchSessions sessions;

    /**
     * Upper bounds of a fetch, whatever the client asks for.
     *
     * @param maxWait how long an idle fetch waits
     * @param partitionMaxBytes of one partition
     * @param maxBytes of all partitions
     */
    public record FetchLimits(Duration maxWait, int partitionMaxBytes, int maxBytes) {}

    /** A handler that reads the partitions led by this broker; timers fire on the given scheduler. */
    public FetchHandler(
            Topics topics,
            PartitionLogs logs,
            Supplier<ClusterView> cluster,
            ScheduledExecutorService timers,
            ByteBufAllocator allocator,
            InstantSource clock,
            FetchLimits limits) {
        this.topics = topics;
        this.logs = logs;
        this.cluster = cluster;
        this.timers = timers;
        this.allocator = allocator;
        this.limits = limits;
        this.sessions = new FetchSessions(SESSIONS, clock);
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.FETCH;
    }

    @Override
    public CompletionStage<FetchResponseData> handle(RequestContext context, FetchRequestData request) {
        boolean byId = context.version() >= FIRST_VERSION_WITH_TOPIC_IDS;
        FetchSessions.Plan plan = sessions.plan(request, byId);
        FetchResponseData response =
                new FetchResponseData().setErrorCode(plan.error().code()).setSessionId(plan.sessionId());
        if (plan.error() != Errors.NONE) {
            return CompletableFuture.completedFuture(response);
        }
        ClusterView view = cluster.get();
        List<PendingFetch.Slot> slots = new ArrayList<>(plan.partitions().size());
        for (FetchPartition partition : plan.partitions()) {
            slots.add(slot(partition, byId, view));
        }
        int maxBytes = Math.min(request.maxBytes(), limits.maxBytes());
        long wait = Math.min(request.maxWaitMs(), limits.maxWait().toMillis());
        int minBytes = slots.isEmpty() ? 0 : Math.min(request.minBytes(), maxBytes);
        return new PendingFetch(slots, minBytes, maxBytes, timers)
                .start(wait)
                .thenApply(outcomes -> fill(context, response, plan, slots, outcomes, view));
    }

    private PendingFetch.Slot slot(FetchPartition partition, boolean byId, ClusterView view) {
        FetchPartition.Key key = partition.key;
        partition.maxBytes = Math.min(partition.maxBytes, limits.partitionMaxBytes());
        Topic topic = byId ? topics.byId(TopicNames.catalogId(key.id())) : topics.byName(key.name());
        if (topic == null) {
            return new PendingFetch.Slot(
                    partition, null, byId ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        PartitionLog log = logs.log(topic, key.partition());
        if (log == null) {
            return new PendingFetch.Slot(partition, null, Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        Errors problem = LeaderEpochs.problem(view, log.topic(), log.partition(), partition.currentLeaderEpoch);
        return new PendingFetch.Slot(partition, problem == Errors.NONE ? log : null, problem);
    }

    private FetchResponseData fill(
            RequestContext context,
            FetchResponseData response,
            FetchSessions.Plan plan,
            List<PendingFetch.Slot> slots,
            List<ReadOutcome> outcomes,
            ClusterView view) {
        List<FetchPartition.Key> served = new ArrayList<>();
        FetchableTopicResponse current = null;
        for (int i = 0; i < slots.size(); i++) {
            FetchPartition partition = slots.get(i).partition();
            ReadOutcome outcome = outcomes.get(i);
            boolean changed = partition.tell(outcome.endOffset(), outcome.startOffset());
            boolean hasRecords = !outcome.records().isEmpty();
            if (plan.isIncremental() && !changed && !hasRecords && outcome.error() == Errors.NONE) {
                continue;
            }
            if (hasRecords) {
                served.add(partition.key);
            }
            if (current == null
                    || !current.topic().equals(partition.key.name())
                    || !current.topicId().equals(partition.key.id())) {
                current = new FetchableTopicResponse()
                        .setTopic(partition.key.name())
                        .setTopicId(partition.key.id());
                response.responses().add(current);
            }
            PartitionData data = data(partition.key.partition(), outcome);
            if (outcome.error() == Errors.NOT_LEADER_OR_FOLLOWER
                    && context.version() >= FIRST_VERSION_WITH_LEADER_HINT) {
                redirect(context, response, data, slots.get(i), view);
            }
            current.partitions().add(data);
        }
        if (plan.session() != null) {
            plan.session().rotate(served);
        }
        return response;
    }

    private PartitionData data(int partition, ReadOutcome outcome) {
        return new PartitionData()
                .setPartitionIndex(partition)
                .setErrorCode(outcome.error().code())
                .setHighWatermark(outcome.endOffset())
                .setLastStableOffset(outcome.endOffset())
                .setLogStartOffset(outcome.startOffset())
                .setAbortedTransactions(null)
                .setRecords(records(outcome.records()));
    }

    private BufferRecords records(List<ByteBuf> batches) {
        return switch (batches.size()) {
            case 0 -> BufferRecords.EMPTY;
            case 1 -> new BufferRecords(batches.get(0));
            default ->
                new BufferRecords(allocator.compositeBuffer(batches.size()).addComponents(true, batches));
        };
    }

    private void redirect(
            RequestContext context,
            FetchResponseData response,
            PartitionData data,
            PendingFetch.Slot slot,
            ClusterView view) {
        FetchPartition.Key key = slot.partition().key;
        Topic topic = key.name().isEmpty() ? topics.byId(TopicNames.catalogId(key.id())) : topics.byName(key.name());
        if (topic == null) {
            return;
        }
        BrokerNode leader = view.leaderOf(topic.name(), key.partition());
        data.currentLeader().setLeaderId(leader.id()).setLeaderEpoch(view.leaderEpoch());
        if (response.nodeEndpoints().find(leader.id()) == null) {
            response.nodeEndpoints()
                    .add(new NodeEndpoint()
                            .setNodeId(leader.id())
                            .setHost(leader.endpoint(context.listener()).host())
                            .setPort(leader.endpoint(context.listener()).port())
                            .setRack(leader.rack()));
        }
    }
}
