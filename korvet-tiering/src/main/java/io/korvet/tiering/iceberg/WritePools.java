package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads that write to the archive: those that copy segments, those that ask, remove and lead, and one for maintenance,
 * so that none of these waits for another kind. Their queues are bounded; what doesn't fit fails as busy.
 */
final class WritePools implements AutoCloseable {

    private static final int COPYING = 4;
    private static final int WAITING = 1_024;
    private static final long PATIENCE_SECONDS = 5;

    private final ThreadPoolExecutor copies = pool(COPYING, "korvet-archive-copy");
    private final ThreadPoolExecutor steps = pool(2, "korvet-archive-step");
    private final ThreadPoolExecutor maintenance = pool(1, "korvet-archive-maintain");

    private static ThreadPoolExecutor pool(int threads, String name) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING), task -> {
                    Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** Where segments are copied. */
    Executor copies() {
        return copies;
    }

    /** Something short that blocks. */
    <T extends @Nullable Object> CompletionStage<T> step(String what, Supplier<T> act) {
        return run(steps, what, act);
    }

    /** Something long that blocks. */
    <T extends @Nullable Object> CompletionStage<T> maintain(String what, Supplier<T> act) {
        return run(maintenance, what, act);
    }

    private static <T extends @Nullable Object> CompletionStage<T> run(
            ThreadPoolExecutor pool, String what, Supplier<T> act) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            pool.execute(() -> {
                try {
                    answer.complete(act.get());
                } catch (RuntimeException | Error e) {
                    answer.completeExceptionally(ArchiveFailures.of(what, e));
                }
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(refused(pool, what));
        }
        return answer;
    }

    private static ColdTierException refused(ThreadPoolExecutor pool, String what) {
        return pool.isShutdown()
                ? new ColdTierException(Kind.UNAVAILABLE, what + ": the archive is closed")
                : new ColdTierException(Kind.BUSY, what + ": " + WAITING + " calls wait already");
    }

    /** Ends all threads, and gives what is under way a moment to end. */
    @Override
    public void close() {
        copies.shutdownNow();
        steps.shutdownNow();
        maintenance.shutdownNow();
        try {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            for (ThreadPoolExecutor pool : new ThreadPoolExecutor[] {copies, steps, maintenance}) {
                boolean ended = pool.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (!ended) {
                    break;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
