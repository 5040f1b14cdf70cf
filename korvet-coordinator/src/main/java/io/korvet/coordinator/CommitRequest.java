package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Position;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Positions to be remembered for a group. With an empty member id and generation -1 they come from somebody outside the
 * group's management (an operator, a consumer with partitions assigned by hand), and the group must be without members.
 *
 * @param group the group's id
 * @param memberId who commits, empty for none
 * @param instanceId its instance id if it is static
 * @param generation the generation it believes to be in, -1 for none
 * @param commits the positions
 */
public record CommitRequest(
        String group, String memberId, @Nullable String instanceId, int generation, List<Commit> commits) {

    /**
     * One position.
     *
     * @param key topic and partition
     * @param offset the offset to go on from
     * @param leaderEpoch as the client gave it, -1 for none
     * @param metadata as the client gave it, empty for none
     * @param topicId the topic's id, empty when not known
     */
    public record Commit(CommittedOffsets.Key key, long offset, int leaderEpoch, String metadata, String topicId) {
        Position at(long milliseconds) {
            return new Position(offset, leaderEpoch, metadata, milliseconds, topicId);
        }
    }

    /** Copies the list. */
    public CommitRequest {
        commits = List.copyOf(commits);
    }
}
