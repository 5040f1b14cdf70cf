package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Position;
import java.util.Collection;
import java.util.Map;

/** Is told of positions after the store has changed, and of groups' states; must return quickly and not throw. */
@FunctionalInterface
public interface GroupObserver {

    /** These positions of the group are in the store, and the committer was answered. */
    void committed(String group, Map<CommittedOffsets.Key, Position> positions);

    /** These positions are no longer in the store: deleted with their group or alone, expired, or of a deleted topic. */
    default void removed(String group, Collection<CommittedOffsets.Key> keys) {}

    /**
     * An event left the group in another state than the one before it did; states within one event are passed over, and so is
     * a group that goes on from another coordinator.
     *
     * @param before {@link GroupState#EMPTY} for a group that wasn't in memory
     */
    default void stateChanged(String group, GroupState before, GroupState after) {}

    /** Something happened to what is stored of the group's members. */
    default void image(String group, ImageEvent event) {}
}
