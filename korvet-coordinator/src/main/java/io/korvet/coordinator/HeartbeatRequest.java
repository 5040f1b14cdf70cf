package io.korvet.coordinator;

import org.jspecify.annotations.Nullable;

/**
 * A member says that it is alive.
 *
 * @param group the group's id
 * @param memberId who
 * @param instanceId its instance id if it is static
 * @param generation the generation it believes to be in
 */
public record HeartbeatRequest(
        String group, String memberId, @Nullable String instanceId, int generation) {}
