package io.korvet.server.log;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Fetches that wait for something new in a partition. Thread-safe; wakes outside its lock. */
final class ParkedFetches {

    private final Set<Runnable> waiting = new LinkedHashSet<>();

    /**
     * Calls back once with the next {@link #wakeAll}, or at once if something has changed already.
     *
     * @param changed asked under the lock, so that no change is missed that is followed by waking
     * @return whether it was parked; false when the call was made already
     */
    boolean park(BooleanSupplier changed, Runnable wake) {
        synchronized (waiting) {
            if (!changed.getAsBoolean()) {
                waiting.add(wake);
                return true;
            }
        }
        wake.run();
        return false;
    }

    void unpark(Runnable wake) {
        synchronized (waiting) {
            waiting.remove(wake);
        }
    }

    void wakeAll() {
        List<Runnable> woken;
        synchronized (waiting) {
            if (waiting.isEmpty()) {
                return;
            }
            woken = new ArrayList<>(waiting);
            waiting.clear();
        }
        woken.forEach(Runnable::run);
    }
}
