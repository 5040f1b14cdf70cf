package io.korvet.store.memory;

import io.korvet.offsets.StreamEntryId;
import io.korvet.store.DeliveryGroups;
import io.korvet.store.StreamName;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Nobody reads the mirror back, so there is nothing to keep. */
final class InMemoryDeliveryGroups implements DeliveryGroups {

    @Override
    public CompletionStage<Void> position(StreamName stream, long segment, String group, StreamEntryId lastDelivered) {
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<Void> remove(StreamName stream, long segment, String group) {
        return CompletableFuture.completedStage(null);
    }
}
