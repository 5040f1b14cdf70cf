package io.korvet.coordinator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a {@link JoinRequest}.
 *
 * @param error why not
 * @param memberId the member's id, to be used from now on
 * @param generation the generation the member is in, -1 with an error
 * @param protocolType the group's kind, {@code null} with an error
 * @param protocolName the protocol that was chosen, {@code null} with an error
 * @param leader the member that makes the assignment, empty with an error
 * @param skipAssignment whether the leader is not to make an assignment, since the one there is holds
 * @param members all members with their metadata, for the leader; else empty
 */
public record JoinResult(
        GroupError error,
        String memberId,
        int generation,
        @Nullable String protocolType,
        @Nullable String protocolName,
        String leader,
        boolean skipAssignment,
        List<JoinedMember> members) {

    /**
     * A member as its leader sees it.
     *
     * @param memberId its id
     * @param instanceId its instance id if it is static
     * @param metadata what it said with the chosen protocol
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record JoinedMember(String memberId, @Nullable String instanceId, byte[] metadata) {}

    /** Copies the list. */
    public JoinResult {
        members = List.copyOf(members);
    }

    static JoinResult refused(GroupError error, String memberId) {
        return new JoinResult(error, memberId, -1, null, null, "", false, List.of());
    }
}
