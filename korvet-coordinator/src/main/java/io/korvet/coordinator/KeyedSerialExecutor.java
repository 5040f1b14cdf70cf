package io.korvet.coordinator;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks on an executor so that those of one key run one after another, in the order they came, while those of different
 * keys may run at the same time. A key with nothing to do costs nothing; no thread waits for another. Tasks must not throw
 * and must not block. Thread-safe.
 */
final class KeyedSerialExecutor {

    /** Tasks of one key that are run before other keys get a turn. */
    private static final int TURN = 64;

    private final ConcurrentHashMap<String, Queue<Runnable>> lanes = new ConcurrentHashMap<>();
    private final Executor executor;
    private final int maxQueued;

    /** Tasks run on the executor; at most so many of one key wait. */
    KeyedSerialExecutor(Executor executor, int maxQueued) {
        this.executor = executor;
        this.maxQueued = maxQueued;
    }

    /** Runs a task after all others of its key; false, and nothing is done, when too many wait already. */
    boolean offer(String key, Runnable task) {
        return add(key, task, maxQueued);
    }

    /** The same without a limit, for what follows from a task that was accepted before. */
    void follow(String key, Runnable task) {
        add(key, task, Integer.MAX_VALUE);
    }

    private boolean add(String key, Runnable task, int limit) {
        // Whether this call opened the lane, and whether it took the task: known only inside the map's atomic step.
        boolean[] outcome = {false, true};
        lanes.compute(key, (name, lane) -> {
            Queue<Runnable> tasks = lane;
            if (tasks == null) {
                tasks = new ArrayDeque<>(4);
                outcome[0] = true;
            } else if (tasks.size() >= limit) {
                outcome[1] = false;
                return tasks;
            }
            tasks.add(task);
            return tasks;
        });
        if (outcome[0]) {
            start(key);
        }
        return outcome[1];
    }

    private void start(String key) {
        try {
            executor.execute(() -> run(key));
        } catch (RuntimeException stopped) {
            // The executor takes nothing any more: leave no lane behind that looks as if it were served.
            lanes.remove(key);
            throw stopped;
        }
    }

    private void run(String key) {
        for (int turn = 0; turn < TURN; turn++) {
            Runnable task = next(key);
            if (task == null) {
                return;
            }
            task.run();
        }
        start(key);
    }

    @Nullable
    private Runnable next(String key) {
        Runnable[] next = new Runnable[1];
        lanes.computeIfPresent(key, (name, tasks) -> {
            next[0] = tasks.poll();
            return next[0] == null ? null : tasks;
        });
        return next[0];
    }
}
