package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A read until it is answered: by what was found, a failure or its deadline, whichever comes first. Whoever has claimed
 * it may use the caller's sink; after that nobody fails it but the one who claimed it.
 */
final class PendingRead<T> {

    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private final AtomicBoolean claimed = new AtomicBoolean();

    /** What the caller gets. */
    CompletableFuture<T> answer() {
        return answer;
    }

    /** Takes the timer that is of no use any more once this is answered. */
    void expireWith(@Nullable Future<?> expiry) {
        if (expiry == null) {
            fail(new ColdTierException(Kind.UNAVAILABLE, "the archive is closed"));
            return;
        }
        var unused = answer.whenComplete((result, failure) -> expiry.cancel(false));
    }

    /** Whether the caller may go on to answer it; true once. */
    boolean claim() {
        return claimed.compareAndSet(false, true);
    }

    /** Answers after a claim. */
    void finish(T result) {
        answer.complete(result);
    }

    /** Answers unless that was done. */
    void complete(T result) {
        if (claim()) {
            answer.complete(result);
        }
    }

    /** Fails unless it was answered or claimed. */
    void fail(Throwable failure) {
        if (claim()) {
            answer.completeExceptionally(failure);
        }
    }

    /** The next step when one before it ends; its failure is this read's. */
    <S> BiConsumer<S, Throwable> orFail(Consumer<S> next) {
        return (result, failure) -> {
            if (failure != null) {
                fail(
                        failure instanceof CompletionException && failure.getCause() != null
                                ? failure.getCause()
                                : failure);
                return;
            }
            try {
                next.accept(result);
            } catch (RuntimeException e) {
                fail(e);
            }
        };
    }
}
