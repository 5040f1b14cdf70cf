package io.korvet.tiering;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Works through a list with a bound on how many items are under way; single use.
 *
 * @param <T> the items
 */
final class Lanes<T> {

    private final List<T> items;
    private final Function<T, CompletionStage<?>> work;
    private final BooleanSupplier goOn;
    private final Executor executor;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger open;
    private final CompletableFuture<Void> done = new CompletableFuture<>();

    /** Lanes; before each item they ask whether to go on, and its failure doesn't keep the next one from its turn. */
    Lanes(List<T> items, int lanes, Function<T, CompletionStage<?>> work, BooleanSupplier goOn, Executor executor) {
        this.items = items;
        this.work = work;
        this.goOn = goOn;
        this.executor = executor;
        this.open = new AtomicInteger(lanes);
    }

    /** Begins all lanes; completes when the last one ends. */
    CompletionStage<Void> run() {
        for (int lane = open.get(); lane > 0; lane--) {
            executor.execute(this::take);
        }
        return done;
    }

    private void take() {
        int index = next.getAndIncrement();
        if (index < items.size() && goOn.getAsBoolean()) {
            var unused = work.apply(items.get(index)).whenCompleteAsync((result, failure) -> take(), executor);
        } else if (open.decrementAndGet() == 0) {
            done.complete(null);
        }
    }
}
