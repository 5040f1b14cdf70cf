package io.korvet.server.handler;

import io.korvet.coordinator.CommitRequest;
import io.korvet.coordinator.CommitRequest.Commit;
import io.korvet.coordinator.CommitResult;
import io.korvet.coordinator.GroupCoordinator;
import io.korvet.coordinator.GroupError;
import io.korvet.server.dispatch.ApiHandler;
import io.korvet.server.dispatch.RequestContext;
import io.korvet.server.topics.TopicNames;
import io.korvet.server.topics.Topics;
import io.korvet.store.CommittedOffsets;
import io.korvet.store.TopicCatalog.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * OffsetCommit, with topic names up to version 9 and topic ids from 10 on. Partitions that don't exist are refused and the
 * others committed. The retention time that versions 2 to 4 may bring is not looked at: positions are kept as the broker is
 * configured.
 */
public final class OffsetCommitHandler implements ApiHandler<OffsetCommitRequestData, OffsetCommitResponseData> {

    private static final int FIRST_WITH_IDS = 10;
    private static final int FIRST_WITH_NOT_FOUND = 9;

    private final GroupCoordinator coordinator;
    private final Topics topics;

    /** Passes commits for topics there are to the coordinator. */
    public OffsetCommitHandler(GroupCoordinator coordinator, Topics topics) {
        this.coordinator = coordinator;
        this.topics = topics;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.OFFSET_COMMIT;
    }

    @Override
    public CompletionStage<OffsetCommitResponseData> handle(RequestContext context, OffsetCommitRequestData request) {
        List<Resolved> resolved = new ArrayList<>(request.topics().size());
        List<Commit> commits = new ArrayList<>();
        for (OffsetCommitRequestTopic asked : request.topics()) {
            Resolved topic = resolve(context.version(), asked);
            resolved.add(topic);
            for (OffsetCommitRequestPartition partition : asked.partitions()) {
                if (topic.topic() != null && topic.missing(partition.partitionIndex()) == Errors.NONE) {
                    commits.add(commit(topic.topic(), partition));
                }
            }
        }
        if (commits.isEmpty()) {
            CommitResult nothing = new CommitResult(GroupError.NONE, Set.of());
            return CompletableFuture.completedFuture(response(context.version(), resolved, nothing));
        }
        CommitRequest commit = new CommitRequest(
                request.groupId(),
                request.memberId(),
                request.groupInstanceId(),
                request.generationIdOrMemberEpoch(),
                commits);
        return coordinator.commit(commit).thenApply(result -> response(context.version(), resolved, result));
    }

    /** A topic of the request and what it is here. */
    private record Resolved(
            OffsetCommitRequestTopic asked, @Nullable Topic topic, Errors unknown) {
        Errors missing(int partition) {
            if (topic == null) {
                return unknown;
            }
            boolean there = partition >= 0 && partition < topic.partitions();
            return there ? Errors.NONE : Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
    }

    private Resolved resolve(short version, OffsetCommitRequestTopic asked) {
        return version >= FIRST_WITH_IDS
                ? new Resolved(asked, topics.byId(TopicNames.catalogId(asked.topicId())), Errors.UNKNOWN_TOPIC_ID)
                : new Resolved(asked, topics.byName(asked.name()), Errors.UNKNOWN_TOPIC_OR_PARTITION);
    }

    private static Commit commit(Topic topic, OffsetCommitRequestPartition partition) {
        String metadata = partition.committedMetadata();
        return new Commit(
                new CommittedOffsets.Key(topic.name(), partition.partitionIndex()),
                partition.committedOffset(),
                partition.committedLeaderEpoch(),
                metadata == null ? "" : metadata,
                topic.id());
    }

    private static OffsetCommitResponseData response(short version, List<Resolved> resolved, CommitResult result) {
        OffsetCommitResponseData response = new OffsetCommitResponseData();
        Errors outcome = outcome(version, result);
        for (Resolved topic : resolved) {
            OffsetCommitResponseTopic answered = new OffsetCommitResponseTopic()
                    .setName(topic.asked().name())
                    .setTopicId(topic.asked().topicId());
            for (OffsetCommitRequestPartition partition : topic.asked().partitions()) {
                Errors error = topic.missing(partition.partitionIndex());
                if (topic.topic() != null && error == Errors.NONE) {
                    CommittedOffsets.Key key =
                            new CommittedOffsets.Key(topic.topic().name(), partition.partitionIndex());
                    boolean oversized =
                            outcome == Errors.NONE && result.oversized().contains(key);
                    error = oversized ? Errors.OFFSET_METADATA_TOO_LARGE : outcome;
                }
                answered.partitions()
                        .add(new OffsetCommitResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode(error.code()));
            }
            response.topics().add(answered);
        }
        return response;
    }

    /** Clients of the versions before know no such thing as an unknown group. */
    private static Errors outcome(short version, CommitResult result) {
        boolean unknownGroup = result.error() == GroupError.GROUP_ID_NOT_FOUND;
        return unknownGroup && version < FIRST_WITH_NOT_FOUND
                ? Errors.ILLEGAL_GENERATION
                : GroupErrors.of(result.error());
    }
}
