package io.korvet.server.handler;

import io.korvet.coordinator.GroupCoordinator;
import io.korvet.coordinator.GroupError;
import io.korvet.coordinator.OffsetDeleteResult;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.topics.Topics;
import io.korvet.store.CommittedOffsets;
import io.korvet.store.TopicCatalog.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponsePartition;
import org.apache.kafka.common.message.OffsetDeleteResponseData.OffsetDeleteResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** OffsetDelete: positions of topics that the group isn't subscribed to are forgotten. */
public final class OffsetDeleteHandler implements ApiHandler<OffsetDeleteRequestData, OffsetDeleteResponseData> {

    private final GroupCoordinator coordinator;
    private final Topics topics;

    /** Passes deletions for partitions there are to the coordinator. */
    public OffsetDeleteHandler(GroupCoordinator coordinator, Topics topics) {
        this.coordinator = coordinator;
        this.topics = topics;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.OFFSET_DELETE;
    }

    @Override
    public CompletionStage<OffsetDeleteResponseData> handle(RequestContext context, OffsetDeleteRequestData request) {
        List<CommittedOffsets.Key> keys = new ArrayList<>();
        for (OffsetDeleteRequestTopic topic : request.topics()) {
            for (OffsetDeleteRequestPartition partition : topic.partitions()) {
                if (exists(topic.name(), partition.partitionIndex())) {
                    keys.add(new CommittedOffsets.Key(topic.name(), partition.partitionIndex()));
                }
            }
        }
        return coordinator.deleteOffsets(request.groupId(), keys).thenApply(result -> response(request, result));
    }

    private OffsetDeleteResponseData response(OffsetDeleteRequestData request, OffsetDeleteResult result) {
        OffsetDeleteResponseData response = new OffsetDeleteResponseData();
        if (result.error() != GroupError.NONE) {
            return response.setErrorCode(GroupErrors.code(result.error()));
        }
        for (OffsetDeleteRequestTopic topic : request.topics()) {
            OffsetDeleteResponseTopic answered = new OffsetDeleteResponseTopic().setName(topic.name());
            for (OffsetDeleteRequestPartition partition : topic.partitions()) {
                Errors error = !exists(topic.name(), partition.partitionIndex())
                        ? Errors.UNKNOWN_TOPIC_OR_PARTITION
                        : result.subscribed().contains(topic.name()) ? Errors.GROUP_SUBSCRIBED_TO_TOPIC : Errors.NONE;
                answered.partitions()
                        .add(new OffsetDeleteResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode(error.code()));
            }
            response.topics().add(answered);
        }
        return response;
    }

    private boolean exists(String name, int partition) {
        Topic topic = topics.byName(name);
        return topic != null && partition >= 0 && partition < topic.partitions();
    }
}
