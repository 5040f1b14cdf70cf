package io.korvet.tiering;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.EntrySink;
import io.korvet.store.StreamName;
import io.korvet.tiering.ColdTierException.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The cold tier of a process that has none: every call fails, so that a segment which another process moved there is an
 * error here and nothing that is passed over.
 */
public final class AbsentColdTier implements ColdTier {

    private static <T> CompletionStage<T> refused(String what) {
        return CompletableFuture.failedStage(new ColdTierException(
                Kind.REFUSED,
                what
                        + " is in the cold tier, and this process has none: set korvet.storage.remote.path (and what belongs"
                        + " to it) as it was set where it was archived"));
    }

    @Override
    public CompletionStage<Void> lead(long epoch) {
        return refused("what is to be led");
    }

    @Override
    public CompletionStage<Offload> offload(ColdSegment sealed, OffloadProgress progress) {
        return refused(sealed.toString());
    }

    @Override
    public CompletionStage<Offload> find(ColdSegment sealed) {
        return refused(sealed.toString());
    }

    @Override
    public CompletionStage<Void> removeThrough(StreamName stream, String incarnation, long lastSegment) {
        return refused("what is to be removed of " + stream);
    }

    @Override
    public CompletionStage<Void> removeLog(StreamName stream, String incarnation) {
        return refused("what is to be removed of " + stream);
    }

    @Override
    public CompletionStage<Void> maintain() {
        return refused("what is to be kept in shape");
    }

    @Override
    public CompletionStage<Integer> read(ColdSegment segment, StreamEntryId from, int count, EntrySink sink) {
        return refused(segment.toString());
    }

    @Override
    public CompletionStage<StreamEntryId> seekTimestamp(ColdSegment segment, long timestamp) {
        return refused(segment.toString());
    }

    @Override
    public void close() {
        // there is nothing to end
    }
}
