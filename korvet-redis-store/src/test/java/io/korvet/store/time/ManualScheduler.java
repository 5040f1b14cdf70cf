package io.korvet.store.time;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A scheduler and a clock without threads: tasks run on the caller's thread when {@link #run} or {@link #advance} is
 * called, in the order of their times. Tasks may be handed in from any thread.
 */
public final class ManualScheduler extends AbstractExecutorService implements ScheduledExecutorService, InstantSource {

    private final PriorityBlockingQueue<Task<?>> tasks = new PriorityBlockingQueue<>();
    private final AtomicLong order = new AtomicLong();
    private volatile Instant now;
    private volatile boolean shutdown;

    /** A scheduler whose clock stands at an instant. */
    public ManualScheduler(Instant now) {
        this.now = now;
    }

    @Override
    public Instant instant() {
        return now;
    }

    /** Sets the clock without running anything, as a clock that steps does; tasks keep their distance. */
    public void stepClock(Duration step) {
        List<Task<?>> waiting = new ArrayList<>();
        tasks.drainTo(waiting);
        now = now.plus(step);
        waiting.forEach(task -> task.due = task.due.plus(step));
        tasks.addAll(waiting);
    }

    /** Runs all tasks that are due, and those that they hand in and that are due. */
    public void run() {
        advance(Duration.ZERO);
    }

    /** Moves the clock on, from task to task, and runs them. */
    public void advance(Duration duration) {
        Instant end = now.plus(duration);
        for (Task<?> next = tasks.peek(); next != null && !next.due.isAfter(end); next = tasks.peek()) {
            tasks.remove(next);
            now = next.due.isAfter(now) ? next.due : now;
            next.run();
        }
        now = end;
    }

    /** How many tasks wait. */
    public int waiting() {
        return tasks.size();
    }

    @Override
    public void execute(Runnable command) {
        var unused = schedule(command, 0, TimeUnit.MILLISECONDS);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return schedule(
                () -> {
                    command.run();
                    return true;
                },
                delay,
                unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        Task<V> task = new Task<>(callable, now.plus(Duration.of(delay, unit.toChronoUnit())));
        if (!shutdown) {
            tasks.add(task);
        }
        return task;
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        throw new UnsupportedOperationException("schedule the next run when one is done");
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initialDelay, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException("schedule the next run when one is done");
    }

    @Override
    public void shutdown() {
        shutdown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown = true;
        List<Runnable> waiting = new ArrayList<>();
        tasks.drainTo(waiting);
        return waiting;
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return shutdown && tasks.isEmpty();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isTerminated();
    }

    private final class Task<V> extends FutureTask<V> implements RunnableScheduledFuture<V> {

        private final long number = order.getAndIncrement();
        private volatile Instant due;

        Task(Callable<V> callable, Instant due) {
            super(callable);
            this.due = due;
        }

        @Override
        public boolean isPeriodic() {
            return false;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(Duration.between(now, due));
        }

        @Override
        public int compareTo(Delayed other) {
            return other instanceof Task<?> task
                    ? Comparator.<Task<?>, Instant>comparing(one -> one.due)
                            .thenComparingLong(one -> one.number)
                            .compare(this, task)
                    : Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            tasks.remove(this);
            return super.cancel(mayInterruptIfRunning);
        }
    }
}
