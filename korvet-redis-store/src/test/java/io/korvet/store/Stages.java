package io.korvet.store;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Waits for answers in tests. */
public final class Stages {

    private Stages() {}

    /** The answer of a call, waited for; its failure as it is. */
    @SuppressWarnings("NullAway")
    public static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** The failure of a call that must fail. */
    public static StoreException failure(CompletionStage<?> stage) {
        try {
            Object answer = await(stage);
            throw new AssertionError("expected a failure, got " + answer);
        } catch (StoreException e) {
            return e;
        }
    }
}
