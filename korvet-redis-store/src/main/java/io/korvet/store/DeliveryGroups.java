package io.korvet.store;

import io.korvet.offsets.StreamEntryId;
import java.util.concurrent.CompletionStage;

/**
 * Native Redis consumer groups that show where a group stands ({@code XINFO GROUPS}). A mirror for people and tools;
 * nothing reads it back. Thread-safe.
 */
public interface DeliveryGroups {

    /**
     * Puts a group's position on a segment, making the group if need be; a segment that isn't there is left alone.
     *
     * @param lastDelivered the last entry that the group is done with; {@link StreamEntryId#MINIMUM} for none
     */
    CompletionStage<Void> position(StreamName stream, long segment, String group, StreamEntryId lastDelivered);

    /** Removes a group from a segment if it is there. */
    CompletionStage<Void> remove(StreamName stream, long segment, String group);
}
