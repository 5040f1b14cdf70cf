package io.korvet.server.handler;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Many stages as one. */
final class Stages {

    private Stages() {}

    /** The values of all stages in their order; fails when one of them fails, after all are done. */
    static <T> CompletionStage<List<T>> all(Collection<? extends CompletionStage<T>> stages) {
        AtomicReferenceArray<T> values = new AtomicReferenceArray<>(stages.size());
        List<CompletableFuture<Void>> slots = new ArrayList<>(stages.size());
        for (CompletionStage<T> stage : stages) {
            int slot = slots.size();
            slots.add(stage.thenAccept(value -> values.set(slot, value)).toCompletableFuture());
        }
        return CompletableFuture.allOf(slots.toArray(CompletableFuture[]::new)).thenApply(nothing -> {
            List<T> ordered = new ArrayList<>(slots.size());
            for (int slot = 0; slot < slots.size(); slot++) {
                ordered.add(values.get(slot));
            }
            return Collections.unmodifiableList(ordered);
        });
    }
}
