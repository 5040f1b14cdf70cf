package io.korvet.coordinator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Members leave a group.
 *
 * @param group the group's id
 * @param members who; answered in this order
 */
public record LeaveRequest(String group, List<Leaver> members) {

    /**
     * One that leaves: by member id, or by instance id alone (an operator removing a static member).
     *
     * @param memberId its id, empty to go by the instance id
     * @param instanceId its instance id if it is static
     */
    public record Leaver(String memberId, @Nullable String instanceId) {}

    /** Copies the list. */
    public LeaveRequest {
        members = List.copyOf(members);
    }
}
