package io.korvet.server.handler;

import io.korvet.coordinator.GroupCoordinator;
import io.korvet.coordinator.GroupCoordinator.Stability;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.topics.Topics;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/**
 * OffsetFetch: of one group up to version 7, of many from 8 on, with topic ids from 10 on; all positions of a group when no
 * topics are named. A partition without a position is answered with offset -1 and no error.
 */
public final class OffsetFetchHandler implements ApiHandler<OffsetFetchRequestData, OffsetFetchResponseData> {

    private static final int FIRST_WITH_GROUP_ERROR = 2;
    private static final int FIRST_BATCHED = 8;

    private final GroupCoordinator coordinator;
    private final Topics topics;

    /** Answers from the coordinator. */
    public OffsetFetchHandler(GroupCoordinator coordinator, Topics topics) {
        this.coordinator = coordinator;
        this.topics = topics;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.OFFSET_FETCH;
    }

    @Override
    public CompletionStage<OffsetFetchResponseData> handle(RequestContext context, OffsetFetchRequestData request) {
        Stability stability = request.requireStable() ? Stability.AFTER_WRITES_UNDER_WAY : Stability.AS_THEY_ARE;
        if (context.version() < FIRST_BATCHED) {
            OffsetFetchRequestGroup single = single(request);
            return fetch(context.version(), single, stability)
                    .thenApply(group -> unbatched(context.version(), single, group));
        }
        List<CompletionStage<OffsetFetchResponseGroup>> groups = request.groups().stream()
                .map(group -> fetch(context.version(), group, stability))
                .toList();
        return Stages.all(groups).thenApply(fetched -> new OffsetFetchResponseData().setGroups(fetched));
    }

    private CompletionStage<OffsetFetchResponseGroup> fetch(
            short version, OffsetFetchRequestGroup group, Stability stability) {
        return coordinator
                .offsets(group.groupId(), stability)
                .thenApply(result -> new FetchedOffsets(topics, version, result).answer(group));
    }

    private static OffsetFetchRequestGroup single(OffsetFetchRequestData request) {
        OffsetFetchRequestGroup group = new OffsetFetchRequestGroup().setGroupId(request.groupId());
        return group.setTopics(
                request.topics() == null
                        ? null
                        : request.topics().stream()
                                .map(topic -> new OffsetFetchRequestTopics()
                                        .setName(topic.name())
                                        .setPartitionIndexes(topic.partitionIndexes()))
                                .toList());
    }

    private static OffsetFetchResponseData unbatched(
            short version, OffsetFetchRequestGroup asked, OffsetFetchResponseGroup group) {
        OffsetFetchResponseData response = new OffsetFetchResponseData();
        if (group.errorCode() != Errors.NONE.code()) {
            if (version < FIRST_WITH_GROUP_ERROR && asked.topics() != null) {
                asked.topics().forEach(topic -> response.topics().add(refused(topic, group.errorCode())));
            }
            return response.setErrorCode(group.errorCode());
        }
        group.topics()
                .forEach(topic -> response.topics()
                        .add(new OffsetFetchResponseTopic()
                                .setName(topic.name())
                                .setPartitions(topic.partitions().stream()
                                        .map(partition -> new OffsetFetchResponsePartition()
                                                .setPartitionIndex(partition.partitionIndex())
                                                .setCommittedOffset(partition.committedOffset())
                                                .setCommittedLeaderEpoch(partition.committedLeaderEpoch())
                                                .setMetadata(partition.metadata())
                                                .setErrorCode(partition.errorCode()))
                                        .toList())));
        return response;
    }

    private static OffsetFetchResponseTopic refused(OffsetFetchRequestTopics topic, short error) {
        return new OffsetFetchResponseTopic()
                .setName(topic.name())
                .setPartitions(topic.partitionIndexes().stream()
                        .map(partition -> new OffsetFetchResponsePartition()
                                .setPartitionIndex(partition)
                                .setCommittedOffset(-1)
                                .setMetadata("")
                                .setErrorCode(error))
                        .toList());
    }
}
