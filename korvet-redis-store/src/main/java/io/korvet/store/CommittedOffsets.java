package io.korvet.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * Committed positions of groups, one hash per group, which survive brokers and coordinators. They are changed only by who
 * claimed the group last ({@link GroupImages#claim}), and only in the order of its changes: one that comes late, because its
 * connection was lost or its sender stood still, does nothing. Thread-safe.
 */
public interface CommittedOffsets {

    /** What a position belongs to. */
    record Key(String topic, int partition) {}

    /**
     * One committed position.
     *
     * @param offset the offset to go on from
     * @param leaderEpoch as the client gave it, -1 for none
     * @param metadata as the client gave it
     * @param commitMilliseconds when
     * @param topicId the topic's id at the time, empty when not known
     */
    record Position(long offset, int leaderEpoch, String metadata, long commitMilliseconds, String topicId) {}

    /**
     * The right to change a group's positions.
     *
     * @param epoch what the claim of the group gave
     * @param number of the change among those under this claim, above that of every change before
     */
    record Fence(long epoch, long number) {}

    /** What became of a change. */
    enum Outcome {
        /** It was done. */
        DONE,
        /** It was done, and the claim with it, which the store didn't have: others may have changed positions before. */
        DONE_AND_CLAIMED,
        /** Nothing was done: a later change under the same claim was there before. */
        OVERTAKEN,
        /** Nothing was done: somebody has claimed the group since. */
        CLAIMED_ELSEWHERE;

        /** Whether it was done. */
        public boolean isDone() {
            return this == DONE || this == DONE_AND_CLAIMED;
        }
    }

    /**
     * Stores positions in one act; the group is listed from then on. Without positions only the claim is stored, if it isn't
     * yet.
     */
    CompletionStage<Outcome> commit(String group, Fence fence, Map<Key, Position> positions);

    /** All positions of a group; empty for one that is not known. */
    CompletionStage<Map<Key, Position>> positions(String group);

    /** Removes positions of a group; with the last one the group is no longer listed. */
    CompletionStage<Outcome> remove(String group, Fence fence, Collection<Key> keys);

    /** Removes all positions of a group. */
    CompletionStage<Outcome> removeAll(String group, Fence fence);

    /** Names of all groups that have positions. */
    CompletionStage<List<String>> groups();
}
