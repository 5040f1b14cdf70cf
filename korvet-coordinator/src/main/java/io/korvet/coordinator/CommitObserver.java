package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Position;
import java.util.Collection;
import java.util.Map;

/** Is told of positions after the store has changed; must return quickly and not throw. */
@FunctionalInterface
public interface CommitObserver {

    /** These positions of the group are in the store, and the committer was answered. */
    void committed(String group, Map<CommittedOffsets.Key, Position> positions);

    /** These positions are no longer in the store: deleted with their group or alone, expired, or of a deleted topic. */
    default void removed(String group, Collection<CommittedOffsets.Key> keys) {}
}
