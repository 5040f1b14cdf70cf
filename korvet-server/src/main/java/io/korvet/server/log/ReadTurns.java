package io.korvet.server.log;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Lets a bounded number of reads of the store go on at a time; the others wait in order, without a buffer.
 *
 * <p>As many reads wait as fetches do, and a connection has only so many of those. Thread-safe.
 */
final class ReadTurns {

    private final int most;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private int underWay;

    ReadTurns(int most) {
        this.most = most;
    }

    /** Runs a read when it is its turn. */
    <T> CompletionStage<T> inTurn(Supplier<CompletionStage<T>> read) {
        synchronized (this) {
            if (underWay < most) {
                underWay++;
            } else {
                CompletableFuture<T> later = new CompletableFuture<>();
                waiting.add(() -> begin(read).whenComplete((result, failure) -> {
                    if (failure != null) {
                        later.completeExceptionally(failure);
                    } else {
                        later.complete(result);
                    }
                }));
                return later;
            }
        }
        return begin(read);
    }

    private <T> CompletionStage<T> begin(Supplier<CompletionStage<T>> read) {
        CompletionStage<T> started;
        try {
            started = read.get();
        } catch (RuntimeException | OutOfMemoryError e) {
            started = CompletableFuture.failedStage(e);
        }
        return started.whenComplete((result, failure) -> next());
    }

    private void next() {
        Runnable first;
        synchronized (this) {
            first = waiting.poll();
            if (first == null) {
                underWay--;
            }
        }
        if (first != null) {
            first.run();
        }
    }
}
