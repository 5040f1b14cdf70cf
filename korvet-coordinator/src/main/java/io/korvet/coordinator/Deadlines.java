package io.korvet.coordinator;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a group waits for and until when. One alarm serves all of them: it is set to the earliest deadline and, when it goes
 * off, to the next one, so that a deadline that only moves back (a heartbeat) costs a map entry and no timer. Not
 * thread-safe.
 */
final class Deadlines {

    /** What a deadline ends. */
    enum Kind {
        /** The time an empty group waits for more members. */
        INITIAL_JOIN,
        /** The time members have to join the next generation. */
        JOIN,
        /** The time members have to ask for their assignment. */
        SYNC,
        /** A member's session. */
        SESSION
    }

    /** A deadline; {@code member} is {@code null} for those of the whole group. */
    record Deadline(Kind kind, @Nullable String member) {}

    static final long NEVER = Long.MAX_VALUE;

    private final Map<Deadline, Long> times = new LinkedHashMap<>();
    private long alarm = NEVER;
    private long earliestNew = NEVER;

    void set(Kind kind, long milliseconds) {
        put(new Deadline(kind, null), milliseconds);
    }

    void cancel(Kind kind) {
        times.remove(new Deadline(kind, null));
    }

    void setSession(String member, long milliseconds) {
        put(new Deadline(Kind.SESSION, member), milliseconds);
    }

    void cancelSession(String member) {
        times.remove(new Deadline(Kind.SESSION, member));
    }

    void clear() {
        times.clear();
    }

    boolean has(Kind kind, @Nullable String member) {
        return times.containsKey(new Deadline(kind, member));
    }

    /** Takes the earliest deadline that is not after the moment; {@code null} when none is. */
    @Nullable
    Deadline takeDue(long now) {
        Deadline due = null;
        long earliest = NEVER;
        for (Map.Entry<Deadline, Long> entry : times.entrySet()) {
            if (entry.getValue() <= now && entry.getValue() < earliest) {
                due = entry.getKey();
                earliest = entry.getValue();
            }
        }
        if (due != null) {
            times.remove(due);
        }
        return due;
    }

    /** The alarm has gone off and all that was due is done: the earliest of the rest needs a new one. */
    void rearm() {
        alarm = NEVER;
        for (long time : times.values()) {
            earliestNew = Math.min(earliestNew, time);
        }
    }

    /** When the alarm is to go off, if that is earlier than it was set to before; else {@link #NEVER}. */
    long alarmToSet() {
        long wanted = earliestNew;
        earliestNew = NEVER;
        if (wanted >= alarm) {
            return NEVER;
        }
        alarm = wanted;
        return wanted;
    }

    private void put(Deadline deadline, long milliseconds) {
        times.put(deadline, milliseconds);
        earliestNew = Math.min(earliestNew, milliseconds);
    }
}
