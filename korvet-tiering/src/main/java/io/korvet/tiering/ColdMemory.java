package io.korvet.tiering;

import io.korvet.store.StreamName;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What the work in the cold tier remembers from one turn to the next; nothing is lost when it is. Thread-safe. */
final class ColdMemory {

    /** No segment. */
    static final long NONE = -1;

    private final Map<StreamName, Long> doubtful = new ConcurrentHashMap<>();
    private final Set<StreamName> swept = ConcurrentHashMap.newKeySet();

    /** The segment of a log whose offload had no known end, {@link #NONE} for none. */
    long inDoubt(StreamName stream) {
        return doubtful.getOrDefault(stream, NONE);
    }

    void doubt(StreamName stream, long segment) {
        doubtful.put(stream, segment);
    }

    void settled(StreamName stream) {
        doubtful.remove(stream);
    }

    /** Whether the tier is known to have nothing of a log from before its oldest segment in the catalog. */
    boolean isSwept(StreamName stream) {
        return swept.contains(stream);
    }

    void swept(StreamName stream) {
        swept.add(stream);
    }

    void unswept(StreamName stream) {
        swept.remove(stream);
    }

    /** Another process may have been at work. */
    void beginAnew() {
        swept.clear();
    }
}
