package io.korvet.tiering.iceberg;

import io.korvet.tiering.ColdTierException;
import io.korvet.tiering.ColdTierException.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads of cold reads, apart from all others and of the lowest priority: those that load and may wait for the
 * object store, those that hand over what is in memory and never wait, and one that watches the time.
 */
final class ReadPools implements AutoCloseable {

    private static final int WAITING = 1_024;
    /** Read-ahead is given up rather than queued behind more loads than this. */
    private static final int WAITING_AHEAD = 16;

    private final ThreadPoolExecutor loads;
    private final ThreadPoolExecutor deliveries;
    private final ScheduledThreadPoolExecutor timer;

    /** Pools of so many threads each. */
    ReadPools(int loadThreads, int deliveryThreads) {
        loads = pool(loadThreads, "korvet-cold-load");
        deliveries = pool(deliveryThreads, "korvet-cold-read");
        timer = new ScheduledThreadPoolExecutor(1, named("korvet-cold-timer", Thread.NORM_PRIORITY));
        timer.setRemoveOnCancelPolicy(true);
    }

    private static ThreadPoolExecutor pool(int threads, String name) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(WAITING),
                named(name, Thread.MIN_PRIORITY));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    @SuppressWarnings("ThreadPriorityCheck") // A courtesy to hot traffic; nothing depends on it.
    private static ThreadFactory named(String name, int priority) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            thread.setPriority(priority);
            return thread;
        };
    }

    /** Loads something; fails as busy when too many loads wait. */
    <T> CompletableFuture<T> load(Supplier<T> work) {
        CompletableFuture<T> loaded = new CompletableFuture<>();
        execute(loads, loaded, () -> loaded.complete(work.get()));
        return loaded;
    }

    /** Whether there is room to load something that nobody waits for yet. */
    boolean hasRoomAhead() {
        return loads.getQueue().size() < WAITING_AHEAD;
    }

    /**
     * Runs something that never waits; fails an answer as busy when too much of it is queued, and answers false, as it
     * does when the pools are closed.
     */
    boolean deliver(CompletableFuture<?> answer, Runnable work) {
        return execute(deliveries, answer, work);
    }

    private static boolean execute(ThreadPoolExecutor pool, CompletableFuture<?> answer, Runnable work) {
        try {
            pool.execute(() -> {
                try {
                    work.run();
                } catch (RuntimeException e) {
                    answer.completeExceptionally(e);
                } catch (OutOfMemoryError e) {
                    answer.completeExceptionally(
                            new ColdTierException(Kind.BUSY, "not enough memory for a cold read", e));
                } catch (Error e) {
                    answer.completeExceptionally(e);
                    throw e;
                }
            });
            return true;
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(
                    pool.isShutdown()
                            ? new ColdTierException(Kind.UNAVAILABLE, "the archive is closed", e)
                            : new ColdTierException(Kind.BUSY, WAITING + " cold reads wait already", e));
            return false;
        }
    }

    /** Runs something after a while; {@code null} when the pools are closed. */
    @Nullable
    Future<?> later(long milliseconds, Runnable work) {
        try {
            return timer.schedule(work, milliseconds, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            return null;
        }
    }

    /** Ends all threads; what waits is failed by nobody but its deadline, so callers fail their reads first. */
    @Override
    public void close() {
        timer.shutdownNow();
        loads.shutdownNow();
        deliveries.shutdownNow();
    }
}
