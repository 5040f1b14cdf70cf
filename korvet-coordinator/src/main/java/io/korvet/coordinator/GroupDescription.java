package io.korvet.coordinator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A group as tools show it.
 *
 * @param error why there is none; {@link GroupError#GROUP_ID_NOT_FOUND} for an unknown group
 * @param group its id
 * @param state its state, {@link GroupState#DEAD} with an error
 * @param protocolType its kind, empty when it has never had members here
 * @param protocolName the chosen protocol while it is stable, else empty
 * @param members its members
 */
public record GroupDescription(
        GroupError error,
        String group,
        GroupState state,
        String protocolType,
        String protocolName,
        List<DescribedMember> members) {

    /**
     * A member as tools show it.
     *
     * @param memberId its id
     * @param instanceId its instance id if it is static
     * @param clientId the client's name
     * @param clientHost where it comes from
     * @param metadata what it said with the chosen protocol; no bytes unless the group is stable
     * @param assignment what it has been assigned; no bytes for nothing
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record DescribedMember(
            String memberId,
            @Nullable String instanceId,
            String clientId,
            String clientHost,
            byte[] metadata,
            byte[] assignment) {}

    /** Copies the list. */
    public GroupDescription {
        members = List.copyOf(members);
    }

    static GroupDescription refused(GroupError error, String group) {
        return new GroupDescription(error, group, GroupState.DEAD, "", "", List.of());
    }
}
