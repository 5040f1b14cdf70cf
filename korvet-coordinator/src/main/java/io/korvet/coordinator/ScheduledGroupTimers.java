package io.korvet.coordinator;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** {@link GroupTimers} on a scheduler and the machine's monotonic clock. */
final class ScheduledGroupTimers implements GroupTimers {

    private final ConcurrentHashMap<String, Future<?>> alarms = new ConcurrentHashMap<>();
    private final ScheduledExecutorService scheduler;

    ScheduledGroupTimers(ScheduledExecutorService scheduler) {
        this.scheduler = scheduler;
    }

    @Override
    public long now() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    @Override
    public void wake(String group, long milliseconds, Runnable task) {
        long delay = Math.max(milliseconds - now(), 0);
        alarms.compute(group, (name, before) -> {
            if (before != null) {
                before.cancel(false);
            }
            return scheduler.schedule(task, delay, TimeUnit.MILLISECONDS);
        });
    }

    @Override
    public void cancel(String group) {
        Future<?> alarm = alarms.remove(group);
        if (alarm != null) {
            alarm.cancel(false);
        }
    }
}
