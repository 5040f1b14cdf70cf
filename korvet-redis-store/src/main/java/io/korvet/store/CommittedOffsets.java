package io.korvet.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * Committed positions of groups, one hash per group, which survive brokers and coordinators. Thread-safe; commits of one
 * group are carried out in the order of the calls.
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

    /** Stores positions in one act; the group is listed from then on. */
    CompletionStage<Void> commit(String group, Map<Key, Position> positions);

    /** All positions of a group; empty for one that is not known. */
    CompletionStage<Map<Key, Position>> positions(String group);

    /** Removes positions of a group; with the last one the group is no longer listed. */
    CompletionStage<Void> remove(String group, Collection<Key> keys);

    /** Removes a group with all its positions; false when it wasn't there. */
    CompletionStage<Boolean> delete(String group);

    /** Names of all groups that have positions. */
    CompletionStage<List<String>> groups();
}
