package io.korvet.tiering;

import io.korvet.store.LogState;
import io.korvet.store.Store;
import io.korvet.store.StreamName;
import io.korvet.tiering.DeletedLogs.Incarnation;
import io.korvet.tiering.WorkerObserver.Phase;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Removes a deleted log from the cold tier, and crosses it out; one that is still there is left alone. */
record ForgetTurn(
        Incarnation deleted,
        ColdTier tier,
        Store store,
        Supplier<CompletionStage<Boolean>> permission,
        Executor executor)
        implements ColdTurn {

    @Override
    public StreamName stream() {
        return deleted.stream();
    }

    @Override
    public @Nullable ManagedLog log() {
        return null;
    }

    @Override
    public Phase phase() {
        return Phase.FORGET;
    }

    @Override
    public @Nullable ActiveOffload active() {
        return null;
    }

    @Override
    public CompletionStage<After> step(Runnable moved) {
        return store.entries()
                .state(stream())
                .thenComposeAsync(
                        state -> isThere(state) ? CompletableFuture.completedFuture(false) : permission.get(), executor)
                .thenComposeAsync(permitted -> permitted ? forget() : CompletableFuture.completedFuture(null), executor)
                .thenApply(done -> After.END);
    }

    private boolean isThere(@Nullable LogState state) {
        return state != null && state.incarnation().equals(deleted.id());
    }

    private CompletionStage<Void> forget() {
        return tier.removeLog(stream(), deleted.id())
                .thenComposeAsync(gone -> new DeletedLogs(store.removals()).forget(deleted), executor);
    }
}
