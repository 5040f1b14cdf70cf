package io.korvet.server.topics;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs one read at a time; callers that come during a read share the next one, so that each gets a read that began after
 * its call. At most one read is under way and one waiting. Thread-safe.
 */
final class CoalescedRefresh {

    private final Supplier<CompletionStage<Void>> read;
    private final Object lock = new Object();
    private boolean reading;
    private @Nullable CompletableFuture<Void> next;

    CoalescedRefresh(Supplier<CompletionStage<Void>> read) {
        this.read = read;
    }

    /** Completes with a read that began after this call. */
    CompletionStage<Void> run() {
        CompletableFuture<Void> mine;
        synchronized (lock) {
            if (reading) {
                if (next == null) {
                    next = new CompletableFuture<>();
                }
                return next;
            }
            reading = true;
            mine = new CompletableFuture<>();
        }
        begin(mine);
        return mine;
    }

    private void begin(CompletableFuture<Void> round) {
        CompletionStage<Void> stage;
        try {
            stage = read.get();
        } catch (RuntimeException failure) {
            stage = CompletableFuture.failedFuture(failure);
        }
        stage.whenComplete((nothing, failure) -> {
            CompletableFuture<Void> following;
            synchronized (lock) {
                following = next;
                next = null;
                reading = following != null;
            }
            if (following != null) {
                begin(following);
            }
            if (failure == null) {
                round.complete(null);
            } else {
                round.completeExceptionally(failure);
            }
        });
    }
}
