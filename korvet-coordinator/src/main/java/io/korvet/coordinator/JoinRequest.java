package io.korvet.coordinator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A member asks to be in the group's next generation.
 *
 * @param group the group's id
 * @param memberId as the coordinator gave it, empty for a member that has none yet
 * @param instanceId the id of a static member, kept over restarts; {@code null} for a dynamic one
 * @param clientId names the client, for people and as the start of its member id
 * @param clientHost where it comes from, for people
 * @param sessionTimeout milliseconds without a heartbeat after which the member is gone
 * @param rebalanceTimeout milliseconds it may take to join again
 * @param protocolType the kind of group: {@code consumer}, {@code connect} …
 * @param protocols what it supports, most wanted first
 * @param memberIdRequired whether a new dynamic member is to join a second time with the id it is given (JoinGroup 4 and later)
 * @param skipsAssignment whether the client understands {@link JoinResult#skipAssignment()} (JoinGroup 9 and later)
 */
public record JoinRequest(
        String group,
        String memberId,
        @Nullable String instanceId,
        String clientId,
        String clientHost,
        int sessionTimeout,
        int rebalanceTimeout,
        String protocolType,
        List<Protocol> protocols,
        boolean memberIdRequired,
        boolean skipsAssignment) {

    /** Copies the list. */
    public JoinRequest {
        protocols = List.copyOf(protocols);
    }
}
