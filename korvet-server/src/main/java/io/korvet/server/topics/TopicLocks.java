package io.korvet.server.topics;

import io.korvet.store.LeaseStore;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * One change at a time per topic name, in this broker by a queue and among brokers by a lease, so that nobody makes logs
 * over those of a topic that has just come to be. Names that collide share their lock. Thread-safe.
 *
 * <p>A change that finds the lease taken asks again every {@value #RETRY_MILLISECONDS} ms and fails with a
 * {@link TimeoutException} after {@value #ATTEMPTS} attempts.
 */
final class TopicLocks {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int RETRY_MILLISECONDS = 50;
    private static final int ATTEMPTS = 100;

    private final LeaseStore leases;
    private final ScheduledExecutorService scheduler;
    private final ConcurrentHashMap<String, CompletableFuture<Void>> tails = new ConcurrentHashMap<>();

    TopicLocks(LeaseStore leases, ScheduledExecutorService scheduler) {
        this.leases = leases;
        this.scheduler = scheduler;
    }

    /** Carries out a change while nobody else changes topics of this name. */
    <T> CompletionStage<T> exclusively(String name, Supplier<CompletionStage<T>> change) {
        String key = TopicNames.collisionKey(name);
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletableFuture<Void> before = tails.put(key, done);
        CompletionStage<Void> turn = before == null ? CompletableFuture.completedFuture(null) : before;
        CompletionStage<T> result = turn.thenCompose(nothing -> leased("topic:" + key, change));
        return result.whenComplete((value, failure) -> {
            tails.remove(key, done);
            done.complete(null);
        });
    }

    private <T> CompletionStage<T> leased(String lease, Supplier<CompletionStage<T>> change) {
        String token = UUID.randomUUID().toString();
        return acquire(lease, token, ATTEMPTS)
                .thenCompose(nothing -> attempt(change)
                        .handle((value, failure) -> leases.release(lease, token).<T>handle((released, notReleased) -> {
                            if (failure != null) {
                                throw new CompletionException(failure);
                            }
                            return value;
                        }))
                        .thenCompose(stage -> stage));
    }

    private static <T> CompletionStage<T> attempt(Supplier<CompletionStage<T>> change) {
        try {
            return change.get();
        } catch (RuntimeException failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    private CompletionStage<Void> acquire(String lease, String token, int attempts) {
        return leases.acquire(lease, token, LEASE).thenCompose(taken -> {
            if (taken) {
                return CompletableFuture.completedFuture(null);
            }
            if (attempts == 1) {
                return CompletableFuture.failedFuture(
                        new TimeoutException("Another broker is changing this topic; nothing was changed here."));
            }
            CompletableFuture<Void> pause = new CompletableFuture<>();
            ScheduledFuture<Boolean> unused =
                    scheduler.schedule(() -> pause.complete(null), RETRY_MILLISECONDS, TimeUnit.MILLISECONDS);
            return pause.thenCompose(nothing -> acquire(lease, token, attempts - 1));
        });
    }
}
