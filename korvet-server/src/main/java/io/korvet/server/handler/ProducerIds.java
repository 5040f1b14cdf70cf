package io.korvet.server.handler;

import io.korvet.store.Sequences;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Producer ids, unique in the namespace; taken from the store in blocks of {@value #BLOCK}. Thread-safe. */
public final class ProducerIds {

    private static final String NAME = "producer-ids";
    private static final int BLOCK = 1_000;

    private final Sequences sequences;
    private final Object lock = new Object();
    private long next;
    private long end;
    private @Nullable CompletableFuture<Void> fetching;

    /** Ids from a store's numbers. */
    public ProducerIds(Sequences sequences) {
        this.sequences = sequences;
    }

    /** An id that was never given before; fails when the store can't give a block. */
    public CompletionStage<Long> next() {
        CompletableFuture<Void> block;
        boolean mine = false;
        synchronized (lock) {
            if (next < end) {
                return CompletableFuture.completedFuture(next++);
            }
            if (fetching == null) {
                fetching = new CompletableFuture<>();
                mine = true;
            }
            block = fetching;
        }
        if (mine) {
            fetch(block);
        }
        return block.thenCompose(nothing -> next());
    }

    private void fetch(CompletableFuture<Void> block) {
        sequences.take(NAME, BLOCK).whenComplete((first, failure) -> {
            synchronized (lock) {
                fetching = null;
                if (failure == null) {
                    next = first;
                    end = first + BLOCK;
                }
            }
            if (failure == null) {
                block.complete(null);
            } else {
                block.completeExceptionally(failure);
            }
        });
    }
}
