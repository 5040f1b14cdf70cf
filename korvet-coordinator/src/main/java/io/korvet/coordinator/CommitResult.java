package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets;
import java.util.Set;

/**
 * The answer to a {@link CommitRequest}.
 *
 * @param error why nothing was committed
 * @param oversized positions left out because their metadata is too long; the others are committed
 */
public record CommitResult(GroupError error, Set<CommittedOffsets.Key> oversized) {

    /** Copies the set. */
    public CommitResult {
        oversized = Set.copyOf(oversized);
    }

    static CommitResult refused(GroupError error) {
        return new CommitResult(error, Set.of());
    }
}
