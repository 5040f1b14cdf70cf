package io.korvet.coordinator;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A member asks for its assignment; the leader brings everybody's.
 *
 * @param group the group's id
 * @param memberId who asks
 * @param instanceId its instance id if it is static
 * @param generation the generation it has joined
 * @param protocolType the kind of group it believes in, {@code null} for no check
 * @param protocolName the protocol it believes in, {@code null} for no check
 * @param assignments member id to assignment, from the leader; else empty
 */
public record SyncRequest(
        String group,
        String memberId,
        @Nullable String instanceId,
        int generation,
        @Nullable String protocolType,
        @Nullable String protocolName,
        Map<String, byte[]> assignments) {

    /** Copies the map. */
    public SyncRequest {
        assignments = Map.copyOf(assignments);
    }
}
