package io.korvet.coordinator;

import java.util.concurrent.ScheduledExecutorService;

/**
 * Time for groups: a clock that never goes back or jumps, and one alarm for each group. Thread-safe; calls for one group
 * come one after another.
 */
public interface GroupTimers {

    /** Milliseconds since some moment. */
    long now();

    /** Runs a task at a time of {@link #now()}, at once if it has passed; takes the place of the group's alarm before. */
    void wake(String group, long milliseconds, Runnable task);

    /** Takes back the group's alarm, if there is one. */
    void cancel(String group);

    /** Timers on a scheduler, which runs only short tasks for them and stays the caller's to stop. */
    static GroupTimers on(ScheduledExecutorService scheduler) {
        return new ScheduledGroupTimers(scheduler);
    }
}
