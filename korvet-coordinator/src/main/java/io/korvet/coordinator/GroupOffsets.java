package io.korvet.coordinator;

import io.korvet.store.CommittedOffsets;
import io.korvet.store.CommittedOffsets.Position;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * A group's committed positions in memory: what the store has said and, on top of it, what has been written since. Only
 * what the store has confirmed is in here. Not thread-safe: belongs to its group.
 */
final class GroupOffsets {

    private record Held(long afterWrite, Runnable task) {}

    private final Map<CommittedOffsets.Key, Position> positions = new HashMap<>();
    private final Queue<Held> held = new ArrayDeque<>();
    private boolean loaded;
    private int doubts;
    private long writesBegun;
    private long writesEnded;

    /** Whether this is all that the store has. */
    boolean isLoaded() {
        return loaded;
    }

    boolean isEmpty() {
        return positions.isEmpty();
    }

    Map<CommittedOffsets.Key, Position> all() {
        return positions;
    }

    /** Changes when what is in memory becomes doubtful; a load that began before such a moment doesn't count. */
    int doubts() {
        return doubts;
    }

    /** What the store has; positions written since the load began are newer and stay. False when it came too late. */
    boolean load(Map<CommittedOffsets.Key, Position> stored, int doubtsBefore) {
        if (doubts != doubtsBefore) {
            return false;
        }
        stored.forEach(positions::putIfAbsent);
        loaded = true;
        return true;
    }

    void put(Map<CommittedOffsets.Key, Position> written) {
        positions.putAll(written);
    }

    void remove(Collection<CommittedOffsets.Key> keys) {
        positions.keySet().removeAll(keys);
    }

    void removeAll() {
        positions.clear();
    }

    /** It is not known any more what the store has: the next one to ask must load. */
    void doubt() {
        positions.clear();
        loaded = false;
        doubts++;
    }

    long writing() {
        return writesBegun - writesEnded;
    }

    void beginWrite() {
        writesBegun++;
    }

    /** A write has ended; those who waited for it and all before it go on. */
    void endWrite() {
        writesEnded++;
        for (Held next = held.peek(); next != null && next.afterWrite() <= writesEnded; next = held.peek()) {
            held.remove();
            next.task().run();
        }
    }

    /** Runs a task when all writes begun by now have ended. */
    void afterWrites(Runnable task) {
        if (writing() == 0) {
            task.run();
        } else {
            held.add(new Held(writesBegun, task));
        }
    }
}
