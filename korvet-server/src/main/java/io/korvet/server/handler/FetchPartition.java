package io.korvet.server.handler;

import org.apache.kafka.common.Uuid;

/** One partition of a fetch (session), with what its client was last told. Guarded by its session. */
final class FetchPartition {

    /** What identifies a partition in a session: by id from version 13 on, else by name. */
    record Key(String name, Uuid id, int partition) {}

    final Key key;
    long fetchOffset;
    int maxBytes;
    int currentLeaderEpoch;
    private long toldEndOffset = -1;
    private long toldStartOffset = -1;

    FetchPartition(Key key, long fetchOffset, int maxBytes, int currentLeaderEpoch) {
        this.key = key;
        this.fetchOffset = fetchOffset;
        this.maxBytes = maxBytes;
        this.currentLeaderEpoch = currentLeaderEpoch;
    }

    /** Notes what is told; answers whether it differs from what was told before. */
    boolean tell(long endOffset, long startOffset) {
        boolean changed = endOffset != toldEndOffset || startOffset != toldStartOffset;
        toldEndOffset = endOffset;
        toldStartOffset = startOffset;
        return changed;
    }
}
