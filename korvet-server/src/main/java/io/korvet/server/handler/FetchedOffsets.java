package io.korvet.server.handler;

import io.korvet.coordinator.GroupError;
import io.korvet.coordinator.OffsetsResult;
import io.korvet.server.topics.TopicNames;
import io.korvet.server.topics.Topics;
import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Position;
import io.korvet.store.TopicCatalog.Topic;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** The positions of one group in the shape of an OffsetFetch answer. Positions of an earlier topic of the name don't count. */
final class FetchedOffsets {

    private static final int FIRST_WITH_IDS = 10;

    private final Topics topics;
    private final boolean byId;
    private final OffsetsResult result;

    FetchedOffsets(Topics topics, short version, OffsetsResult result) {
        this.topics = topics;
        this.byId = version >= FIRST_WITH_IDS;
        this.result = result;
    }

    OffsetFetchResponseGroup answer(OffsetFetchRequestGroup asked) {
        OffsetFetchResponseGroup group = new OffsetFetchResponseGroup().setGroupId(asked.groupId());
        if (result.error() != GroupError.NONE) {
            return group.setErrorCode(GroupErrors.code(result.error()));
        }
        if (asked.topics() == null) {
            everything(group);
        } else {
            asked.topics().forEach(topic -> group.topics().add(some(topic)));
        }
        return group;
    }

    private void everything(OffsetFetchResponseGroup group) {
        Map<String, OffsetFetchResponseTopics> answered = new TreeMap<>();
        result.positions().forEach((key, position) -> {
            Topic topic = topics.byName(key.topic());
            if (isCurrent(position, topic) && (topic != null || !byId)) {
                Uuid id = topic == null ? Uuid.ZERO_UUID : TopicNames.wireId(topic.id());
                answered.computeIfAbsent(
                                key.topic(),
                                name -> new OffsetFetchResponseTopics()
                                        .setName(name)
                                        .setTopicId(id))
                        .partitions()
                        .add(partition(key.partition(), position));
            }
        });
        group.topics().addAll(answered.values());
    }

    private OffsetFetchResponseTopics some(OffsetFetchRequestTopics asked) {
        Topic topic = byId ? topics.byId(TopicNames.catalogId(asked.topicId())) : topics.byName(asked.name());
        OffsetFetchResponseTopics answered =
                new OffsetFetchResponseTopics().setName(asked.name()).setTopicId(asked.topicId());
        for (int index : asked.partitionIndexes()) {
            if (byId && topic == null) {
                answered.partitions().add(partition(index, null).setErrorCode(Errors.UNKNOWN_TOPIC_ID.code()));
            } else {
                String name = topic == null ? asked.name() : topic.name();
                Position position = result.positions().get(new CommittedOffsets.Key(name, index));
                boolean counts = position != null && isCurrent(position, topic);
                answered.partitions().add(partition(index, counts ? position : null));
            }
        }
        return answered;
    }

    private static boolean isCurrent(Position position, @Nullable Topic topic) {
        return topic == null
                || position.topicId().isEmpty()
                || position.topicId().equals(topic.id());
    }

    private static OffsetFetchResponsePartitions partition(int index, @Nullable Position position) {
        OffsetFetchResponsePartitions answered = new OffsetFetchResponsePartitions().setPartitionIndex(index);
        return position == null
                ? answered.setCommittedOffset(-1).setMetadata("")
                : answered.setCommittedOffset(position.offset())
                        .setCommittedLeaderEpoch(position.leaderEpoch())
                        .setMetadata(position.metadata());
    }
}
