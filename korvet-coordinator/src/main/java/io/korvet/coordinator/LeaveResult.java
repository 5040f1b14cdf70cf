package io.korvet.coordinator;

import java.util.List;

/**
 * The answer to a {@link LeaveRequest}.
 *
 * @param error for the whole request; {@link GroupError#NONE} when each member has an outcome of its own
 * @param members one outcome for each member of the request, in its order; empty with an error
 */
public record LeaveResult(GroupError error, List<GroupError> members) {

    /** Copies the list. */
    public LeaveResult {
        members = List.copyOf(members);
    }

    static LeaveResult refused(GroupError error) {
        return new LeaveResult(error, List.of());
    }
}
