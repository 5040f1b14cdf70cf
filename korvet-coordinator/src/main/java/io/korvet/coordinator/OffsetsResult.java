package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Position;
import java.util.Map;

/**
 * A group's committed positions.
 *
 * @param error why not
 * @param positions all that there are; empty with an error and for a group that is not known
 */
public record OffsetsResult(GroupError error, Map<CommittedOffsets.Key, Position> positions) {

    /** Copies the map. */
    public OffsetsResult {
        positions = Map.copyOf(positions);
    }

    static OffsetsResult refused(GroupError error) {
        return new OffsetsResult(error, Map.of());
    }
}
