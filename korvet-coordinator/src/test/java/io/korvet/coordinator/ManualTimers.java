package io.korvet.coordinator;

import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Timers and wall clock that stand still until they are told to go on. */
final class ManualTimers implements GroupTimers, InstantSource {

    private record Alarm(long milliseconds, Runnable task) {}

    private final Map<String, Alarm> alarms = new HashMap<>();
    private long now = 1_000_000_000_000L;

    @Override
    public long now() {
        return now;
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(now);
    }

    @Override
    public void wake(String group, long milliseconds, Runnable task) {
        alarms.put(group, new Alarm(milliseconds, task));
    }

    @Override
    public void cancel(String group) {
        alarms.remove(group);
    }

    boolean isQuiet() {
        return alarms.isEmpty();
    }

    void pass(long milliseconds) {
        long end = now + milliseconds;
        for (Alarm due = takeDue(end); due != null; due = takeDue(end)) {
            now = Math.max(now, due.milliseconds());
            due.task().run();
        }
        now = end;
    }

    private @Nullable Alarm takeDue(long end) {
        Map.Entry<String, Alarm> earliest = null;
        for (Map.Entry<String, Alarm> entry : alarms.entrySet()) {
            long time = entry.getValue().milliseconds();
            if (time <= end && (earliest == null || time < earliest.getValue().milliseconds())) {
                earliest = entry;
            }
        }
        return earliest == null ? null : alarms.remove(earliest.getKey());
    }
}
