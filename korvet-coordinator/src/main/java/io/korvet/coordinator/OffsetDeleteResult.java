package io.korvet.coordinator;

import java.util.Set;

/**
 * The answer to a request to forget positions.
 *
 * @param error why nothing was forgotten
 * @param subscribed topics whose positions were kept because the group is subscribed to them
 */
public record OffsetDeleteResult(GroupError error, Set<String> subscribed) {

    /** Copies the set. */
    public OffsetDeleteResult {
        subscribed = Set.copyOf(subscribed);
    }

    static OffsetDeleteResult refused(GroupError error) {
        return new OffsetDeleteResult(error, Set.of());
    }
}
