package io.korvet.server.handler;

import io.korvet.cluster.BrokerNode;
import io.korvet.cluster.ClusterView;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.log.Acks;
import io.korvet.server.log.AppendOutcome;
import io.korvet.server.log.PartitionLog;
import io.korvet.server.log.PartitionLogs;
import io.korvet.server.topics.TopicNames;
import io.korvet.server.topics.Topics;
import io.korvet.store.TopicCatalog.Topic;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.NodeEndpoint;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.jspecify.annotations.Nullable;

/** Produce: one slot per partition in request order, filled as the partitions answer. */
public final class ProduceHandler implements ApiHandler<ProduceRequestData, ProduceResponseData> {

    private static final int FIRST_VERSION_WITH_TOPIC_IDS = 13;
    private static final int FIRST_VERSION_WITH_LEADER_HINT = 10;

    private final Topics topics;
    private final PartitionLogs logs;
    private final Supplier<ClusterView> cluster;

    /** A handler that appends to the partitions led by this broker. */
    public ProduceHandler(Topics topics, PartitionLogs logs, Supplier<ClusterView> cluster) {
        this.topics = topics;
        this.logs = logs;
        this.cluster = cluster;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.PRODUCE;
    }

    @Override
    public CompletionStage<? extends @Nullable ProduceResponseData> handle(
            RequestContext context, ProduceRequestData request) {
        ProduceResponseData response = new ProduceResponseData();
        ClusterView view = cluster.get();
        List<CompletionStage<?>> answers = new ArrayList<>();
        for (TopicProduceData topicData : request.topicData()) {
            TopicProduceResponse topicResponse =
                    new TopicProduceResponse().setName(topicData.name()).setTopicId(topicData.topicId());
            response.responses().add(topicResponse);
            boolean byId = context.version() >= FIRST_VERSION_WITH_TOPIC_IDS;
            Topic topic =
                    byId ? topics.byId(TopicNames.catalogId(topicData.topicId())) : topics.byName(topicData.name());
            for (PartitionProduceData data : topicData.partitionData()) {
                PartitionProduceResponse slot =
                        new PartitionProduceResponse().setIndex(data.index()).setBaseOffset(-1);
                topicResponse.partitionResponses().add(slot);
                append(context, request.acks(), topic, byId, data, slot, view, response)
                        .ifPresent(answers::add);
            }
        }
        return CompletableFuture.allOf(answers.stream()
                        .map(CompletionStage::toCompletableFuture)
                        .toArray(CompletableFuture[]::new))
                .thenApply(all -> request.acks() == 0 ? withoutAnswer(response) : response);
    }

    private Optional<CompletionStage<?>> append(
            RequestContext context,
            short acks,
            @Nullable Topic topic,
            boolean byId,
            PartitionProduceData data,
            PartitionProduceResponse slot,
            ClusterView view,
            ProduceResponseData response) {
        if (acks < -1 || acks > 1) {
            slot.setErrorCode(Errors.INVALID_REQUIRED_ACKS.code());
            return Optional.empty();
        }
        PartitionLog log = topic == null ? null : logs.log(topic, data.index());
        if (log == null) {
            slot.setErrorCode(
                    (byId && topic == null ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION).code());
            return Optional.empty();
        }
        if (!view.leads(log.topic(), log.partition())) {
            slot.setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code());
            if (context.version() < FIRST_VERSION_WITH_LEADER_HINT) {
                return Optional.empty();
            }
            BrokerNode leader = view.leaderOf(log.topic(), log.partition());
            slot.currentLeader().setLeaderId(leader.id()).setLeaderEpoch(view.leaderEpoch());
            if (response.nodeEndpoints().find(leader.id()) == null) {
                response.nodeEndpoints()
                        .add(new NodeEndpoint()
                                .setNodeId(leader.id())
                                .setHost(leader.endpoint(context.listener()).host())
                                .setPort(leader.endpoint(context.listener()).port())
                                .setRack(leader.rack()));
            }
            return Optional.empty();
        }
        if (!(data.records() instanceof MemoryRecords records) || records.sizeInBytes() == 0) {
            slot.setErrorCode(Errors.INVALID_RECORD.code()).setErrorMessage("no records: expected one record batch");
            return Optional.empty();
        }
        ByteBuf bytes = Unpooled.wrappedBuffer(records.buffer());
        return Optional.of(
                log.append(bytes, acks == -1 ? Acks.ALL : Acks.WRITTEN).thenAccept(outcome -> fill(slot, outcome)));
    }

    private static void fill(PartitionProduceResponse slot, AppendOutcome outcome) {
        slot.setErrorCode(outcome.error().code())
                .setErrorMessage(outcome.message())
                .setBaseOffset(outcome.baseOffset())
                .setLogAppendTimeMs(outcome.appendTime())
                .setLogStartOffset(outcome.startOffset());
    }

    /** A client that wants no answer learns of a failure by its connection being closed, as Kafka does it. */
    private static @Nullable ProduceResponseData withoutAnswer(ProduceResponseData response) {
        for (TopicProduceResponse topic : response.responses()) {
            for (PartitionProduceResponse partition : topic.partitionResponses()) {
                Errors error = Errors.forCode(partition.errorCode());
                if (error != Errors.NONE) {
                    Uuid id = topic.topicId();
                    throw error.exception("acks=0 produce to " + (topic.name().isEmpty() ? id : topic.name()) + "-"
                            + partition.index() + " failed: " + partition.errorMessage());
                }
            }
        }
        return null;
    }
}
